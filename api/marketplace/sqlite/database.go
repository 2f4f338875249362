package sqlite

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"runtime"
	"sync"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"tonne/api/marketplace/exchange"
	"tonne/model/dbfile"
)

// Database is a SQLite file with a marketplace in it.
type Database struct {
	uri      string
	flags    sqlite.OpenFlags
	inMemory bool
	// files are what was opened, none where it is in memory.
	files files
	// made says that the tables were made when the database was opened.
	made bool
	// serving has the lock of the service, nil for any other process.
	serving *sqlite.Conn
	writer  *sqlitex.Pool
	turns   turns
	// prepared has the statements of each connection.
	prepared sync.Map
	readers  *sqlitex.Pool
}

var _ exchange.Database = (*Database)(nil)

// Open opens the database file at path, creates it where there is none and
// upgrades it where an older version wrote it. An empty path or ":memory:" is
// a private database in memory that leaves nothing behind. The file and those
// beside it are readable by their owner only.
func Open(ctx context.Context, path string) (*Database, error) { return openFor(ctx, path, false) }

// OpenService is Open for the one process that serves the file. The error is
// exchange.ErrServed if another process serves it.
func OpenService(ctx context.Context, path string) (*Database, error) {
	return openFor(ctx, path, true)
}

func openFor(ctx context.Context, path string, service bool) (_ *Database, err error) {
	d := &Database{uri: path, flags: sqlite.OpenReadWrite | sqlite.OpenCreate | sqlite.OpenWAL, turns: newTurns()}
	defer func() { err = translate(err) }()
	if path == "" || path == ":memory:" {
		d.inMemory = true
		d.uri = "file:/" + rand.Text() + "?vfs=memdb"
		d.flags = sqlite.OpenReadWrite | sqlite.OpenCreate | sqlite.OpenURI
		return d, d.connect(ctx)
	}
	made, err := kind().Claim(path)
	if err == nil && service {
		// Before the tables are upgraded: the other service may be older.
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

// OpenExisting is Open for a file with a marketplace in it; the error is
// exchange.ErrNoMarketplace for one that is empty or not there.
func OpenExisting(ctx context.Context, path string) (*Database, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Mode().IsRegular() && info.Size() == 0 {
		return nil, exchange.ErrNoMarketplace
	}
	return Open(ctx, path)
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
	d.writer, err = sqlitex.NewPool(d.uri, sqlitex.PoolOptions{Flags: d.flags, PoolSize: 1, PrepareConn: prepareWriter})
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
		Flags: d.flags, PoolSize: max(2, runtime.GOMAXPROCS(0)), PrepareConn: prepareReader,
	})
	if err != nil {
		return errors.Join(err, d.writer.Close())
	}
	return nil
}

// Made reports whether the tables were made when the database was opened.
func (d *Database) Made() bool { return d.made }

// Close waits for transactions that are under way. Where somebody else took
// the database up without its log, one connection stays open until the process
// ends: to close the last one would move that log into their database, and
// delete theirs.
func (d *Database) Close() (err error) {
	defer func() { err = errors.Join(err, d.unlockService()) }()
	err = d.readers.Close()
	if d.files.untaken(d.uri) {
		return errors.Join(err, d.writer.Close())
	}
	_, waited := d.writer.Take(context.Background())
	return errors.Join(err, waited)
}

func prepareWriter(conn *sqlite.Conn) error {
	// What a savepoint may have to take back is kept in memory.
	return dbfile.Configure(conn, exchange.LockWait, append(dbfile.Writing, "temp_store = MEMORY")...)
}

func prepareReader(conn *sqlite.Conn) error {
	return dbfile.Configure(conn, exchange.LockWait, "query_only = ON", "trusted_schema = OFF")
}

// Read calls fn in a transaction that sees one state of the database.
func (d *Database) Read(ctx context.Context, fn func(exchange.Tx) error) (err error) {
	defer func() { err = translate(err) }()
	conn, err := d.readers.Take(ctx)
	if err != nil {
		return err
	}
	defer d.readers.Put(conn)
	end := sqlitex.Transaction(conn)
	defer end(&err)
	return fn(d.on(conn))
}

// Alone calls fn: the processes that use one file share a machine, and what
// they do there more than once is done as if it were done once.
func (d *Database) Alone(ctx context.Context, _ string, fn func(context.Context) error) error {
	return fn(ctx)
}
