package store

import (
	"context"
	"time"

	"zombiezen.com/go/sqlite"

	"tonne/model"
	"tonne/model/alert"
	"tonne/model/retirement"
)

// Check checks the rules on vintages against facts or, if facts is nil, the rules on requests
// against the ledger. It saves and returns an alert for each rule that fires: its condition is
// true now and was false or unchecked before. Each alert goes to only one of the programs that
// use the file.
//
// It skips a rule without known facts. A rule that waits for a starting price gets it. The
// duration of a state counts from the first record of it. A rule on every request ignores the
// first state of a request, unless the rule is about a duration.
func (a Alerts) Check(ctx context.Context, at time.Time, facts func(model.VintageKey) alert.Facts) (fired []Alert, err error) {
	err = a.write(ctx, func(conn *sqlite.Conn, service int64) error {
		fired = nil
		checks, err := readChecks(conn, service, facts == nil, at)
		if err != nil || len(checks) == 0 {
			return err
		}
		var since time.Time
		if facts != nil {
			since, err = look(conn, service, atRules, at)
		}
		for i := 0; i < len(checks) && err == nil; i++ {
			c := &checks[i]
			if facts != nil {
				c.now = facts(c.Vintage)
			}
			var alert *Alert
			if alert, err = c.again(conn, service, since, at); alert != nil {
				fired = append(fired, *alert)
			}
		}
		return err
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

func readChecks(conn *sqlite.Conn, service int64, onRequests bool, at time.Time) ([]check, error) {
	return collect(conn, `SELECT r.id, r.project_id, r.vintage_id, r.request_id, r.rule, coalesce(s.id, ''), coalesce(s.status, ''), coalesce(s.since, 0),
			l.rule IS NOT NULL, coalesce(l.holds, 0), l.best_ask, l.last_paid, l.available, coalesce(l.status, '')
		FROM alert_rule r LEFT JOIN retirement_state s ON r.project_id = '' AND s.origin = r.origin AND r.request_id IN ('', s.id)
		LEFT JOIN alert_look l ON l.rule = r.id AND l.id = coalesce(s.id, '')
		WHERE r.origin = ?1 AND (r.project_id = '') = ?2 AND (s.id IS NOT NULL) = ?2 ORDER BY s.id, r.project_id, r.vintage_id, r.rule, r.request_id`,
		func(stmt *sqlite.Stmt) (check, bool) {
			r, ok := columnRule(stmt, 1)
			c := check{
				Rule: r, rule: stmt.ColumnInt64(0), id: stmt.ColumnText(5), since: columnTime(stmt, 7),
				before: stmt.ColumnBool(8), held: stmt.ColumnBool(9), was: columnFacts(stmt, 10),
			}
			c.now = alert.FactsOf(retirement.Status(stmt.ColumnText(6)))
			c.now.Before, c.now.Lasted = c.was.Status, at.Sub(c.since)
			return c, ok
		}, service, onRequests)
}

func (c *check) again(conn *sqlite.Conn, service int64, since, at time.Time) (*Alert, error) {
	if started := c.From(c.now.BestAsk); started != c.Rule {
		if err := run(conn, `UPDATE OR REPLACE alert_rule SET rule = ? WHERE id = ?`, started.String(), c.rule); err != nil {
			return nil, err
		}
		c.Rule = started
	}
	holds, known := c.Holds(c.now)
	c.now.Before, c.now.Lasted = "", 0
	if !known || c.before && holds == c.held && c.was == c.now {
		return nil, nil
	}
	var ledger any
	if c.id != "" {
		ledger = service
	}
	err := run(conn, `INSERT OR REPLACE INTO alert_look (rule, origin, id, holds, best_ask, last_paid, available, status) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
		c.rule, ledger, c.id, holds, nullPrice(c.now.BestAsk), nullPrice(c.now.LastPaid), nullGrams(c.now.Available), string(c.now.Status))
	// A new rule on every request must not fire for all requests that reached the state long ago.
	old := !c.before && c.id != "" && c.Request == "" && c.For == 0
	if err != nil || !holds || c.held && c.was.Status == c.now.Status || old {
		return nil, err
	}
	a := Alert{Rule: c.Rule, At: at, Facts: c.now, Was: c.was, Already: !c.before}
	a.Request = c.id
	switch {
	case c.For > 0:
		a.Since = c.since
	case c.before && !since.IsZero() && at.Sub(since) > Unwatched:
		a.Since = since
	}
	return &a, a.keep(conn, service)
}

func columnFacts(stmt *sqlite.Stmt, col int) alert.Facts {
	f := alert.Facts{BestAsk: columnPrice(stmt, col), LastPaid: columnPrice(stmt, col+1), Available: model.UnknownGrams, Status: retirement.Status(stmt.ColumnText(col + 3))}
	if !stmt.ColumnIsNull(col + 2) {
		f.Available = model.Grams(stmt.ColumnInt64(col + 2))
	}
	return f
}

func nullGrams(g model.Grams) any {
	if !g.Known() {
		return nil
	}
	return int64(g)
}
