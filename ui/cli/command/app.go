// Package command contains the code shared by all commands: the run of the program with
// its streams, settings, API key and client; messages, failures and exit statuses; the
// flags for output formats; and the descriptions for `tonne schema`. It contains no command
// itself. Start reading at App.
package command

import (
	"cmp"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"tonne/api"
	"tonne/model/file/record"
	"tonne/model/file/store"
	"tonne/ui/cli/config"
	"tonne/ui/cli/terminal"
	"tonne/ui/output"
	"tonne/ui/style"
)

// App is one run of the program: the values that its commands share.
type App struct {
	Process
	*Messages
	Descriptions
	Terminal *terminal.Terminal
	// Flags has the values of the flags of settings, by setting.
	Flags map[string]string
	// ProfileFrom is the source of the profile in Flags, as a phrase. Empty means the flag.
	ProfileFrom string
	// Key is the current API key, which is removed from output, and KeySource its source.
	Key       string
	KeySource KeySource
	// Production is the production profile of the current address, or empty.
	Production string
	// Desk, if not nil, replaces the marketplace of the settings.
	Desk *Desk
	// Fleeting is a directory that is deleted at the end, or empty if the program may leave files.
	Fleeting string
	// Lines prints tables as lines, one cell per line, for a screen reader.
	Lines bool
	// Selection contains the columns and the order of --columns and --sort.
	Selection output.Selection
	// View is the name of the view of --view, or empty.
	View string
	// HasDebug reports that the command has the flag --debug. File is the log of --debug, and
	// Logger writes the log of the run. Both may be nil.
	HasDebug bool
	File     *os.File
	Logger   *slog.Logger
	records  *records
	// knowsDisplaced reports that the user knows that the profile does not apply.
	knowsDisplaced bool
}

// Desk is an open connection. It replaces the one in the settings.
type Desk struct {
	Connect func() (*Settings, *api.Client, error)
	Store   *store.Store
	// Record is the record of markets.
	Record *record.File
}

// NewApp starts a run of the program.
func NewApp(p Process, t *terminal.Terminal) *App {
	if p.Getenv != nil && !style.UnicodeLocale(p.Getenv) {
		p.ascii, p.Stderr = true, style.TextWriter{Writer: p.Stderr}
	}
	a := &App{Process: p, Terminal: t, Flags: make(map[string]string), Descriptions: make(Descriptions)}
	a.Messages = newMessages(a)
	a.records = newRecords(a)
	if p.Guest != nil {
		a.Desk = &p.Guest.Desk
	}
	return a
}

// Silent returns a copy of the run that discards messages.
func (a *App) Silent() *App {
	silent := *a
	silent.Stderr = io.Discard
	silent.Messages = newMessages(&silent)
	return &silent
}

var connectionSettings = []string{"base_url", "profile", "timeout", "config", "debug"}

// ConnectionFlags adds the flags of a command that uses a marketplace.
func (a *App) ConnectionFlags(cmd *cobra.Command) { a.SettingFlags(cmd, connectionSettings...) }

// SettingFlags adds the flags of the named settings.
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

// OpenDebug opens the log of --debug, if the flag is set.
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

// OpenDebugFile opens a log for appending: a new file that only its owner can read, or a
// regular file that no other user can access. Opening a named pipe would block.
func OpenDebugFile(path string) (*os.File, error) {
	info, err := os.Lstat(path)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return nil, Failed("name a new file", "the debug log must be a regular file: no link, pipe, directory or device")
	case err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		return nil, Failed("run `chmod 600 "+path+"`, or name a new file", "others can read the debug log")
	}
	return os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
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

// Log returns the log. Without --debug it discards everything.
func (a *App) Log() *slog.Logger { return cmp.Or(a.Logger, slog.New(slog.DiscardHandler)) }

// OpenStore opens the local store, or the store of the desk.
func (a *App) OpenStore() *store.Store {
	if a.Desk != nil {
		return a.Desk.Store
	}
	return store.Open(a.storePath()).WhenLost(func(lost error) {
		// A dashboard shows it itself.
		if a.Terminal == nil || a.Terminal.Screen.Load() == nil {
			a.Warn("%v", lost)
		}
	})
}

// CertificatesDir returns the directory where certificates are saved.
func (a *App) CertificatesDir() string {
	return cmp.Or(a.Fleeting, filepath.Join(a.DataDir(), "certificates"))
}
