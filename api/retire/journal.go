package retire

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"tonne/model/dbfile"
)

// busyTimeout is how long a statement waits for another program that writes.
const busyTimeout = 10 * time.Second

// applicationID marks a file as a journal of this program.
const applicationID = 0x746f6e6a

//go:embed schema/*.sql
var schemaFiles embed.FS

// kind has the steps to the present tables. A step that was released is never changed.
var kind = sync.OnceValue(func() dbfile.Kind {
	return dbfile.Kind{AppID: applicationID, Migrations: dbfile.Steps(schemaFiles, "schema/*.sql")}
})

// journal is a file of calls, which several programs may use at once: each call is on
// disk before its first byte leaves, with the id that makes a second sending harmless,
// and stays there with its outcome. A call that cannot be written is not made.
type journal struct {
	// turn guards all below.
	turn  sync.Mutex
	conn  *sqlite.Conn
	owner *owner
	// held are the calls that attempts of this journal are under way for.
	held map[int64]bool
}

func openJournal(ctx context.Context, path string) (*journal, error) {
	conn, err := openFile(ctx, path)
	if err != nil {
		return nil, failed(path, err)
	}
	return &journal{conn: conn, owner: &owner{dir: ownersOf(path)}, held: make(map[int64]bool)}, nil
}

func failed(path string, err error) error {
	if _, ok := errors.AsType[*dbfile.ForeignError](err); ok {
		return err
	}
	path = filepath.Clean(path)
	switch code := sqlite.ErrCode(err).ToPrimary(); {
	case code == sqlite.ResultBusy:
		return fmt.Errorf("%s: %w: %w", path, ErrLocked, err)
	case slices.Contains([]sqlite.ResultCode{sqlite.ResultFull, sqlite.ResultReadOnly, sqlite.ResultIOErr, sqlite.ResultCantOpen}, code),
		errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EROFS):
		return fmt.Errorf("%s: %w: %w", path, ErrDisk, err)
	}
	return fmt.Errorf("the journal %s cannot be used: %w", path, err)
}

func openFile(ctx context.Context, path string) (*sqlite.Conn, error) {
	made, err := kind().Claim(path)
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
		return kind().Prepare(ctx, conn, busyTimeout)
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

// checkEmptied returns ErrEmptied for a file without content that once had calls.
func checkEmptied(conn *sqlite.Conn, path string) error {
	if _, err := os.Lstat(ownersOf(path)); err != nil {
		return nil
	}
	// SQLite deletes the log of a file of no bytes.
	if info, err := os.Lstat(path); err != nil || info.Size() == 0 {
		return cmp.Or[error](err, ErrEmptied)
	}
	id := int64(0)
	err := sqlitex.ExecuteTransient(conn, `PRAGMA application_id`, &sqlitex.ExecOptions{ResultFunc: func(stmt *sqlite.Stmt) error {
		id = stmt.ColumnInt64(0)
		return nil
	}})
	if err == nil && id == 0 {
		err = ErrEmptied
	}
	return err
}

// close leaves attempts that are still under way as a program that was killed does.
func (j *journal) close() error {
	j.turn.Lock()
	defer j.turn.Unlock()
	return errors.Join(j.owner.end(), j.conn.Close())
}

// write calls fn in a transaction that is on disk when it returns nil, and
// has not happened when it returns an error: ErrDisk, or one that fn found.
func (j *journal) write(fn func(*sqlite.Conn) error) error {
	j.turn.Lock()
	defer j.turn.Unlock()
	return diskError(j.transact("BEGIN IMMEDIATE", fn))
}

// writeSoon is write that does not wait for the disk: what it writes survives
// the program, and is on disk with the next write.
func (j *journal) writeSoon(statement string, args ...any) error {
	j.turn.Lock()
	defer j.turn.Unlock()
	if err := sqlitex.Execute(j.conn, "PRAGMA synchronous = NORMAL", nil); err != nil {
		return diskError(err)
	}
	err := sqlitex.Execute(j.conn, statement, &sqlitex.ExecOptions{Args: args})
	return diskError(errors.Join(err, sqlitex.Execute(j.conn, "PRAGMA synchronous = FULL", nil)))
}

func (j *journal) transact(begin string, fn func(*sqlite.Conn) error) error {
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

func diskError(err error) error {
	_, named := errors.AsType[*Problem](err)
	switch {
	case err == nil || named:
		return err
	case sqlite.ErrCode(err).ToPrimary() == sqlite.ResultBusy:
		return fmt.Errorf("%w: %w", ErrLocked, err)
	}
	return fmt.Errorf("%w: %w", ErrDisk, err)
}
