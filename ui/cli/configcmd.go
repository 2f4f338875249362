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
	// Some settings are found in more places than the flag, the environment and
	// the file.
	found := map[string][2]string{
		"config": {path, source}, "profile": {s.profileShown(), s.profileFrom}, "base_url": {string(s.baseURL), s.baseURLFrom}, "key": a.keyShown(s),
		"label": {s.label(), s.file.Path()}, "debug": {a.flags["debug"], "--debug"},
	}
	for _, of := range config.Settings {
		value, from := a.value(of.Name, s.file, s.profileName)
		if special, ok := found[of.Name]; ok {
			value, from = special[0], special[1]
		}
		if of.Type == config.Boolean {
			value = yesNo(value == "true")
		}
		if of.Name == "production" && s.production() != "" {
			show("environment", s.production(), s.file.Path())
			continue
		}
		show(of.Name, value, from)
	}
	_, err = io.WriteString(a.Stdout, text.String())
	return err
}

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

func (a *app) keyShown(s *settings) [2]string {
	if s.baseURL == "" {
		return [2]string{}
	}
	switch err := a.findKey(s); {
	case errors.Is(err, credentials.ErrNone):
		return [2]string{}
	case err != nil:
		return [2]string{"unreadable: " + err.Error(), ""}
	}
	return [2]string{"********", s.keyFrom}
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
