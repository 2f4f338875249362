package sqlite

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"tonne/api/marketplace/exchange"
)

// files are the files that a database is kept in, by their paths, as they were
// when it was opened. SQLite goes on with them when their names are gone: what
// is committed then is lost with the process.
type files map[string]os.FileInfo

func (f files) add(paths ...string) error {
	for _, path := range paths {
		info, err := os.Lstat(path)
		if err != nil {
			return err
		}
		f[path] = info
	}
	return nil
}

func (f files) inPlace() error {
	for path, opened := range f {
		info, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(info, opened) {
			return exchange.ErrReplaced
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// untaken reports whether nobody else can have opened the database at path
// since a file beside it lost its name: they would have made another, which
// stays as long as this process has the database open.
func (f files) untaken(path string) bool {
	for p, opened := range f {
		info, err := os.Stat(p)
		ours := err == nil && os.SameFile(info, opened)
		gone := errors.Is(err, fs.ErrNotExist) && p != path
		if !ours && !gone {
			return false
		}
	}
	return true
}

// rescue moves what was acknowledged out of a log that lost its name into the
// database, which still has its own, unless somebody else took the database up
// without that log: pages of both would be mixed.
func (d *Database) rescue(conn *sqlite.Conn) error {
	if !d.files.untaken(d.uri) {
		return nil
	}
	return sqlitex.ExecuteTransient(conn, "PRAGMA wal_checkpoint(PASSIVE)", nil)
}

func (d *Database) rescueInTurn(ctx context.Context) error {
	turn, cancel := context.WithTimeout(ctx, probeWait)
	defer cancel()
	conn, err := d.writer.Take(turn)
	if err != nil {
		return err
	}
	defer d.writer.Put(conn)
	return d.rescue(conn)
}
