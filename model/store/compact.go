package store

import (
	"time"

	"zombiezen.com/go/sqlite"
)

// tiers define how observations older than age are thinned out: only the lowest, highest and
// last price of each span remain. A span is a multiple of the previous tier's span.
var tiers = [...]struct{ age, span time.Duration }{
	{30 * 24 * time.Hour, 24 * time.Hour},
	{48 * time.Hour, time.Hour},
	{2 * time.Hour, 5 * time.Minute},
}

// forgotten is the age from which only the last observation is kept.
const forgotten = 2 * 365 * 24 * time.Hour

// Each vintage is thinned out once per compactEvery, and at most compactAtOnce vintages at a
// time, so that no poll has to wait long.
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
	oldest := millis(now.Add(-forgotten))
	err := run(conn, `DELETE FROM observation WHERE vintage = ?1 AND at < (SELECT max(at) FROM observation WHERE vintage = ?1 AND at < ?2)`, vintage, oldest)
	if err != nil {
		return err
	}
	from := oldest
	for _, tier := range tiers {
		until := millis(now.Add(-tier.age))
		err := run(conn, `DELETE FROM observation WHERE vintage = ?1 AND at IN (
			SELECT at FROM (SELECT at, best_ask, row_number() OVER (PARTITION BY at / ?4 ORDER BY at DESC) AS last,
				row_number() OVER (PARTITION BY at / ?4 ORDER BY best_ask IS NULL, best_ask, at) AS low,
				row_number() OVER (PARTITION BY at / ?4 ORDER BY best_ask DESC, at) AS high
				FROM observation WHERE vintage = ?1 AND at >= ?2 AND at < ?3)
			WHERE last > 1 AND (best_ask IS NULL OR low > 1 AND high > 1))`, vintage, from, until, tier.span.Milliseconds())
		if err != nil {
			return err
		}
		from = until
	}
	return run(conn, `UPDATE vintage SET compacted_at = ? WHERE id = ?`, millis(now), vintage)
}
