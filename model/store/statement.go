package store

import (
	"context"
	"encoding/json"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"tonne/model"
)

func run(conn *sqlite.Conn, query string, args ...any) error {
	return sqlitex.Execute(conn, query, &sqlitex.ExecOptions{Args: args})
}

func each(conn *sqlite.Conn, query string, row func(*sqlite.Stmt) error, args ...any) error {
	return sqlitex.Execute(conn, query, &sqlitex.ExecOptions{Args: args, ResultFunc: row})
}

func number(conn *sqlite.Conn, query string, args ...any) (n int64, err error) {
	err = each(conn, query, func(stmt *sqlite.Stmt) error {
		n = stmt.ColumnInt64(0)
		return nil
	}, args...)
	return n, err
}

func moment(conn *sqlite.Conn, query string, args ...any) (time.Time, error) {
	ms, err := number(conn, query, args...)
	return fromMillis(ms), err
}

func collect[T any](conn *sqlite.Conn, query string, row func(*sqlite.Stmt) (T, bool), args ...any) (all []T, err error) {
	err = each(conn, query, func(stmt *sqlite.Stmt) error {
		if one, ok := row(stmt); ok {
			all = append(all, one)
		}
		return nil
	}, args...)
	return all, err
}

// list returns the rows of a query whose first parameter is the origin.
func list[T any](ctx context.Context, p part, query string, row func(*sqlite.Stmt) (T, bool), args ...any) (all []T, err error) {
	err = p.store.read(ctx, func(conn *sqlite.Conn) (err error) {
		all, err = collect(conn, query, row, append([]any{p.origin}, args...)...)
		return err
	})
	return all, err
}

func table[K comparable, V any](ctx context.Context, p part, query string, row func(*sqlite.Stmt) (K, V), args ...any) (map[K]V, error) {
	all := make(map[K]V)
	_, err := list(ctx, p, query, func(stmt *sqlite.Stmt) (none struct{}, kept bool) {
		key, value := row(stmt)
		all[key] = value
		return none, false
	}, args...)
	return all, err
}

func all[T any](things []T, do func(T) error) error {
	for _, one := range things {
		if err := do(one); err != nil {
			return err
		}
	}
	return nil
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

func columnTime(stmt *sqlite.Stmt, col int) time.Time { return fromMillis(stmt.ColumnInt64(col)) }

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

// columnJSON returns false for a value in the format of an older version.
func columnJSON[T any](stmt *sqlite.Stmt, col int) (value T, ok bool) {
	ok = !stmt.ColumnIsNull(col) && json.Unmarshal([]byte(stmt.ColumnText(col)), &value) == nil
	return value, ok
}
