package store

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
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
	known, err := list(ctx, c.part, `SELECT details FROM project WHERE origin = ?`,
		func(stmt *sqlite.Stmt) (model.Project, bool) { return columnJSON[model.Project](stmt, 0) })
	projects := make(model.Projects, len(known))
	for _, p := range known {
		projects[p.ID] = p
	}
	return projects, err
}

// SomeProjects returns at most n projects whose ids begin with a prefix, with their names.
func (c Cache) SomeProjects(ctx context.Context, prefix string, n int) ([]Named, error) {
	return list(ctx, c.part, `SELECT project_id, details ->> '$.Name' FROM project
		WHERE origin = ?1 AND project_id >= ?2 AND project_id < ?2 || char(0x10ffff) LIMIT ?3`, readNamed, prefix, n)
}

// SomeVintages returns at most n vintages whose ids begin with a prefix, with the names of their projects and the year.
func (c Cache) SomeVintages(ctx context.Context, prefix string, n int) ([]Named, error) {
	return list(ctx, c.part, `SELECT v.value ->> '$.ID', concat_ws(' ', details ->> '$.Name', v.value ->> '$.Year')
		FROM project, json_each(details, '$.Vintages') v
		WHERE origin = ?1 AND substr(v.value ->> '$.ID', 1, length(?2)) = ?2 LIMIT ?3`, readNamed, prefix, n)
}

// StaleProjects returns the ids of the projects that were fetched before a time.
func (c Cache) StaleProjects(ctx context.Context, before time.Time) (map[string]bool, error) {
	return table(ctx, c.part, `SELECT project_id FROM project WHERE origin = ? AND fetched_at < ?`,
		func(stmt *sqlite.Stmt) (string, bool) { return stmt.ColumnText(0), true }, millis(before))
}

// PutProjects saves project details unless newer ones exist.
func (c Cache) PutProjects(ctx context.Context, projects []model.Project, at time.Time) error {
	return c.write(ctx, func(t *tx) {
		for _, p := range projects {
			t.run(`INSERT INTO project (origin, project_id, fetched_at, details) VALUES (?, ?, ?, ?)
				ON CONFLICT DO UPDATE SET fetched_at = excluded.fetched_at, details = excluded.details
				WHERE excluded.fetched_at >= fetched_at`, p.ID, millis(at), t.json(p))
		}
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
	return c.change(ctx, `INSERT OR REPLACE INTO snapshot (origin, name, mark, at, body) VALUES (?, ?, ?, ?, ?)`, name,
		mark, millis(at), packed.Bytes())
}

// Snapshot returns the listing that PutSnapshot saved for an API key, nil if there is none.
// The error means a disk error or damaged data.
func (c Cache) Snapshot(ctx context.Context, name, mark string) (body []byte, at time.Time, err error) {
	err = c.read(ctx, func(t *tx) {
		var damaged error
		t.each(`SELECT at, body FROM snapshot WHERE origin = ? AND name = ? AND mark = ?`, func(stmt *sqlite.Stmt) {
			at = columnTime(stmt, 0)
			var r *gzip.Reader
			if r, damaged = gzip.NewReader(stmt.ColumnReader(1)); damaged == nil {
				body, damaged = io.ReadAll(r)
			}
		}, name, mark)
		t.err = cmp.Or(t.err, damaged)
	})
	return body, at, err
}

// Choices returns the values of SetChoice, by name.
func (c Cache) Choices(ctx context.Context) (map[string]string, error) {
	return table(ctx, c.part, `SELECT name, value FROM choice WHERE origin = ?`,
		func(stmt *sqlite.Stmt) (name, value string) { return stmt.ColumnText(0), stmt.ColumnText(1) })
}

// SetChoice saves a choice and replaces the one of the same name. An empty value deletes it.
func (c Cache) SetChoice(ctx context.Context, name, value string) error {
	if value == "" {
		return c.change(ctx, `DELETE FROM choice WHERE origin = ? AND name = ?`, name)
	}
	return c.change(ctx, `INSERT OR REPLACE INTO choice (origin, name, value) VALUES (?, ?, ?)`, name, value)
}
