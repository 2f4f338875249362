package dbfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"net/url"
	"os"
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
// away the locks that this process holds on it.
func readHead(path string) (head, error) {
	var h head
	conn, err := openImmutable(path)
	if err == nil {
		err = errors.Join(h.read(conn), conn.Close())
	}
	switch sqlite.ErrCode(err).ToPrimary() {
	case sqlite.ResultOK:
	case sqlite.ResultNotADB, sqlite.ResultCorrupt:
		return head{}, &ForeignError{path, "it is damaged or no database"}
	default:
		return head{}, err
	}
	if h != (head{}) {
		return h, nil
	}
	// What a new database holds stands beside it at first.
	return readLog(path + "-wal")
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

func (h *head) read(conn *sqlite.Conn) error {
	tables := 0
	for query, to := range map[string]*int{
		"PRAGMA application_id":              &h.applicationID,
		"PRAGMA user_version":                &h.schema,
		"SELECT count(*) FROM sqlite_schema": &tables,
	} {
		err := sqlitex.ExecuteTransient(conn, query, &sqlitex.ExecOptions{ResultFunc: func(stmt *sqlite.Stmt) error {
			*to = stmt.ColumnInt(0)
			return nil
		}})
		if err != nil {
			return err
		}
	}
	h.filled = tables > 0
	return nil
}

// The sizes of the parts of a write-ahead log (SQLite's file format, section
// 4.1): its header, and the header of each frame, which holds a page.
const (
	logHeader   = 32
	frameHeader = 24
)

// readLog returns the head of the newest first page in a write-ahead log, or
// the zero value if there is none.
func readLog(path string) (head, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return head{}, nil
	}
	if err != nil {
		return head{}, err
	}
	if err := checkType(path, info.Mode()); err != nil {
		return head{}, err
	}
	f, err := os.Open(path)
	if err != nil {
		return head{}, err
	}
	defer f.Close()
	start := make([]byte, logHeader)
	if _, err := f.ReadAt(start, 0); err != nil {
		return head{}, nothingAtEnd(err)
	}
	pageSize := int64(binary.BigEndian.Uint32(start[8:]))
	salt := start[16:24]
	var h head
	frame := make([]byte, frameHeader+pageHead)
	for at := int64(logHeader); ; at += frameHeader + pageSize {
		if _, err := f.ReadAt(frame, at); err != nil {
			return h, nothingAtEnd(err)
		}
		if !bytes.Equal(frame[8:16], salt) {
			return h, nil
		}
		if binary.BigEndian.Uint32(frame) == 1 {
			h = parseHead(frame[frameHeader:])
		}
	}
}

func nothingAtEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// pageHead is how much of the first page says what is in it (sections 1.3 and
// 1.6).
const pageHead = 105

func parseHead(page []byte) head {
	const emptyLeaf = 0x0d
	return head{
		applicationID: int(int32(binary.BigEndian.Uint32(page[68:]))),
		schema:        int(int32(binary.BigEndian.Uint32(page[60:]))),
		filled:        page[100] != emptyLeaf || binary.BigEndian.Uint16(page[103:]) > 0,
	}
}
