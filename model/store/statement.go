package store

import (
	"encoding/json"
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

// originID returns the row of a service, which is added if it is new.
func originID(conn *sqlite.Conn, url string) (int64, error) {
	if err := run(conn, "INSERT OR IGNORE INTO origin (url) VALUES (?)", url); err != nil {
		return 0, err
	}
	var id int64
	err := each(conn, "SELECT id FROM origin WHERE url = ?", func(stmt *sqlite.Stmt) error {
		id = stmt.ColumnInt64(0)
		return nil
	}, url)
	return id, err
}

// millis is the column value of a time, 0 for the zero time.
func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func columnTime(stmt *sqlite.Stmt, col int) time.Time {
	if ms := stmt.ColumnInt64(col); ms != 0 {
		return time.UnixMilli(ms)
	}
	return time.Time{}
}

// nullPrice is the column value of a price, NULL for one that is not known.
func nullPrice(p model.PriceCents) any {
	if !p.Known() {
		return nil
	}
	return int64(p)
}

func columnPrice(stmt *sqlite.Stmt, col int) model.PriceCents {
	if stmt.ColumnIsNull(col) {
		return model.UnknownPrice
	}
	return model.PriceCents(stmt.ColumnInt64(col))
}

func columnKey(stmt *sqlite.Stmt, col int) model.VintageKey {
	return model.VintageKey{ProjectID: stmt.ColumnText(col), VintageID: stmt.ColumnText(col + 1)}
}

// columnJSON reads a value that an older version may have written in another
// form: it is then as good as absent.
func columnJSON(stmt *sqlite.Stmt, col int, into any) bool {
	return !stmt.ColumnIsNull(col) && json.Unmarshal([]byte(stmt.ColumnText(col)), into) == nil
}
