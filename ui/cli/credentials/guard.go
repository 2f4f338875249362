package credentials

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
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

// PlaceError says that somebody else decides which keys are found at a path.
type PlaceError struct {
	Path string
	// Why is the end of a sentence that begins with the path, and Todo what
	// to do about it.
	Why, Todo string
}

// Error is a sentence without its full stop.
func (e *PlaceError) Error() string { return "no keys are kept here: " + e.Path + " " + e.Why }

// elsewhere is what else can be done about a place that others control.
const elsewhere = "choose another place with XDG_DATA_HOME, or set TONNE_API_KEY"

func (s *Store) checkPlace() error {
	info, err := os.Stat(s.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err == nil {
		if err := s.checkPrivate(s.dir, info, 0o700); err != nil {
			return err
		}
	}
	if runtime.GOOS == "windows" {
		return nil
	}
	return s.checkAbove()
}

func (s *Store) checkFile() error {
	info, err := os.Lstat(s.Path())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Mode()&fs.ModeSymlink != 0:
		return &PlaceError{s.Path(), "is a symbolic link", "put the file itself in the place of the link, or " + elsewhere}
	case !info.Mode().IsRegular():
		return &PlaceError{s.Path(), "is not a file", "remove it, or " + elsewhere}
	}
	return s.checkPrivate(s.Path(), info, 0o600)
}

func (s *Store) checkPrivate(path string, info fs.FileInfo, want fs.FileMode) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	if err := s.checkOwner(path, info); err != nil {
		return err
	}
	if mode := info.Mode().Perm(); mode&^want != 0 {
		return &ModeError{path, mode, want}
	}
	return nil
}

func (s *Store) checkOwner(path string, info fs.FileInfo) error {
	if owner := ownerOf(info); owner != s.uid && owner != 0 {
		return &PlaceError{path, fmt.Sprintf("belongs to another user (uid %d)", owner),
			fmt.Sprintf("run as root: chown %d %s; or %s", s.uid, path, elsewhere)}
	}
	return nil
}

func (s *Store) checkAbove() error {
	home := ""
	if named, err := os.UserHomeDir(); err == nil {
		home, _ = filepath.EvalSymlinks(named)
	}
	dir, err := above(s.dir)
	if err != nil {
		return err
	}
	for {
		info, err := os.Lstat(dir)
		if err != nil {
			return err
		}
		if err := s.checkOwner(dir, info); err != nil {
			return err
		}
		if othersWrite(info) {
			return &PlaceError{dir, fmt.Sprintf("can be changed by others, its mode is %04o", info.Mode().Perm()), "run: chmod go-w " + dir}
		}
		if dir == home || dir == filepath.Dir(dir) {
			return nil
		}
		dir = filepath.Dir(dir)
	}
}

func above(dir string) (string, error) {
	full, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if found, err := filepath.EvalSymlinks(full); err == nil {
		return filepath.Dir(found), nil
	}
	for {
		full = filepath.Dir(full)
		found, err := filepath.EvalSymlinks(full)
		if !errors.Is(err, fs.ErrNotExist) || full == filepath.Dir(full) {
			return found, err
		}
	}
}

func othersWrite(info fs.FileInfo) bool {
	mode := info.Mode()
	switch {
	case mode&fs.ModeSticky != 0:
		return false
	case mode&0o002 != 0:
		return true
	}
	return mode&0o020 != 0 && !inOwnGroup(info)
}
