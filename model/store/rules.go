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
	var alerts []Alert
	err := s.read(ctx, func(conn *sqlite.Conn) (err error) {
		alerts, err = readAlerts(conn, origin)
		return err
	})
	return alerts, err
}

func readAlerts(conn *sqlite.Conn, origin string) ([]Alert, error) {
	var alerts []Alert
	err := each(conn, `SELECT project_id, vintage_id, rule, holds FROM rule JOIN origin ON origin.id = origin
		WHERE url = ? ORDER BY project_id, vintage_id, rule`,
		func(stmt *sqlite.Stmt) error {
			// A rule that only a newer program can read is left alone.
			if rule, err := model.ParseRule(stmt.ColumnText(2)); err == nil {
				alerts = append(alerts, Alert{columnKey(stmt, 0), rule, stmt.ColumnBool(3)})
			}
			return nil
		}, origin)
	return alerts, err
}

// AddRule sets a rule on a vintage and puts it on the watch list. A rule that
// is there already stays as it is.
func (s *Store) AddRule(ctx context.Context, origin string, key model.VintageKey, rule model.Rule) error {
	return s.write(ctx, func(conn *sqlite.Conn) error {
		service, err := originID(conn, origin)
		if err != nil {
			return err
		}
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
		alerts, err := readAlerts(conn, origin)
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
