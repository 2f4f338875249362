package store

import (
	"context"

	"zombiezen.com/go/sqlite"

	"tonne/model/retirement"
)

// AddSighting keeps what a person saw in a registry, for good.
func (s *Store) AddSighting(ctx context.Context, origin string, seen retirement.Observation) error {
	return s.writeTo(ctx, origin, func(conn *sqlite.Conn, service int64) error {
		return run(conn, `INSERT OR IGNORE INTO sighting (origin, subject, at, who, url, page, page_sha256) VALUES (?, ?, ?, ?, ?, ?, ?)`,
			service, seen.Subject, millis(seen.At), seen.Who, seen.URL, seen.Page, seen.PageSHA256)
	})
}

// Observations returns what people saw in registries, oldest first.
func (s *Store) Observations(ctx context.Context, origin string) ([]retirement.Observation, error) {
	return list(ctx, s, `SELECT subject, at, who, sighting.url, page, page_sha256 FROM sighting JOIN origin ON origin.id = origin
		WHERE origin.url = ? ORDER BY at, subject, who`,
		func(stmt *sqlite.Stmt) (retirement.Observation, bool) {
			return retirement.Observation{
				Subject: stmt.ColumnText(0), At: columnTime(stmt, 1).UTC(), Who: stmt.ColumnText(2),
				URL: stmt.ColumnText(3), Page: stmt.ColumnText(4), PageSHA256: stmt.ColumnText(5),
			}, true
		}, origin)
}
