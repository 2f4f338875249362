package dbfile

import (
	"cmp"
	"errors"
	"net/url"
	"path/filepath"
	"strings"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// head is what a database says about itself, the zero value for an empty one.
type head struct {
	applicationID, schema int
	filled                bool
}

// readHead reads the head of a database through SQLite: closing the file ourselves would
// release this process's locks on it. An immutable file is read without its log, a lock or
// any trace. unfinished says that a file next to it may have pages that it lacks.
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
		return head{}, &ForeignError{path, "it is damaged or no database"}
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
		// A program that dies while it writes the file leaves a first page that
		// counts more pages than there are. SQLite reads such a file only for a
		// connection that may repair it.
		if err := sqlitex.ExecuteTransient(conn, "PRAGMA writable_schema = ON", nil); err != nil {
			return err
		}
	}
	err := cmp.Or(
		number(conn, "PRAGMA application_id", &h.applicationID),
		number(conn, "PRAGMA user_version", &h.schema))
	if err != nil || unfinished && h.applicationID != 0 {
		// The pages that list the tables may be missing too.
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
