package store

import (
	"context"
	"time"

	"zombiezen.com/go/sqlite"

	"tonne/model"
	"tonne/model/alert"
)

// Alerts contains the watch list, the rules and the alerts of one service.
type Alerts struct{ part }

// Watched returns the vintages on the watch list.
func (a Alerts) Watched(ctx context.Context) (map[model.VintageKey]bool, error) {
	return table(ctx, a.part, `SELECT project_id, vintage_id FROM watch JOIN origin ON origin.id = origin WHERE url = ?`,
		func(stmt *sqlite.Stmt) (model.VintageKey, bool) { return columnKey(stmt, 0), true })
}

// Watch adds a vintage to the watch list, or removes it together with its rules.
func (a Alerts) Watch(ctx context.Context, key model.VintageKey, on bool) error {
	return a.write(ctx, func(conn *sqlite.Conn, service int64) error {
		if on {
			return watch(conn, service, key)
		}
		if err := run(conn, `DELETE FROM alert_rule WHERE origin = ? AND project_id = ? AND vintage_id = ?`, service, key.ProjectID, key.VintageID); err != nil {
			return err
		}
		return run(conn, `DELETE FROM watch WHERE origin = ? AND project_id = ? AND vintage_id = ?`, service, key.ProjectID, key.VintageID)
	})
}

func watch(conn *sqlite.Conn, service int64, key model.VintageKey) error {
	return run(conn, `INSERT OR IGNORE INTO watch (origin, project_id, vintage_id) VALUES (?, ?, ?)`, service, key.ProjectID, key.VintageID)
}

// Rules returns the rules, those on vintages first.
func (a Alerts) Rules(ctx context.Context) ([]alert.Rule, error) {
	return list(ctx, a.part, selectRules, func(stmt *sqlite.Stmt) (alert.Rule, bool) { return columnRule(stmt, 1) })
}

const selectRules = `SELECT alert_rule.id, project_id, vintage_id, request_id, rule FROM alert_rule JOIN origin ON origin.id = origin
	WHERE url = ? ORDER BY project_id = '', project_id, vintage_id, request_id, rule`

// columnRule returns false for a rule of a newer version, which callers skip.
func columnRule(stmt *sqlite.Stmt, col int) (r alert.Rule, ok bool) {
	key, parse := columnKey(stmt, col), alert.ParseRule
	if key == (model.VintageKey{}) {
		parse = alert.ParseRequestRule
	}
	r, err := parse(stmt.ColumnText(col + 3))
	r.Vintage, r.Request = key, stmt.ColumnText(col+2)
	return r, err == nil
}

// AddRule adds a rule, and its vintage to the watch list. It does not change an existing rule.
func (a Alerts) AddRule(ctx context.Context, r alert.Rule) error {
	return a.write(ctx, func(conn *sqlite.Conn, service int64) error {
		if !r.OnRequests() {
			if err := watch(conn, service, r.Vintage); err != nil {
				return err
			}
		}
		return run(conn, `INSERT OR IGNORE INTO alert_rule (origin, project_id, vintage_id, request_id, rule) VALUES (?, ?, ?, ?, ?)`,
			service, r.Vintage.ProjectID, r.Vintage.VintageID, r.Request, r.String())
	})
}

// RemoveRule deletes a rule. Its vintage stays on the watch list. If r still waits for a
// starting price, it also deletes the rule that has received the price meanwhile.
func (a Alerts) RemoveRule(ctx context.Context, r alert.Rule) error {
	return a.write(ctx, func(conn *sqlite.Conn, _ int64) error {
		ids, err := collect(conn, selectRules, func(stmt *sqlite.Stmt) (int64, bool) {
			kept, ok := columnRule(stmt, 1)
			return stmt.ColumnInt64(0), ok && (kept == r || kept == r.From(kept.Price))
		}, a.origin)
		if err != nil {
			return err
		}
		return all(ids, func(id int64) error { return run(conn, `DELETE FROM alert_rule WHERE id = ?`, id) })
	})
}

// Alert is a rule that fired, for its vintage or for the request that it names.
type Alert struct {
	alert.Rule
	// ID grows with each saved alert.
	ID int64
	At time.Time
	// Since is the time of the previous check of a rule on a vintage if that is more than
	// Unwatched ago: the rule may have become true at any time since then. For a rule on the
	// duration of a state it is the begin of that state. Otherwise it is zero.
	Since time.Time
	// Already means that the rule was true at its first check.
	Already bool
	// Seen means that the user has seen the alert (method See).
	Seen bool
	// Facts are the facts of this check, Was those of the previous one, if known.
	Facts, Was alert.Facts
}

// alertsKept is the maximum number of alerts of a service.
const alertsKept = 1000

func (a *Alert) keep(conn *sqlite.Conn, service int64) error {
	err := run(conn, `INSERT INTO fired (origin, at, already, rule, project_id, vintage_id, best_ask, last_paid, available,
		was_best_ask, was_last_paid, was_available, request_id, status, was_status) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		service, millis(a.At), a.Already, a.String(), a.Vintage.ProjectID, a.Vintage.VintageID,
		nullPrice(a.Facts.BestAsk), nullPrice(a.Facts.LastPaid), nullGrams(a.Facts.Available),
		nullPrice(a.Was.BestAsk), nullPrice(a.Was.LastPaid), nullGrams(a.Was.Available), a.Request, string(a.Facts.Status), string(a.Was.Status))
	if err != nil {
		return err
	}
	a.ID = conn.LastInsertRowID()
	if !a.Since.IsZero() {
		if err := run(conn, `INSERT INTO fired_since (fired, since) VALUES (?, ?)`, a.ID, millis(a.Since)); err != nil {
			return err
		}
	}
	return run(conn, `DELETE FROM fired WHERE origin = ?1 AND id <= (SELECT id FROM fired WHERE origin = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)`,
		service, alertsKept)
}

// After returns at most 1,000 alerts after an id, newest first.
func (a Alerts) After(ctx context.Context, id int64) ([]Alert, error) {
	return list(ctx, a.part, `SELECT fired.id, at, already, seen, project_id, vintage_id, request_id, rule, best_ask, last_paid, available, status,
		was_best_ask, was_last_paid, was_available, was_status, since
		FROM fired JOIN origin ON origin.id = origin LEFT JOIN fired_since ON fired = fired.id WHERE url = ? AND fired.id > ? ORDER BY fired.id DESC`,
		func(stmt *sqlite.Stmt) (Alert, bool) {
			r, ok := columnRule(stmt, 4)
			return Alert{
				Rule: r, ID: stmt.ColumnInt64(0), At: columnTime(stmt, 1), Already: stmt.ColumnBool(2), Seen: stmt.ColumnBool(3),
				Facts: columnFacts(stmt, 8), Was: columnFacts(stmt, 12), Since: columnTime(stmt, 16),
			}, ok
		}, id)
}

// See marks the alerts up to an id as seen, or only those on requests if requestsAlone is set.
func (a Alerts) See(ctx context.Context, id int64, requestsAlone bool) error {
	return a.change(ctx, `UPDATE fired SET seen = 1 WHERE origin = ? AND id <= ? AND seen = 0 AND (request_id <> '' OR NOT ?)`, id, requestsAlone)
}

// Holding returns the rules that were true in their last check as alerts, those on vintages
// first.
func (a Alerts) Holding(ctx context.Context) ([]Alert, error) {
	return list(ctx, a.part, `SELECT project_id, vintage_id, alert_look.id, alert_rule.rule, best_ask, last_paid, available, status
		FROM alert_rule JOIN origin ON origin.id = alert_rule.origin JOIN alert_look ON alert_look.rule = alert_rule.id
		WHERE url = ? AND holds ORDER BY project_id = '', project_id, vintage_id, alert_look.id, alert_rule.rule`,
		func(stmt *sqlite.Stmt) (Alert, bool) {
			r, ok := columnRule(stmt, 0)
			return Alert{Rule: r, Facts: columnFacts(stmt, 4)}, ok
		})
}
