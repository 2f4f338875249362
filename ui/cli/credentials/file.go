package credentials

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"tonne/model/file/atomicfile"
)

type content struct {
	Accounts []Account `json:"accounts"`
}

const fileName = "keys.json"

// Path is the file that lists the accounts.
func (s *Store) Path() string { return filepath.Join(s.dir, fileName) }

// PlaceError reports that other users could read or replace the keys.
type PlaceError struct {
	Path string
	// Why ends a sentence that begins with the path; Todo is the advice.
	Why, Todo string
}

// Error is a sentence without its full stop.
func (e *PlaceError) Error() string { return "cannot use the stored keys: " + e.Path + " " + e.Why }

// elsewhere is the alternative to a directory that other users control.
const elsewhere = "choose another directory with XDG_DATA_HOME, or set TONNE_API_KEY"

// Accounts returns the stored accounts, the latest first.
func (s *Store) Accounts() ([]Account, error) {
	root, err := s.open()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer root.Close()
	info, err := root.Lstat(fileName)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, &PlaceError{s.Path(), "is not a regular file", "remove it, or " + elsewhere}
	}
	if err := s.check(s.Path(), info, 0o600); err != nil {
		return nil, err
	}
	text, err := root.ReadFile(fileName)
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
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	root, err := s.open()
	if err != nil {
		return err
	}
	defer root.Close()
	temporary := "." + fileName + "." + rand.Text()
	if err := atomicfile.Create(root, temporary, append(text, '\n')); err != nil {
		return err
	}
	return root.Rename(temporary, fileName)
}

// open opens the directory. Files are read and written relative to it, so that changes of
// the directories above do not matter.
func (s *Store) open() (*os.Root, error) {
	root, err := os.OpenRoot(s.dir)
	if err != nil {
		return nil, err
	}
	info, err := root.Stat(".")
	if err == nil {
		err = s.check(s.dir, info, 0o700)
	}
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return root, nil
}

func (s *Store) check(path string, info fs.FileInfo, want fs.FileMode) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	if owner := ownerOf(info); owner != s.uid && owner != 0 {
		return &PlaceError{path, fmt.Sprintf("belongs to another user (uid %d)", owner),
			fmt.Sprintf("run as root: chown %d %s; or %s", s.uid, path, elsewhere)}
	}
	if mode := info.Mode().Perm(); mode&^want != 0 {
		return &PlaceError{path, fmt.Sprintf("is accessible to other users (mode %04o)", mode),
			fmt.Sprintf("run: chmod %o %s", want, path)}
	}
	return nil
}
