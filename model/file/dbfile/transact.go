package dbfile

import (
	"context"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// Execute executes a statement, which stays prepared, and calls row with each row of its result, unless row is nil.
func Execute(conn *sqlite.Conn, statement string, row func(*sqlite.Stmt), args ...any) error {
	options := &sqlitex.ExecOptions{Args: args}
	if row != nil {
		options.ResultFunc = func(stmt *sqlite.Stmt) error {
			row(stmt)
			return nil
		}
	}
	return sqlitex.Execute(conn, statement, options)
}

// Transact calls fn in a transaction, which begin begins. If it returns nil the transaction is committed. Otherwise it
// had no effect, and the error is that of fn or of the database: sqlite.ResultInterrupt once ctx has ended.
func Transact(ctx context.Context, conn *sqlite.Conn, begin string, fn func(*sqlite.Conn) error) error {
	conn.SetInterrupt(ctx.Done())
	defer conn.SetInterrupt(nil)
	if err := Execute(conn, begin, nil); err != nil {
		return err
	}
	err := fn(conn)
	if err == nil {
		err = Execute(conn, "COMMIT", nil)
	}
	// After an interrupt or on a full disk, SQLite may have rolled back already.
	if err != nil && !conn.AutocommitEnabled() {
		conn.SetInterrupt(nil)
		_ = Execute(conn, "ROLLBACK", nil)
	}
	return err
}
