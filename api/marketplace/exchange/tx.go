package exchange

import (
	"time"

	"tonne/model"
)

// Tx is a transaction of an engine. After a statement fails, all later ones do nothing and
// the transaction is rolled back. So rules need not check for errors.
//
// Parameters are int64, string, bool, []byte, nil, and types based on those.
type Tx interface {
	// Exec runs a statement and returns the number of changed rows.
	Exec(query string, args ...any) (rows int)
	// Do runs a statement. An engine may send it together with the next one, so its error
	// may appear later.
	Do(query string, args ...any)
	// Insert adds one row and returns the number that the engine generates.
	Insert(query string, args ...any) (number int64)
	// Query calls read for every row. The only method of Tx that read may call is Fail.
	Query(query string, read func(Row), args ...any)
	// Ask is Query, but an engine may send it together with the next Query or Insert, so that
	// read is called before that returns, or with the commit, so that read must not call Fail.
	Ask(query string, read func(Row), args ...any)
	// QueryForShare is Query for rows of one table that must not change before the end of
	// the transaction.
	QueryForShare(query string, read func(Row), args ...any)
	// Reserve returns numbers for one row in each of the tables, which the transaction then adds. An engine may ask
	// for them together with the next Query or Insert, and fill them in before that returns.
	Reserve(tables ...string) (numbers []int64)
	// Load writes rows with their own numbers. The engine generates larger numbers
	// afterwards.
	Load(table string, columns []string, rows [][]any)
	// Exclusive excludes all other changes. Call it before changing rows that others read
	// with QueryForShare. An engine may roll back and call the change again.
	Exclusive()
	// Fail ends the transaction with an error. Fail(nil) does nothing.
	Fail(err error)
	// Err returns the error of the transaction, or nil.
	Err() error
}

// Row is a row of a result. It is valid only during the call of the function that receives
// it. NULL is read as the zero value.
type Row interface {
	Int64(col int) int64
	Text(col int) string
	Bool(col int) bool
	// Bytes copies a text into buf and returns the number of bytes copied.
	Bytes(col int, buf []byte) int
	// Value is an int64, a string, a []byte, or nil for NULL.
	Value(col int) any
}

// one returns the zero value if there is no row. No row has the number 0 or an empty id.
func one[T any](tx Tx, query string, read func(Row) T, args ...any) (row T) {
	tx.Query(query, func(r Row) { row = read(r) }, args...)
	return row
}

// ask is one, of which the row is there after the next Query or Insert.
func ask[T any](tx Tx, row *T, query string, read func(Row) T, args ...any) {
	tx.Ask(query, func(r Row) { *row = read(r) }, args...)
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
