package exchange

import (
	"time"

	"tonne/model"
)

// Tx is a transaction of an engine. Parameters are int64, string, bool,
// []byte, nil and what is made of those.
type Tx interface {
	// Exec runs a statement that returns no rows and counts the rows that it
	// changed.
	Exec(query string, args ...any) (rows int, err error)
	// Do is Exec where nobody asks how many rows there were. It may go to a
	// server together with the next statement: what is wrong with it may be the
	// error of that, or of the commit.
	Do(query string, args ...any) error
	// Insert runs a statement that adds one row of values to a table, and returns
	// the number that the engine gives it.
	Insert(query string, args ...any) (number int64, err error)
	// Query calls read for every row of the result. read must not use the
	// transaction.
	Query(query string, read func(Row) error, args ...any) error
	// QueryKept is Query for rows of one table that a change depends on without
	// changing them: they stay as they are until it is committed, or it is not.
	// What a change reads and then writes needs no more than Query.
	QueryKept(query string, read func(Row) error, args ...any) error
	// Load writes rows of values into columns of a table, with the numbers that
	// they have. Numbers that the engine gives afterwards are larger.
	Load(table string, columns []string, rows [][]any) error
	// Alone comes before a change of what others keep: they must all be seen,
	// and none may be under way. An engine may roll back and begin again alone.
	Alone() error
}

// Row is a row of a result, until the function returns that it was given to.
// NULL is read as the zero value.
type Row interface {
	Int64(col int) int64
	Text(col int) string
	Bool(col int) bool
	// Bytes copies a text or a blob into buf and returns how long it is there.
	Bytes(col int, buf []byte) int
	IsNull(col int) bool
}

func find(tx Tx, query string, read func(Row), args ...any) (found bool, err error) {
	err = tx.Query(query, func(row Row) error {
		found = true
		read(row)
		return nil
	}, args...)
	return found, err
}

func one[T any](tx Tx, query string, read func(Row) T, args ...any) (row T, found bool, err error) {
	found, err = find(tx, query, func(r Row) { row = read(r) }, args...)
	return row, found, err
}

func exists(tx Tx, query string, args ...any) (bool, error) {
	return find(tx, query, func(Row) {}, args...)
}

func number(tx Tx, query string, args ...any) (n int64, err error) {
	n, _, err = one(tx, query, firstNumber, args...)
	return n, err
}

func firstNumber(row Row) int64 { return row.Int64(0) }
func firstText(row Row) string  { return row.Text(0) }

func collect[T any](tx Tx, query string, read func(Row) T, args ...any) ([]T, error) {
	var all []T
	err := tx.Query(query, func(row Row) error {
		all = append(all, read(row))
		return nil
	}, args...)
	return all, err
}

func optional[T comparable](v T) any {
	var none T
	if v == none {
		return nil
	}
	return v
}

func timestamp(row Row, col int) model.Timestamp {
	if row.IsNull(col) {
		return model.Timestamp{}
	}
	return model.At(time.UnixMilli(row.Int64(col)))
}

func grams(row Row, col int) model.Grams { return model.Grams(row.Int64(col)) }

func price(row Row, col int) model.PriceCents { return model.PriceCents(row.Int64(col)) }
