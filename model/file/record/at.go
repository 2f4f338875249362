package record

import (
	"cmp"
	"context"
	"maps"
	"math/bits"
	"slices"
	"time"

	"zombiezen.com/go/sqlite"

	"tonne/model"
	"tonne/model/market"
)

// Seen is the market of a read.
type Seen struct {
	Market *market.Market
	// At is the end of the read, and Next that of the following one, zero if there is none.
	At, Next time.Time
	// Ahead is how far the clock of the service was ahead in the watched period, if Dated.
	Ahead time.Duration
	Dated bool
}

// UnwatchedError is returned for a time at which no program watched the market.
type UnwatchedError struct {
	At time.Time
	// Before and After are the times of the nearest reads, zero if there is none.
	Before, After time.Time
}

// Error names the reads before and after.
func (e *UnwatchedError) Error() string {
	near := func(t time.Time) string { return t.In(e.At.Location()).Format("2006-01-02 15:04:05 MST") }
	text := "the market of " + near(e.At) + " was not recorded; "
	switch {
	case e.Before.IsZero() && e.After.IsZero():
		return text + "nothing was"
	case e.Before.IsZero():
		return text + "the first read ended at " + near(e.After)
	case e.After.IsZero():
		return text + "the last read before it ended at " + near(e.Before) + ", and there is none after it"
	}
	return text + "the reads before and after it ended at " + near(e.Before) + " and " + near(e.After)
}

// At returns the market of the last read that ended at or before a time. The error is an
// *UnwatchedError if that was more than Unwatched before, or from the file.
func (s Service) At(ctx context.Context, at time.Time) (seen Seen, err error) {
	err = s.file.use(ctx, "BEGIN", func(t *tx) {
		origin := t.origin(s.url)
		if seen = t.seen(origin, at); t.err != nil {
			return
		}
		b := newBuilder(t.vintages(origin))
		t.valid(origin, seen.At, seen.At, 0, b.add)
		seen.Market = b.market()
	})
	return seen, err
}

func (t *tx) origin(url string) int64 { return t.number("SELECT id FROM origin WHERE url = ?", url) }

// seen finds the read of a time, without its market.
func (t *tx) seen(origin int64, at time.Time) (s Seen) {
	last := t.moment("SELECT max(at) FROM read WHERE origin = ? AND at <= ?", origin, at.UnixMilli())
	s.Next = t.moment("SELECT min(at) FROM read WHERE origin = ? AND at > ?", origin, at.UnixMilli())
	if last.IsZero() || at.UnixMilli()-last.UnixMilli() > Unwatched.Milliseconds() {
		if t.err == nil {
			t.err = &UnwatchedError{at, last, s.Next}
		}
		return s
	}
	s.At = last.In(at.Location())
	if !s.Next.IsZero() {
		s.Next = s.Next.In(at.Location())
	}
	const period = "SELECT ahead FROM period WHERE origin = ? AND since <= ? ORDER BY since DESC LIMIT 1"
	t.each(period, func(stmt *sqlite.Stmt) {
		s.Ahead, s.Dated = time.Duration(stmt.ColumnInt64(0))*time.Millisecond, !stmt.ColumnIsNull(0)
	}, origin, last.UnixMilli())
	return s
}

// span returns the number of bits of a duration in milliseconds.
func span(duration int64) int { return bits.Len64(uint64(duration)) }

// longest is the span of the longest interval: 70 years.
const longest = 41

// valid passes the offers that were valid at a time from first to last: their vintage, id, price
// and quantity, and the beginning and end of the interval, which is 0 if it has not ended. If
// vintage is not 0, it passes only the offers of this one.
func (t *tx) valid(origin int64, first, last time.Time, vintage int64, row func(*sqlite.Stmt)) {
	from, to := first.UnixMilli(), last.UnixMilli()
	for s := range longest + 1 {
		t.each(`SELECT vintage, order_id, price, quantity, since, until FROM past_offer
			WHERE origin = ?1 AND span = ?2 AND since > ?3 AND since <= ?4 AND until > ?5 AND (?6 = 0 OR vintage = ?6)`, row,
			origin, s, from-1<<s, to, from, vintage)
	}
	t.each(`SELECT vintage, order_id, price, quantity, since, 0 FROM offer
		WHERE vintage IN (SELECT id FROM vintage WHERE origin = ?1) AND since <= ?2
		AND (?3 = 0 OR vintage = ?3)`, row, origin, to, vintage)
}

// listing is a vintage as it is built.
type listing struct {
	key    model.VintageKey
	year   int32
	place  int64
	digest int64
	orders []market.SellOrder
	listed bool
}

func (t *tx) vintages(origin int64) map[int64]*listing {
	all := make(map[int64]*listing)
	const query = "SELECT id, project_id, vintage_id, year, place, digest FROM vintage WHERE origin = ?"
	t.each(query, func(stmt *sqlite.Stmt) {
		all[stmt.ColumnInt64(0)] = &listing{
			key:  model.VintageKey{ProjectID: stmt.ColumnText(1), VintageID: stmt.ColumnText(2)},
			year: int32(stmt.ColumnInt64(3)), place: stmt.ColumnInt64(4), digest: stmt.ColumnInt64(5),
		}
	}, origin)
	return all
}

// builder makes a market of the rows of offers.
type builder struct {
	vintages map[int64]*listing
	orders   int
}

func newBuilder(vintages map[int64]*listing) *builder { return &builder{vintages: vintages} }

func (b *builder) add(stmt *sqlite.Stmt) {
	l := b.vintages[stmt.ColumnInt64(0)]
	if l == nil {
		return
	}
	l.listed = true
	if id := stmt.ColumnText(1); id != "" {
		l.orders = append(l.orders, market.SellOrder{
			ID: id, Price: model.PriceCents(stmt.ColumnInt64(2)), Quantity: model.Grams(stmt.ColumnInt64(3)),
		})
		b.orders++
	}
}

// market returns the market, with the vintages in the order of the service, and the orders of each by
// price and id.
func (b *builder) market() *market.Market {
	sorted := slices.SortedFunc(maps.Values(b.vintages), func(x, y *listing) int {
		return cmp.Or(cmp.Compare(x.place, y.place), cmp.Compare(x.key.ProjectID, y.key.ProjectID),
			cmp.Compare(x.key.VintageID, y.key.VintageID))
	})
	var page market.Page
	page.Grow(b.orders)
	project := ""
	for _, l := range sorted {
		if !l.listed {
			continue
		}
		if l.key.ProjectID != project {
			project = l.key.ProjectID
			page.AddProject(project)
		}
		if l.key.VintageID == "" {
			continue
		}
		page.AddVintage(l.key.VintageID, int(l.year))
		slices.SortFunc(l.orders, func(x, y market.SellOrder) int {
			return cmp.Or(cmp.Compare(x.Price, y.Price), cmp.Compare(x.ID, y.ID))
		})
		for _, o := range l.orders {
			page.AddOrder(o.ID, o.Quantity, o.Price)
		}
	}
	return market.New(&page)
}
