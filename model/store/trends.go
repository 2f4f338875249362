package store

import (
	"context"
	"time"

	"zombiezen.com/go/sqlite"

	"tonne/model"
)

// Trends returns how the best ask of each vintage of a service moved: n
// prices each, at n moments that divide the time from since to until evenly
// and end with until. A price is UnknownPrice where there was none. Where
// nothing is remembered from before since, the time begins with the first
// observation, so that a short memory is not drawn as an empty line.
func (s *Store) Trends(ctx context.Context, origin string, since, until time.Time, n int) (map[model.VintageKey][]model.PriceCents, error) {
	var histories []history
	err := s.read(ctx, func(conn *sqlite.Conn) (err error) {
		histories, err = readHistories(conn, origin, since, until)
		return err
	})
	if err != nil || n <= 0 {
		return nil, err
	}
	from := until
	for _, h := range histories {
		from = earlier(from, time.UnixMilli(h.points[0].at))
	}
	if from.Before(since) {
		from = since
	}
	trends := make(map[model.VintageKey][]model.PriceCents, len(histories))
	for _, h := range histories {
		trends[h.key] = h.sample(from, until, n)
	}
	return trends, nil
}

// history is what was observed of one vintage, oldest first and never empty.
type history struct {
	key    model.VintageKey
	points []point
}

// point is a price from a moment on.
type point struct {
	at    int64
	price model.PriceCents
}

func readHistories(conn *sqlite.Conn, origin string, since, until time.Time) ([]history, error) {
	var histories []history
	vintage := int64(0)
	err := each(conn, `SELECT v.id, o.at, o.best_ask, v.project_id, v.vintage_id
		FROM vintage v JOIN observation o ON o.vintage = v.id
		WHERE v.origin = (SELECT id FROM origin WHERE url = ?1) AND o.at <= ?3
		AND o.at >= coalesce((SELECT max(at) FROM observation WHERE vintage = v.id AND at <= ?2), ?2) ORDER BY v.id, o.at`,
		func(stmt *sqlite.Stmt) error {
			if id := stmt.ColumnInt64(0); id != vintage {
				vintage = id
				histories = append(histories, history{key: columnKey(stmt, 3)})
			}
			last := &histories[len(histories)-1]
			last.points = append(last.points, point{stmt.ColumnInt64(1), columnPrice(stmt, 2)})
			return nil
		}, origin, millis(since), millis(until))
	return histories, err
}

// sample returns the prices at n moments, of which the last is until.
func (h history) sample(from, until time.Time, n int) []model.PriceCents {
	prices := make([]model.PriceCents, n)
	price, next := model.UnknownPrice, 0
	start, end := from.UnixMilli(), until.UnixMilli()
	for i := range prices {
		moment := start + (end-start)*int64(i+1)/int64(n)
		for next < len(h.points) && h.points[next].at <= moment {
			price = h.points[next].price
			next++
		}
		prices[i] = price
	}
	return prices
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}
