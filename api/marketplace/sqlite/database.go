// Package sqlite stores a marketplace in one SQLite file, with one connection for writing and
// several for reading. It implements exchange.Database: transactions, group commits,
// migrations and backups. The rules and their SQL are in package exchange. Start reading at
// Database.Write.
package sqlite

import (
	"context"
	"crypto/rand"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"sync"
	"syscall"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitemigration"
	"zombiezen.com/go/sqlite/sqlitex"

	"tonne/api/marketplace/exchange"
	"tonne/model/file/dbfile"
)

// Database is a SQLite file with a marketplace in it.
type Database struct {
	uri      string
	flags    sqlite.OpenFlags
	inMemory bool
	// files are the open files, none for a database in memory.
	files files
	made  bool
	// serving is the connection with the lock of the service, or nil in other processes.
	serving  *sqlite.Conn
	writer   *sqlitex.Pool
	turns    turns
	prepared sync.Map
	readers  *sqlitex.Pool
}

var _ exchange.Database = (*Database)(nil)

// Options choose how a database is opened.
type Options struct {
	// Existing opens only an existing marketplace: otherwise the error is
	// exchange.ErrNoMarketplace.
	Existing bool
	// Service is set by the process that serves the file. If another process serves it, the
	// error is exchange.ErrServed.
	Service bool
}

// Open opens the database file at path. It creates a missing file and upgrades the file of an
// older version. An empty path or ":memory:" means a private database in memory.
func Open(ctx context.Context, path string, o Options) (_ *Database, err error) {
	if o.Existing {
		info, err := os.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) || err == nil && info.Mode().IsRegular() && info.Size() == 0 {
			return nil, exchange.ErrNoMarketplace
		}
	}
	d := &Database{uri: path, flags: sqlite.OpenReadWrite | sqlite.OpenCreate | sqlite.OpenWAL, turns: newTurns()}
	defer func() { err = translate(err) }()
	if path == "" || path == ":memory:" {
		d.inMemory = true
		d.uri = "file:/" + rand.Text() + "?vfs=memdb"
		d.flags = sqlite.OpenReadWrite | sqlite.OpenCreate | sqlite.OpenURI
		return d, d.connect(ctx)
	}
	made, err := kind().Claim(path)
	if err == nil && o.Service {
		// This precedes the upgrade of the tables, because the other service may be older.
		if made, err = d.lockService(made); errors.Is(err, exchange.ErrServed) {
			return nil, err
		}
	}
	if err == nil {
		err = d.openFile(ctx)
	}
	if err != nil {
		err = errors.Join(err, d.unlockService())
		made.Remove()
	}
	return d, err
}

func (d *Database) openFile(ctx context.Context) error {
	d.files = make(files)
	if err := d.files.add(d.uri); err != nil {
		return err
	}
	if err := d.connect(ctx); err != nil {
		return err
	}
	if err := d.files.add(d.uri+"-wal", d.uri+"-shm"); err != nil {
		return errors.Join(err, d.Close())
	}
	return nil
}

func (d *Database) connect(ctx context.Context) (err error) {
	d.writer, err = sqlitex.NewPool(d.uri,
		sqlitex.PoolOptions{Flags: d.flags, PoolSize: 1, PrepareConn: func(conn *sqlite.Conn) error {
			// The rollback data of a savepoint stays in memory.
			return dbfile.Configure(conn, exchange.LockWait, append(dbfile.Writing, "temp_store = MEMORY")...)
		}})
	if err != nil {
		return err
	}
	conn, err := d.writer.Take(ctx)
	if err == nil {
		d.made, err = kind().Migrate(ctx, conn)
		d.writer.Put(conn)
	}
	if err != nil {
		return errors.Join(err, d.writer.Close())
	}
	d.readers, err = sqlitex.NewPool(d.uri, sqlitex.PoolOptions{
		Flags: d.flags, PoolSize: max(2, runtime.GOMAXPROCS(0)), PrepareConn: func(conn *sqlite.Conn) error {
			return dbfile.Configure(conn, exchange.LockWait, "query_only = ON", "trusted_schema = OFF")
		},
	})
	if err != nil {
		return errors.Join(err, d.writer.Close())
	}
	return nil
}

// Made reports whether opening the database created the tables.
func (d *Database) Made() bool { return d.made }

// Close waits for running transactions and closes the database. If another program opened the
// database without its write-ahead log, one connection stays open until the process ends:
// closing the last connection would write that log into the other program's database and
// delete the log of that program.
func (d *Database) Close() (err error) {
	defer func() { err = errors.Join(err, d.unlockService()) }()
	err = d.readers.Close()
	if d.files.untaken(d.uri) {
		return errors.Join(err, d.writer.Close())
	}
	_, takeErr := d.writer.Take(context.Background())
	return errors.Join(err, takeErr)
}

// Read calls fn in a read transaction, which sees one state of the database.
func (d *Database) Read(ctx context.Context, fn func(exchange.Tx) error) (err error) {
	defer func() { err = translate(err) }()
	conn, err := d.readers.Take(ctx)
	if err != nil {
		return err
	}
	defer d.readers.Put(conn)
	end := sqlitex.Transaction(conn)
	defer end(&err)
	return d.on(conn).call(fn)
}

// lockService locks an empty file next to the database. The file is never deleted: otherwise
// two services could each lock a file of that name.
func (d *Database) lockService(made dbfile.Made) (dbfile.Made, error) {
	path := d.uri + "-lock"
	file, err := dbfile.Kind{}.Claim(path)
	made = append(made, file...)
	if err != nil {
		return made, err
	}
	d.serving, err = dbfile.Lock(path, sqlite.OpenReadWrite)
	if sqlite.ErrCode(err).ToPrimary() == sqlite.ResultBusy {
		err = exchange.ErrServed
	}
	return made, err
}

func (d *Database) unlockService() error {
	if d.serving == nil {
		return nil
	}
	conn := d.serving
	d.serving = nil
	return conn.Close()
}

//go:embed schema/*.sql
var schemaFiles embed.FS

// kind contains the migrations, by name. Never change a released
// migration. A migration may rebuild a table that others reference, which deletes the old
// table.
var kind = sync.OnceValue(func() dbfile.Kind {
	steps := dbfile.Steps(schemaFiles, "schema/*.sql")
	unchecked := slices.Repeat([]*sqlitemigration.MigrationOptions{{DisableForeignKeys: true}}, len(steps))
	// The id is "tonn".
	return dbfile.Kind{AppID: 0x746f6e6e, Migrations: steps, MigrationOptions: unchecked}
})

func translate(err error) error {
	var known error
	switch sqlite.ErrCode(err).ToPrimary() {
	case sqlite.ResultBusy, sqlite.ResultLocked:
		known = exchange.ErrLocked
	case sqlite.ResultFull:
		known = exchange.ErrFull
	case sqlite.ResultReadOnly:
		known = exchange.ErrReadOnly
	}
	// On a full disk, opening the database fails to create the file of shared memory.
	if sqlite.ErrCode(err) == sqlite.ResultIOErrSHMSize || errors.Is(err, syscall.ENOSPC) {
		known = exchange.ErrFull
	}
	if errors.Is(err, syscall.EROFS) {
		known = exchange.ErrReadOnly
	}
	if known == nil || errors.Is(err, known) {
		return err
	}
	return fmt.Errorf("%w: %w", known, err)
}
