package record

import (
	"context"
	"errors"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// Pruned is what Prune removed, or would remove.
type Pruned struct{ Intervals, Reads, Bytes int64 }

// errDry ends a transaction that must change nothing.
var errDry = errors.New("dry run")

// Prune removes the intervals and reads of a service that ended before a time, except what belongs to
// purchases at the times cited: the reads around each, and the orders that they showed. If dry is set, it
// changes nothing. The bytes are whole pages of the file.
func (s Service) Prune(ctx context.Context, before time.Time, cited []time.Time, dry bool) (p Pruned, err error) {
	err = s.file.use(ctx, "BEGIN IMMEDIATE", func(t *tx) {
		const free = "SELECT freelist_count * page_size FROM pragma_freelist_count, pragma_page_size"
		origin := t.origin(s.url)
		ends := t.keep(origin, before, cited)
		p.Bytes = -t.number(free)
		p.Intervals = t.run(`DELETE FROM past_offer WHERE origin = ? AND until <= ?
			AND NOT EXISTS (SELECT 1 FROM kept WHERE at >= since AND at < until)`, origin, before.UnixMilli())
		p.Reads = t.run("DELETE FROM read WHERE origin = ? AND at < ? AND at NOT IN (SELECT at FROM kept)", origin,
			before.UnixMilli())
		t.run("DROP TABLE kept")
		p.Bytes += t.number(free)
		t.divide(origin, before, ends)
		if dry && t.err == nil {
			t.err = errDry
		}
	})
	if errors.Is(err, errDry) {
		return p, nil
	}
	if err == nil {
		err = s.file.locked(ctx, func() error {
			// Another program may be reading: then the pages stay in the file, and are used again.
			err := sqlitex.ExecuteTransient(s.file.conn, "VACUUM", nil)
			if sqlite.ErrCode(err).ToPrimary() == sqlite.ResultBusy {
				return nil
			}
			return err
		})
	}
	return p, err
}

// keep makes the table of the reads before a time that purchases cite, and returns the starts of the
// periods that lose reads, with the differences of the clocks.
func (t *tx) keep(origin int64, before time.Time, cited []time.Time) (ahead map[int64]any) {
	t.run("CREATE TEMP TABLE kept (at INTEGER PRIMARY KEY)")
	for _, at := range cited {
		ms, near := at.UnixMilli(), Unwatched.Milliseconds()
		t.run(`INSERT OR IGNORE INTO kept SELECT max(at) FROM read
			WHERE origin = ? AND at <= ? AND at >= ? HAVING max(at) > 0`,
			origin, ms, ms-near)
		t.run(`INSERT OR IGNORE INTO kept SELECT min(at) FROM read
			WHERE origin = ? AND at > ? AND at <= ? HAVING min(at) > 0`,
			origin, ms, ms+near)
	}
	ahead = make(map[int64]any)
	t.each("SELECT since, ahead FROM period WHERE origin = ? AND since < ?", func(stmt *sqlite.Stmt) {
		ahead[stmt.ColumnInt64(0)] = nil
		if !stmt.ColumnIsNull(1) {
			ahead[stmt.ColumnInt64(0)] = stmt.ColumnInt64(1)
		}
	}, origin, before.UnixMilli())
	return ahead
}

// divide enters the periods of the reads that are left before a time, and of the first one after it.
func (t *tx) divide(origin int64, before time.Time, ahead map[int64]any) {
	t.run("DELETE FROM period WHERE origin = ? AND since < ?", origin, before.UnixMilli())
	last, starts := int64(0), []int64(nil)
	t.each(`SELECT at FROM read WHERE origin = ?1 AND at <=
		coalesce((SELECT min(at) FROM read WHERE origin = ?1 AND at >= ?2), ?2) ORDER BY at`, func(stmt *sqlite.Stmt) {
		at := stmt.ColumnInt64(0)
		if last == 0 || at-last > Unwatched.Milliseconds() {
			starts = append(starts, at)
		}
		last = at
	}, origin, before.UnixMilli())
	for _, at := range starts {
		of := int64(0)
		for since := range ahead {
			if since <= at {
				of = max(of, since)
			}
		}
		t.run("INSERT OR IGNORE INTO period (origin, since, ahead) VALUES (?, ?, ?)", origin, at, ahead[of])
	}
}
