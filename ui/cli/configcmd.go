package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"

	"tonne/ui/cli/config"
	"tonne/ui/cli/credentials"
)

func (a *app) configCommand() *cobra.Command {
	return a.group("config", "Show, start or edit the configuration", "  tonne config show\n  tonne config init\n  tonne config edit",
		a.configSubcommand("show", "Print each setting and where it comes from", reads, a.configShow),
		a.configSubcommand("init", "Write a configuration file to start from", writesLocal, a.configInit),
		a.configSubcommand("edit", "Open the configuration file in $VISUAL or $EDITOR, and check it", writesLocal, a.configEdit),
	)
}

func (a *app) configSubcommand(name, short string, changes effect, run func(context.Context, *cobra.Command, []string) error) *cobra.Command {
	cmd := &cobra.Command{Use: name, Short: short, Example: "  tonne config " + name, Args: cobra.NoArgs, RunE: do(run)}
	a.connectionFlags(cmd)
	return a.describe(cmd, description{effect: changes})
}

func (a *app) configShow(context.Context, *cobra.Command, []string) error {
	s, err := a.settings()
	if err != nil && !errors.Is(err, errNotConfigured) {
		return err
	}
	// One write at the end tells whether all of it arrived.
	var text strings.Builder
	show := func(name, value, from string) {
		if value == "" {
			value, from = "not set", ""
		}
		if from != "" {
			from = " (" + from + ")"
		}
		fmt.Fprintf(&text, "%-12s %s%s\n", name, value, from)
	}
	path, named := a.configPath()
	source := "default place"
	if named {
		source = "named"
	}
	if _, err := os.Stat(path); err != nil {
		source += ", not there"
	}
	show("config", path, source)
	show("profile", s.profileShown(), s.profileFrom)
	if production := s.production(); production != "" {
		show("environment", production, s.file.Path())
	}
	if s.profile.AllowRetire {
		show("allow_retire", "yes", s.file.Path())
	}
	show("base_url", string(s.baseURL), s.baseURLFrom)
	a.showKey(s, show)
	show("timeout", s.timeout.String(), s.timeoutFrom)
	show("theme", string(s.file.Theme), s.file.Path())
	if names := s.file.Names(); len(names) > 0 {
		show("profiles", strings.Join(names, ", "), s.file.Path())
	}
	_, err = io.WriteString(a.Stdout, text.String())
	return err
}

// profileShown is the profile in use, or why none is.
func (s *settings) profileShown() string {
	if s.profileName != "" || s.baseURL == "" {
		return s.profileName
	}
	var why []string
	if s.displaced != "" {
		why = append(why, s.displaced+" has another address")
	}
	if names := s.file.At(s.baseURL); len(names) > 1 {
		why = append(why, strings.Join(names, ", ")+" have this address: choose with --profile")
	}
	if why == nil {
		return ""
	}
	return "none: " + strings.Join(why, "; ")
}

// showKey tells where the key is, and nothing of it.
func (a *app) showKey(s *settings, show func(name, value, from string)) {
	if s.baseURL == "" {
		show("key", "", "")
		return
	}
	switch err := a.findKey(s); {
	case errors.Is(err, credentials.ErrNone):
		show("key", "", "")
	case err != nil:
		show("key", "unreadable: "+err.Error(), "")
	default:
		show("key", "********", s.keyFrom)
	}
}

func (a *app) configInit(context.Context, *cobra.Command, []string) error {
	path, _ := a.configPath()
	if err := config.Init(path); err != nil {
		return failed("change it with `tonne config edit`", "%v", err)
	}
	_, err := fmt.Fprintln(a.Stdout, path)
	return err
}

// configEdit opens the file in an editor. A file that is wrong afterwards is
// told at once, not at the next command.
func (a *app) configEdit(ctx context.Context, _ *cobra.Command, _ []string) error {
	path, _ := a.configPath()
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		if err := config.Init(path); err != nil {
			return err
		}
	}
	if a.editor() == defaultEditor && !isTerminal(a.Stdin) {
		return usage("edit "+path+", or set EDITOR to an editor that needs none", "%s needs a terminal, and standard input is none", defaultEditor)
	}
	editor := strings.Fields(a.editor())
	cmd := exec.CommandContext(ctx, editor[0], append(editor[1:], path)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = a.Stdin, a.Stdout, a.Stderr
	if err := cmd.Run(); err != nil {
		return failed("set EDITOR to an editor that is there", "the editor %s failed: %v", editor[0], err)
	}
	_, err := config.Read(path, true)
	return err
}

func (a *app) editor() string {
	for _, name := range []string{"VISUAL", "EDITOR"} {
		if editor := strings.TrimSpace(a.Getenv(name)); editor != "" {
			return editor
		}
	}
	return defaultEditor
}

// defaultEditor is there on every Unix.
const defaultEditor = "vi"
