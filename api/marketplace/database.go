package marketplace

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"runtime"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// database is the SQLite file: one connection that writes, several that read.
type database struct {
	uri      string
	flags    sqlite.OpenFlags
	inMemory bool
	// file is what was opened, unless it is in memory.
	file    os.FileInfo
	writer  *sqlitex.Pool
	readers *sqlitex.Pool
}

func openDatabase(ctx context.Context, path string) (_ *database, err error) {
	d := &database{uri: path, flags: sqlite.OpenReadWrite | sqlite.OpenCreate | sqlite.OpenWAL}
	defer func() { err = trouble(err) }()
	if path == "" || path == ":memory:" {
		d.inMemory = true
		d.uri = "file:/" + rand.Text() + "?vfs=memdb"
		d.flags = sqlite.OpenReadWrite | sqlite.OpenCreate | sqlite.OpenURI
		return d, d.connect(ctx)
	}
	made, err := claim(path)
	if err == nil {
		d.file, err = os.Lstat(path)
	}
	if err == nil {
		err = d.connect(ctx)
	}
	if err != nil {
		made.Remove()
	}
	return d, err
}

// connect opens the connections to the database and upgrades it.
func (d *database) connect(ctx context.Context) (err error) {
	d.writer, err = sqlitex.NewPool(d.uri, sqlitex.PoolOptions{Flags: d.flags, PoolSize: 1, PrepareConn: prepareWriter})
	if err != nil {
		return err
	}
	if err := d.migrate(ctx); err != nil {
		return errors.Join(err, d.writer.Close())
	}
	d.readers, err = sqlitex.NewPool(d.uri, sqlitex.PoolOptions{
		Flags: d.flags, PoolSize: max(2, runtime.GOMAXPROCS(0)), PrepareConn: prepareReader,
	})
	if err != nil {
		return errors.Join(err, d.writer.Close())
	}
	return nil
}

func (d *database) close() error { return errors.Join(d.readers.Close(), d.writer.Close()) }

func prepareWriter(conn *sqlite.Conn) error {
	conn.SetBusyTimeout(lockWait)
	return pragmas(conn, "foreign_keys = ON", "synchronous = FULL", "trusted_schema = OFF")
}

func prepareReader(conn *sqlite.Conn) error {
	conn.SetBusyTimeout(lockWait)
	return pragmas(conn, "query_only = ON", "trusted_schema = OFF")
}

func pragmas(conn *sqlite.Conn, settings ...string) error {
	for _, setting := range settings {
		if err := sqlitex.ExecuteTransient(conn, "PRAGMA "+setting, nil); err != nil {
			return fmt.Errorf("pragma %s: %w", setting, err)
		}
	}
	return nil
}

// read calls fn in a transaction that sees one state of the database.
func (d *database) read(ctx context.Context, fn func(*sqlite.Conn) error) (err error) {
	defer func() { err = trouble(err) }()
	conn, err := d.readers.Take(ctx)
	if err != nil {
		return err
	}
	defer d.readers.Put(conn)
	end := sqlitex.Transaction(conn)
	defer end(&err)
	return fn(conn)
}

// write calls fn in a transaction that is committed whole, or not at all where
// fn returns an error. Once it has begun it is not interrupted: the outcome of
// a purchase must not depend on whether the client still listens. Where its
// turn does not come within lockWait the error is ErrLocked.
func (d *database) write(ctx context.Context, fn func(*sqlite.Conn) error) (err error) {
	defer func() { err = trouble(err) }()
	conn, end, err := d.begin(ctx, lockWait)
	if err != nil {
		return err
	}
	defer d.writer.Put(conn)
	defer end(&err)
	return fn(conn)
}

// begin starts a transaction that writes, once those before it in this process
// and in others are done. Its connection belongs back into the pool.
func (d *database) begin(ctx context.Context, patience time.Duration) (_ *sqlite.Conn, end func(*error), err error) {
	turn, cancel := context.WithTimeoutCause(ctx, patience, ErrLocked)
	defer cancel()
	conn, err := d.writer.Take(turn)
	if err == nil {
		conn.SetBlockOnBusy()
		if end, err = sqlitex.ImmediateTransaction(conn); err != nil {
			d.writer.Put(conn)
		}
	}
	if err != nil && turn.Err() != nil {
		err = fmt.Errorf("%w: %w", context.Cause(turn), err)
	}
	if err != nil {
		return nil, nil, err
	}
	conn.SetInterrupt(nil)
	conn.SetBusyTimeout(lockWait)
	return conn, end, nil
}
