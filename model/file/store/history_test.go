package store

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
	"zombiezen.com/go/sqlite"

	"tonne/model"
	"tonne/model/market"
	must "tonne/model/musttest"
	"tonne/model/portfolio"
)

const none = model.UnknownPrice

// observe records one price of a vintage, so many minutes after noon.
func (f *fixture) observe(key model.VintageKey, minute int, ask model.PriceCents) {
	f.Helper()
	f.ok(f.History.Observe(f.Context(), []Observation{{key, noon.Add(minutes(minute)), ask, 1e6}}))
}

func (f *fixture) asks(key model.VintageKey, since time.Time) (prices []model.PriceCents) {
	for _, o := range must.Get(f.History.Prices(f.Context(), key, since)) {
		prices = append(prices, o.BestAsk)
	}
	return prices
}

func TestMarketIsObservedVintageByVintage(t *testing.T) {
	part := &market.Page{}
	part.AddProject(bale.ProjectID)
	part.AddVintage(bale.VintageID, 2019)
	part.AddOrder("a", 2_500_000, 620)
	part.AddProject(wind.ProjectID)
	part.AddVintage(wind.VintageID, 2021)
	want := []Observation{{bale, noon, 620, 2_500_000}, {wind, noon, none, 0}}
	must.Equal(t, Observations(market.New(part), noon), want)
}

type point struct {
	at    int64
	price model.PriceCents
}

// drawPoints draws a history of up to three years, oldest first.
func drawPoints(t *rapid.T) (points []point) {
	at := noon.Add(-time.Duration(rapid.IntRange(0, 3*365*24).Draw(t, "hours")) * time.Hour).UnixMilli()
	for range rapid.IntRange(0, 300).Draw(t, "points") {
		at += rapid.OneOf(rapid.Int64Range(1, 60_000), rapid.Int64Range(1, 3_600_000),
			rapid.Int64Range(1, 100*3_600_000)).Draw(t, "step")
		if at > noon.UnixMilli() {
			break
		}
		points = append(points,
			point{at, model.PriceCents(rapid.OneOf(rapid.Just(int64(none)), rapid.Int64Range(500, 700)).Draw(t, "price"))})
	}
	return points
}

func (f *fixture) thinned(points []point, now time.Time) (left []point) {
	f.ok(f.History.write(f.Context(), func(t *tx) {
		t.run(`DELETE FROM observation WHERE ?1 NOTNULL`)
		for _, p := range points {
			t.run(`INSERT INTO observation (vintage, at, best_ask, available) VALUES (1, ?2, ?3, 0)`, p.at, known(p.price))
		}
		t.compact(1, now)
		left = collect(t, `SELECT at, best_ask FROM observation WHERE ?1 NOTNULL ORDER BY at`,
			func(stmt *sqlite.Stmt) (point, bool) {
				return point{stmt.ColumnInt64(0), columnKnown[model.PriceCents](stmt, 1)}, true
			})
	}))
	return left
}

// span names the points that are thinned out together.
type span struct {
	length time.Duration
	n      int64
}

func bySpan(points []point) map[span][]point {
	spans := make(map[span][]point)
	for _, p := range points {
		s, age := span{n: p.at}, noon.Sub(time.UnixMilli(p.at))
		for _, tier := range slices.Backward(tiers[:]) {
			if age > tier.age {
				s = span{tier.span, p.at / tier.span.Milliseconds()}
			}
		}
		if age > forgotten {
			s = span{length: forgotten}
		}
		spans[s] = append(spans[s], p)
	}
	return spans
}

func lowAndHigh(points []point) (low, high model.PriceCents) {
	low, high = none, none
	for _, p := range points {
		if p.price.Known() && (low < 0 || p.price < low) {
			low = p.price
		}
		high = max(high, p.price)
	}
	return low, high
}

func TestThinningKeepsLowestHighestAndLast(t *testing.T) {
	t.Parallel()
	f := fresh(t)
	f.observe(bale, 0, 600)
	rapid.Check(t, func(t *rapid.T) {
		points := drawPoints(t)
		once := f.thinned(points, noon)
		before, after := bySpan(points), bySpan(once)
		must.Need(t, len(before) == len(after), len(before), len(after))
		for span, all := range before {
			rest := after[span]
			low, high := lowAndHigh(all)
			restLow, restHigh := lowAndHigh(rest)
			old := span.length == forgotten
			if all[len(all)-1] != rest[len(rest)-1] || len(rest) > 3 || old && len(rest) > 1 ||
				!old && (low != restLow || high != restHigh) || span.length == 0 && len(all) != len(rest) {
				t.Fatalf("%+v: %v became %v", span, all, rest)
			}
		}
		twice := f.thinned(once, noon)
		must.Need(t, slices.Equal(once, twice), "thinned twice,", once, twice)
		// The first day is incomplete: its lowest price may be forgotten.
		later := noon.Add(45 * 24 * time.Hour)
		whole := func(points []point) (prices []model.PriceCents) {
			for _, p := range points {
				if p.at >= later.Add(-forgotten).Truncate(24*time.Hour).Add(24*time.Hour).UnixMilli() {
					prices = append(prices, p.price)
				}
			}
			return prices
		}
		a, b := f.thinned(points, later), f.thinned(once, later)
		must.Hold(t, slices.Equal(whole(a), whole(b)), "thinned at the end", a, b)
	})
}

func TestStoreIsThinnedOutInUse(t *testing.T) {
	f := fresh(t)
	var moving []Observation
	for at := noon.Add(-7 * 24 * time.Hour); at.Before(noon); at = at.Add(time.Minute) {
		moving = append(moving, Observation{bale, at, model.PriceCents(600 + at.Minute()), 1e6})
	}
	f.ok(f.History.Observe(t.Context(), moving))
	for n := range 3 {
		f.observe(wind, n, model.PriceCents(100+n))
	}
	prices := f.asks(bale, time.Time{})
	// Five days of three an hour, two of three in five minutes, two hours.
	most := 5*24*3 + 46*12*3 + 120 + 8
	must.Hold(t, len(prices) <= most && len(prices) >= most/2, len(prices), len(moving))
	low, high := slices.Min(prices), slices.Max(prices)
	must.Hold(t, low == 600 && high == 659, "from", low, high)
}

func valued(after time.Duration, value model.Cents) ValuePoint {
	return ValuePoint{noon.Add(after), portfolio.BookValue{Value: value}}
}

func (f *fixture) worth() (values []model.Cents) {
	for _, p := range must.Get(f.History.Values(f.Context(), time.Time{})) {
		values = append(values, p.Value.Value)
	}
	return values
}

func TestOldValuesAreThinnedToOneADay(t *testing.T) {
	f := opened(t, "")
	start := 12*time.Hour + minutes(30)
	const days = 20
	for h := range days * 24 {
		f.ok(f.History.KeepValues(t.Context(), valued(start+time.Duration(h)*time.Hour, model.Cents(h))))
	}
	values := f.worth()
	// The last point is of day 19, 23:30: everything before day 5 is thinned out.
	if want := 5 + 15*24; len(values) != want || values[0] != 23 || values[4] != 5*24-1 || values[5] != 5*24 {
		t.Errorf("%d points, %v", len(values), values[:6])
	}
	f.ok(f.History.KeepValues(t.Context(), valued(start+valuesKept+24*time.Hour, -1)))
	if values = f.worth(); values[0] != 2*24-1 || values[len(values)-1] != -1 || len(values) != days {
		t.Errorf("%v", values)
	}
}

// BenchmarkKeepValues saves a value after values of 100 and of 1,800 days.
func BenchmarkKeepValues(b *testing.B) {
	const day = 24 * time.Hour
	for _, days := range []int{100, 1800} {
		b.Run(fmt.Sprint("days=", days), func(b *testing.B) {
			s := Open("")
			defer s.Close()
			history := s.Of(production).History
			points := make([]ValuePoint, days)
			for n := range points {
				points[n] = valued(time.Duration(n)*day, 1)
			}
			must.Succeed(b, history.KeepValues(b.Context(), points...))
			for at := time.Duration(days) * day; b.Loop(); at += time.Second {
				must.Succeed(b, history.KeepValues(b.Context(), valued(at, 1)))
			}
		})
	}
}

func TestNewestValueIsKeptTogetherAndOneByOne(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		together, apart := opened(t, ""), opened(t, "")
		defer together.Close()
		defer apart.Close()
		var points []ValuePoint
		at := time.Duration(0)
		for i := range rapid.IntRange(1, 20).Draw(r, "points") {
			at += time.Duration(rapid.Int64Range(1, int64(10*24*time.Hour)).Draw(r, "pause"))
			points = append(points, valued(at, model.Cents(i)))
			apart.ok(apart.History.KeepValues(t.Context(), points[i]))
		}
		together.ok(together.History.KeepValues(t.Context(), points...))
		values := together.worth()
		if !slices.Equal(values, apart.worth()) || values[len(values)-1] != model.Cents(len(points)-1) {
			r.Fatalf("%v and %v", values, apart.worth())
		}
	})
}
