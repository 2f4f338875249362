package store

import (
	"context"

	"zombiezen.com/go/sqlite"

	"tonne/model"
)

// PutFacts keeps what the buyer knows of credits, all or nothing. A fact
// replaces that of the same scope, id and attribute; one without a value takes
// it away.
func (s *Store) PutFacts(ctx context.Context, origin string, facts []model.BuyerFact) error {
	return s.write(ctx, func(conn *sqlite.Conn) error {
		service, err := originID(conn, origin)
		for i := 0; i < len(facts) && err == nil; i++ {
			err = putFact(conn, service, facts[i])
		}
		return err
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
	var facts []model.BuyerFact
	err := s.read(ctx, func(conn *sqlite.Conn) error {
		facts = nil
		return each(conn, `SELECT scope, fact.id, attribute, value, source, checked FROM fact JOIN origin ON origin.id = origin WHERE url = ?`,
			func(stmt *sqlite.Stmt) error {
				facts = append(facts, model.BuyerFact{
					Scope: model.FactScope(stmt.ColumnText(0)), ID: stmt.ColumnText(1), Attribute: model.Attribute(stmt.ColumnText(2)),
					Value: stmt.ColumnText(3), Source: stmt.ColumnText(4), Checked: columnTime(stmt, 5).UTC(),
				})
				return nil
			}, origin)
	})
	model.SortBuyerFacts(facts)
	return facts, err
}
