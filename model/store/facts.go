package store

import (
	"context"

	"zombiezen.com/go/sqlite"

	"tonne/model"
)

// PutFacts keeps facts, all or nothing. One without a value deletes that of the same
// scope, id and attribute.
func (s *Store) PutFacts(ctx context.Context, origin string, facts []model.BuyerFact) error {
	return s.writeTo(ctx, origin, func(conn *sqlite.Conn, service int64) error {
		return all(facts, func(f model.BuyerFact) error { return putFact(conn, service, f) })
	})
}

func putFact(conn *sqlite.Conn, origin int64, f model.BuyerFact) error {
	if f.Value == "" {
		return run(conn, `DELETE FROM fact WHERE origin = ? AND scope = ? AND id = ? AND attribute = ?`,
			origin, string(f.Scope), f.ID, string(f.Attribute))
	}
	return run(conn, `INSERT OR REPLACE INTO fact (origin, scope, id, attribute, value, source, checked) VALUES (?, ?, ?, ?, ?, ?, ?)`,
		origin, string(f.Scope), f.ID, string(f.Attribute), f.Value, f.Source, millis(f.Checked))
}

// Facts returns what the buyer knows of the credits of a service, sorted.
func (s *Store) Facts(ctx context.Context, origin string) ([]model.BuyerFact, error) {
	facts, err := list(ctx, s, `SELECT scope, fact.id, attribute, value, source, checked FROM fact JOIN origin ON origin.id = origin WHERE url = ?`,
		func(stmt *sqlite.Stmt) (model.BuyerFact, bool) {
			return model.BuyerFact{
				Scope: model.FactScope(stmt.ColumnText(0)), ID: stmt.ColumnText(1), Attribute: model.Attribute(stmt.ColumnText(2)),
				Value: stmt.ColumnText(3), Source: stmt.ColumnText(4), Checked: columnTime(stmt, 5).UTC(),
			}, true
		}, origin)
	model.SortBuyerFacts(facts)
	return facts, err
}
