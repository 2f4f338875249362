package store

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"zombiezen.com/go/sqlite"

	"tonne/model"
	"tonne/model/file/dbfile"
)

// tx is a transaction on the data of one service, whose id is parameter 1 of each query. After
// an error it executes nothing more, so that callers need not check each statement.
type tx struct {
	conn    *sqlite.Conn
	service int64
	err     error
}

func (t *tx) each(query string, row func(*sqlite.Stmt), args ...any) {
	if t.err == nil {
		t.err = dbfile.Execute(t.conn, query, row, append([]any{t.service}, args...)...)
	}
}

// run returns the number of changed rows.
func (t *tx) run(query string, args ...any) int {
	t.each(query, nil, args...)
	if t.err != nil {
		return 0
	}
	return t.conn.Changes()
}

func (t *tx) number(query string, args ...any) (n int64) {
	t.each(query, func(stmt *sqlite.Stmt) { n = stmt.ColumnInt64(0) }, args...)
	return n
}

func (t *tx) json(value any) string {
	text, err := json.Marshal(value, json.FormatNilSliceAsNull(true))
	t.err = cmp.Or(t.err, err)
	return string(text)
}

// collect returns the rows of a query, except those that row rejects.
func collect[T any](t *tx, query string, row func(*sqlite.Stmt) (T, bool), args ...any) (all []T) {
	t.each(query, func(stmt *sqlite.Stmt) {
		if one, ok := row(stmt); ok {
			if len(all) == cap(all) {
				// A ledger has many and large rows, which append would copy more often.
				all = slices.Grow(all, len(all)+1)
			}
			all = append(all, one)
		}
	}, args...)
	return all
}

func mapped[K comparable, V any](t *tx, query string, row func(*sqlite.Stmt) (K, V), args ...any) map[K]V {
	all := make(map[K]V)
	t.each(query, func(stmt *sqlite.Stmt) {
		key, value := row(stmt)
		all[key] = value
	}, args...)
	return all
}

// list runs collect in a transaction.
func list[T any](ctx context.Context, p part, query string, row func(*sqlite.Stmt) (T, bool), args ...any) (all []T,
	err error) {
	err = p.read(ctx, func(t *tx) { all = collect(t, query, row, args...) })
	return all, err
}

// table runs mapped in a transaction.
func table[K comparable, V any](ctx context.Context, p part, query string, row func(*sqlite.Stmt) (K, V),
	args ...any) (map[K]V, error) {
	all := make(map[K]V)
	err := p.read(ctx, func(t *tx) { all = mapped(t, query, row, args...) })
	return all, err
}

func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func fromMillis(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms)
}

// known returns NULL for an unknown price or quantity.
func known[T model.PriceCents | model.Grams](n T) any {
	if n < 0 {
		return nil
	}
	return int64(n)
}

// columnKnown returns -1, the unknown price or quantity, for NULL.
func columnKnown[T model.PriceCents | model.Grams](stmt *sqlite.Stmt, col int) T {
	if stmt.ColumnIsNull(col) {
		return -1
	}
	return T(stmt.ColumnInt64(col))
}

func columnTime(stmt *sqlite.Stmt, col int) time.Time { return fromMillis(stmt.ColumnInt64(col)) }

func columnKey(stmt *sqlite.Stmt, col int) model.VintageKey {
	return model.VintageKey{ProjectID: stmt.ColumnText(col), VintageID: stmt.ColumnText(col + 1)}
}

// columnJSON returns false for a value in the format of an older version.
func columnJSON[T any](stmt *sqlite.Stmt, col int) (value T, ok bool) {
	ok = !stmt.ColumnIsNull(col) && json.UnmarshalRead(stmt.ColumnReader(col), &value) == nil
	return value, ok
}
