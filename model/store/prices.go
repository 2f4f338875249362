package store

import (
	"context"
	"time"

	"zombiezen.com/go/sqlite"

	"tonne/model"
)

// History is the prices of one service, and what a portfolio at it was worth.
type History struct{ part }

// Prices returns the observations of a vintage, oldest first, beginning with
// the one that held at since if there is one.
func (h History) Prices(ctx context.Context, key model.VintageKey, since time.Time) ([]Observation, error) {
	return list(ctx, h.part, `SELECT o.at, o.best_ask, o.available FROM vintage v JOIN observation o ON o.vintage = v.id
		WHERE v.origin = (SELECT id FROM origin WHERE url = ?1) AND v.project_id = ?2 AND v.vintage_id = ?3
		AND o.at >= coalesce((SELECT max(at) FROM observation WHERE vintage = v.id AND at <= ?4), ?4) ORDER BY o.at`,
		func(stmt *sqlite.Stmt) (Observation, bool) {
			return Observation{key, columnTime(stmt, 0), columnPrice(stmt, 1), model.Grams(stmt.ColumnInt64(2))}, true
		}, key.ProjectID, key.VintageID, millis(since))
}

// Trends returns n best asks of each vintage, at n even moments that end with until. A
// vintage without any is left out. A memory that is shorter than since begins with its
// first observation; without one before until there are no trends. The cost grows with n
// and the vintages, not with their histories.
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

// looked is how old an observation may be and still be of the moment.
const looked = time.Hour

// AsksAt returns the best asks that held at a moment, and the moment that they are of:
// that of the first observation if none is older, or of the last one if nothing was
// observed in the hour before, since prices may have moved at any time after it.
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

// sample looks up what held at each moment, which an index answers at once.
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
