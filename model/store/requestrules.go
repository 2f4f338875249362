package store

import (
	"context"
	"time"

	"zombiezen.com/go/sqlite"

	"tonne/model"
)

// RequestAlert is a rule on a retirement request, or on every request of the
// ledger if Request is empty.
type RequestAlert struct {
	Request string
	Rule    model.RequestRule
}

// RequestAlerts returns the rules of a service on retirement requests.
func (s *Store) RequestAlerts(ctx context.Context, origin string) ([]RequestAlert, error) {
	return list(ctx, s, `SELECT request_id, rule FROM request_rule JOIN origin ON origin.id = origin WHERE url = ? ORDER BY request_id, rule`,
		func(stmt *sqlite.Stmt) (RequestAlert, bool) {
			// A rule that only a newer program can read is left alone.
			rule, err := model.ParseRequestRule(stmt.ColumnText(1))
			return RequestAlert{stmt.ColumnText(0), rule}, err == nil
		}, origin)
}

// AddRequestRule sets a rule on a retirement request, or on every request of
// the ledger if its id is empty. A rule that is there already stays as it is.
func (s *Store) AddRequestRule(ctx context.Context, origin string, a RequestAlert) error {
	return s.writeTo(ctx, origin, func(conn *sqlite.Conn, service int64) error {
		return run(conn, `INSERT OR IGNORE INTO request_rule (origin, request_id, rule) VALUES (?, ?, ?)`, service, a.Request, a.Rule.String())
	})
}

// RemoveRequestRule takes a rule away.
func (s *Store) RemoveRequestRule(ctx context.Context, origin string, a RequestAlert) error {
	return s.change(ctx, `DELETE FROM request_rule WHERE origin = (SELECT id FROM origin WHERE url = ?) AND request_id = ? AND rule = ?`,
		origin, a.Request, a.Rule.String())
}

// RequestStates returns since when each request of the ledger of a service is in
// the state of its last answer.
func (s *Store) RequestStates(ctx context.Context, origin string) (map[string]time.Time, error) {
	return table(ctx, s, `SELECT retirement_state.id, since FROM retirement_state JOIN origin ON origin.id = origin WHERE url = ?`,
		func(stmt *sqlite.Stmt) (string, time.Time) { return stmt.ColumnText(0), columnTime(stmt, 1) }, origin)
}

// HoldingRequests returns the rules of a service on retirement requests that
// held when they were held against them last, with the state then.
func (s *Store) HoldingRequests(ctx context.Context, origin string) ([]Fired, error) {
	return list(ctx, s, `SELECT id, rule, status FROM request_look WHERE origin = (SELECT id FROM origin WHERE url = ?) AND holds ORDER BY id, rule`,
		func(stmt *sqlite.Stmt) (Fired, bool) {
			rule, err := model.ParseRequestRule(stmt.ColumnText(1))
			return Fired{Request: stmt.ColumnText(0), RequestRule: rule, Status: model.RetirementStatus(stmt.ColumnText(2))}, err == nil
		}, origin)
}

// CrossedRequests holds the rules of a service on retirement requests against
// the last good answers of the ledger at a time, as Crossed does with those on
// vintages. A state lasts since it was first recorded. Of a rule that all requests
// share, a request that is in its state when it is first looked at is no
// crossing, unless the state has to last.
func (s *Store) CrossedRequests(ctx context.Context, origin string, at time.Time) ([]Fired, error) {
	return cross(ctx, s, func(conn *sqlite.Conn) ([]requestLook, error) { return readRequestLooks(conn, origin) },
		func(conn *sqlite.Conn, l requestLook) (*Fired, error) { return l.again(conn, at) })
}

// requestLook is a rule and a request that it is about, with what it found when
// it was last held against it.
type requestLook struct {
	service int64
	RequestAlert
	id     string
	status model.RetirementStatus
	since  time.Time
	before bool
	was    model.RetirementStatus
	held   bool
}

func readRequestLooks(conn *sqlite.Conn, origin string) ([]requestLook, error) {
	return collect(conn, `SELECT r.origin, r.request_id, r.rule, s.id, s.status, s.since, l.id IS NOT NULL, coalesce(l.status, ''), coalesce(l.holds, 0)
		FROM request_rule r JOIN origin ON origin.id = r.origin
		JOIN retirement_state s ON s.origin = r.origin AND r.request_id IN ('', s.id)
		LEFT JOIN request_look l ON l.origin = r.origin AND l.request_id = r.request_id AND l.rule = r.rule AND l.id = s.id
		WHERE url = ? ORDER BY s.id, r.rule, r.request_id`,
		func(stmt *sqlite.Stmt) (requestLook, bool) {
			rule, err := model.ParseRequestRule(stmt.ColumnText(2))
			return requestLook{
				stmt.ColumnInt64(0), RequestAlert{stmt.ColumnText(1), rule}, stmt.ColumnText(3), model.RetirementStatus(stmt.ColumnText(4)),
				columnTime(stmt, 5), stmt.ColumnBool(6), model.RetirementStatus(stmt.ColumnText(7)), stmt.ColumnBool(8),
			}, err == nil
		}, origin)
}

// ofMany reports whether the rule is on a state of every request: who sets it
// does not want to hear of all that have long reached it.
func (l requestLook) ofMany() bool { return l.Request == "" && l.Rule.For == 0 }

func (l requestLook) again(conn *sqlite.Conn, at time.Time) (*Fired, error) {
	holds := l.Rule.Holds(model.RequestFacts{Status: l.status, Was: l.was, Since: l.since, Now: at})
	if l.before && holds == l.held && l.status == l.was {
		return nil, nil
	}
	err := run(conn, `INSERT OR REPLACE INTO request_look (origin, request_id, rule, id, status, holds) VALUES (?, ?, ?, ?, ?, ?)`,
		l.service, l.Request, l.RequestAlert.Rule.String(), l.id, string(l.status), holds)
	if err != nil || !holds || l.held && l.status == l.was || !l.before && l.ofMany() {
		return nil, err
	}
	f := Fired{At: at, Request: l.id, RequestRule: l.Rule, Status: l.status, WasStatus: l.was, Already: !l.before}
	if l.Rule.For > 0 {
		f.Since = l.since
	}
	return &f, f.keep(conn, l.service)
}
