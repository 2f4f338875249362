// Package command is what the commands of tonne share: a run of the program with its
// streams, settings, key and client, messages and failures with their exit status,
// flags of formats, and what a command says of itself for `tonne schema`. It knows no
// command; start reading at App.
package command

import (
	"cmp"
	"errors"
	"log/slog"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"tonne/ui/cli/config"
	"tonne/ui/cli/output"
	"tonne/ui/cli/terminal"
)

// App is one run of the program.
type App struct {
	Process
	*Messages
	Places
	// NewRoot makes the command of the program, with those below it.
	NewRoot  func(*App) *cobra.Command
	Terminal *terminal.Terminal
	// Flags are the values of the flags of settings, by the names of the settings.
	Flags map[string]string
	// ProfileFrom is where the profile of the flags was named, in words; empty for
	// the flag.
	ProfileFrom string
	// Key is the API key in use, so that it is kept out of what is printed, and
	// keySource where it was found, in words.
	Key, KeySource string
	// Production says that the address in use is one of production, or is empty.
	Production string
	// knowsDisplaced says that the person knows that the profile does not apply.
	knowsDisplaced bool
	// Selection is what --columns and --sort choose of a list.
	Selection output.Selection
	// Described is what commands say of themselves.
	Described map[*cobra.Command]Description
	// HasDebug says that the command has the flag --debug.
	HasDebug bool
	Logger   *slog.Logger
	File     *os.File
}

// NewApp begins a run of the program. newRoot makes its command, for advice that names
// commands.
func NewApp(p Process, t *terminal.Terminal, newRoot func(*App) *cobra.Command) *App {
	a := &App{Process: p, Terminal: t, NewRoot: newRoot, Flags: make(map[string]string), Described: make(map[*cobra.Command]Description)}
	a.Places = Places{getenv: p.Getenv, none: p.Guest != nil}
	a.Messages = a.NewMessages()
	return a
}

// ConnectionFlags adds the flags of a command that talks to a marketplace.
func (a *App) ConnectionFlags(cmd *cobra.Command) {
	a.SettingFlags(cmd, "base_url", "profile", "timeout", "config", "debug")
}

// SettingFlags adds the flags of settings, by the names of the settings.
func (a *App) SettingFlags(cmd *cobra.Command, names ...string) {
	for _, name := range names {
		of := config.Find(name)
		flag := cmd.Flags().VarPF(&settingFlag{of, a.Flags}, of.Flag, "", of.Usage())
		if of.Type == config.Boolean {
			flag.NoOptDefVal, flag.DefValue = "true", "false"
		}
	}
}

// settingFlag is the flag of a setting.
type settingFlag struct {
	of    config.Setting
	flags map[string]string
}

// String returns the value that was given.
func (f *settingFlag) String() string { return f.flags[f.of.Name] }

// Set reads a value.
func (f *settingFlag) Set(text string) error {
	switch f.of.Type {
	case config.Period:
		if _, err := config.ParseDuration(text); err != nil {
			return errors.New("it must be a duration of more than nothing, such as 10s")
		}
	case config.Boolean:
		yes, err := strconv.ParseBool(text)
		if err != nil {
			return err
		}
		text = strconv.FormatBool(yes != strings.HasPrefix(f.of.Flag, "no-"))
	}
	f.flags[f.of.Name] = text
	return nil
}

// Type names the kind of value in help texts.
func (f *settingFlag) Type() string {
	switch f.of.Type {
	case config.Period:
		return "duration"
	case config.Boolean:
		return "bool"
	}
	return "string"
}

// OpenDebug begins the log that --debug names, if it does.
func (a *App) OpenDebug() error {
	if a.Flags["debug"] == "" || a.File != nil {
		return nil
	}
	file, err := OpenDebugFile(a.Flags["debug"])
	if err != nil {
		return err
	}
	a.LogTo(file)
	return nil
}

// LogTo writes the log to a file, without keys.
func (a *App) LogTo(file *os.File) {
	a.File = file
	a.Logger = slog.New(slog.NewTextHandler(file, &slog.HandlerOptions{
		Level: slog.LevelDebug,
		ReplaceAttr: func(_ []string, attr slog.Attr) slog.Attr {
			switch attr.Value.Kind() {
			case slog.KindString, slog.KindAny:
				attr.Value = slog.StringValue(a.Redact(attr.Value.String()))
			}
			return attr
		},
	}))
}

// CloseDebug ends the log.
func (a *App) CloseDebug() {
	if a.File != nil {
		_ = a.File.Close()
	}
}

// Log returns the log; without --debug it discards everything.
func (a *App) Log() *slog.Logger { return cmp.Or(a.Logger, slog.New(slog.DiscardHandler)) }
