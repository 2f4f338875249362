package cli

import (
	"cmp"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/adrg/xdg"
	"github.com/spf13/cobra"

	"tonne/ui/cli/config"
)

// app is one run of the program.
type app struct {
	Process
	terminal *terminal
	flags    struct {
		baseURL, profile, config, debug string
		timeout                         time.Duration
	}
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

// connectionFlags adds what all commands share that talk to a marketplace.
func (a *app) connectionFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&a.flags.baseURL, "base-url", "", "`URL` of the marketplace")
	f.StringVar(&a.flags.profile, "profile", "", "profile of the configuration file, by `NAME`")
	f.Var((*tryTime)(&a.flags.timeout), "timeout", "longest time for one try of a request (default 10s)")
	a.fileFlags(cmd)
}

// fileFlags adds what also commands share that talk to no marketplace.
func (a *app) fileFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&a.flags.config, "config", "", "read the configuration from `FILE`")
	cmd.Flags().StringVar(&a.flags.debug, "debug", "", "write a log to `FILE`; it never holds a key")
}

// tryTime is a flag for a length of time, which is more than nothing if it
// is given at all.
type tryTime time.Duration

// String returns the length; help shows none that is not set.
func (t *tryTime) String() string {
	if *t == 0 {
		return ""
	}
	return time.Duration(*t).String()
}

// Set reads a length of time.
func (t *tryTime) Set(s string) error {
	d, err := config.ParseDuration(s)
	if err != nil {
		return errors.New("it must be a duration of more than nothing, such as 10s")
	}
	*t = tryTime(d)
	return nil
}

// Type names the kind of value in help texts.
func (*tryTime) Type() string { return "duration" }

const defaultTimeout = 10 * time.Second

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

// certificatesDir is where certificates are kept that were packed: below the data,
// but for a demo, which leaves nothing.
func (a *app) certificatesDir() string {
	return cmp.Or(a.fleeting, filepath.Join(a.dataDir(), "certificates"))
}

func (a *app) credentialsDir() string { return filepath.Join(a.dataDir(), "credentials") }

// openDebug starts the log if one was asked for.
func (a *app) openDebug() error {
	if a.flags.debug == "" || a.file != nil {
		return nil
	}
	file, err := openDebugFile(a.flags.debug)
	if err != nil {
		return err
	}
	a.logTo(file)
	return nil
}

// logTo writes the log to a file, without the key of this run.
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
