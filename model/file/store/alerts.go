package store

import (
	"context"
	"time"

	"zombiezen.com/go/sqlite"

	"tonne/model"
	"tonne/model/alert"
	"tonne/model/retirement"
)

// Alerts contains the watch list, the rules and the alerts of one service.
type Alerts struct{ part }

// Watched returns the vintages on the watch list.
func (a Alerts) Watched(ctx context.Context) (map[model.VintageKey]bool, error) {
	return table(ctx, a.part, `SELECT project_id, vintage_id FROM watch WHERE origin = ?`,
		func(stmt *sqlite.Stmt) (model.VintageKey, bool) { return columnKey(stmt, 0), true })
}

// Watch adds a vintage to the watch list, or removes it together with its rules.
func (a Alerts) Watch(ctx context.Context, key model.VintageKey, on bool) error {
	return a.write(ctx, func(t *tx) {
		if on {
			t.watch(key)
			return
		}
		t.run(`DELETE FROM alert_rule WHERE origin = ? AND project_id = ? AND vintage_id = ?`, key.ProjectID, key.VintageID)
		t.run(`DELETE FROM watch WHERE origin = ? AND project_id = ? AND vintage_id = ?`, key.ProjectID, key.VintageID)
	})
}

func (t *tx) watch(key model.VintageKey) {
	t.run(`INSERT OR IGNORE INTO watch (origin, project_id, vintage_id) VALUES (?, ?, ?)`, key.ProjectID, key.VintageID)
}

// Rules returns the rules, those on vintages first.
func (a Alerts) Rules(ctx context.Context) ([]alert.Rule, error) {
	return list(ctx, a.part, selectRules, func(stmt *sqlite.Stmt) (alert.Rule, bool) { return columnRule(stmt, 1) })
}

const selectRules = `SELECT id, project_id, vintage_id, request_id, rule FROM alert_rule
	WHERE origin = ? ORDER BY project_id = '', project_id, vintage_id, request_id, rule`

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
	return a.write(ctx, func(t *tx) {
		if !r.OnRequests() {
			t.watch(r.Vintage)
		}
		t.run(`INSERT OR IGNORE INTO alert_rule (origin, project_id, vintage_id, request_id, rule) VALUES (?, ?, ?, ?, ?)`,
			r.Vintage.ProjectID, r.Vintage.VintageID, r.Request, r.String())
	})
}

// RemoveRule deletes a rule. Its vintage stays on the watch list. If r still waits for a
// starting price, it also deletes the rule that has received the price meanwhile.
func (a Alerts) RemoveRule(ctx context.Context, r alert.Rule) error {
	return a.write(ctx, func(t *tx) {
		for _, id := range collect(t, selectRules, func(stmt *sqlite.Stmt) (int64, bool) {
			kept, ok := columnRule(stmt, 1)
			return stmt.ColumnInt64(0), ok && (kept == r || kept == r.From(kept.Price))
		}) {
			t.run(`DELETE FROM alert_rule WHERE id = ?2`, id)
		}
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

func (t *tx) keepAlert(a *Alert) {
	t.run(`INSERT INTO fired (origin, at, already, rule, project_id, vintage_id, request_id, best_ask, last_paid,
		available, status,
		was_best_ask, was_last_paid, was_available, was_status) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		append(append([]any{millis(a.At), a.Already, a.String(), a.Vintage.ProjectID, a.Vintage.VintageID, a.Request},
			values(a.Facts)...), values(a.Was)...)...)
	a.ID = t.conn.LastInsertRowID()
	if !a.Since.IsZero() {
		t.run(`INSERT INTO fired_since (fired, since) VALUES (?2, ?3)`, a.ID, millis(a.Since))
	}
	t.run(`DELETE FROM fired WHERE origin = ?1 AND id <= (SELECT id FROM fired WHERE origin = ?1 ORDER BY id DESC LIMIT 1
		OFFSET ?2)`, alertsKept)
}

// After returns at most 1,000 alerts after an id, newest first.
func (a Alerts) After(ctx context.Context, id int64) ([]Alert, error) {
	return list(ctx, a.part,
		`SELECT id, at, already, seen, project_id, vintage_id, request_id, rule, best_ask, last_paid, available, status,
		was_best_ask, was_last_paid, was_available, was_status, since
		FROM fired LEFT JOIN fired_since ON fired = id WHERE origin = ? AND id > ? ORDER BY id DESC`,
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
	return a.change(ctx,
		`UPDATE fired SET seen = 1 WHERE origin = ? AND id <= ? AND seen = 0 AND (request_id <> '' OR NOT ?)`, id,
		requestsAlone)
}

// Holding returns the rules that were true in their last check as alerts, those on vintages
// first.
func (a Alerts) Holding(ctx context.Context) ([]Alert, error) {
	return list(ctx, a.part, `SELECT r.project_id, r.vintage_id, l.id, r.rule, best_ask, last_paid, available, status
		FROM alert_rule r JOIN alert_look l ON l.rule = r.id
		WHERE r.origin = ? AND holds ORDER BY r.project_id = '', r.project_id, r.vintage_id, l.id, r.rule`,
		func(stmt *sqlite.Stmt) (Alert, bool) {
			r, ok := columnRule(stmt, 0)
			return Alert{Rule: r, Facts: columnFacts(stmt, 4)}, ok
		})
}

// Check checks the rules on vintages against facts or, if facts is nil, the rules on requests
// against the ledger. It saves and returns an alert for each rule that fires: its condition is
// true now and was false or unchecked before. Each alert goes to only one of the programs that
// use the file.
//
// It skips a rule without known facts. A rule that waits for a starting price gets it. The
// duration of a state counts from the first record of it. A rule on every request ignores the
// first state of a request, unless the rule is about a duration.
func (a Alerts) Check(ctx context.Context, at time.Time, facts func(model.VintageKey) alert.Facts) (fired []Alert,
	err error) {
	err = a.write(ctx, func(t *tx) {
		fired = nil
		checks := t.checks(facts == nil, at)
		var since time.Time
		if facts != nil && len(checks) > 0 {
			since = t.look(atRules, at)
		}
		for i := range checks {
			c := &checks[i]
			if facts != nil {
				c.now = facts(c.Vintage)
			}
			if alert, fires := t.check(c, since, at); fires {
				t.keepAlert(&alert)
				fired = append(fired, alert)
			}
		}
	})
	if err != nil {
		return nil, err
	}
	return fired, nil
}

// check is a rule with the facts about one subject.
type check struct {
	alert.Rule
	rule int64
	// id is the id of the request, which has been in its state since a time. It is empty for
	// a vintage.
	id    string
	since time.Time
	// before reports whether there was an earlier check, held whether the rule was true then.
	before, held bool
	was, now     alert.Facts
}

func (t *tx) checks(onRequests bool, at time.Time) []check {
	return collect(t,
		`SELECT r.id, r.project_id, r.vintage_id, r.request_id, r.rule, coalesce(s.id, ''), coalesce(s.status, ''),
			coalesce(s.since, 0),
			l.rule IS NOT NULL, coalesce(l.holds, 0), l.best_ask, l.last_paid, l.available, coalesce(l.status, '')
		FROM alert_rule r LEFT JOIN retirement_state s ON r.project_id = '' AND s.origin = r.origin AND r.request_id IN ('',
		s.id)
		LEFT JOIN alert_look l ON l.rule = r.id AND l.id = coalesce(s.id, '')
		WHERE r.origin = ?1 AND (r.project_id = '') = ?2 AND (s.id IS NOT NULL) = ?2 ORDER BY s.id, r.project_id,
		r.vintage_id, r.rule, r.request_id`,
		func(stmt *sqlite.Stmt) (check, bool) {
			r, ok := columnRule(stmt, 1)
			c := check{
				Rule: r, rule: stmt.ColumnInt64(0), id: stmt.ColumnText(5), since: columnTime(stmt, 7),
				before: stmt.ColumnBool(8), held: stmt.ColumnBool(9), was: columnFacts(stmt, 10),
			}
			c.now = alert.FactsOf(retirement.Status(stmt.ColumnText(6)))
			c.now.Before, c.now.Lasted = c.was.Status, at.Sub(c.since)
			return c, ok
		}, onRequests)
}

func (t *tx) check(c *check, since, at time.Time) (a Alert, fires bool) {
	if started := c.From(c.now.BestAsk); started != c.Rule {
		t.run(`UPDATE OR REPLACE alert_rule SET rule = ?2 WHERE id = ?3`, started.String(), c.rule)
		c.Rule = started
	}
	holds, known := c.Holds(c.now)
	c.now.Before, c.now.Lasted = "", 0
	if !known || c.before && holds == c.held && c.was == c.now {
		return Alert{}, false
	}
	t.run(`INSERT OR REPLACE INTO alert_look (origin, id, rule, holds, best_ask, last_paid, available, status)
		VALUES (iif(?2 = '', NULL, ?1), ?2, ?3, ?4, ?5, ?6, ?7, ?8)`,
		append([]any{c.id, c.rule, holds}, values(c.now)...)...)
	// A new rule on every request must not fire for all requests that reached the state long ago.
	old := !c.before && c.id != "" && c.Request == "" && c.For == 0
	if !holds || c.held && c.was.Status == c.now.Status || old {
		return Alert{}, false
	}
	a = Alert{Rule: c.Rule, At: at, Facts: c.now, Was: c.was, Already: !c.before}
	a.Request = c.id
	switch {
	case c.For > 0:
		a.Since = c.since
	case c.before && !since.IsZero() && at.Sub(since) > Unwatched:
		a.Since = since
	}
	return a, true
}

func columnFacts(stmt *sqlite.Stmt, col int) alert.Facts {
	return alert.Facts{
		BestAsk: columnKnown[model.PriceCents](stmt, col), LastPaid: columnKnown[model.PriceCents](stmt, col+1),
		Available: columnKnown[model.Grams](stmt, col+2), Status: retirement.Status(stmt.ColumnText(col + 3)),
	}
}

// values returns facts in the order of columnFacts.
func values(f alert.Facts) []any {
	return []any{known(f.BestAsk), known(f.LastPaid), known(f.Available), string(f.Status)}
}
