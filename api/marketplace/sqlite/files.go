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

// files maps paths to the files of a database when it was opened. If a file is deleted or
// replaced, everything that SQLite commits afterwards is lost at the end of the process.
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

// untaken reports whether no other program opened the database at path after a file next to
// it was deleted: such a program would have created a new file.
func (f files) untaken(path string) bool {
	for p, opened := range f {
		info, err := os.Stat(p)
		ours := err == nil && os.SameFile(info, opened)
		deleted := errors.Is(err, fs.ErrNotExist) && p != path
		if !ours && !deleted {
			return false
		}
	}
	return true
}

// rescue copies the acknowledged changes from a deleted write-ahead log into the database. If
// another program has opened the database meanwhile, it does nothing, because the file would
// then contain pages of both.
func (d *Database) rescue(conn *sqlite.Conn) error {
	if !d.files.untaken(d.uri) {
		return nil
	}
	return sqlitex.ExecuteTransient(conn, "PRAGMA wal_checkpoint(PASSIVE)", nil)
}

// probeWait limits how long Ready waits for its turn to write.
const probeWait = 2 * time.Second

// Ready returns an error if a purchase would fail.
func (d *Database) Ready(ctx context.Context) error {
	if err := d.files.inPlace(); err != nil {
		turn, cancel := context.WithTimeout(ctx, probeWait)
		defer cancel()
		conn, rescueErr := d.writer.Take(turn)
		if rescueErr == nil {
			defer d.writer.Put(conn)
			rescueErr = d.rescue(conn)
		}
		return translate(errors.Join(err, rescueErr))
	}
	if !d.inMemory {
		if err := errors.Join(d.writable(), d.checkSpace()); err != nil {
			return translate(err)
		}
	}
	return translate(d.rehearse(ctx))
}

// writable checks the mode of the file. It does not open the file, because closing it again
// would release the locks of this process.
func (d *Database) writable() error {
	info, err := os.Stat(d.uri)
	if err == nil && info.Mode().Perm()&0o200 == 0 {
		return exchange.ErrReadOnly
	}
	return err
}

// checkSpace writes a file next to the database, because a change that is rolled back is not
// written to the disk.
func (d *Database) checkSpace() error {
	f, err := os.CreateTemp(filepath.Dir(d.uri), ".tonne-room-*")
	if errors.Is(err, fs.ErrPermission) {
		// The database may be writable even if its directory is not.
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

// Backup writes the current database into an empty file, which Open can open.
func (d *Database) Backup(ctx context.Context, into *os.File) (err error) {
	conn, err := sqlite.OpenConn(d.uri, d.flags)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	conn.SetInterrupt(ctx.Done())
	conn.SetBusyTimeout(exchange.LockWait)
	if d.inMemory {
		// For a database in memory, VACUUM INTO would write into memory as well.
		image, err := conn.Serialize("main")
		if err != nil {
			return err
		}
		_, err = into.Write(image)
		return err
	}
	return sqlitex.ExecuteTransient(conn, "VACUUM INTO ?", &sqlitex.ExecOptions{Args: []any{into.Name()}})
}
