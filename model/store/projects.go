package store

import (
	"context"
	"encoding/json"
	"time"

	"zombiezen.com/go/sqlite"

	"tonne/model"
)

// Projects returns all project details, however old.
func (s *Store) Projects(ctx context.Context, origin string) (model.Projects, error) {
	known, err := list(ctx, s, `SELECT details FROM project JOIN origin ON origin.id = origin WHERE url = ?`,
		func(stmt *sqlite.Stmt) (model.Project, bool) { return columnJSON[model.Project](stmt, 0) }, origin)
	projects := make(model.Projects, len(known))
	for _, p := range known {
		projects[p.ID] = p
	}
	return projects, err
}

// StaleProjects returns the ids of details that were fetched before a time.
func (s *Store) StaleProjects(ctx context.Context, origin string, before time.Time) (map[string]bool, error) {
	return table(ctx, s, `SELECT project_id FROM project JOIN origin ON origin.id = origin WHERE url = ? AND fetched_at < ?`,
		func(stmt *sqlite.Stmt) (string, bool) { return stmt.ColumnText(0), true }, origin, millis(before))
}

// PutProjects remembers project details, unless later ones are there.
func (s *Store) PutProjects(ctx context.Context, origin string, projects []model.Project, at time.Time) error {
	return s.writeTo(ctx, origin, func(conn *sqlite.Conn, service int64) error {
		return all(projects, func(p model.Project) error {
			details, err := json.Marshal(p)
			if err != nil {
				return err
			}
			return run(conn, `INSERT INTO project (origin, project_id, fetched_at, details) VALUES (?, ?, ?, ?)
				ON CONFLICT DO UPDATE SET fetched_at = excluded.fetched_at, details = excluded.details
				WHERE excluded.fetched_at >= fetched_at`, service, p.ID, millis(at), string(details))
		})
	})
}
