// Package dbfile opens the SQLite databases of this program and leaves all other files
// unchanged. It checks a file before SQLite opens it, because SQLite changes the files that it
// opens. It also migrates databases. Start reading at Kind.Open.
package dbfile

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitemigration"
	"zombiezen.com/go/sqlite/sqlitex"
)

// private is the mode of a database. SQLite uses the same mode for the log and the journal.
const private = 0o600

// ErrNewer is returned for a file of a newer version of this program.
var ErrNewer = errors.New("a newer version of this program wrote it")

// ForeignError is returned for a path that is not a database of this kind. The file is
// unchanged.
type ForeignError struct {
	Path string
	// Why is a sentence about the path, without a full stop.
	Why string
}

// Error is the path and the cause.
func (e *ForeignError) Error() string { return e.Path + " is left alone: " + e.Why }

// Kind is a kind of database. Its migrations lead from an empty file to the current tables.
// Never change a released migration.
type Kind sqlitemigration.Schema

// Claim checks that the file at path is a database of this kind or empty, and creates a
// missing file. It does not change any other file: then the error is a *ForeignError or
// ErrNewer. It returns the paths that it created.
func (k Kind) Claim(path string) (Made, error) {
	_, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		made, err := create(path)
		// Another process may have created the file.
		if !errors.Is(err, fs.ErrExist) {
			return made, err
		}
	}
	return nil, k.claim(path)
}

func (k Kind) claim(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if err := checkType(path, info.Mode()); err != nil {
		return err
	}
	if info.Size() > 0 {
		if err := k.check(path); err != nil {
			return err
		}
	}
	if mode := info.Mode().Perm(); mode&^private != 0 {
		return os.Chmod(path, mode&private)
	}
	return nil
}

// Emptied reports whether the file at path has 0 bytes, which means that its content was
// lost. It waits up to 0.5 s for a process that may be creating it.
func Emptied(path string) bool {
	for range 50 {
		if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() || info.Size() > 0 {
			return false
		}
		time.Sleep(pause)
	}
	return true
}

// checkType refuses pipes, which may block, links, whose target may change, and directories.
func checkType(path string, mode fs.FileMode) error {
	switch {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		return &ForeignError{path, "it is a directory"}
	case mode&fs.ModeSymlink == 0:
		return &ForeignError{path, "it is not a file"}
	}
	target, err := os.Readlink(path)
	if err != nil {
		return err
	}
	return &ForeignError{path, "it is a symbolic link; give the path of its target " + target}
}

// checkNames refuses a file with several names: SQLite keeps the log next to the name by which
// it opened the file, so programs that use different names lose changes of each other.
func checkNames(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if names := namesOf(info); names > 1 {
		return &ForeignError{path,
			fmt.Sprintf("it has %d names (hard links), and another program may use it by another one; "+
				"remove the other names, or give a copy", names)}
	}
	return nil
}

// The number of attempts to recognise a file, and the pause between them.
const (
	maxAttempts = 5
	pause       = 10 * time.Millisecond
)

// check refuses other files. It retries, because it takes no lock and another process may be
// creating the file.
func (k Kind) check(path string) error {
	for n := 1; ; n++ {
		err := k.checkOnce(path)
		if foreign := (*ForeignError)(nil); !errors.As(err, &foreign) || n == maxAttempts {
			return err
		}
		time.Sleep(pause)
	}
}

// checkOnce checks the file without its log and then with it, because SQLite would write the
// log into the file.
func (k Kind) checkOnce(path string) error {
	if err := checkNames(path); err != nil {
		return err
	}
	log, err := sizeOf(path + "-wal")
	if err != nil {
		return err
	}
	undo, err := sizeOf(path + "-journal")
	if err != nil {
		return err
	}
	for _, withoutLog := range []bool{true, false} {
		if !withoutLog && log == 0 {
			break
		}
		h, err := readHead(path, withoutLog, log > 0 || undo > 0)
		if err == nil {
			err = k.checkHead(path, h)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (k Kind) checkHead(path string, h head) error {
	switch ours := h.applicationID == int(k.AppID); {
	case ours && h.schema > len(k.Migrations):
		return fmt.Errorf("%w: it has schema version %d, this version supports up to %d", ErrNewer, h.schema,
			len(k.Migrations))
	case ours && h.schema < 0:
		return &ForeignError{path, "it is damaged: its schema version is negative"}
	case !ours && h != (head{}):
		return &ForeignError{path, "it belongs to another program"}
	}
	return nil
}

func sizeOf(path string) (int64, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return info.Size(), checkType(path, info.Mode())
}

// head is the application id and schema version of a database, the zero value for an empty one.
type head struct {
	applicationID, schema int
	filled                bool
}

// readHead reads the head of a database through SQLite, because closing the file here would
// release the locks of this process on it. With immutable, SQLite reads without the log and
// without a lock, and writes nothing. unfinished reports that the log or journal may contain
// pages that the file lacks.
func readHead(path string, immutable, unfinished bool) (head, error) {
	var h head
	conn, err := openReadOnly(path, immutable)
	if err == nil {
		err = errors.Join(h.read(conn, unfinished), conn.Close())
	}
	switch sqlite.ErrCode(err).ToPrimary() {
	case sqlite.ResultOK:
		return h, nil
	case sqlite.ResultNotADB, sqlite.ResultCorrupt:
		return head{}, &ForeignError{path, "it is damaged or not a database"}
	}
	return head{}, err
}

func openReadOnly(path string, immutable bool) (*sqlite.Conn, error) {
	full, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	full = "/" + strings.TrimPrefix(filepath.ToSlash(full), "/")
	uri := url.URL{Scheme: "file", Path: full, RawQuery: "mode=ro"}
	if immutable {
		uri.RawQuery += "&immutable=1"
	}
	return sqlite.OpenConn(uri.String(), sqlite.OpenReadOnly|sqlite.OpenURI)
}

func (h *head) read(conn *sqlite.Conn, unfinished bool) error {
	if unfinished {
		// If a program is killed while it writes the file, the first page may count more pages
		// than the file has. SQLite reads such a file only with this setting.
		if err := sqlitex.ExecuteTransient(conn, "PRAGMA writable_schema = ON", nil); err != nil {
			return err
		}
	}
	err := cmp.Or(
		number(conn, "PRAGMA application_id", &h.applicationID),
		number(conn, "PRAGMA user_version", &h.schema))
	if err != nil || unfinished && h.applicationID != 0 {
		// The pages with the list of tables may be missing as well.
		return err
	}
	tables := 0
	err = number(conn, "SELECT count(*) FROM sqlite_schema", &tables)
	h.filled = tables > 0
	return err
}

func number(conn *sqlite.Conn, query string, to *int) error {
	return sqlitex.ExecuteTransient(conn, query, &sqlitex.ExecOptions{ResultFunc: func(stmt *sqlite.Stmt) error {
		*to = stmt.ColumnInt(0)
		return nil
	}})
}

// Made lists the paths that were created for a new database, outermost first.
type Made []string

// Remove deletes the paths, except directories that are not empty.
func (m Made) Remove() {
	for _, path := range slices.Backward(m) {
		_ = os.Remove(path)
	}
}

func create(path string) (made Made, err error) {
	made = missing(filepath.Dir(path))
	defer func() {
		if err != nil {
			made.Remove()
			made = nil
		}
	}()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return made, err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, private)
	if err != nil {
		return made, err
	}
	return append(made, path, path+"-journal", path+"-wal", path+"-shm"), f.Close()
}

func missing(dir string) (none Made) {
	for {
		if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
			slices.Reverse(none)
			return none
		}
		none = append(none, dir)
		dir = filepath.Dir(dir)
	}
}
