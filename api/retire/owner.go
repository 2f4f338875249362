package retire

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"zombiezen.com/go/sqlite"

	"tonne/model/dbfile"
)

// owner shows other programs that this one is running: it has locked a file, and
// the system releases the lock when the program ends in any way.
type owner struct {
	dir string
	// name is that of the file, empty before there is one.
	name string
	conn *sqlite.Conn
}

// ownersOf is the directory of a journal's owners, made before the first call and kept.
func ownersOf(journal string) string { return journal + "-owners" }

func (o *owner) begin() error {
	if o.name != "" {
		return nil
	}
	if err := os.MkdirAll(o.dir, 0o700); err != nil {
		return err
	}
	name := rand.Text()
	conn, err := dbfile.Lock(filepath.Join(o.dir, name), sqlite.OpenReadWrite|sqlite.OpenCreate)
	if err == nil {
		o.name, o.conn = name, conn
	}
	return err
}

func (o *owner) end() error {
	if o.name == "" {
		return nil
	}
	err := errors.Join(o.conn.Close(), remove(filepath.Join(o.dir, o.name)))
	o.name, o.conn = "", nil
	return err
}

// lives reports whether the program with the name still holds its lock. The
// file of one that does not is removed: its name is never used again.
func (o *owner) lives(name string) (bool, error) {
	path := filepath.Join(o.dir, name)
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	conn, err := dbfile.Lock(path, sqlite.OpenReadWrite)
	switch sqlite.ErrCode(err).ToPrimary() {
	case sqlite.ResultOK:
		return false, errors.Join(conn.Close(), remove(path))
	case sqlite.ResultBusy:
		return true, nil
	case sqlite.ResultCantOpen:
		if _, missing := os.Lstat(path); errors.Is(missing, fs.ErrNotExist) {
			return false, nil
		}
	}
	return true, err
}

func remove(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
