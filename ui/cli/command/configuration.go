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
	// ProfileFrom is the source of the profile in Flags, as a phrase; empty for
	// the flag.
	ProfileFrom string
	// Key is the API key in use, so that it can be removed from output, and
	// KeySource its source, as a phrase.
	Key, KeySource string
	// Production names the production profile of the address in use, or is empty.
	Production string
	// Desk is nil for a run that finds its marketplace in the settings.
	Desk *Desk
	// knowsDisplaced reports that the user knows that the profile does not apply.
	knowsDisplaced bool
}

// Desk is an open connection. It replaces the one in the
// settings.
type Desk struct {
	Connect func() (*Settings, *api.Client, error)
	Store   *store.Store
}

// OpenDebug opens the log of --debug, if the flag is set.
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
		// A dashboard shows it itself.
		if a.Terminal == nil || a.Terminal.Screen.Load() == nil {
			a.Warn("%v", lost)
		}
	})
}

// Places are the directories of the program, by the XDG base directories.
type Places struct {
	getenv func(string) string
	// none reports that there are no directories, for a guest: the returned path cannot
	// have files.
	none bool
	// Fleeting is a directory that is deleted when the program ends, empty for a
	// program that may leave files.
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

// ConfigDir returns the directory of the configuration.
func (p Places) ConfigDir() string { return p.dir("XDG_CONFIG_HOME", xdg.ConfigHome) }

// DataDir returns the directory of the journal, keys and certificates.
func (p Places) DataDir() string { return p.dir("XDG_DATA_HOME", xdg.DataHome) }

// StateDir returns the directory of the store.
func (p Places) StateDir() string { return p.dir("XDG_STATE_HOME", xdg.StateHome) }

// CertificatesDir returns the directory where certificates are saved.
func (p Places) CertificatesDir() string {
	return cmp.Or(p.Fleeting, filepath.Join(p.DataDir(), "certificates"))
}

// CredentialsDir returns the directory where keys are stored without a keyring.
func (p Places) CredentialsDir() string { return filepath.Join(p.DataDir(), "credentials") }
