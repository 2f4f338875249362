package store

import (
	"context"
	"time"

	"zombiezen.com/go/sqlite"

	"tonne/model"
)

// History contains the prices of one service and the values of a portfolio.
type History struct{ part }

// Prices returns the observations of a vintage, oldest first. The first one is the one that
// was valid at since, if there is one.
func (h History) Prices(ctx context.Context, key model.VintageKey, since time.Time) ([]Observation, error) {
	return list(ctx, h.part, `SELECT o.at, o.best_ask, o.available FROM vintage v JOIN observation o ON o.vintage = v.id
		WHERE v.origin = (SELECT id FROM origin WHERE url = ?1) AND v.project_id = ?2 AND v.vintage_id = ?3
		AND o.at >= coalesce((SELECT max(at) FROM observation WHERE vintage = v.id AND at <= ?4), ?4) ORDER BY o.at`,
		func(stmt *sqlite.Stmt) (Observation, bool) {
			return Observation{key, columnTime(stmt, 0), columnPrice(stmt, 1), model.Grams(stmt.ColumnInt64(2))}, true
		}, key.ProjectID, key.VintageID, millis(since))
}

// Trends returns n best asks of each vintage, at n evenly spaced times up to until. It omits
// vintages without prices. If the history begins after since, the times begin at the first
// observation. Without an observation before until, there are no trends. The cost depends on
// n and the number of vintages, not on the length of the history.
func (h History) Trends(ctx context.Context, since, until time.Time, n int) (map[model.VintageKey][]model.PriceCents, error) {
	if n <= 0 {
		return nil, nil
	}
	var trends map[model.VintageKey][]model.PriceCents
	err := h.store.read(ctx, func(conn *sqlite.Conn) error {
		trends = make(map[model.VintageKey][]model.PriceCents)
		first, err := firstObservation(conn, h.origin)
		if err != nil || first >= millis(until) {
			return err
		}
		return sample(conn, h.origin, max(millis(since), first), millis(until), n, func(key model.VintageKey, prices []model.PriceCents) { trends[key] = prices })
	})
	return trends, err
}

// looked is the maximum age of an observation that still counts as current.
const looked = time.Hour

// AsksAt returns the best asks at a time, and the time to which they apply. That time is
// different if the history begins later (the first observation), or if there was no
// observation in the hour before (the last one): prices may have changed since then.
func (h History) AsksAt(ctx context.Context, at time.Time) (asks map[model.VintageKey]model.PriceCents, since time.Time, err error) {
	err = h.store.read(ctx, func(conn *sqlite.Conn) error {
		if since, err = asksOf(conn, h.origin, at); err != nil {
			return err
		}
		asks = make(map[model.VintageKey]model.PriceCents)
		return sample(conn, h.origin, millis(since), millis(since), 1, func(key model.VintageKey, prices []model.PriceCents) { asks[key] = prices[0] })
	})
	return asks, since, err
}

func asksOf(conn *sqlite.Conn, origin string, at time.Time) (time.Time, error) {
	first, err := firstObservation(conn, origin)
	if err != nil || first > millis(at) {
		return time.UnixMilli(first), err
	}
	last, err := moment(conn, `SELECT max((SELECT max(at) FROM observation WHERE vintage = v.id AND at <= ?2)) FROM vintage v
		WHERE v.origin = (SELECT id FROM origin WHERE url = ?1)`, origin, millis(at))
	if err == nil && !last.IsZero() && at.Sub(last) > looked {
		return last, nil
	}
	return at, err
}

func firstObservation(conn *sqlite.Conn, origin string) (int64, error) {
	return number(conn, `SELECT min((SELECT min(at) FROM observation WHERE vintage = v.id)) FROM vintage v
		WHERE v.origin = (SELECT id FROM origin WHERE url = ?)`, origin)
}

// sample looks up the prices at each time, each with one index access.
func sample(conn *sqlite.Conn, origin string, from, until int64, n int, add func(model.VintageKey, []model.PriceCents)) error {
	prices, known := make([]model.PriceCents, n), false
	return each(conn, `WITH RECURSIVE moment (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM moment WHERE i < ?4)
		SELECT i, (SELECT best_ask FROM observation WHERE vintage = v.id AND at <= ?2 + (?3 - ?2) * i / ?4 ORDER BY at DESC LIMIT 1),
		v.project_id, v.vintage_id
		FROM vintage v CROSS JOIN moment WHERE v.origin = (SELECT id FROM origin WHERE url = ?1) ORDER BY v.id, i`,
		func(stmt *sqlite.Stmt) error {
			i := stmt.ColumnInt(0)
			prices[i-1] = columnPrice(stmt, 1)
			known = known || prices[i-1].Known()
			if i == n {
				if known {
					add(columnKey(stmt, 2), prices)
				}
				prices, known = make([]model.PriceCents, n), false
			}
			return nil
		}, origin, from, until, n)
}
