// Package command contains the code shared by all commands: the run of the program with
// its streams, settings, API key and client; messages, failures and exit statuses; the
// flags for output formats; and the descriptions for `tonne schema`. It contains no command
// itself. Start reading at App.
package command

import (
	"io"

	"github.com/spf13/cobra"

	"tonne/ui/cli/config"
	"tonne/ui/cli/terminal"
	"tonne/ui/output"
)

// App is one run of the program: the values that commands share. It is created once and
// passed to the constructor of each command.
type App struct {
	*Configuration
	Descriptions
	// Lines prints tables as lines, one cell per line, for a screen reader.
	Lines bool
	// Selection contains the columns and the order of --columns and --sort.
	Selection output.Selection
	// HasDebug reports that the command has the flag --debug.
	HasDebug bool
}

// NewApp starts a run of the program.
func NewApp(p Process, t *terminal.Terminal) *App {
	a := &App{
		Configuration: &Configuration{Process: p, Places: Places{getenv: p.Getenv, none: p.Guest != nil}, Terminal: t, Flags: make(map[string]string)},
		Descriptions:  make(Descriptions),
	}
	a.Messages = a.newMessages()
	if p.Guest != nil {
		a.Desk = &p.Guest.Desk
	}
	return a
}

// Silent returns a copy of the run that discards messages.
func (a *App) Silent() *App {
	silent, configuration := *a, *a.Configuration
	configuration.Stderr = io.Discard
	silent.Configuration = &configuration
	silent.Messages = silent.newMessages()
	return &silent
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

type settingFlag struct {
	of    config.Setting
	flags map[string]string
}

// String returns the given value.
func (f *settingFlag) String() string { return f.flags[f.of.Name] }

// Set reads a value.
func (f *settingFlag) Set(text string) (err error) {
	f.flags[f.of.Name], err = f.of.Parse(text)
	return err
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
