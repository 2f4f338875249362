package exchange

import (
	"context"
	"errors"
	"os"
	"strings"
	"time"
)

// Database is an engine with a marketplace in it, safe for concurrent use. Its errors are
// those below, in front of the engine's.
type Database interface {
	Reader
	// Write calls fn in a transaction that is committed whole, or not at all if fn returns
	// an error. The end of ctx does not interrupt it: the outcome of a purchase must not
	// depend on whether the client still listens. The error is ErrLocked if its turn does
	// not come within LockWait. Several changes may be committed together: if that fails,
	// the error of all is ErrNotCommitted.
	//
	// fn may be called again if others were in its way: about names the things that the
	// change is about, so that those that share one wait beforehand. A change that names
	// none may be about anything; one that does reads by Tx.QueryKept what it depends on
	// without changing it.
	Write(ctx context.Context, fn func(Tx) error, about ...string) error
	// Ready returns why the database cannot take a purchase, or nil.
	Ready(ctx context.Context) error
	// Made reports whether the tables were made when the database was opened.
	Made() bool
	// Backup writes the database as it is now into an empty file, or returns ErrNoBackup.
	Backup(ctx context.Context, into *os.File) error
	// Close waits for transactions that are under way.
	Close() error
}

// Read returns what fn reads in one transaction.
func Read[T any](ctx context.Context, from Reader, fn func(Tx) T) (read T, err error) {
	err = from.Read(ctx, func(tx Tx) error {
		read = fn(tx)
		return nil
	})
	return read, err
}

// Reader is a Database, or a service on one.
type Reader interface {
	// Read calls fn in a transaction that sees one state of the database.
	Read(ctx context.Context, fn func(Tx) error) error
}

// LockWait is how long a change waits for its turn to write, and a statement for another
// process: well within the time that a service has to drain.
const LockWait = 5 * time.Second

var (
	// ErrLocked is returned when another process kept the database locked for too long.
	ErrLocked = errors.New("the database is locked by another process")
	// ErrNotCommitted is returned for a change that may be tried again.
	ErrNotCommitted = errors.New("the change was not kept")
	// ErrServed is returned to a service if another process serves the same file.
	ErrServed = errors.New("another service serves the database")
	// ErrFull is returned when nothing was written for lack of space.
	ErrFull = errors.New("no space is left on the disk of the database")
	// ErrReadOnly is returned when the database can be read but not written.
	ErrReadOnly = errors.New("the database is read-only")
	// ErrUnreachable is returned when no server answers that takes changes.
	ErrUnreachable = errors.New("the database cannot be reached")
	// ErrUnknown is returned when the connection broke off in a commit.
	ErrUnknown = errors.New("the connection to the database broke off: whether the change was kept is not known")
	// ErrNoMarketplace is returned where none is there, and none is to be made.
	ErrNoMarketplace = errors.New("there is no marketplace in the database")
	// ErrForeign is returned for a database with the tables of another program.
	ErrForeign = errors.New("the database holds tables of another program")
	// ErrNewer is returned for a database that a newer version has upgraded.
	ErrNewer = errors.New("a newer version of tonne upgraded the database: use that, or a newer one")
	// ErrNoBackup is returned by an engine whose own tools make backups.
	ErrNoBackup = errors.New("a PostgreSQL database is backed up by its own tools, such as pg_dump and pg_basebackup")
	// ErrReplaced is returned when what is written would be lost with the process.
	ErrReplaced = errors.New("a file of the database was deleted or replaced")
)

// PurchaseRoom is how much room a purchase may need, in bytes.
const PurchaseRoom = 64 << 10

// Rehearse makes a change as large as a purchase, for an engine that rolls it
// back to learn whether it would be taken.
func Rehearse(tx Tx) error {
	tx.Exec("INSERT INTO audit (at, actor, action, subject, detail) VALUES (0, '', '', '', $1)", strings.Repeat("0", PurchaseRoom))
	return tx.Err()
}
