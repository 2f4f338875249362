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
	"path/filepath"
	"strconv"
	"strings"

	"github.com/adrg/xdg"
	"github.com/spf13/cobra"

	"tonne/ui/cli/config"
	"tonne/ui/cli/terminal"
)

// App is one run of the program.
type App struct {
	Process
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
	// Fleeting is a directory for what is gone when the program ends, empty for a
	// program that may leave something.
	Fleeting string
	// Production says that the address in use is one of production, or is empty.
	Production string
	Told       telling
	// Described is what commands say of themselves.
	Described map[*cobra.Command]Description
	// HasDebug says that the command has the flag --debug.
	HasDebug bool
	Logger   *slog.Logger
	File     *os.File
}

func NewApp(p Process, t *terminal.Terminal, newRoot func(*App) *cobra.Command) *App {
	a := &App{Process: p, Terminal: t, NewRoot: newRoot}
	a.Told.Objects = asksForObjects(p.Args)
	return a
}

func (a *App) ConnectionFlags(cmd *cobra.Command) {
	a.SettingFlags(cmd, "base_url", "profile", "timeout", "config", "debug")
}

func (a *App) SettingFlags(cmd *cobra.Command, names ...string) {
	if a.Flags == nil {
		a.Flags = make(map[string]string)
	}
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

// dir returns tonne's directory under an XDG base directory. A guest has none:
// nothing can be below the path that it is told.
func (a *App) dir(variable, otherwise string) string {
	if a.Guest != nil {
		return filepath.Join(os.DevNull, "tonne")
	}
	if base := a.Getenv(variable); filepath.IsAbs(base) {
		return filepath.Join(base, "tonne")
	}
	return filepath.Join(otherwise, "tonne")
}

func (a *App) ConfigDir() string { return a.dir("XDG_CONFIG_HOME", xdg.ConfigHome) }

func (a *App) DataDir() string { return a.dir("XDG_DATA_HOME", xdg.DataHome) }

func (a *App) StateDir() string { return a.dir("XDG_STATE_HOME", xdg.StateHome) }

func (a *App) CertificatesDir() string {
	return cmp.Or(a.Fleeting, filepath.Join(a.DataDir(), "certificates"))
}

func (a *App) CredentialsDir() string { return filepath.Join(a.DataDir(), "credentials") }

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

func (a *App) CloseDebug() {
	if a.File != nil {
		_ = a.File.Close()
	}
}

func (a *App) Log() *slog.Logger { return cmp.Or(a.Logger, slog.New(slog.DiscardHandler)) }
