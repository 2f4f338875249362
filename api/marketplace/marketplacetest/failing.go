package marketplacetest

import (
	"context"
	"errors"

	"tonne/api/marketplace/exchange"
)

// ErrPulled is the error of a Failing database.
var ErrPulled = errors.New("the plug was pulled")

// Failing is a database whose changes fail after some statements.
type Failing struct {
	exchange.Database
	After int
}

// Write runs fn with a FailingTx.
func (f Failing) Write(ctx context.Context, fn func(exchange.Tx) error, _ ...string) error {
	return f.Database.Write(ctx, func(tx exchange.Tx) error { return fn(&FailingTx{tx, f.After}) })
}

// FailingTx fails at the statement at which nothing is Left. A loaded row counts as one.
type FailingTx struct {
	exchange.Tx
	Left int
}

func (f *FailingTx) spend(n int) {
	if f.Left -= n; f.Left < 0 {
		f.Fail(ErrPulled)
	}
}

// Do counts against Left.
func (f *FailingTx) Do(query string, args ...any) {
	f.spend(1)
	f.Tx.Do(query, args...)
}

// Exec counts against Left.
func (f *FailingTx) Exec(query string, args ...any) int {
	f.spend(1)
	return f.Tx.Exec(query, args...)
}

// Insert counts against Left.
func (f *FailingTx) Insert(query string, args ...any) int64 {
	f.spend(1)
	return f.Tx.Insert(query, args...)
}

// Query counts against Left.
func (f *FailingTx) Query(query string, read func(exchange.Row), args ...any) {
	f.spend(1)
	f.Tx.Query(query, read, args...)
}

// QueryForShare counts against Left.
func (f *FailingTx) QueryForShare(query string, read func(exchange.Row), args ...any) {
	f.spend(1)
	f.Tx.QueryForShare(query, read, args...)
}

// Load counts against Left.
func (f *FailingTx) Load(table string, columns []string, rows [][]any) {
	if n := max(min(len(rows), f.Left), 0); n < len(rows) {
		f.Tx.Load(table, columns, rows[:n])
	}
	f.spend(len(rows))
	f.Tx.Load(table, columns, rows)
}

// Altering is a database that stores another value in each first row of a table.
type Altering struct {
	exchange.Database
	Table string
}

// Write runs fn with a transaction that alters rows.
func (a Altering) Write(ctx context.Context, fn func(exchange.Tx) error, _ ...string) error {
	return a.Database.Write(ctx, func(tx exchange.Tx) error { return fn(&alteringTx{tx, a.Table}) })
}

type alteringTx struct {
	exchange.Tx
	table string
}

func (a *alteringTx) Load(table string, columns []string, rows [][]any) {
	if table == a.table {
		rows[0][len(columns)-1] = int64(7)
	}
	a.Tx.Load(table, columns, rows)
}
