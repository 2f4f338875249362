package command

import (
	"cmp"
	"os"
	"path/filepath"

	"github.com/adrg/xdg"

	"tonne/api"
	"tonne/model/store"
	"tonne/ui/cli/terminal"
)

// Configuration finds the settings of a run, and with them its key, client and store.
type Configuration struct {
	Process
	*Messages
	Places
	DebugLog
	Terminal *terminal.Terminal
	// Flags are the values of the flags of settings, by the names of the settings.
	Flags map[string]string
	// ProfileFrom is where the profile of the flags was named, in words; empty for
	// the flag.
	ProfileFrom string
	// Key is the API key in use, so that it is kept out of what is printed, and
	// KeySource where it was found, in words.
	Key, KeySource string
	// Production says that the address in use is one of production, or is empty.
	Production string
	// Desk is nil for a run that finds its marketplace by the settings.
	Desk *Desk
	// knowsDisplaced says that the person knows that the profile does not apply.
	knowsDisplaced bool
}

// Desk is a connection that is open already. It takes the place of the one that the
// settings name.
type Desk struct {
	Connect func() (*Settings, *api.Client, error)
	Store   *store.Store
}

// OpenDebug begins the log that --debug names, if it does.
func (a *Configuration) OpenDebug() error {
	if a.Flags["debug"] == "" || a.File != nil {
		return nil
	}
	file, err := OpenDebugFile(a.Flags["debug"])
	if err != nil {
		return err
	}
	a.LogTo(file, a.Redact)
	return nil
}

func (a *Configuration) storePath() string { return filepath.Join(a.StateDir(), "tonne.db") }

// OpenStore opens the local store, or that of the desk.
func (a *Configuration) OpenStore() *store.Store {
	if a.Desk != nil {
		return a.Desk.Store
	}
	return store.Open(a.storePath()).WhenLost(func(lost error) {
		// A dashboard shows it by itself.
		if a.Terminal == nil || a.Terminal.Screen.Load() == nil {
			a.Warn("%v", lost)
		}
	})
}

// Places are the directories of the program, by the XDG base directories.
type Places struct {
	getenv func(string) string
	// none says that there are none, for a guest: nothing can be below the path that it
	// is told.
	none bool
	// Fleeting is a directory for what is gone when the program ends, empty for a
	// program that may leave something.
	Fleeting string
}

func (p Places) dir(variable, otherwise string) string {
	if p.none {
		return filepath.Join(os.DevNull, "tonne")
	}
	if base := p.getenv(variable); filepath.IsAbs(base) {
		return filepath.Join(base, "tonne")
	}
	return filepath.Join(otherwise, "tonne")
}

// ConfigDir is where the configuration is.
func (p Places) ConfigDir() string { return p.dir("XDG_CONFIG_HOME", xdg.ConfigHome) }

// DataDir is where the journal, keys and certificates are.
func (p Places) DataDir() string { return p.dir("XDG_DATA_HOME", xdg.DataHome) }

// StateDir is where the store is.
func (p Places) StateDir() string { return p.dir("XDG_STATE_HOME", xdg.StateHome) }

// CertificatesDir is where certificates are saved.
func (p Places) CertificatesDir() string {
	return cmp.Or(p.Fleeting, filepath.Join(p.DataDir(), "certificates"))
}

// CredentialsDir is where keys are kept without a keyring.
func (p Places) CredentialsDir() string { return filepath.Join(p.DataDir(), "credentials") }
