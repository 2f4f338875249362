package store

import (
	"context"
	"time"

	"zombiezen.com/go/sqlite"

	"tonne/model"
	"tonne/model/alert"
)

// Alert is a rule on a vintage or on retirement requests.
type Alert struct {
	Vintage model.VintageKey
	// Request is empty for a rule on every request of the ledger.
	Request string
	Rule    alert.Rule
}

// Alerts returns the rules of a service, those on vintages first.
func (s *Store) Alerts(ctx context.Context, origin string) ([]Alert, error) {
	return list(ctx, s, selectAlerts, func(stmt *sqlite.Stmt) (Alert, bool) { return columnAlert(stmt, 1) }, origin)
}

const selectAlerts = `SELECT alert_rule.id, project_id, vintage_id, request_id, rule FROM alert_rule JOIN origin ON origin.id = origin
	WHERE url = ? ORDER BY project_id = '', project_id, vintage_id, request_id, rule`

// columnAlert is false for a rule of a newer version, which is left alone.
func columnAlert(stmt *sqlite.Stmt, col int) (a Alert, ok bool) {
	a = Alert{Vintage: columnKey(stmt, col), Request: stmt.ColumnText(col + 2)}
	parse, err := alert.ParseRule, error(nil)
	if a.Vintage == (model.VintageKey{}) {
		parse = alert.ParseRequestRule
	}
	a.Rule, err = parse(stmt.ColumnText(col + 3))
	return a, err == nil
}

// AddRule sets a rule, and watches its vintage. A known rule stays as it is.
func (s *Store) AddRule(ctx context.Context, origin string, a Alert) error {
	return s.writeTo(ctx, origin, func(conn *sqlite.Conn, service int64) error {
		if !a.Rule.OnRequests() {
			if err := watch(conn, service, a.Vintage); err != nil {
				return err
			}
		}
		return run(conn, `INSERT OR IGNORE INTO alert_rule (origin, project_id, vintage_id, request_id, rule) VALUES (?, ?, ?, ?, ?)`,
			service, a.Vintage.ProjectID, a.Vintage.VintageID, a.Request, a.Rule.String())
	})
}

// RemoveRule takes a rule away; its vintage stays on the watch list. One that
// waits for a price to start from is taken away also where it has started since.
func (s *Store) RemoveRule(ctx context.Context, origin string, a Alert) error {
	return s.write(ctx, func(conn *sqlite.Conn) error {
		gone, err := collect(conn, selectAlerts, func(stmt *sqlite.Stmt) (int64, bool) {
			kept, ok := columnAlert(stmt, 1)
			started := a
			started.Rule = a.Rule.From(kept.Rule.Price)
			return stmt.ColumnInt64(0), ok && (kept == a || kept == started)
		}, origin)
		if err != nil {
			return err
		}
		return all(gone, func(id int64) error { return run(conn, `DELETE FROM alert_rule WHERE id = ?`, id) })
	})
}

// RequestStates returns since when each request is in its state.
func (s *Store) RequestStates(ctx context.Context, origin string) (map[string]time.Time, error) {
	return table(ctx, s, `SELECT retirement_state.id, since FROM retirement_state JOIN origin ON origin.id = origin WHERE url = ?`,
		func(stmt *sqlite.Stmt) (string, time.Time) { return stmt.ColumnText(0), columnTime(stmt, 1) }, origin)
}

// Holding returns the rules that held in their last check, those on vintages first.
func (s *Store) Holding(ctx context.Context, origin string) ([]Fired, error) {
	return list(ctx, s, `SELECT project_id, vintage_id, request_id, alert_rule.rule, alert_look.id, best_ask, last_paid, available, status
		FROM alert_rule JOIN origin ON origin.id = alert_rule.origin JOIN alert_look ON alert_look.rule = alert_rule.id
		WHERE url = ? AND holds ORDER BY project_id = '', project_id, vintage_id, alert_look.id, alert_rule.rule`,
		func(stmt *sqlite.Stmt) (Fired, bool) {
			a, ok := columnAlert(stmt, 0)
			return Fired{Vintage: a.Vintage, Request: stmt.ColumnText(4), Rule: a.Rule, Facts: columnFacts(stmt, 5)}, ok
		}, origin)
}
