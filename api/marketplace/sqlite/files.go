package sqlite

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"tonne/api/marketplace/exchange"
)

// files are the files of a database, by their paths, as they were when it was opened. When
// their names are gone, what SQLite commits is lost with the process.
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

// untaken reports whether no other program can have opened the database at path since a file
// beside it lost its name: it would have made another.
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

// rescue moves what was acknowledged out of a log that lost its name into the database, unless
// another program took that up without the log: pages of both would be mixed.
func (d *Database) rescue(conn *sqlite.Conn) error {
	if !d.files.untaken(d.uri) {
		return nil
	}
	return sqlitex.ExecuteTransient(conn, "PRAGMA wal_checkpoint(PASSIVE)", nil)
}

// probeWait is how long a probe waits for its turn to write.
const probeWait = 2 * time.Second

// Ready returns why the database cannot take a purchase, or nil.
func (d *Database) Ready(ctx context.Context) error {
	if err := d.files.inPlace(); err != nil {
		turn, cancel := context.WithTimeout(ctx, probeWait)
		defer cancel()
		conn, waited := d.writer.Take(turn)
		if waited == nil {
			defer d.writer.Put(conn)
			waited = d.rescue(conn)
		}
		return translate(errors.Join(err, waited))
	}
	if !d.inMemory {
		if err := errors.Join(d.writable(), d.room()); err != nil {
			return translate(err)
		}
	}
	return translate(d.rehearse(ctx))
}

// writable looks whether the mode of the file lets it be written. It is not
// opened: to close it would end the locks of this process.
func (d *Database) writable() error {
	info, err := os.Stat(d.uri)
	if err == nil && info.Mode().Perm()&0o200 == 0 {
		return exchange.ErrReadOnly
	}
	return err
}

// room writes a file next to the database: a change that is rolled back does not reach the
// disk.
func (d *Database) room() error {
	f, err := os.CreateTemp(filepath.Dir(d.uri), ".tonne-room-*")
	if errors.Is(err, fs.ErrPermission) {
		// The directory is not ours to write, the database may be.
		return nil
	}
	if err != nil {
		return err
	}
	_, err = f.Write(make([]byte, exchange.PurchaseRoom))
	return errors.Join(err, f.Close(), os.Remove(f.Name()))
}

func (d *Database) rehearse(ctx context.Context) error {
	turn, cancel := context.WithTimeoutCause(ctx, probeWait, exchange.ErrLocked)
	defer cancel()
	conn, err := d.begin(turn)
	if err != nil {
		return err
	}
	defer d.writer.Put(conn)
	return errors.Join(d.on(conn).call(exchange.Rehearse), rollBack(conn))
}

// Backup writes the database as it is now into an empty file, which Open takes.
func (d *Database) Backup(ctx context.Context, into *os.File) (err error) {
	conn, err := sqlite.OpenConn(d.uri, d.flags)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	conn.SetInterrupt(ctx.Done())
	conn.SetBusyTimeout(exchange.LockWait)
	if d.inMemory {
		// VACUUM INTO would write into memory too.
		image, err := conn.Serialize("main")
		if err != nil {
			return err
		}
		_, err = into.Write(image)
		return err
	}
	return sqlitex.ExecuteTransient(conn, "VACUUM INTO ?", &sqlitex.ExecOptions{Args: []any{into.Name()}})
}
