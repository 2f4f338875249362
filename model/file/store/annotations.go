package store

import (
	"context"

	"zombiezen.com/go/sqlite"

	"tonne/model/attribute"
	"tonne/model/retirement"
)

// Annotations are the user-entered notes on the credits of one service.
type Annotations struct{ part }

// PutFacts saves facts, all or none. A fact without a value deletes the fact of the same
// scope, id and attribute.
func (a Annotations) PutFacts(ctx context.Context, facts []attribute.Fact) error {
	return a.write(ctx, func(t *tx) {
		for _, f := range facts {
			if f.Value == "" {
				t.run(`DELETE FROM fact WHERE origin = ? AND scope = ? AND id = ? AND attribute = ?`, string(f.Scope), f.ID,
					string(f.Attribute))
				continue
			}
			t.run(`INSERT OR REPLACE INTO fact (origin, scope, id, attribute, value, source, checked) VALUES (?, ?, ?, ?, ?, ?,
				?)`,
				string(f.Scope), f.ID, string(f.Attribute), f.Value, f.Source, millis(f.Checked))
		}
	})
}

// Facts returns the facts about the credits of a service, sorted.
func (a Annotations) Facts(ctx context.Context) ([]attribute.Fact, error) {
	facts, err := list(ctx, a.part, `SELECT scope, id, attribute, value, source, checked FROM fact WHERE origin = ?`,
		func(stmt *sqlite.Stmt) (attribute.Fact, bool) {
			return attribute.Fact{
				Scope: attribute.Scope(stmt.ColumnText(0)), ID: stmt.ColumnText(1),
				Attribute: attribute.Attribute(stmt.ColumnText(2)),
				Value:     stmt.ColumnText(3), Source: stmt.ColumnText(4), Checked: columnTime(stmt, 5).UTC(),
			}, true
		})
	attribute.SortFacts(facts)
	return facts, err
}

// AddObservation saves an observation of a registry. Observations are never deleted.
func (a Annotations) AddObservation(ctx context.Context, seen retirement.Observation) error {
	return a.change(ctx,
		`INSERT OR IGNORE INTO sighting (origin, subject, at, who, url, page, page_sha256) VALUES (?, ?, ?, ?, ?, ?, ?)`,
		seen.Subject, millis(seen.At), seen.Who, seen.URL, seen.Page, seen.PageSHA256)
}

// Observations returns the observations of registries, oldest first.
func (a Annotations) Observations(ctx context.Context) ([]retirement.Observation, error) {
	return list(ctx, a.part,
		`SELECT subject, at, who, url, page, page_sha256 FROM sighting WHERE origin = ? ORDER BY at, subject, who`,
		func(stmt *sqlite.Stmt) (retirement.Observation, bool) {
			return retirement.Observation{
				Subject: stmt.ColumnText(0), At: columnTime(stmt, 1).UTC(), Who: stmt.ColumnText(2),
				URL: stmt.ColumnText(3), Page: stmt.ColumnText(4), PageSHA256: stmt.ColumnText(5),
			}, true
		})
}
