package store

import (
	"context"

	"zombiezen.com/go/sqlite"

	"tonne/model"
)

// Alert is a rule on a vintage.
type Alert struct {
	Vintage model.VintageKey
	Rule    model.Rule
	// Holds says whether the rule held when it was last checked.
	Holds bool
}

// Alerts returns the rules of a service by vintage.
func (s *Store) Alerts(ctx context.Context, origin string) ([]Alert, error) {
	return list(ctx, s, selectAlerts, columnAlert, origin)
}

const selectAlerts = `SELECT project_id, vintage_id, rule, holds FROM rule JOIN origin ON origin.id = origin
	WHERE url = ? ORDER BY project_id, vintage_id, rule`

func columnAlert(stmt *sqlite.Stmt) (Alert, bool) {
	rule, err := model.ParseRule(stmt.ColumnText(2))
	return Alert{columnKey(stmt, 0), rule, stmt.ColumnBool(3)}, err == nil
}

// AddRule sets a rule on a vintage and puts it on the watch list. A rule that
// is there already stays as it is.
func (s *Store) AddRule(ctx context.Context, origin string, key model.VintageKey, rule model.Rule) error {
	return s.writeTo(ctx, origin, func(conn *sqlite.Conn, service int64) error {
		if err := watch(conn, service, key); err != nil {
			return err
		}
		return run(conn, `INSERT OR IGNORE INTO rule (origin, project_id, vintage_id, rule) VALUES (?, ?, ?, ?)`,
			service, key.ProjectID, key.VintageID, rule.String())
	})
}

// RemoveRule takes a rule off a vintage, which stays on the watch list. One that
// waits for a price to start from is taken off also where it has started since.
func (s *Store) RemoveRule(ctx context.Context, origin string, key model.VintageKey, rule model.Rule) error {
	return s.write(ctx, func(conn *sqlite.Conn) error {
		alerts, err := collect(conn, selectAlerts, columnAlert, origin)
		for i := 0; i < len(alerts) && err == nil; i++ {
			a := alerts[i]
			if a.Vintage == key && (a.Rule == rule || rule.Waits() && rule.From(a.Rule.Price) == a.Rule) {
				err = run(conn, `DELETE FROM rule WHERE origin = (SELECT id FROM origin WHERE url = ?)
					AND project_id = ? AND vintage_id = ? AND rule = ?`, origin, key.ProjectID, key.VintageID, a.Rule.String())
			}
		}
		return err
	})
}
