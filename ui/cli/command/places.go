package command

import (
	"cmp"
	"os"
	"path/filepath"

	"github.com/adrg/xdg"
)

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
