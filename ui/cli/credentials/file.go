package credentials

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"tonne/ui/cli/durable"
)

// ModeError says that others may read what holds keys.
type ModeError struct {
	Path string
	Mode fs.FileMode
	// Want is the mode it should have.
	Want fs.FileMode
}

// Error names the path and its mode.
func (e *ModeError) Error() string {
	return fmt.Sprintf("others can get at %s, its mode is %04o", e.Path, e.Mode)
}

// content is the form of the file.
type content struct {
	Accounts []Account `json:"accounts"`
}

// Path is the file that lists the accounts.
func (s *Store) Path() string { return filepath.Join(s.dir, "keys.json") }

// Accounts returns what is stored, the account that was saved last first.
func (s *Store) Accounts() ([]Account, error) {
	if err := checkMode(s.dir, 0o700); err != nil {
		return nil, err
	}
	if err := checkMode(s.Path(), 0o600); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(s.Path())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var c content
	if err := json.Unmarshal(text, &c); err != nil {
		return nil, fmt.Errorf("%s is damaged", s.Path())
	}
	return c.Accounts, nil
}

// checkMode refuses a file or directory that others may enter. What is not
// there is fine.
func checkMode(path string, want fs.FileMode) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || runtime.GOOS == "windows" {
		return nil
	}
	if err != nil {
		return err
	}
	if mode := info.Mode().Perm(); mode&^want != 0 {
		return &ModeError{path, mode, want}
	}
	return nil
}

func (s *Store) write(accounts []Account) error {
	text, err := json.MarshalIndent(content{accounts}, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(s.dir), 0o755); err != nil {
		return err
	}
	if err := os.Mkdir(s.dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return durable.WriteFile(s.Path(), append(text, '\n'), 0o600)
}
