package store

import (
	"context"

	"zombiezen.com/go/sqlite"

	"tonne/model"
)

// Watched returns the vintages of a service that are on the watch list.
func (s *Store) Watched(ctx context.Context, origin string) (map[model.VintageKey]bool, error) {
	var watched map[model.VintageKey]bool
	err := s.read(ctx, func(conn *sqlite.Conn) error {
		watched = make(map[model.VintageKey]bool)
		return each(conn, `SELECT project_id, vintage_id FROM watch JOIN origin ON origin.id = origin WHERE url = ?`,
			func(stmt *sqlite.Stmt) error {
				watched[columnKey(stmt, 0)] = true
				return nil
			}, origin)
	})
	return watched, err
}

// SetWatched puts a vintage on the watch list or takes it off, with its rules.
func (s *Store) SetWatched(ctx context.Context, origin string, key model.VintageKey, watched bool) error {
	return s.write(ctx, func(conn *sqlite.Conn) error {
		service, err := originID(conn, origin)
		if err != nil {
			return err
		}
		if watched {
			return watch(conn, service, key)
		}
		err = run(conn, `DELETE FROM rule WHERE origin = ? AND project_id = ? AND vintage_id = ?`, service, key.ProjectID, key.VintageID)
		if err != nil {
			return err
		}
		return run(conn, `DELETE FROM watch WHERE origin = ? AND project_id = ? AND vintage_id = ?`, service, key.ProjectID, key.VintageID)
	})
}

func watch(conn *sqlite.Conn, origin int64, key model.VintageKey) error {
	return run(conn, `INSERT OR IGNORE INTO watch (origin, project_id, vintage_id) VALUES (?, ?, ?)`, origin, key.ProjectID, key.VintageID)
}
