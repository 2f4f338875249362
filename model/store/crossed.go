package store

import (
	"context"
	"time"

	"zombiezen.com/go/sqlite"

	"tonne/model"
	"tonne/model/alert"
	"tonne/model/retirement"
)

// Crossed checks the rules on vintages against facts or, if that is nil, those on requests
// against the ledger. It returns those that hold and did not before, or are checked for
// the first time: each once, to one of the programs that use the file, and keeps it in the
// history.
//
// A rule without known facts stays as it is; one that waits for a price gets it. A state
// lasts since it was first recorded. A rule on every request ignores the state that a
// request is first seen in, unless the state has to last.
func (s *Store) Crossed(ctx context.Context, origin string, at time.Time, facts func(model.VintageKey) alert.Facts) ([]Fired, error) {
	var crossed []Fired
	err := s.write(ctx, func(conn *sqlite.Conn) error {
		crossed = nil
		looks, err := readLooks(conn, origin, facts == nil, at)
		if err != nil || len(looks) == 0 {
			return err
		}
		var since time.Time
		if facts != nil {
			since, err = look(conn, looks[0].service, atRules, at)
		}
		for i := 0; i < len(looks) && err == nil; i++ {
			l := &looks[i]
			if facts != nil {
				l.now = facts(l.Vintage)
			}
			var fired *Fired
			if fired, err = l.again(conn, since, at); fired != nil {
				crossed = append(crossed, *fired)
			}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return crossed, nil
}

type ruleLook struct {
	rule, service int64
	Alert
	// id is the request, empty for a vintage, which is in its state since a time.
	id    string
	since time.Time
	// before says that there was a check, held that the rule held then.
	before, held bool
	was, now     alert.Facts
}

func readLooks(conn *sqlite.Conn, origin string, onRequests bool, at time.Time) ([]ruleLook, error) {
	return collect(conn, `SELECT r.id, r.origin, r.project_id, r.vintage_id, r.request_id, r.rule, coalesce(s.id, ''), coalesce(s.status, ''), coalesce(s.since, 0),
			l.rule IS NOT NULL, coalesce(l.holds, 0), l.best_ask, l.last_paid, l.available, coalesce(l.status, '')
		FROM alert_rule r JOIN origin ON origin.id = r.origin
		LEFT JOIN retirement_state s ON r.project_id = '' AND s.origin = r.origin AND r.request_id IN ('', s.id)
		LEFT JOIN alert_look l ON l.rule = r.id AND l.id = coalesce(s.id, '')
		WHERE url = ?1 AND (r.project_id = '') = ?2 AND (s.id IS NOT NULL) = ?2 ORDER BY s.id, r.project_id, r.vintage_id, r.rule, r.request_id`,
		func(stmt *sqlite.Stmt) (ruleLook, bool) {
			l := ruleLook{
				rule: stmt.ColumnInt64(0), service: stmt.ColumnInt64(1), id: stmt.ColumnText(6), since: columnTime(stmt, 8),
				before: stmt.ColumnBool(9), held: stmt.ColumnBool(10), was: columnFacts(stmt, 11),
			}
			l.now = alert.FactsOf(retirement.Status(stmt.ColumnText(7)))
			l.now.Before, l.now.Lasted = l.was.Status, at.Sub(l.since)
			var ok bool
			l.Alert, ok = columnAlert(stmt, 2)
			return l, ok
		}, origin, onRequests)
}

// ofMany reports whether the rule is on a state of every request: who sets it
// does not want to hear of all that have long reached it.
func (l *ruleLook) ofMany() bool { return l.id != "" && l.Request == "" && l.Rule.For == 0 }

func (l *ruleLook) again(conn *sqlite.Conn, since, at time.Time) (*Fired, error) {
	if started := l.Rule.From(l.now.BestAsk); started != l.Rule {
		if err := run(conn, `UPDATE OR REPLACE alert_rule SET rule = ? WHERE id = ?`, started.String(), l.rule); err != nil {
			return nil, err
		}
		l.Rule = started
	}
	holds, known := l.Rule.Holds(l.now)
	l.now.Before, l.now.Lasted = "", 0
	if !known || l.before && holds == l.held && l.was == l.now {
		return nil, nil
	}
	var ledger any
	if l.id != "" {
		ledger = l.service
	}
	err := run(conn, `INSERT OR REPLACE INTO alert_look (rule, origin, id, holds, best_ask, last_paid, available, status) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
		l.rule, ledger, l.id, holds, nullPrice(l.now.BestAsk), nullPrice(l.now.LastPaid), nullGrams(l.now.Available), string(l.now.Status))
	if err != nil || !holds || l.held && l.was.Status == l.now.Status || !l.before && l.ofMany() {
		return nil, err
	}
	f := Fired{At: at, Vintage: l.Vintage, Request: l.id, Rule: l.Rule, Facts: l.now, Was: l.was, Already: !l.before}
	switch {
	case l.Rule.For > 0:
		f.Since = l.since
	case l.before && !since.IsZero() && at.Sub(since) > Unwatched:
		f.Since = since
	}
	return &f, f.keep(conn, l.service)
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
