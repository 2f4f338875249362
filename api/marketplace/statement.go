package marketplace

import (
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"tonne/model"
)

// run executes a statement that returns no rows. Statements stay prepared on
// their connection.
func run(conn *sqlite.Conn, query string, args ...any) error {
	return sqlitex.Execute(conn, query, &sqlitex.ExecOptions{Args: args})
}

// each calls row for every row of the result.
func each(conn *sqlite.Conn, query string, row func(*sqlite.Stmt) error, args ...any) error {
	return sqlitex.Execute(conn, query, &sqlitex.ExecOptions{Args: args, ResultFunc: row})
}

// find calls row for the one row of the result and reports whether there was
// one.
func find(conn *sqlite.Conn, query string, row func(*sqlite.Stmt), args ...any) (bool, error) {
	found := false
	err := each(conn, query, func(stmt *sqlite.Stmt) error {
		found = true
		row(stmt)
		return nil
	}, args...)
	return found, err
}

// optional is the SQL value of a text that may be missing.
func optional(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// timestamp reads a time from a column. NULL is no time.
func timestamp(stmt *sqlite.Stmt, col int) model.Timestamp {
	if stmt.ColumnIsNull(col) {
		return model.Timestamp{}
	}
	return model.At(time.UnixMilli(stmt.ColumnInt64(col)))
}

func columnGrams(stmt *sqlite.Stmt, col int) model.Grams { return model.Grams(stmt.ColumnInt64(col)) }

func columnPrice(stmt *sqlite.Stmt, col int) model.PriceCents {
	return model.PriceCents(stmt.ColumnInt64(col))
}
