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

	"tonne/model/file/dbfile"
	"tonne/model/fold"
)

// busyTimeout is how long a statement waits while another program writes.
const busyTimeout = 10 * time.Second

// applicationID marks a file as a journal of tonne.
const applicationID = 0x746f6e6a

//go:embed schema/*.sql
var schemaFiles embed.FS

// kind has the migrations. A released migration is never changed.
var kind = sync.OnceValue(func() dbfile.Kind {
	return dbfile.Kind{AppID: applicationID, Migrations: dbfile.Steps(schemaFiles, "schema/*.sql")}
})

// identity is fold.Identity for migrations.
var identity = &sqlite.FunctionImpl{NArgs: 1, Deterministic: true,
	Scalar: func(_ sqlite.Context, args []sqlite.Value) (sqlite.Value, error) {
		return sqlite.TextValue(fold.Identity(args[0].Text())), nil
	}}

// journal is a file of calls. Several programs may use it at once. Each call is on disk
// before its first byte is sent, with the id that makes a second attempt harmless, and
// stays there with its outcome. A call that cannot be written is not sent.
type journal struct {
	// turn guards the fields below.
	turn  sync.Mutex
	conn  *sqlite.Conn
	owner *owner
	// held has the calls for which this journal has an attempt.
	held map[int64]bool
	now  func() time.Time
}

func openJournal(ctx context.Context, path string) (*journal, error) {
	conn, err := openFile(ctx, path)
	if err != nil {
		return nil, openError(path, err)
	}
	return &journal{conn: conn, owner: &owner{dir: ownersDir(path)}, held: make(map[int64]bool), now: time.Now}, nil
}

// readJournal opens the journal without changing it.
func readJournal(path string) (*journal, error) {
	conn, err := kind().OpenRead(path, busyTimeout)
	switch {
	case errors.Is(err, dbfile.ErrOlder):
		return nil, fmt.Errorf("%s: %w", path, ErrOlder)
	case err != nil:
		return nil, openError(path, err)
	}
	return &journal{conn: conn, owner: &owner{dir: ownersDir(path)}}, nil
}

func openError(path string, err error) error {
	if _, ok := errors.AsType[*dbfile.ForeignError](err); ok {
		return err
	}
	path = filepath.Clean(path)
	switch code := sqlite.ErrCode(err).ToPrimary(); {
	case code == sqlite.ResultBusy:
		return fmt.Errorf("%s: %w: %w", path, ErrLocked, err)
	case slices.Contains([]sqlite.ResultCode{sqlite.ResultFull, sqlite.ResultReadOnly, sqlite.ResultIOErr,
		sqlite.ResultCantOpen}, code),
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
	for start := time.Now(); ; time.Sleep(busyTimeout / 1000) {
		longest := busyTimeout
		if err = checkEmptied(conn, path); err == nil {
			err = errors.Join(conn.CreateFunction("identity", identity), kind().Prepare(ctx, conn, busyTimeout))
		} else if errors.Is(err, ErrEmptied) {
			longest /= 10
		}
		switch busy := sqlite.ErrCode(err).ToPrimary() == sqlite.ResultBusy || errors.Is(err, ErrEmptied); {
		case err == nil:
			return conn, nil
		case busy && time.Since(start) < longest:
			// SQLite does not wait for another program that creates the file.
			continue
		}
		err = errors.Join(err, conn.Close())
		made.Remove()
		return nil, err
	}
}

// checkEmptied returns ErrEmptied for an empty file that once contained calls.
func checkEmptied(conn *sqlite.Conn, path string) error {
	if _, err := os.Lstat(ownersDir(path)); err != nil {
		return nil
	}
	// For a file of no bytes, a query would make SQLite delete the log.
	if info, err := os.Lstat(path); err != nil || info.Size() == 0 {
		return cmp.Or[error](err, ErrEmptied)
	}
	id := int64(0)
	err := sqlitex.ExecuteTransient(conn, `PRAGMA application_id`,
		&sqlitex.ExecOptions{ResultFunc: func(stmt *sqlite.Stmt) error {
			id = stmt.ColumnInt64(0)
			return nil
		}})
	if err == nil && id == 0 {
		err = ErrEmptied
	}
	return err
}

// close leaves unfinished attempts in the same state as a killed program does.
func (j *journal) close() error {
	j.turn.Lock()
	defer j.turn.Unlock()
	return errors.Join(j.owner.end(), j.conn.Close())
}

// write calls fn in a transaction. If write returns nil, the transaction is on disk.
// Otherwise it had no effect, and the error is ErrDisk, ErrLocked or a Problem of fn.
func (j *journal) write(fn func(*sqlite.Conn) error) error {
	j.turn.Lock()
	defer j.turn.Unlock()
	return diskError(dbfile.Transact(context.Background(), j.conn, "BEGIN IMMEDIATE", fn))
}

// writeSoon executes a statement without waiting for the disk. The change survives this
// program, and reaches the disk with the next write.
func (j *journal) writeSoon(statement string, args ...any) error {
	j.turn.Lock()
	defer j.turn.Unlock()
	if err := dbfile.Execute(j.conn, "PRAGMA synchronous = NORMAL", nil); err != nil {
		return diskError(err)
	}
	err := dbfile.Execute(j.conn, statement, nil, args...)
	return diskError(errors.Join(err, dbfile.Execute(j.conn, "PRAGMA synchronous = FULL", nil)))
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

// giveUp marks a call as abandoned. If it was turned away it may have taken effect, since a
// proxy may have sent the response.
func giveUp(conn *sqlite.Conn, c Call) error {
	return dbfile.Execute(conn, `UPDATE call SET given_up = 1, unsure = max(unsure, ?) WHERE id = ?`,
		nil, c.TurnedAway > 0, c.id)
}
