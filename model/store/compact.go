package store

import (
	"time"

	"zombiezen.com/go/sqlite"

	"tonne/model"
)

// tiers thin out observations older than age: each span keeps its lowest, highest and last
// price. Spans of a tier divide those of the one before.
var tiers = [...]struct{ age, span time.Duration }{
	{30 * 24 * time.Hour, 24 * time.Hour},
	{48 * time.Hour, time.Hour},
	{2 * time.Hour, 5 * time.Minute},
}

// forgotten is the age beyond which only the last observation is kept.
const forgotten = 2 * 365 * 24 * time.Hour

// A vintage is thinned out once every compactEvery, at most compactAtOnce of
// them in one go, so that no poll waits for long.
const (
	compactEvery  = time.Hour
	compactAtOnce = 20
)

func compactSome(conn *sqlite.Conn, origin int64, now time.Time) error {
	vintages, err := collect(conn, `SELECT id FROM vintage WHERE origin = ? AND compacted_at < ? ORDER BY compacted_at LIMIT ?`,
		func(stmt *sqlite.Stmt) (int64, bool) { return stmt.ColumnInt64(0), true },
		origin, millis(now.Add(-compactEvery)), compactAtOnce)
	if err != nil {
		return err
	}
	return all(vintages, func(vintage int64) error { return compact(conn, vintage, now) })
}

func compact(conn *sqlite.Conn, vintage int64, now time.Time) error {
	points, err := collect(conn, `SELECT at, best_ask FROM observation WHERE vintage = ? ORDER BY at`,
		func(stmt *sqlite.Stmt) (point, bool) { return point{stmt.ColumnInt64(0), columnPrice(stmt, 1)}, true }, vintage)
	if err != nil {
		return err
	}
	for _, at := range superfluous(points, now) {
		if err := run(conn, `DELETE FROM observation WHERE vintage = ? AND at = ?`, vintage, at); err != nil {
			return err
		}
	}
	return run(conn, `UPDATE vintage SET compacted_at = ? WHERE id = ?`, millis(now), vintage)
}

type point struct {
	at    int64
	price model.PriceCents
}

func superfluous(points []point, now time.Time) []int64 {
	var drop []int64
	for len(points) > 0 {
		span, end := spanOf(points[0], now), 1
		for end < len(points) && spanOf(points[end], now) == span {
			end++
		}
		low, high := extremes(points[:end])
		for i, p := range points[:end-1] {
			if span.forgotten || i != low && i != high {
				drop = append(drop, p.at)
			}
		}
		points = points[end:]
	}
	return drop
}

// span names the points that are thinned out together.
type span struct {
	length    time.Duration
	n         int64
	forgotten bool
}

func spanOf(p point, now time.Time) span {
	age := time.Duration(now.UnixMilli()-p.at) * time.Millisecond
	if age > forgotten {
		return span{forgotten: true}
	}
	for _, tier := range tiers {
		if age > tier.age {
			return span{length: tier.span, n: p.at / tier.span.Milliseconds()}
		}
	}
	return span{n: p.at}
}

func extremes(points []point) (low, high int) {
	low, high = -1, -1
	for i, p := range points {
		if !p.price.Known() {
			continue
		}
		if low < 0 || p.price < points[low].price {
			low = i
		}
		if high < 0 || p.price > points[high].price {
			high = i
		}
	}
	return low, high
}
