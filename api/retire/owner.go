package retire

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"zombiezen.com/go/sqlite"

	"tonne/model/file/dbfile"
)

// owner shows other programs that this one is running. It has locked a file, and the
// system releases the lock however the program ends.
type owner struct {
	dir string
	// name is the name of the file, or empty before it exists.
	name string
	conn *sqlite.Conn
}

// ownersDir returns the directory of the owners of a journal. It exists since the first call.
func ownersDir(journal string) string { return journal + "-owners" }

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

// isAlive reports whether the named program still has its lock. If not, isAlive deletes
// its file: names are not reused.
func (o *owner) isAlive(name string) (bool, error) {
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
