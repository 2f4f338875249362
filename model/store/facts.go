package store

import (
	"context"

	"zombiezen.com/go/sqlite"

	"tonne/model/attribute"
)

// PutFacts keeps facts, all or nothing. One without a value deletes that of the same
// scope, id and attribute.
func (s *Store) PutFacts(ctx context.Context, origin string, facts []attribute.Fact) error {
	return s.writeTo(ctx, origin, func(conn *sqlite.Conn, service int64) error {
		return all(facts, func(f attribute.Fact) error {
			if f.Value == "" {
				return run(conn, `DELETE FROM fact WHERE origin = ? AND scope = ? AND id = ? AND attribute = ?`,
					service, string(f.Scope), f.ID, string(f.Attribute))
			}
			return run(conn, `INSERT OR REPLACE INTO fact (origin, scope, id, attribute, value, source, checked) VALUES (?, ?, ?, ?, ?, ?, ?)`,
				service, string(f.Scope), f.ID, string(f.Attribute), f.Value, f.Source, millis(f.Checked))
		})
	})
}

// Facts returns what the buyer knows of the credits of a service, sorted.
func (s *Store) Facts(ctx context.Context, origin string) ([]attribute.Fact, error) {
	facts, err := list(ctx, s, `SELECT scope, fact.id, attribute, value, source, checked FROM fact JOIN origin ON origin.id = origin WHERE url = ?`,
		func(stmt *sqlite.Stmt) (attribute.Fact, bool) {
			return attribute.Fact{
				Scope: attribute.Scope(stmt.ColumnText(0)), ID: stmt.ColumnText(1), Attribute: attribute.Attribute(stmt.ColumnText(2)),
				Value: stmt.ColumnText(3), Source: stmt.ColumnText(4), Checked: columnTime(stmt, 5).UTC(),
			}, true
		}, origin)
	attribute.SortFacts(facts)
	return facts, err
}
