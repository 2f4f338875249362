package credentials

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"tonne/model/atomicfile"
	"tonne/model/localfile"
)

// content is the form of the file.
type content struct {
	Accounts []Account `json:"accounts"`
}

// Path is the file that lists the accounts.
func (s *Store) Path() string { return filepath.Join(s.dir, "keys.json") }

// Accounts returns what is stored, the account that was saved last first.
func (s *Store) Accounts() ([]Account, error) {
	if _, err := os.Lstat(s.dir); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err := s.checkPlace(); err != nil {
		return nil, err
	}
	if err := s.checkFile(); err != nil {
		return nil, err
	}
	text, err := localfile.Settings(s.Path())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", s.Path(), err)
	}
	var c content
	if err := json.Unmarshal(text, &c); err != nil {
		return nil, fmt.Errorf("%s is damaged", s.Path())
	}
	return c.Accounts, nil
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
	return atomicfile.WriteFile(s.Path(), append(text, '\n'), 0o600)
}
