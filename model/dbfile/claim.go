// Package dbfile keeps the SQLite databases of this program apart from the
// files of others. It looks before SQLite does, which changes what it opens.
package dbfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"zombiezen.com/go/sqlite/sqlitemigration"
)

// private is the mode of a database. SQLite gives it to the files beside it.
const private = 0o600

// ErrNewer says that a newer version of this program wrote a file.
var ErrNewer = errors.New("a newer version of this program wrote it")

// ForeignError says that a path is no database of this kind. It is left as it is.
type ForeignError struct {
	Path string
	// Why is a sentence about the path, without its full stop.
	Why string
}

// Error names the path and says why it is not opened.
func (e *ForeignError) Error() string { return e.Path + " is left alone: " + e.Why }

// Kind is a kind of database. Migrations lead from an empty file to the present tables; a
// released one is never changed.
type Kind sqlitemigration.Schema

// Claim makes sure that SQLite may open the file at path: a private database of this kind
// or an empty file, which it may create. Anything else stays as it is, byte for byte: the
// error is then a *ForeignError, or ErrNewer. It returns what it made.
func (k Kind) Claim(path string) (Made, error) {
	_, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		made, err := create(path)
		// Another process may have been first.
		if !errors.Is(err, fs.ErrExist) {
			return made, err
		}
	}
	return nil, k.claim(path)
}

func (k Kind) claim(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if err := checkType(path, info.Mode()); err != nil {
		return err
	}
	if info.Size() > 0 {
		if err := k.check(path); err != nil {
			return err
		}
	}
	if mode := info.Mode().Perm(); mode&^private != 0 {
		return os.Chmod(path, mode&private)
	}
	return nil
}

// Emptied reports whether there is a file of 0 bytes at path, which has lost what it
// had. It waits up to 0.5 s for a process that is making it.
func Emptied(path string) bool {
	for range 50 {
		if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() || info.Size() > 0 {
			return false
		}
		time.Sleep(pause)
	}
	return true
}

// checkType refuses pipes, which block, links, which may be replaced, and directories.
func checkType(path string, mode fs.FileMode) error {
	switch {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		return &ForeignError{path, "it cannot be written, being a directory"}
	case mode&fs.ModeSymlink == 0:
		return &ForeignError{path, "it is not a file"}
	}
	target, err := os.Readlink(path)
	if err != nil {
		return err
	}
	return &ForeignError{path, "it is a symbolic link to " + target + ", and only files themselves are opened"}
}

// looks is how often a file is looked at that seems to be no database of ours, and
// pause is between two looks.
const (
	looks = 5
	pause = 10 * time.Millisecond
)

// check refuses a database of another kind, or one that stays damaged: it is
// looked at without a lock, while another process may be making it.
func (k Kind) check(path string) error {
	for n := 1; ; n++ {
		err := k.look(path)
		if foreign := (*ForeignError)(nil); !errors.As(err, &foreign) || n == looks {
			return err
		}
		time.Sleep(pause)
	}
}

// look refuses what a file is now with its log, which SQLite would put into it.
func (k Kind) look(path string) error {
	log, err := sizeBeside(path + "-wal")
	if err != nil {
		return err
	}
	undo, err := sizeBeside(path + "-journal")
	if err != nil {
		return err
	}
	file, err := readHead(path, true, log > 0 || undo > 0)
	if err == nil {
		err = k.judge(path, file)
	}
	if err != nil || log == 0 {
		return err
	}
	whole, err := readHead(path, false, true)
	if err != nil {
		return err
	}
	return k.judge(path, whole)
}

func (k Kind) judge(path string, h head) error {
	switch ours := h.applicationID == int(k.AppID); {
	case ours && h.schema > len(k.Migrations):
		return fmt.Errorf("%w: it has schema version %d, this one knows %d", ErrNewer, h.schema, len(k.Migrations))
	case ours && h.schema < 0:
		return &ForeignError{path, "it is damaged, having a schema version below 0"}
	case !ours && h != (head{}):
		return &ForeignError{path, "it belongs to another program"}
	}
	return nil
}

func sizeBeside(path string) (int64, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return info.Size(), checkType(path, info.Mode())
}
