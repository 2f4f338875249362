package command

import (
	"os"
	"path/filepath"
	"tonne/model/file/localfile"

	"github.com/adrg/xdg"
)

// dir returns a directory of the program according to the XDG specification. For a guest,
// it returns a path that cannot contain files.
func (p Process) dir(variable, otherwise string) string {
	base := p.Getenv(variable)
	switch {
	case p.Guest != nil:
		base = os.DevNull
	case !filepath.IsAbs(base):
		base = otherwise
	}
	return filepath.Join(base, "tonne")
}

// ConfigDir returns the directory of the configuration.
func (p Process) ConfigDir() string { return p.dir("XDG_CONFIG_HOME", xdg.ConfigHome) }

// DataDir returns the directory of the journal, keys and certificates.
func (p Process) DataDir() string { return p.dir("XDG_DATA_HOME", xdg.DataHome) }

// StateDir returns the directory of the store.
func (p Process) StateDir() string { return p.dir("XDG_STATE_HOME", xdg.StateHome) }

// CheckDirs returns an error if every user can write one of the directories of tonne.
func (p Process) CheckDirs() error {
	for _, dir := range []string{p.ConfigDir(), p.DataDir(), p.StateDir()} {
		if err := localfile.CheckMode(dir); err != nil {
			return err
		}
	}
	return nil
}

// CredentialsDir returns the directory where keys are stored without a keyring.
func (p Process) CredentialsDir() string { return filepath.Join(p.DataDir(), "credentials") }

func (p Process) storePath() string { return filepath.Join(p.StateDir(), "tonne.db") }
