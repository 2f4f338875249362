package store

import (
	"context"
	"slices"
	"time"

	"zombiezen.com/go/sqlite"

	"tonne/model"
	"tonne/model/market"
)

// History contains the prices of one service and the values of a portfolio.
type History struct{ part }

// Observation is the best ask and the quantity on offer of a vintage until the next
// observation.
type Observation struct {
	Vintage model.VintageKey
	At      time.Time
	// BestAsk is UnknownPrice if no whole tonne was for sale.
	BestAsk   model.PriceCents
	Available model.Grams
}

// Observations returns the observations of all vintages of a market that was read at a time.
func Observations(m *market.Market, at time.Time) []Observation {
	observations := make([]Observation, m.Vintages())
	for i := range observations {
		v := m.Vintage(i)
		observations[i] = Observation{m.Key(i), at, v.BestAsk, v.Available}
	}
	return observations
}

// late is the maximum delay of an observation of another program. A longer delay means that
// the clock was set back.
const late = 5 * time.Minute

// Observe saves observations, all or none, and thins out old ones. It ignores those that equal
// the last observation of their vintage or arrive too late.
func (h History) Observe(ctx context.Context, observations []Observation) error {
	if len(observations) == 0 {
		return nil
	}
	return h.write(ctx, func(t *tx) {
		t.seeMarket(observations[0].At, observations[len(observations)-1].At)
		known, newest := t.lastObservations(), time.Time{}
		for _, o := range observations {
			last, found := known[o.Vintage]
			overtaken := o.At.Before(last.At) && last.At.Sub(o.At) <= late
			if !found || !overtaken && (o.BestAsk != last.BestAsk || o.Available != last.Available) {
				t.keepObservation(o)
				known[o.Vintage], newest = o, o.At
			}
		}
		t.compactSome(newest)
	})
}

func (t *tx) lastObservations() map[model.VintageKey]Observation {
	return mapped(t, `SELECT project_id, vintage_id, at, best_ask, available FROM vintage WHERE origin = ?`,
		func(stmt *sqlite.Stmt) (model.VintageKey, Observation) {
			key := columnKey(stmt, 0)
			return key, columnObservation(stmt, 2, key)
		})
}

func columnObservation(stmt *sqlite.Stmt, col int, key model.VintageKey) Observation {
	return Observation{key, columnTime(stmt, col), columnKnown[model.PriceCents](stmt, col+1),
		model.Grams(stmt.ColumnInt64(col + 2))}
}

func (t *tx) keepObservation(o Observation) {
	vintage := t.number(`INSERT INTO vintage (origin, project_id, vintage_id, at, best_ask, available, compacted_at) VALUES
		(?1, ?2, ?3, ?4, ?5, ?6, ?4)
		ON CONFLICT (origin, project_id, vintage_id) DO UPDATE SET at = excluded.at, best_ask = excluded.best_ask, available =
		excluded.available RETURNING id`,
		o.Vintage.ProjectID, o.Vintage.VintageID, millis(o.At), known(o.BestAsk), int64(o.Available))
	t.run(`INSERT INTO observation (vintage, at, best_ask, available) VALUES (?2, ?3, ?4, ?5)
		ON CONFLICT (vintage, at) DO UPDATE SET best_ask = excluded.best_ask, available = excluded.available`,
		vintage, millis(o.At), known(o.BestAsk), int64(o.Available))
}

// LastSeen returns the last observation of each vintage and the time when the market was last
// read, zero if never.
func (h History) LastSeen(ctx context.Context) (last map[model.VintageKey]Observation, at time.Time, err error) {
	err = h.read(ctx, func(t *tx) {
		at = fromMillis(t.number(`SELECT at FROM looked WHERE origin = ? AND what = ?`, atMarket))
		last = t.lastObservations()
	})
	return last, at, err
}

// Prices returns the observations of a vintage, oldest first. The first one is the one that
// was valid at since, if there is one.
func (h History) Prices(ctx context.Context, key model.VintageKey, since time.Time) ([]Observation, error) {
	return list(ctx, h.part, `SELECT o.at, o.best_ask, o.available FROM vintage v JOIN observation o ON o.vintage = v.id
		WHERE v.origin = ?1 AND v.project_id = ?2 AND v.vintage_id = ?3
		AND o.at >= coalesce((SELECT max(at) FROM observation WHERE vintage = v.id AND at <= ?4), ?4) ORDER BY o.at`,
		func(stmt *sqlite.Stmt) (Observation, bool) { return columnObservation(stmt, 0, key), true },
		key.ProjectID, key.VintageID, millis(since))
}

// Trends returns n best asks of each vintage, at n evenly spaced times up to until. It omits
// vintages without prices. If the history begins after since, the times begin at the first
// observation. Without an observation before until, there are no trends. The cost depends on
// n and the number of vintages, not on the length of the history.
func (h History) Trends(ctx context.Context, since, until time.Time,
	n int) (trends map[model.VintageKey][]model.PriceCents, err error) {
	if n <= 0 {
		return nil, nil
	}
	err = h.read(ctx, func(t *tx) {
		trends = nil
		if first := t.firstObservation(); first < millis(until) {
			trends = t.sample(max(millis(since), first), millis(until), n)
		}
	})
	return trends, err
}

// current is the maximum age of an observation that still counts as current.
const current = time.Hour

// AsksAt returns the best asks at a time, and the time to which they apply. That time is
// different if the history begins later (the first observation), or if there was no
// observation in the hour before (the last one): prices may have changed since then.
func (h History) AsksAt(ctx context.Context, at time.Time) (asks map[model.VintageKey]model.PriceCents, since time.Time,
	err error) {
	err = h.read(ctx, func(t *tx) {
		since = t.timeOfAsks(at)
		asks = make(map[model.VintageKey]model.PriceCents)
		for key, prices := range t.sample(millis(since), millis(since), 1) {
			asks[key] = prices[0]
		}
	})
	return asks, since, err
}

func (t *tx) timeOfAsks(at time.Time) time.Time {
	if first := t.firstObservation(); first > millis(at) {
		return time.UnixMilli(first)
	}
	last := fromMillis(t.number(`SELECT max((SELECT max(at) FROM observation WHERE vintage = v.id AND at <= ?2)) FROM
		vintage v WHERE v.origin = ?1`, millis(at)))
	if !last.IsZero() && at.Sub(last) > current {
		return last
	}
	return at
}

func (t *tx) firstObservation() int64 {
	return t.number(`SELECT min((SELECT min(at) FROM observation WHERE vintage = v.id)) FROM vintage v WHERE v.origin = ?`)
}

// sample looks up n prices of each vintage, each with one index access.
func (t *tx) sample(from, until int64, n int) map[model.VintageKey][]model.PriceCents {
	samples := make(map[model.VintageKey][]model.PriceCents)
	prices := make([]model.PriceCents, n)
	t.each(`WITH RECURSIVE moment (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM moment WHERE i < ?4)
		SELECT i, (SELECT best_ask FROM observation WHERE vintage = v.id AND at <= ?2 + (?3 - ?2) * i / ?4 ORDER BY at DESC
		LIMIT 1),
		v.project_id, v.vintage_id
		FROM vintage v CROSS JOIN moment WHERE v.origin = ?1 ORDER BY v.id, i`,
		func(stmt *sqlite.Stmt) {
			i := stmt.ColumnInt(0)
			if prices[i-1] = columnKnown[model.PriceCents](stmt, 1); i == n {
				if slices.ContainsFunc(prices, model.PriceCents.Known) {
					samples[columnKey(stmt, 2)] = prices
				}
				prices = make([]model.PriceCents, n)
			}
		}, from, until, n)
	return samples
}

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
	return h.write(ctx, func(t *tx) { t.seeMarket(at, at) })
}

func (t *tx) seeMarket(from, until time.Time) {
	before := t.look(atMarket, until)
	if before.IsZero() || from.Sub(before) <= Unwatched {
		return
	}
	t.run(`INSERT OR REPLACE INTO gap (origin, since, until) VALUES (?, ?, ?)`, millis(before), millis(from))
	// Gaps between observations that were thinned out are of no use.
	for _, tier := range tiers {
		t.run(`DELETE FROM gap WHERE origin = ? AND until < ? AND until - since < ?`, millis(until.Add(-tier.age)),
			tier.span.Milliseconds())
	}
	t.run(`DELETE FROM gap WHERE origin = ? AND until < ?`, millis(until.Add(-forgotten)))
}

// look records that a subject was looked at, and returns the time of the last look.
func (t *tx) look(what string, at time.Time) (before time.Time) {
	before = fromMillis(t.number(`SELECT at FROM looked WHERE origin = ? AND what = ?`, what))
	if at.After(before) {
		t.run(`INSERT OR REPLACE INTO looked (origin, what, at) VALUES (?, ?, ?)`, what, millis(at))
	}
	return before
}

// Gaps returns the gaps of a market since a time, oldest first.
func (h History) Gaps(ctx context.Context, since time.Time) ([]Gap, error) {
	return list(ctx, h.part, `SELECT since, until FROM gap WHERE origin = ? AND until > ? ORDER BY until`,
		func(stmt *sqlite.Stmt) (Gap, bool) { return Gap{columnTime(stmt, 0), columnTime(stmt, 1)}, true }, millis(since))
}

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

func (t *tx) compactSome(now time.Time) {
	due := collect(t, `SELECT id FROM vintage WHERE origin = ? AND compacted_at < ? ORDER BY compacted_at LIMIT ?`,
		func(stmt *sqlite.Stmt) (int64, bool) { return stmt.ColumnInt64(0), true }, millis(now.Add(-compactEvery)),
		compactAtOnce)
	for _, vintage := range due {
		t.compact(vintage, now)
	}
}

func (t *tx) compact(vintage int64, now time.Time) {
	from := millis(now.Add(-forgotten))
	t.run(`DELETE FROM observation WHERE vintage = ?2 AND at < (SELECT max(at) FROM observation WHERE vintage = ?2 AND at <
		?3)`, vintage, from)
	for _, tier := range tiers {
		until := millis(now.Add(-tier.age))
		t.run(`DELETE FROM observation WHERE vintage = ?2 AND at IN (
			SELECT at FROM (SELECT at, best_ask, row_number() OVER (PARTITION BY at / ?5 ORDER BY at DESC) AS last,
				row_number() OVER (PARTITION BY at / ?5 ORDER BY best_ask IS NULL, best_ask, at) AS low,
				row_number() OVER (PARTITION BY at / ?5 ORDER BY best_ask DESC, at) AS high
				FROM observation WHERE vintage = ?2 AND at >= ?3 AND at < ?4)
			WHERE last > 1 AND (best_ask IS NULL OR low > 1 AND high > 1))`, vintage, from, until, tier.span.Milliseconds())
		from = until
	}
	t.run(`UPDATE vintage SET compacted_at = ?2 WHERE id = ?3`, millis(now), vintage)
}
