package dbfile

import (
	"cmp"
	"encoding/binary"
	"errors"
	"net/url"
	"path/filepath"
	"strings"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// head is what a database says about itself. A database with nothing in it
// has the zero value.
type head struct {
	applicationID, schema int
	// filled says that there are tables.
	filled bool
}

// readHead reads the head of a database without a lock, a journal or any other
// trace. SQLite reads it: closing a file that was opened beside it would take
// away the locks that this process holds on it. unfinished says that a file
// beside it may hold pages that are missing.
func readHead(path string, unfinished bool) (head, error) {
	var h head
	conn, err := openImmutable(path)
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

// openImmutable opens a database as one that nobody changes.
func openImmutable(path string) (*sqlite.Conn, error) {
	full, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	full = "/" + strings.TrimPrefix(filepath.ToSlash(full), "/")
	uri := url.URL{Scheme: "file", Path: full, RawQuery: "mode=ro&immutable=1"}
	return sqlite.OpenConn(uri.String(), sqlite.OpenReadOnly|sqlite.OpenURI)
}

func (h *head) read(conn *sqlite.Conn, unfinished bool) error {
	if unfinished {
		// A program that dies while it moves pages from the log into the file
		// leaves a first page that counts more pages than there are. SQLite
		// takes such a file only from who is about to repair it.
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

// parseHead reads the head from the first page (SQLite's file format, sections
// 1.3 and 1.6).
func parseHead(page []byte) head {
	const emptyLeaf = 0x0d
	return head{
		applicationID: int(int32(binary.BigEndian.Uint32(page[68:]))),
		schema:        int(int32(binary.BigEndian.Uint32(page[60:]))),
		filled:        page[100] != emptyLeaf || binary.BigEndian.Uint16(page[103:]) > 0,
	}
}
