package store

import (
	"context"
	"time"

	"zombiezen.com/go/sqlite"

	"tonne/model"
)

// Gap is a period in which the market was not read. The times of changes in it are unknown.
type Gap struct{ From, Until time.Time }

// Unwatched is the minimum time between two reads that counts as a gap. It is longer than the
// interval of background polls with one failure.
const Unwatched = 2 * time.Minute

// Subjects of the table looked.
const (
	atMarket = "market"
	atRules  = "rules"
)

// Saw records that the market was read again and had not changed.
func (h History) Saw(ctx context.Context, at time.Time) error {
	return h.write(ctx, func(conn *sqlite.Conn, service int64) error {
		return seeMarket(conn, service, at, at)
	})
}

func seeMarket(conn *sqlite.Conn, service int64, from, until time.Time) error {
	before, err := look(conn, service, atMarket, until)
	if err != nil || before.IsZero() || from.Sub(before) <= Unwatched {
		return err
	}
	if err := run(conn, `INSERT OR REPLACE INTO gap (origin, since, until) VALUES (?, ?, ?)`, service, millis(before), millis(from)); err != nil {
		return err
	}
	return thinGaps(conn, service, until)
}

func look(conn *sqlite.Conn, service int64, what string, at time.Time) (before time.Time, err error) {
	before, err = moment(conn, `SELECT at FROM looked WHERE origin = ? AND what = ?`, service, what)
	if err != nil || !at.After(before) {
		return before, err
	}
	return before, run(conn, `INSERT OR REPLACE INTO looked (origin, what, at) VALUES (?, ?, ?)`, service, what, millis(at))
}

// thinGaps deletes the gaps between observations that were thinned out.
func thinGaps(conn *sqlite.Conn, service int64, now time.Time) error {
	for _, tier := range tiers {
		err := run(conn, `DELETE FROM gap WHERE origin = ? AND until < ? AND until - since < ?`, service, millis(now.Add(-tier.age)), tier.span.Milliseconds())
		if err != nil {
			return err
		}
	}
	return run(conn, `DELETE FROM gap WHERE origin = ? AND until < ?`, service, millis(now.Add(-forgotten)))
}

// Gaps returns the gaps of a market since a time, oldest first.
func (h History) Gaps(ctx context.Context, since time.Time) ([]Gap, error) {
	return list(ctx, h.part, `SELECT since, until FROM gap JOIN origin ON origin.id = origin WHERE url = ? AND until > ? ORDER BY until`,
		func(stmt *sqlite.Stmt) (Gap, bool) { return Gap{columnTime(stmt, 0), columnTime(stmt, 1)}, true }, millis(since))
}

// LastSeen returns the last observation of each vintage and the time when the market was last
// read, zero if never.
func (h History) LastSeen(ctx context.Context) (last map[model.VintageKey]Observation, at time.Time, err error) {
	err = h.store.read(ctx, func(conn *sqlite.Conn) (err error) {
		at, err = moment(conn, `SELECT at FROM looked JOIN origin ON origin.id = origin WHERE url = ? AND what = ?`, h.origin, atMarket)
		if err == nil {
			last, err = lastObservations(conn, h.origin)
		}
		return err
	})
	return last, at, err
}
