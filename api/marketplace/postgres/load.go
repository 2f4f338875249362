package postgres

import (
	"cmp"
	"context"
	"slices"

	"github.com/jackc/pgx/v5"
)

// Load is the COPY of PostgreSQL, a fraction of the work of as many inserts.
func (t *tx) Load(table string, columns []string, rows [][]any) error {
	ctx, cancel := context.WithTimeout(t.ctx, statementLimit)
	defer cancel()
	if err := t.flush(ctx); err != nil {
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

func (t *tx) flush(ctx context.Context) error {
	waiting := t.waiting.Len()
	if waiting == 0 {
		return nil
	}
	sent := t.conn.SendBatch(ctx, t.waiting)
	t.waiting = new(pgx.Batch)
	var failed error
	for range waiting {
		_, err := sent.Exec()
		failed = cmp.Or(failed, err)
	}
	return cmp.Or(failed, sent.Close())
}
