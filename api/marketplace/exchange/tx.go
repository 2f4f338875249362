package exchange

import (
	"time"

	"tonne/model"
)

// Tx is a transaction of an engine. The first statement that fails ends it: those after
// it do nothing and read nothing, and nothing of the transaction is kept. So a rule can go
// on after a failure.
//
// Parameters are int64, string, bool, []byte, nil and what is made of those.
type Tx interface {
	// Exec runs a statement and counts the rows that it changed.
	Exec(query string, args ...any) (rows int)
	// Do runs a statement. It may go to a server together with the next one, and fail then.
	Do(query string, args ...any)
	// Insert adds one row and returns the number that the engine gives it.
	Insert(query string, args ...any) (number int64)
	// Query calls read for every row. read must not use the transaction but for Fail.
	Query(query string, read func(Row), args ...any)
	// QueryKept is Query for rows of one table that a change depends on without changing
	// them: they stay as they are until it ends.
	QueryKept(query string, read func(Row), args ...any)
	// Load writes rows with the numbers that they have. Those that the engine gives
	// afterwards are larger.
	Load(table string, columns []string, rows [][]any)
	// Alone comes before a change of what others keep: none may be under way. An engine
	// may roll back and begin again alone.
	Alone()
	// Fail ends the transaction with an error; nil does nothing.
	Fail(err error)
	// Err is why the transaction failed, or nil.
	Err() error
}

// Row is a row of a result, until the function returns that it was given to.
// NULL is read as the zero value.
type Row interface {
	Int64(col int) int64
	Text(col int) string
	Bool(col int) bool
	// Bytes copies a text into buf and returns how long it is there.
	Bytes(col int, buf []byte) int
	// Value is an int64, a string, a []byte, or nil for NULL.
	Value(col int) any
}

// one reads the zero value if there is no row: no row has the number 0 or an
// empty id.
func one[T any](tx Tx, query string, read func(Row) T, args ...any) (row T) {
	tx.Query(query, func(r Row) { row = read(r) }, args...)
	return row
}

func exists(tx Tx, query string, args ...any) bool {
	return one(tx, query, func(Row) bool { return true }, args...)
}

func number(tx Tx, query string, args ...any) int64 { return one(tx, query, firstNumber, args...) }

func firstNumber(row Row) int64 { return row.Int64(0) }
func firstText(row Row) string  { return row.Text(0) }

func collect[T any](tx Tx, query string, read func(Row) T, args ...any) (all []T) {
	tx.Query(query, func(row Row) { all = append(all, read(row)) }, args...)
	return all
}

func optional[T comparable](v T) any {
	var none T
	if v == none {
		return nil
	}
	return v
}

func timestamp(row Row, col int) model.Timestamp {
	if row.Value(col) == nil {
		return model.Timestamp{}
	}
	return model.At(time.UnixMilli(row.Int64(col)))
}

func grams(row Row, col int) model.Grams { return model.Grams(row.Int64(col)) }

func price(row Row, col int) model.PriceCents { return model.PriceCents(row.Int64(col)) }
