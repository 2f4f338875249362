package dbfile

import (
	"errors"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// Lock locks the file at path with SQLite until the connection is closed or the process ends.
// It writes nothing to the file. The error is sqlite.ResultBusy if another process has locked
// it.
func Lock(path string, flags sqlite.OpenFlags) (*sqlite.Conn, error) {
	conn, err := sqlite.OpenConn(path, flags)
	if err != nil {
		return nil, err
	}
	conn.SetBusyTimeout(0)
	for _, statement := range []string{"PRAGMA journal_mode = OFF", "BEGIN EXCLUSIVE"} {
		if err := sqlitex.ExecuteTransient(conn, statement, nil); err != nil {
			return nil, errors.Join(err, conn.Close())
		}
	}
	return conn, nil
}
