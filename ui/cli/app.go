package cli

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
)

// app is one run of the program.
type app struct {
	Process
	// newRoot makes the command of the program, with those below it.
	newRoot  func(*app) *cobra.Command
	terminal *terminal
	// flags are the values of the flags of settings, by the names of the settings.
	flags map[string]string
	// profileFrom is where the profile of the flags was named, in words; empty for
	// the flag.
	profileFrom string
	// key is the API key in use, so that it is kept out of what is printed, and
	// keySource where it was found, in words.
	key, keySource string
	// fleeting is a directory for what is gone when the program ends, empty for a
	// program that may leave something.
	fleeting string
	// production says that the address in use is one of production, or is empty.
	production string
	told       telling
	// described is what commands say of themselves.
	described map[*cobra.Command]description
	// hasDebug says that the command has the flag --debug.
	hasDebug bool
	logger   *slog.Logger
	file     *os.File
}

func newApp(p Process, t *terminal, newRoot func(*app) *cobra.Command) *app {
	a := &app{Process: p, terminal: t, newRoot: newRoot}
	a.told.objects = asksForObjects(p.Args)
	return a
}

func (a *app) connectionFlags(cmd *cobra.Command) {
	a.settingFlags(cmd, "base_url", "profile", "timeout", "config", "debug")
}

func (a *app) settingFlags(cmd *cobra.Command, names ...string) {
	if a.flags == nil {
		a.flags = make(map[string]string)
	}
	for _, name := range names {
		of := config.Find(name)
		flag := cmd.Flags().VarPF(&settingFlag{of, a.flags}, of.Flag, "", of.Usage())
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
func (a *app) dir(variable, otherwise string) string {
	if a.guest != nil {
		return filepath.Join(os.DevNull, "tonne")
	}
	if base := a.Getenv(variable); filepath.IsAbs(base) {
		return filepath.Join(base, "tonne")
	}
	return filepath.Join(otherwise, "tonne")
}

func (a *app) configDir() string { return a.dir("XDG_CONFIG_HOME", xdg.ConfigHome) }
func (a *app) dataDir() string   { return a.dir("XDG_DATA_HOME", xdg.DataHome) }
func (a *app) stateDir() string  { return a.dir("XDG_STATE_HOME", xdg.StateHome) }

func (a *app) certificatesDir() string {
	return cmp.Or(a.fleeting, filepath.Join(a.dataDir(), "certificates"))
}

func (a *app) credentialsDir() string { return filepath.Join(a.dataDir(), "credentials") }

func (a *app) openDebug() error {
	if a.flags["debug"] == "" || a.file != nil {
		return nil
	}
	file, err := openDebugFile(a.flags["debug"])
	if err != nil {
		return err
	}
	a.logTo(file)
	return nil
}

func (a *app) logTo(file *os.File) {
	a.file = file
	a.logger = slog.New(slog.NewTextHandler(file, &slog.HandlerOptions{
		Level: slog.LevelDebug,
		ReplaceAttr: func(_ []string, attr slog.Attr) slog.Attr {
			switch attr.Value.Kind() {
			case slog.KindString, slog.KindAny:
				attr.Value = slog.StringValue(a.redact(attr.Value.String()))
			}
			return attr
		},
	}))
}

func (a *app) closeDebug() {
	if a.file != nil {
		_ = a.file.Close()
	}
}

func (a *app) log() *slog.Logger { return cmp.Or(a.logger, slog.New(slog.DiscardHandler)) }
