package exchange

import (
	"context"
	"errors"
	"os"
	"strings"
	"time"
)

// Database is a database engine with the tables of a marketplace. It is safe for concurrent
// use. Its errors wrap those below and the engine's.
type Database interface {
	Reader
	// Write calls fn in a transaction, which is rolled back if fn returns an error. The end
	// of ctx does not interrupt it: the outcome of a purchase must not depend on whether the
	// client is still connected. The error is ErrLocked if the change has to wait for others
	// longer than LockWait. An engine may commit several changes together: if that fails,
	// each of them returns ErrNotCommitted.
	//
	// An engine may call fn again after a conflict. Changes with the same lock key wait for
	// each other, so that they do not conflict. A change without lock keys may affect
	// anything. A change with lock keys must use Tx.QueryForShare for the rows on which it
	// depends without changing them.
	Write(ctx context.Context, fn func(Tx) error, lockKeys ...string) error
	// Ready returns an error if a purchase would fail.
	Ready(ctx context.Context) error
	// Made reports whether opening the database created the tables.
	Made() bool
	// Backup writes the current database into an empty file, or returns ErrNoBackup.
	Backup(ctx context.Context, into *os.File) error
	// Close waits for running transactions and closes the database.
	Close() error
}

// Read returns the result of fn, which reads in one transaction.
func Read[T any](ctx context.Context, from Reader, fn func(Tx) T) (read T, err error) {
	err = from.Read(ctx, func(tx Tx) error {
		read = fn(tx)
		return nil
	})
	return read, err
}

// Reader is a Database or a service that uses one.
type Reader interface {
	// Read calls fn in a read transaction, which sees one state of the database.
	Read(ctx context.Context, fn func(Tx) error) error
}

// LockWait limits how long a change waits for other changes, and a statement for other
// processes. It is much shorter than the time that a service has to drain.
const LockWait = 5 * time.Second

var (
	// ErrLocked is returned when another process kept the database locked for too long.
	ErrLocked = errors.New("the database is locked by another process")
	// ErrNotCommitted is returned for a change that the caller may retry.
	ErrNotCommitted = errors.New("the change was not committed")
	// ErrServed is returned when another process serves the same file.
	ErrServed = errors.New("another service serves the database")
	// ErrFull is returned when the disk is full and nothing was written.
	ErrFull = errors.New("no space is left on the disk of the database")
	// ErrReadOnly is returned when the database can be read but not written.
	ErrReadOnly = errors.New("the database is read-only")
	// ErrUnreachable is returned when no server with write access responds.
	ErrUnreachable = errors.New("the database cannot be reached")
	// ErrUnknown is returned when the connection was lost during a commit.
	ErrUnknown = errors.New("lost the connection to the database: it is unknown whether the change was committed")
	// ErrNoMarketplace is returned if there is no marketplace and the options forbid creating one.
	ErrNoMarketplace = errors.New("there is no marketplace in the database")
	// ErrForeign is returned for a database with the tables of another program.
	ErrForeign = errors.New("the database contains tables of another program")
	// ErrNewer is returned for a database that a newer version has upgraded.
	ErrNewer = errors.New("a newer version of tonne upgraded the database: use that version or a later one")
	// ErrNoBackup is returned by an engine whose own tools make backups.
	ErrNoBackup = errors.New("back up a PostgreSQL database with its own tools, such as pg_dump")
	// ErrReplaced is returned when changes would be lost at the end of the process.
	ErrReplaced = errors.New("a file of the database was deleted or replaced")
)

// PurchaseRoom is the disk space that a purchase may need, in bytes.
const PurchaseRoom = 64 << 10

// Rehearse makes a change as large as a purchase. An engine rolls it back to check whether
// a purchase would succeed.
func Rehearse(tx Tx) error {
	tx.Exec("INSERT INTO audit (at, actor, action, subject, detail) VALUES (0, '', '', '', $1)",
		strings.Repeat("0", PurchaseRoom))
	return tx.Err()
}

// CauseError is an error of a database server.
type CauseError struct {
	// Cause is one line, and Todo what to do, or empty.
	Cause, Todo string
	Err         error
}

// Error returns the cause.
func (e *CauseError) Error() string { return e.Cause }

// Unwrap returns the error of the driver.
func (e *CauseError) Unwrap() error { return e.Err }
