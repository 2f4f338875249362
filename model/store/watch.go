package store

import (
	"context"

	"zombiezen.com/go/sqlite"

	"tonne/model"
)

// Watched returns the vintages of a service that are on the watch list.
func (s *Store) Watched(ctx context.Context, origin string) (map[model.VintageKey]bool, error) {
	return table(ctx, s, `SELECT project_id, vintage_id FROM watch JOIN origin ON origin.id = origin WHERE url = ?`,
		func(stmt *sqlite.Stmt) (model.VintageKey, bool) { return columnKey(stmt, 0), true }, origin)
}

// SetWatched puts a vintage on the watch list or takes it off, with its rules.
func (s *Store) SetWatched(ctx context.Context, origin string, key model.VintageKey, watched bool) error {
	return s.writeTo(ctx, origin, func(conn *sqlite.Conn, service int64) error {
		if watched {
			return watch(conn, service, key)
		}
		err := run(conn, `DELETE FROM alert_rule WHERE origin = ? AND project_id = ? AND vintage_id = ?`, service, key.ProjectID, key.VintageID)
		if err != nil {
			return err
		}
		return run(conn, `DELETE FROM watch WHERE origin = ? AND project_id = ? AND vintage_id = ?`, service, key.ProjectID, key.VintageID)
	})
}

func watch(conn *sqlite.Conn, origin int64, key model.VintageKey) error {
	return run(conn, `INSERT OR IGNORE INTO watch (origin, project_id, vintage_id) VALUES (?, ?, ?)`, origin, key.ProjectID, key.VintageID)
}
