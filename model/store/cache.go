package store

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"time"

	"zombiezen.com/go/sqlite"

	"tonne/model"
)

// Cache contains data of one service that can be fetched or chosen again: project details, the
// last listings, and the user's choices.
type Cache struct{ part }

// Projects returns all project details, of any age.
func (c Cache) Projects(ctx context.Context) (model.Projects, error) {
	known, err := list(ctx, c.part, `SELECT details FROM project JOIN origin ON origin.id = origin WHERE url = ?`,
		func(stmt *sqlite.Stmt) (model.Project, bool) { return columnJSON[model.Project](stmt, 0) })
	projects := make(model.Projects, len(known))
	for _, p := range known {
		projects[p.ID] = p
	}
	return projects, err
}

// StaleProjects returns the ids of the projects that were fetched before a time.
func (c Cache) StaleProjects(ctx context.Context, before time.Time) (map[string]bool, error) {
	return table(ctx, c.part, `SELECT project_id FROM project JOIN origin ON origin.id = origin WHERE url = ? AND fetched_at < ?`,
		func(stmt *sqlite.Stmt) (string, bool) { return stmt.ColumnText(0), true }, millis(before))
}

// PutProjects saves project details unless newer ones exist.
func (c Cache) PutProjects(ctx context.Context, projects []model.Project, at time.Time) error {
	return c.write(ctx, func(conn *sqlite.Conn, service int64) error {
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

// maxSnapshot is the maximum size of a body before compression: about 600,000 sell orders.
const maxSnapshot = 64 << 20

// PutSnapshot saves a listing and replaces the one of the same name. mark identifies the API
// key. It ignores a body of more than 64 MiB. The error is a disk error.
func (c Cache) PutSnapshot(ctx context.Context, name, mark string, at time.Time, body []byte) error {
	if len(body) > maxSnapshot {
		return nil
	}
	var packed bytes.Buffer
	w, _ := gzip.NewWriterLevel(&packed, gzip.BestSpeed)
	_, err := w.Write(body)
	if err = errors.Join(err, w.Close()); err != nil {
		return err
	}
	return c.change(ctx, `INSERT OR REPLACE INTO snapshot (origin, name, mark, at, body) VALUES (?, ?, ?, ?, ?)`, name, mark, millis(at), packed.Bytes())
}

// Snapshot returns the listing that PutSnapshot saved for an API key, nil if there is none.
// The error means a disk error or damaged data.
func (c Cache) Snapshot(ctx context.Context, name, mark string) (body []byte, at time.Time, err error) {
	err = c.store.read(ctx, func(conn *sqlite.Conn) error {
		return each(conn, `SELECT at, body FROM snapshot JOIN origin ON origin.id = origin WHERE url = ? AND name = ? AND mark = ?`, func(stmt *sqlite.Stmt) error {
			at = columnTime(stmt, 0)
			r, err := gzip.NewReader(stmt.ColumnReader(1))
			if err == nil {
				body, err = io.ReadAll(r)
			}
			return err
		}, c.origin, name, mark)
	})
	return body, at, err
}

// Choices returns the values of SetChoice, by name.
func (c Cache) Choices(ctx context.Context) (map[string]string, error) {
	return table(ctx, c.part, `SELECT name, value FROM choice JOIN origin ON origin.id = origin WHERE url = ?`,
		func(stmt *sqlite.Stmt) (name, value string) { return stmt.ColumnText(0), stmt.ColumnText(1) })
}

// SetChoice saves a choice and replaces the one of the same name.
func (c Cache) SetChoice(ctx context.Context, name, value string) error {
	return c.change(ctx, `INSERT OR REPLACE INTO choice (origin, name, value) VALUES (?, ?, ?)`, name, value)
}
