// Package record keeps every market that was read in a SQLite file: each order as intervals
// in which its price and quantity stayed the same, and the times of the reads. It returns the
// market of any minute again. Several programs can use the file at once. Start reading at
// Service.Add and Service.At.
package record

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"zombiezen.com/go/sqlite"

	"tonne/model/file/dbfile"
)

// busyTimeout is how long a statement waits for another program.
const busyTimeout = 5 * time.Second

const applicationID = 0x746f6e33

// logLimit is the size in bytes to which the write-ahead log is cut after its content is in
// the file.
const logLimit = "1048576"

//go:embed schema/*.sql
var schemaFiles embed.FS

var kind = sync.OnceValue(func() dbfile.Kind {
	return dbfile.Kind{AppID: applicationID, Migrations: dbfile.Steps(schemaFiles, "schema/*.sql")}
})

// File is the record of markets. Its methods wait for the disk and may be called from any
// goroutine. After an error the next call opens the file again.
type File struct {
	path string
	// turn is the lock of the fields below.
	turn chan struct{}
	conn *sqlite.Conn
	// latest are the last markets that this program recorded, by service.
	latest map[string]*latest
}

// Open returns the record in a file, which the first use creates, or in memory if path is
// empty.
func Open(path string) *File {
	return &File{path: path, turn: make(chan struct{}, 1), latest: make(map[string]*latest)}
}

// Service is the record of one service.
type Service struct {
	file *File
	url  string
}

// Of returns the record of the service with a base URL.
func (f *File) Of(url string) Service { return Service{f, url} }

// Close closes the file.
func (f *File) Close() error {
	f.turn <- struct{}{}
	defer func() { <-f.turn }()
	return f.close()
}

func (f *File) close() error {
	clear(f.latest)
	if f.conn == nil {
		return nil
	}
	err := f.conn.Close()
	f.conn = nil
	return err
}

// Size returns the size of the file in bytes, with what its log still has.
func (f *File) Size(ctx context.Context) (bytes int64, err error) {
	err = f.use(ctx, "BEGIN", func(t *tx) {
		bytes = t.number("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")
	})
	return bytes, err
}

func (f *File) open(ctx context.Context) (err error) {
	if f.path != "" {
		f.conn, err = kind().Open(ctx, f.path, busyTimeout)
	} else if f.conn, err = sqlite.OpenConn(":memory:", sqlite.OpenReadWrite|sqlite.OpenCreate); err == nil {
		err = kind().Prepare(ctx, f.conn, busyTimeout)
	}
	if err == nil {
		// A power cut may lose the last polls, but not damage the file, and no poll waits for the disk.
		err = dbfile.Configure(f.conn, busyTimeout, "synchronous = NORMAL", "journal_size_limit = "+logLimit)
	}
	if err != nil {
		return errors.Join(err, f.close())
	}
	return nil
}

// use runs fn in a transaction.
func (f *File) use(ctx context.Context, begin string, fn func(*tx)) error {
	return f.locked(ctx, func() error {
		return dbfile.Transact(ctx, f.conn, begin, func(conn *sqlite.Conn) error {
			t := &tx{conn: conn}
			fn(t)
			return t.err
		})
	})
}

// locked runs fn with the open file.
func (f *File) locked(ctx context.Context, fn func() error) error {
	select {
	case f.turn <- struct{}{}:
		defer func() { <-f.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if f.conn == nil {
		if err := f.open(ctx); err != nil {
			return f.explain(err)
		}
	}
	err := fn()
	switch {
	case err == nil, errors.As(err, new(*BehindError)), errors.As(err, new(*UnwatchedError)):
		return err
	case ctx.Err() != nil:
		clear(f.latest)
		return ctx.Err()
	}
	// In memory, the connection is the record.
	if clear(f.latest); f.path != "" {
		_ = f.close()
	}
	return f.explain(err)
}

// FileError is the error for a file that cannot be used.
type FileError struct {
	Path string
	// Why and Todo are clauses about the file: what is wrong with it, and what to do.
	Why, Todo string
	// Err is the cause. It may be nil.
	Err error
}

// Error returns the path and why it cannot be used.
func (e *FileError) Error() string {
	if e.Err == nil {
		return e.Path + " cannot be used: " + e.Why
	}
	return fmt.Sprintf("%s cannot be used: %s (%v)", e.Path, e.Why, e.Err)
}

// Unwrap returns the cause.
func (e *FileError) Unwrap() error { return e.Err }

const moveAway = "move it away, and a new one is made"

func (f *File) explain(err error) error {
	if foreign, ok := errors.AsType[*dbfile.ForeignError](err); ok {
		return &FileError{Path: foreign.Path, Why: foreign.Why, Todo: moveAway}
	}
	e := &FileError{Path: f.path, Why: "it cannot be read or written", Todo: "check its path and permissions", Err: err}
	switch sqlite.ErrCode(err).ToPrimary() {
	case sqlite.ResultFull:
		e.Why, e.Todo = "the disk is full", "free disk space"
	case sqlite.ResultCorrupt, sqlite.ResultNotADB:
		e.Why, e.Todo = "it is damaged", moveAway
	case sqlite.ResultBusy:
		e.Why, e.Todo = "another program has locked it", "close that program"
	}
	if errors.Is(err, dbfile.ErrNewer) {
		e.Why, e.Todo, e.Err = "a newer version has written it", "update tonne", nil
	}
	if refused, ok := errors.AsType[*os.PathError](err); ok {
		e.Err = refused.Err
	}
	return e
}

// tx is a transaction. After an error it executes nothing more, so that callers need not check
// each statement.
type tx struct {
	conn *sqlite.Conn
	err  error
}

func (t *tx) each(query string, row func(*sqlite.Stmt), args ...any) {
	if t.err == nil {
		t.err = dbfile.Execute(t.conn, query, row, args...)
	}
}

// run returns the number of changed rows.
func (t *tx) run(query string, args ...any) int64 {
	if t.each(query, nil, args...); t.err != nil {
		return 0
	}
	return int64(t.conn.Changes())
}

func (t *tx) number(query string, args ...any) (n int64) {
	t.each(query, func(stmt *sqlite.Stmt) { n = stmt.ColumnInt64(0) }, args...)
	return n
}

// moment returns the time of a query, or the zero time if it finds none.
func (t *tx) moment(query string, args ...any) (at time.Time) {
	t.each(query, func(stmt *sqlite.Stmt) {
		if !stmt.ColumnIsNull(0) {
			at = columnTime(stmt, 0)
		}
	}, args...)
	return at
}

func columnTime(stmt *sqlite.Stmt, col int) time.Time { return time.UnixMilli(stmt.ColumnInt64(col)) }
