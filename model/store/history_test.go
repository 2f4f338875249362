package store

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
	"zombiezen.com/go/sqlite"

	"tonne/model"
	"tonne/model/market"
	must "tonne/model/musttest"
	"tonne/model/portfolio"
	"tonne/model/texttest"
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

func TestPricesThatAreKept(t *testing.T) {
	texttest.Table(t, "prices", func(text string) string {
		f := opened(t, "")
		observed, since, _ := strings.Cut(text, " since ")
		for n, step := range strings.Fields(observed) {
			minute, ask, late := strings.Cut(step, "@")
			if late {
				n, step = must.Get(strconv.Atoi(minute)), ask
			}
			f.observe(bale, n, price(step))
		}
		from := time.Time{}
		if since != "" {
			from = noon.Add(minutes(must.Get(strconv.Atoi(since))))
		}
		return strings.ReplaceAll(strings.Trim(fmt.Sprint(f.asks(bale, from)), "[]"), "-1", "?")
	})
}

func TestAChangeOfTheQuantityIsKept(t *testing.T) {
	f := fresh(t)
	f.observe(bale, 0, 600)
	f.ok(f.History.Observe(t.Context(), []Observation{{bale, noon.Add(minutes(9)), 600, 2e6}}))
	last := must.Get(f.History.Prices(t.Context(), bale, noon.Add(minutes(9))))
	must.Hold(t, len(last) == 1 && last[0].Available == 2e6, last)
	prices := f.asks(wind, time.Time{})
	must.Hold(t, prices == nil, "a vintage that was never seen", prices)
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

func TestAsksAt(t *testing.T) {
	f := fresh(t)
	if asks, _, err := f.History.AsksAt(t.Context(), noon); len(asks) != 0 || err != nil {
		t.Errorf("without observations: %v, %v", asks, err)
	}
	f.observe(bale, 0, 600)
	f.observe(wind, 11, 100)
	f.observe(bale, 25, 610)
	for _, c := range []struct {
		at, since  int
		bale, wind model.PriceCents
	}{{20, 20, 600, 100}, {85, 85, 610, 100}, {86, 25, 610, 100}, {4000, 25, 610, 100}, {5, 5, 600, 0}, {-50, 0, 600, 0}} {
		asks, since, err := f.History.AsksAt(t.Context(), noon.Add(minutes(c.at)))
		if err != nil || asks[bale] != c.bale || asks[wind] != c.wind || !since.Equal(noon.Add(minutes(c.since))) {
			t.Errorf("at %d minutes: %v since %v, %v", c.at, asks, since, err)
		}
	}
}

func TestTrends(t *testing.T) {
	f := fresh(t)
	f.observe(bale, 0, 600)
	trends := func(since, until, n int) map[model.VintageKey][]model.PriceCents {
		return must.Get(f.History.Trends(t.Context(), noon.Add(minutes(since)), noon.Add(minutes(until)), n))
	}
	must.Equal(t, len(trends(-24*60, 0, 8)), 0)
	f.observe(bale, 25, 610)
	f.observe(bale, 30, 620)
	f.observe(bale, 39, none)
	f.observe(wind, 11, 100)
	for name, c := range map[string]struct {
		since, until int
		bale, wind   []model.PriceCents
	}{
		"everything":              {0, 40, []model.PriceCents{600, 600, 620, none}, []model.PriceCents{none, 100, 100, 100}},
		"longer than the history": {-4000, 40, []model.PriceCents{600, 600, 620, none}, []model.PriceCents{none, 100, 100, 100}},
		"the end":                 {26, 34, []model.PriceCents{610, 620, 620, 620}, []model.PriceCents{100, 100, 100, 100}},
		"before wind was seen":    {2, 10, []model.PriceCents{600, 600, 600, 600}, nil},
	} {
		of := trends(c.since, c.until, 4)
		must.Hold(t, slices.Equal(of[bale], c.bale) && slices.Equal(of[wind], c.wind), name, of)
	}
	must.Equal(t, len(trends(0, 60, 0)), 0, "no prices were requested")
}

type point struct {
	at    int64
	price model.PriceCents
}

// drawPoints draws a history of up to three years, oldest first.
func drawPoints(t *rapid.T) (points []point) {
	at := noon.Add(-time.Duration(rapid.IntRange(0, 3*365*24).Draw(t, "hours")) * time.Hour).UnixMilli()
	for range rapid.IntRange(0, 300).Draw(t, "points") {
		at += rapid.OneOf(rapid.Int64Range(1, 60_000), rapid.Int64Range(1, 3_600_000), rapid.Int64Range(1, 100*3_600_000)).Draw(t, "step")
		if at > noon.UnixMilli() {
			break
		}
		points = append(points, point{at, model.PriceCents(rapid.OneOf(rapid.Just(int64(none)), rapid.Int64Range(500, 700)).Draw(t, "price"))})
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
			if all[len(all)-1] != rest[len(rest)-1] || len(rest) > 3 || old && len(rest) > 1 || !old && (low != restLow || high != restHigh) || span.length == 0 && len(all) != len(rest) {
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

// gaps returns the gaps of a service, in minutes after noon.
func (f *fixture) gaps(o Origin) (gaps [][2]int) {
	for _, g := range must.Get(o.History.Gaps(f.Context(), time.Time{})) {
		gaps = append(gaps, [2]int{int(g.From.Sub(noon).Minutes()), int(g.Until.Sub(noon).Minutes())})
	}
	return gaps
}

func (f *fixture) saw(minute int) {
	f.Helper()
	f.ok(f.History.Saw(f.Context(), noon.Add(minutes(minute))))
}

func TestGaps(t *testing.T) {
	f := fresh(t)
	f.observe(bale, 0, 600)
	f.observe(bale, 1, 610)
	f.observe(bale, 3, 610)
	gaps := f.gaps(f.Origin)
	must.Hold(t, gaps == nil, "the market was read all the time", gaps)
	f.saw(5)
	f.reopen()
	f.observe(bale, 8, 620)
	f.observe(bale, 7, 615)
	f.saw(30)
	if gaps := f.gaps(f.Origin); !slices.Equal(gaps, [][2]int{{5, 8}, {8, 30}}) || f.gaps(f.Of(demo)) != nil {
		t.Errorf("the gaps are %v, of another service %v", gaps, f.gaps(f.Of(demo)))
	}
	must.Equal(t, len(must.Get(f.History.Gaps(t.Context(), noon.Add(minutes(8))))), 1, "since a time")
	last, at, err := f.History.LastSeen(t.Context())
	if err != nil || !at.Equal(noon.Add(minutes(30))) || last[bale].BestAsk != 620 || !last[bale].At.Equal(noon.Add(minutes(8))) {
		t.Errorf("last read at %v: %+v, %v", at, last, err)
	}
}

func TestGapsAreThinnedOutWithTheObservations(t *testing.T) {
	f := opened(t, "")
	const day = 24 * 60
	for _, minute := range []int{0, 4, 40, 40 + 3*60, 3 * day, 3*day + 10, 4 * day} {
		f.saw(minute)
	}
	gaps, want := f.gaps(f.Origin), [][2]int{{40, 220}, {220, 3 * day}, {3 * day, 3*day + 10}, {3*day + 10, 4 * day}}
	must.Hold(t, slices.Equal(gaps, want), "left are", gaps, want)
	f.saw(int((3 * forgotten).Minutes()))
	must.Equal(t, len(f.gaps(f.Origin)), 1)
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

func TestLastValueOfEachHourIsKept(t *testing.T) {
	f, ctx := fresh(t), t.Context()
	whole := portfolio.BookValue{Held: 9, Valued: 7, Unvalued: 2, Value: 70, Costed: 6, Cost: 50, Compared: 5, OverCost: -3}
	for _, p := range []ValuePoint{valued(0, 1), valued(minutes(20), 2), valued(minutes(10), 3), {noon.Add(minutes(60)), whole}} {
		f.ok(f.History.KeepValues(ctx, p))
	}
	f.ok(f.Of(demo).History.KeepValues(ctx, valued(minutes(61), 4)), f.History.KeepValues(ctx))
	f.reopen()
	points := must.Get(f.History.Values(ctx, noon))
	if len(points) != 2 || points[0].Value.Value != 2 || !points[0].At.Equal(noon.Add(minutes(20))) || points[1].Value != whole {
		t.Errorf("%+v", points)
	}
	if points = must.Get(f.History.Values(ctx, noon.Add(minutes(21)))); len(points) != 1 {
		t.Errorf("%+v", points)
	}
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
