package postgres

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"
)

// Load is the COPY of PostgreSQL, a fraction of the work of as many inserts.
func (t *tx) Load(table string, columns []string, rows [][]any) error {
	ctx, cancel := context.WithTimeout(t.ctx, statementLimit)
	defer cancel()
	// What waits goes to the server first.
	if _, err := t.Exec("SELECT 1"); err != nil {
		return err
	}
	_, err := t.conn.CopyFrom(ctx, pgx.Identifier{table}, columns, pgx.CopyFromSlice(len(rows), func(i int) ([]any, error) {
		return values(rows[i]), nil
	}))
	if err != nil || !slices.Contains(columns, "number") {
		return err
	}
	// Whoever writes numbers does not move the sequence that gives them.
	return t.Do("SELECT setval(pg_get_serial_sequence($1, 'number'), (SELECT max(number) FROM "+table+"))", table)
}
