package postgrestest

import (
	"context"
	"errors"
	"io"

	"github.com/jackc/pgx/v5"
)

// Run runs a statement, outside of any transaction.
func Run(ctx context.Context, address, statement string) error {
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, statement)
	return errors.Join(err, conn.Close(ctx))
}

// Select connects to a database, and returns what runs a query and reads every
// column of its rows, and what ends the connection: all that the client library
// takes for it.
func Select(ctx context.Context, address, query string, args ...any) (read func() (rows int, err error), end func() error, err error) {
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		return nil, nil, err
	}
	read = func() (n int, err error) {
		rows, err := conn.Query(ctx, query, args...)
		if err != nil {
			return 0, err
		}
		for sum := 0; rows.Next(); n++ {
			for _, raw := range rows.RawValues() {
				sum += len(raw)
			}
		}
		return n, rows.Err()
	}
	return read, func() error { return conn.Close(ctx) }, nil
}

// CopyIn loads what COPY … TO STDOUT has written into a table, by the engine's
// own COPY.
func CopyIn(ctx context.Context, address, table string, text io.Reader) error {
	return copying(ctx, address, func(conn *pgx.Conn) error {
		_, err := conn.PgConn().CopyFrom(ctx, text, "COPY "+table+" FROM STDIN")
		return err
	})
}

// CopyOut writes a table as COPY … TO STDOUT does.
func CopyOut(ctx context.Context, address, table string, to io.Writer) error {
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
