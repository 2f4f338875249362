package record

import (
	"context"
	"time"

	"zombiezen.com/go/sqlite"

	"tonne/model"
)

// Period is a run of reads at most Unwatched apart.
type Period struct {
	// From and To are the times of the first and the last read.
	From, To time.Time
	Reads    int64
	// Changes counts the orders that appeared, vanished or changed between two of the reads.
	Changes int64
}

// Periods returns the watched periods, oldest first. Of the reads, only those from a time, and before
// another, count. A zero time sets no limit.
func (s Service) Periods(ctx context.Context, from, to time.Time) (all []Period, err error) {
	err = s.file.use(ctx, "BEGIN", func(t *tx) {
		origin, starts := t.origin(s.url), []int64(nil)
		t.each("SELECT since FROM period WHERE origin = ? ORDER BY since",
			func(stmt *sqlite.Stmt) { starts = append(starts, stmt.ColumnInt64(0)) }, origin)
		for i, start := range starts {
			end := int64(maxTime)
			if i+1 < len(starts) {
				end = starts[i+1]
			}
			if !from.IsZero() {
				start = max(start, from.UnixMilli())
			}
			if !to.IsZero() {
				end = min(end, to.UnixMilli())
			}
			t.each(`SELECT min(at), max(at), count(*), sum(changes) FROM read WHERE origin = ? AND at >= ? AND at < ?`,
				func(stmt *sqlite.Stmt) {
					if p := (Period{columnTime(stmt, 0), columnTime(stmt, 1), stmt.ColumnInt64(2), stmt.ColumnInt64(3)}); p.Reads > 0 {
						all = append(all, p)
					}
				}, origin, start, end)
		}
	})
	return all, err
}

// maxTime is after all times and places.
const maxTime = 1<<63 - 1

// Intervals returns the number of intervals of the service's orders.
func (s Service) Intervals(ctx context.Context) (n int64, err error) {
	err = s.file.use(ctx, "BEGIN", func(t *tx) {
		n = t.number(`SELECT (SELECT count(*) FROM past_offer WHERE origin = ?1 AND order_id <> '') +
			(SELECT count(*) FROM offer WHERE vintage IN (SELECT id FROM vintage WHERE origin = ?1) AND order_id <> '')`,
			t.origin(s.url))
	})
	return n, err
}

// Change returns the time of the first read after another time that showed the orders of a vintage
// changed, or of the last one before it if back is set. It is zero if there is none.
func (s Service) Change(ctx context.Context, of model.VintageKey, at time.Time, back bool) (change time.Time,
	err error) {
	err = s.file.use(ctx, "BEGIN", func(t *tx) {
		origin := t.origin(s.url)
		vintage := t.number("SELECT id FROM vintage WHERE origin = ? AND project_id = ? AND vintage_id = ?", origin,
			of.ProjectID, of.VintageID)
		first := t.moment("SELECT min(at) FROM read WHERE origin = ?", origin)
		last := t.moment("SELECT max(at) FROM read WHERE origin = ?", origin)
		for reach := time.Hour; t.err == nil && change.IsZero(); reach *= 4 {
			from, to := at, at.Add(reach)
			if back {
				from, to = at.Add(-reach), at
			}
			if from.After(last) || to.Before(first) {
				return
			}
			change = t.change(origin, vintage, from, to, back)
		}
	})
	return change, err
}

// change finds a change of a vintage between two times, not at them.
func (t *tx) change(origin, vintage int64, from, to time.Time, back bool) (found time.Time) {
	after, before := from.UnixMilli(), to.UnixMilli()
	take := func(ms int64) {
		at := time.UnixMilli(ms)
		// Pruning leaves the time of a change whose read it removed.
		if ms > after && ms < before && (found.IsZero() || at.Before(found) != back) &&
			t.number("SELECT count(*) FROM read WHERE origin = ? AND at = ?", origin, ms) > 0 {
			found = at.In(from.Location())
		}
	}
	t.valid(origin, from, to, vintage, func(stmt *sqlite.Stmt) {
		take(stmt.ColumnInt64(4))
		take(stmt.ColumnInt64(5))
	})
	return found
}
