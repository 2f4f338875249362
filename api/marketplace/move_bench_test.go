package marketplace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// filled are the tables that hold something in a market of sell orders, each
// behind those that it refers to.
var filled = []string{"registries", "projects", "vintages", "tenants", "api_keys", "sell_orders", "market_projects"}

// BenchmarkMove moves markets of many sizes onto a server and back, and has the
// engines copy the same rows by themselves, into tables with the same indexes
// and foreign keys: by COPY, and by INSERT … SELECT.
func BenchmarkMove(b *testing.B) {
	server := startPostgres(b, unsafely...)
	for _, orders := range []int{1000, 10_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprint("orders=", orders), func(b *testing.B) {
			dir := b.TempDir()
			first := filepath.Join(dir, "first.db")
			if err := largeMarket(b, first, orders).Close(); err != nil {
				b.Fatal(err)
			}
			var there, copied, back, inserted time.Duration
			for n := 0; b.Loop(); n++ {
				target, last := databaseOn(b, server, "target"), filepath.Join(dir, fmt.Sprint("last", n, ".db"))
				there += timed(b, func() error { return moveAll(first, target) })
				copied += copyByCOPY(b, target, databaseOn(b, server, "copied"))
				back += timed(b, func() error { return moveAll(target, last) })
				inserted += insertAll(b, first, filepath.Join(dir, fmt.Sprint("inserted", n, ".db")))
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(there.Seconds()/float64(b.N), "s/move")
			b.ReportMetric(there.Seconds()/copied.Seconds(), "×COPY")
			b.ReportMetric(back.Seconds()/float64(b.N), "s/back")
			b.ReportMetric(back.Seconds()/inserted.Seconds(), "×INSERT")
		})
	}
}

func timed(b *testing.B, do func() error) time.Duration {
	b.Helper()
	start := time.Now()
	if err := do(); err != nil {
		b.Fatal(err)
	}
	return time.Since(start)
}

func moveAll(from, to string) error {
	_, err := Move(context.Background(), from, to)
	return err
}

// copyByCOPY copies a database into an empty other one and returns how long the
// loading took.
func copyByCOPY(b *testing.B, from, to string) (all time.Duration) {
	b.Helper()
	m, err := Open(b.Context(), to, Options{})
	if err == nil {
		err = m.Close()
	}
	if err != nil {
		b.Fatal(err)
	}
	for _, table := range filled {
		var text bytes.Buffer
		if err := copyOut(b.Context(), from, table, &text); err != nil {
			b.Fatal(err)
		}
		all += timed(b, func() error { return copyIn(b.Context(), to, table, &text) })
	}
	return all
}

// insertAll copies a file into an empty other one and returns how long that took.
func insertAll(b *testing.B, from, to string) time.Duration {
	b.Helper()
	m, err := Open(b.Context(), to, Options{})
	if err == nil {
		err = m.Close()
	}
	if err != nil {
		b.Fatal(err)
	}
	conn, err := sqlite.OpenConn(to, sqlite.OpenReadWrite)
	if err != nil {
		b.Fatal(err)
	}
	script := fmt.Sprintf("ATTACH %q AS first; PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL; BEGIN; DELETE FROM market_state;", from)
	for _, table := range append([]string{"market_state"}, filled...) {
		script += fmt.Sprintf("INSERT INTO main.%s SELECT * FROM first.%s;", table, table)
	}
	defer func() {
		if err := conn.Close(); err != nil {
			b.Error(err)
		}
	}()
	return timed(b, func() error {
		return errors.Join(sqlitex.ExecuteScript(conn, "PRAGMA busy_timeout = 1000", nil), execute(conn, script+"COMMIT"))
	})
}

// execute runs statements outside of a transaction of its own.
func execute(conn *sqlite.Conn, script string) error {
	for script != "" {
		stmt, rest, err := conn.PrepareTransient(script)
		if err != nil {
			return err
		}
		if stmt != nil {
			_, err = stmt.Step()
			err = errors.Join(err, stmt.Finalize())
		}
		if err != nil {
			return err
		}
		script = script[len(script)-rest:]
	}
	return nil
}

// copyIn loads what COPY … TO STDOUT has written into a table, by the engine's
// own COPY.
func copyIn(ctx context.Context, address, table string, text io.Reader) error {
	return copying(ctx, address, func(conn *pgx.Conn) error {
		_, err := conn.PgConn().CopyFrom(ctx, text, "COPY "+table+" FROM STDIN")
		return err
	})
}

// copyOut writes a table as COPY … TO STDOUT does.
func copyOut(ctx context.Context, address, table string, to io.Writer) error {
	return copying(ctx, address, func(conn *pgx.Conn) error {
		_, err := conn.PgConn().CopyTo(ctx, to, "COPY "+table+" TO STDOUT")
		return err
	})
}

func copying(ctx context.Context, address string, do func(*pgx.Conn) error) error {
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		return err
	}
	return errors.Join(do(conn), conn.Close(ctx))
}
