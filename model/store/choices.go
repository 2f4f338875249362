package store

import (
	"context"

	"zombiezen.com/go/sqlite"
)

// Choices returns the values that SetChoice kept, by name.
func (s *Store) Choices(ctx context.Context, origin string) (map[string]string, error) {
	return table(ctx, s, `SELECT name, value FROM choice JOIN origin ON origin.id = origin WHERE url = ?`,
		func(stmt *sqlite.Stmt) (name, value string) { return stmt.ColumnText(0), stmt.ColumnText(1) }, origin)
}

// SetChoice keeps a choice in place of the one before of the same name.
func (s *Store) SetChoice(ctx context.Context, origin, name, value string) error {
	return s.writeTo(ctx, origin, func(conn *sqlite.Conn, service int64) error {
		return run(conn, `INSERT OR REPLACE INTO choice (origin, name, value) VALUES (?, ?, ?)`, service, name, value)
	})
}
