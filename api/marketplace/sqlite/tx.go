package sqlite

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"zombiezen.com/go/sqlite"

	"tonne/api/marketplace/exchange"
)

// tx is a transaction of a connection. Statements stay prepared on it.
type tx struct {
	conn     *sqlite.Conn
	prepared statements
	// failed is the error of the first statement that failed.
	failed error
}

func (t *tx) call(fn func(exchange.Tx) error) error {
	err := fn(t)
	return cmp.Or(t.failed, err)
}

func (t *tx) Fail(err error) { t.failed = cmp.Or(t.failed, err) }
func (t *tx) Err() error     { return t.failed }

func (t *tx) Exec(query string, args ...any) (rows int) {
	t.Query(query, nil, args...)
	return t.conn.Changes()
}

func (t *tx) Do(query string, args ...any) { t.Query(query, nil, args...) }

// Insert does not use RETURNING: SQLite creates a temporary table for the rows, which costs
// twice as much as the insert.
func (t *tx) Insert(query string, args ...any) (number int64) {
	t.Query(query, nil, args...)
	return t.conn.LastInsertRowID()
}

// Reserve returns the numbers that Insert would choose.
func (t *tx) Reserve(tables ...string) []int64 {
	numbers := make([]int64, len(tables))
	for i, table := range tables {
		t.Query("SELECT coalesce(max(number), 0) + 1 FROM "+table, func(row exchange.Row) { numbers[i] = row.Int64(0) })
	}
	return numbers
}

// Load inserts row by row.
func (t *tx) Load(table string, columns []string, rows [][]any) {
	insert := "INSERT INTO " + table + " (" + strings.Join(columns, ", ") + ") VALUES (?" +
		strings.Repeat(", ?", len(columns)-1) + ")"
	for _, row := range rows {
		t.Do(insert, row...)
	}
}

func (t *tx) Query(query string, read func(exchange.Row), args ...any) {
	if t.failed == nil {
		t.Fail(t.run(query, args, read))
	}
}

// Ask is Query: a statement has no way to travel.
func (t *tx) Ask(query string, read func(exchange.Row), args ...any) { t.Query(query, read, args...) }

// QueryForShare is Query: only one change at a time runs.
func (t *tx) QueryForShare(query string, read func(exchange.Row), args ...any) {
	t.Query(query, read, args...)
}

// Exclusive does nothing: only one change at a time runs.
func (t *tx) Exclusive() {}

type row struct{ stmt *sqlite.Stmt }

func (r row) Int64(col int) int64           { return r.stmt.ColumnInt64(col) }
func (r row) Text(col int) string           { return r.stmt.ColumnText(col) }
func (r row) Bool(col int) bool             { return r.stmt.ColumnBool(col) }
func (r row) Bytes(col int, buf []byte) int { return r.stmt.ColumnBytes(col, buf) }

func (r row) Value(col int) any {
	switch r.stmt.ColumnType(col) {
	case sqlite.TypeInteger:
		return r.Int64(col)
	case sqlite.TypeText:
		return r.Text(col)
	case sqlite.TypeBlob:
		blob := make([]byte, r.stmt.ColumnLen(col))
		return blob[:r.stmt.ColumnBytes(col, blob)]
	}
	return nil
}

// statements are the prepared statements of a connection, by their text. With the library's
// own list, SQLite plans most joins again each time, which took a third of a purchase.
type statements map[string]*sqlite.Stmt

func (d *Database) on(conn *sqlite.Conn) *tx {
	prepared, _ := d.prepared.LoadOrStore(conn, make(statements))
	return &tx{conn: conn, prepared: prepared.(statements)}
}

func (t *tx) run(query string, args []any, read func(exchange.Row)) (err error) {
	stmt := t.prepared[query]
	if stmt == nil {
		if stmt, err = t.conn.Prepare(query); err != nil {
			return err
		}
		t.prepared[query] = stmt
	}
	if len(args) != stmt.BindParamCount() {
		return fmt.Errorf("%d values for the %d parameters of %s", len(args), stmt.BindParamCount(), query)
	}
	// A statement that is not reset after an error or a panic would block its connection.
	defer func() { err = errors.Join(err, stmt.Reset()) }()
	for i, arg := range args {
		bind(stmt, i+1, reflect.ValueOf(arg))
	}
	for t.failed == nil {
		more, err := stmt.Step()
		if err != nil || !more {
			return err
		}
		if read != nil {
			read(row{stmt})
		}
	}
	return nil
}

func bind(stmt *sqlite.Stmt, i int, v reflect.Value) {
	switch {
	case !v.IsValid():
		stmt.BindNull(i)
	case v.CanInt():
		stmt.BindInt64(i, v.Int())
	case v.Kind() == reflect.String:
		stmt.BindText(i, v.String())
	case v.Kind() == reflect.Bool:
		stmt.BindBool(i, v.Bool())
	case v.CanConvert(reflect.TypeFor[[]byte]()):
		stmt.BindBytes(i, v.Bytes())
	default:
		panic(fmt.Sprintf("sqlite: cannot bind a value of type %s", v.Type()))
	}
}
