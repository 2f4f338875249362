// Package journal has the calls that cannot be undone: each is on disk before its
// first byte leaves, with the id that makes a second sending harmless, and stays there
// with its outcome. A call that cannot be written is not made.
package journal

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitemigration"
	"zombiezen.com/go/sqlite/sqlitex"

	"tonne/model/dbfile"
)

// busyTimeout is how long a statement waits for another program that writes.
const busyTimeout = 10 * time.Second

// applicationID marks a file as a journal of this program.
const applicationID = 0x746f6e6a

//go:embed schema.sql
var schemaStep1 string

//go:embed key_mark.sql
var schemaStep2 string

//go:embed reasons.sql
var schemaStep3 string

//go:embed by_id.sql
var schemaStep4 string

// schema leads from an empty file to the present tables. A step that was
// released is never changed.
func schema() sqlitemigration.Schema {
	return sqlitemigration.Schema{AppID: applicationID, Migrations: []string{schemaStep1, schemaStep2, schemaStep3, schemaStep4}}
}

// Journal is a file of calls, which several programs may use at once. Its
// methods wait for the disk and may be called from any goroutine.
type Journal struct {
	// turn guards all below.
	turn  sync.Mutex
	conn  *sqlite.Conn
	owner *owner
	// held are the calls that attempts of this Journal are under way for.
	held map[int64]bool
}

// Open opens the journal in the file at path, or creates it. The error names
// the path; it is ErrDisk as well if the disk is why.
func Open(ctx context.Context, path string) (*Journal, error) {
	conn, err := openFile(ctx, path)
	if err != nil {
		return nil, failed(path, err)
	}
	return &Journal{conn: conn, owner: &owner{dir: ownersOf(path)}, held: make(map[int64]bool)}, nil
}

func failed(path string, err error) error {
	if _, ok := errors.AsType[*dbfile.ForeignError](err); ok {
		return err
	}
	return &unusable{path, err}
}

// unusable is why the journal at a path cannot be opened.
type unusable struct {
	path string
	err  error
}

func (u *unusable) Error() string {
	return fmt.Sprintf("the journal %s cannot be used: %v", filepath.Clean(u.path), u.err)
}

func (u *unusable) Unwrap() error { return u.err }

func isLocked(err error) bool { return sqlite.ErrCode(err).ToPrimary() == sqlite.ResultBusy }

// Is reports that the error is ErrDisk if the disk took nothing, and ErrLocked if
// another program has the journal.
func (u *unusable) Is(target error) bool {
	if target == ErrLocked {
		return isLocked(u.err)
	}
	if target != ErrDisk {
		return false
	}
	switch sqlite.ErrCode(u.err).ToPrimary() {
	case sqlite.ResultFull, sqlite.ResultReadOnly, sqlite.ResultIOErr, sqlite.ResultCantOpen:
		return true
	}
	return errors.Is(u.err, fs.ErrPermission) || errors.Is(u.err, syscall.ENOSPC) || errors.Is(u.err, syscall.EROFS)
}

func openFile(ctx context.Context, path string) (*sqlite.Conn, error) {
	made, err := dbfile.Kind(schema()).Claim(path)
	if err != nil {
		return nil, err
	}
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate)
	if err != nil {
		return nil, err
	}
	conn.SetBusyTimeout(busyTimeout)
	prepare := func() error {
		if err := checkEmptied(conn, path); err != nil {
			return err
		}
		return prepareConn(ctx, conn)
	}
	// SQLite does not wait for another program that makes the file as well.
	err = prepare()
	for start := time.Now(); time.Since(start) < longestMaking(err); {
		time.Sleep(busyTimeout / 1000)
		err = prepare()
	}
	if err != nil {
		err = errors.Join(err, conn.Close())
		made.Remove()
		return nil, err
	}
	return conn, nil
}

// longestMaking is how long another program may be making the file that gives err.
func longestMaking(err error) time.Duration {
	switch {
	case errors.Is(err, ErrEmptied):
		return busyTimeout / 10
	case sqlite.ErrCode(err).ToPrimary() == sqlite.ResultBusy:
		return busyTimeout
	}
	return 0
}

// ErrEmptied is returned by Open for a journal that was deleted or lost its
// content: calls were sent with it, and it knows none of them.
var ErrEmptied = errors.New("it is missing or empty, although calls were sent with it")

// checkEmptied returns ErrEmptied for a file without content if a program has been
// the owner of calls in it.
func checkEmptied(conn *sqlite.Conn, path string) error {
	if _, err := os.Lstat(ownersOf(path)); err != nil {
		return nil
	}
	// SQLite deletes the log of a file of no bytes.
	if info, err := os.Lstat(path); err != nil || info.Size() == 0 {
		return cmp.Or(err, ErrEmptied)
	}
	id, _, err := version(conn)
	if err == nil && id == 0 {
		err = ErrEmptied
	}
	return err
}

func version(conn *sqlite.Conn) (id, schema int, err error) {
	err = sqlitex.ExecuteTransient(conn, `SELECT application_id, user_version FROM pragma_application_id, pragma_user_version`, &sqlitex.ExecOptions{
		ResultFunc: func(stmt *sqlite.Stmt) error {
			id, schema = stmt.ColumnInt(0), stmt.ColumnInt(1)
			return nil
		},
	})
	return id, schema, err
}

func prepareConn(ctx context.Context, conn *sqlite.Conn) error {
	for _, setting := range []string{"synchronous = FULL", "trusted_schema = OFF", "journal_mode = WAL"} {
		if err := sqlitex.ExecuteTransient(conn, "PRAGMA "+setting, nil); err != nil {
			return err
		}
	}
	// Migrate writes to the file, also where nothing is to be changed.
	id, newest, err := version(conn)
	if err != nil || id == applicationID && newest == len(schema().Migrations) {
		return err
	}
	return sqlitemigration.Migrate(ctx, conn, schema())
}

// Close ends the use of the journal. Attempts that are still under way are as
// those of a program that was killed.
func (j *Journal) Close() error {
	j.turn.Lock()
	defer j.turn.Unlock()
	return errors.Join(j.owner.end(), j.conn.Close())
}

// ErrDisk is wrapped by what the disk says if the journal could not be
// written: it is full, or it fails.
var ErrDisk = errors.New("the journal cannot be written")

// ErrLocked is wrapped by what SQLite says if another program kept the journal
// locked for too long.
var ErrLocked = errors.New("another program has locked the journal")

// write calls fn in a transaction that is on disk when it returns nil, and
// has not happened when it returns an error: ErrDisk, or one that fn found.
func (j *Journal) write(fn func(*sqlite.Conn) error) error {
	return diskError(j.transact("BEGIN IMMEDIATE", fn))
}

// writeSoon is write that does not wait for the disk: what it writes survives
// the program, and is on disk with the next write.
func (j *Journal) writeSoon(fn func(*sqlite.Conn) error) error {
	j.turn.Lock()
	defer j.turn.Unlock()
	if err := sqlitex.Execute(j.conn, "PRAGMA synchronous = NORMAL", nil); err != nil {
		return diskError(err)
	}
	err := j.transaction("BEGIN IMMEDIATE", fn)
	return diskError(errors.Join(err, sqlitex.Execute(j.conn, "PRAGMA synchronous = FULL", nil)))
}

// Errors returns all errors that Open and the methods of a Journal name.
func Errors() []error {
	return []error{ErrNoCall, ErrHeld, ErrEnded, ErrOtherBody, ErrOtherKey, ErrUnsettled, ErrNotSent, ErrLocked, ErrDisk, ErrEmptied}
}

func diskError(err error) error {
	for _, named := range Errors() {
		if err == nil || errors.Is(err, named) {
			return err
		}
	}
	if isLocked(err) {
		return fmt.Errorf("%w: %w", ErrLocked, err)
	}
	return fmt.Errorf("%w: %w", ErrDisk, err)
}

func (j *Journal) read(fn func(*sqlite.Conn) error) error { return j.transact("BEGIN", fn) }

func (j *Journal) transact(begin string, fn func(*sqlite.Conn) error) error {
	j.turn.Lock()
	defer j.turn.Unlock()
	return j.transaction(begin, fn)
}

func (j *Journal) transaction(begin string, fn func(*sqlite.Conn) error) error {
	if err := sqlitex.Execute(j.conn, begin, nil); err != nil {
		return err
	}
	err := fn(j.conn)
	if err == nil {
		err = sqlitex.Execute(j.conn, "COMMIT", nil)
	}
	// A full disk may have rolled back already.
	if err != nil && !j.conn.AutocommitEnabled() {
		err = errors.Join(err, sqlitex.Execute(j.conn, "ROLLBACK", nil))
	}
	return err
}
