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

// head is the application id and schema version of a database, the zero value for an empty one.
type head struct {
	applicationID, schema int
	filled                bool
}

// readHead reads the head of a database through SQLite, because closing the file here would
// release the locks of this process on it. With immutable, SQLite reads without the log and
// without a lock, and writes nothing. unfinished means that the log or journal may contain
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
