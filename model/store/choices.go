package store

import (
	"context"

	"zombiezen.com/go/sqlite"
)

// Choices returns how a person likes to see the data of a service: values by
// the names under which SetChoice kept them.
func (s *Store) Choices(ctx context.Context, origin string) (map[string]string, error) {
	var choices map[string]string
	err := s.read(ctx, func(conn *sqlite.Conn) error {
		choices = make(map[string]string)
		return each(conn, `SELECT name, value FROM choice JOIN origin ON origin.id = origin WHERE url = ?`,
			func(stmt *sqlite.Stmt) error {
				choices[stmt.ColumnText(0)] = stmt.ColumnText(1)
				return nil
			}, origin)
	})
	return choices, err
}

// SetChoice keeps a choice in place of the one before of the same name.
func (s *Store) SetChoice(ctx context.Context, origin, name, value string) error {
	return s.write(ctx, func(conn *sqlite.Conn) error {
		service, err := originID(conn, origin)
		if err != nil {
			return err
		}
		return run(conn, `INSERT OR REPLACE INTO choice (origin, name, value) VALUES (?, ?, ?)`, service, name, value)
	})
}
