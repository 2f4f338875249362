// Package configuration implements the command `tonne config`: it prints the settings with
// their sources, writes a first configuration file and opens it in an editor. The settings
// themselves are in package ui/cli/config.
package configuration

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"

	"tonne/api/wire"
	"tonne/model/advice"
	"tonne/ui"
	"tonne/ui/cli/command"
	"tonne/ui/cli/config"
	"tonne/ui/cli/credentials"
	"tonne/ui/cli/terminal"
	"tonne/ui/keymap"
)

// Command returns `tonne config`.
func Command(a *command.App) *cobra.Command {
	verb := func(name, short string, changes command.Effect,
		run func(context.Context, *command.App) error) *cobra.Command {
		return a.Verb(&cobra.Command{Use: name, Short: short, Example: "  tonne config " + name}, changes, run)
	}
	return a.Group("config", "Show, create or edit the configuration",
		"  tonne config show\n  tonne config init\n  tonne config edit",
		verb("show", "Print each setting and where it comes from", command.Reads, printSettings),
		verb("init", "Write a configuration file with commented examples", command.WritesLocal, initFile),
		verb("edit", "Open the configuration file in $VISUAL or $EDITOR, then check it", command.WritesLocal, edit))
}

func printSettings(_ context.Context, a *command.App) error {
	s, err := a.Settings()
	if err != nil && !errors.Is(err, command.ErrNotConfigured) {
		return err
	}
	// One write at the end fails unless everything was written.
	var text strings.Builder
	show := func(name, value, from string) {
		if value == "" {
			value, from = "not set", ""
		}
		if from != "" {
			from = " (" + from + ")"
		}
		fmt.Fprintf(&text, "%-19s %s\n", name, wire.Clean(value+from))
	}
	path, named := a.ConfigPath()
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
		"config": {path, source}, "profile": {profileShown(s), s.ProfileFrom}, "base_url": {string(s.BaseURL), s.BaseURLFrom},
		"key":   keyShown(a, s),
		"label": {s.Label(), s.File.Path()}, "debug": {a.Flags["debug"], "--debug"},
	}
	for _, of := range config.Settings {
		value, from := a.Value(of.Name, s.File, s.ProfileName)
		if special, ok := found[of.Name]; ok {
			value, from = special[0], special[1]
		}
		if of.Type == config.Boolean {
			value = command.YesNo(value == "true")
		}
		if of.Name == "production" && s.Production() != "" {
			show("environment", s.Production(), s.File.Path())
			continue
		}
		show(of.Name, value, from)
	}
	for _, problem := range keymap.Remap(s.File.Keys).Unknown(ui.Keys()...) {
		a.Warn("%v", problem)
	}
	_, err = io.WriteString(a.TextOut(), text.String())
	return err
}

func profileShown(s *command.Settings) string {
	if s.ProfileName != "" || s.BaseURL == "" {
		return s.ProfileName
	}
	var why []string
	if s.Displaced != "" {
		why = append(why, s.Displaced+" has another address")
	}
	if names := s.File.At(s.BaseURL); len(names) > 1 {
		why = append(why, strings.Join(names, ", ")+" have this address: choose with --profile")
	}
	if why == nil {
		return ""
	}
	return "none: " + strings.Join(why, "; ")
}

func keyShown(a *command.App, s *command.Settings) [2]string {
	if s.BaseURL == "" {
		return [2]string{}
	}
	switch err := a.FindKey(s); {
	case errors.Is(err, credentials.ErrNone):
		return [2]string{}
	case err != nil:
		return [2]string{"unreadable: " + err.Error(), ""}
	}
	return [2]string{"********", s.KeyFrom}
}

func initFile(_ context.Context, a *command.App) error {
	path, _ := a.ConfigPath()
	if err := config.Init(path); err != nil {
		return command.Failed(advice.Format("change it with %s", advice.Tonne("config edit")), "%v", err)
	}
	_, err := fmt.Fprintln(a.Stdout, path)
	return err
}

// edit opens the file in an editor. A file that is wrong afterwards is
// reported at once, not at the next command.
func edit(ctx context.Context, a *command.App) error {
	path, _ := a.ConfigPath()
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		if err := config.Init(path); err != nil {
			return err
		}
	}
	editor := strings.Fields(cmp.Or(strings.TrimSpace(a.Getenv("VISUAL")), strings.TrimSpace(a.Getenv("EDITOR")),
		defaultEditor))
	if editor[0] == defaultEditor && len(editor) == 1 && !terminal.IsTerminal(a.Stdin) {
		return command.Usage("edit "+path+", or set EDITOR to an editor that needs no terminal",
			"%s needs a terminal, and standard input is not a terminal", defaultEditor)
	}
	cmd := exec.CommandContext(ctx, editor[0], append(editor[1:], path)...)
	cmd.Stdin, cmd.Stdout = a.Stdin, a.Stdout
	cmd.Stderr, _ = terminal.Stream(a.Stderr).(io.Writer)
	if err := cmd.Run(); err != nil {
		return command.Failed("set EDITOR to an installed editor", "the editor %s failed: %v", editor[0], err)
	}
	_, err := config.Read(path, true)
	return err
}

// defaultEditor is there on every Unix.
const defaultEditor = "vi"
