package store

import (
	"context"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
	"zombiezen.com/go/sqlite"

	"tonne/model"
	"tonne/model/market"
)

// observe records one price of a vintage.
func observe(t *testing.T, s *Store, key model.VintageKey, at time.Time, ask model.PriceCents) {
	t.Helper()
	must(t, s.Of(production).History.Observe(t.Context(), []Observation{{key, at, ask, 1e6}}))
}

// asks returns the prices of a vintage since a time.
func asks(t *testing.T, s *Store, key model.VintageKey, since time.Time) []model.PriceCents {
	t.Helper()
	observations, err := s.Of(production).History.Prices(t.Context(), key, since)
	must(t, err)
	var prices []model.PriceCents
	for _, o := range observations {
		prices = append(prices, o.BestAsk)
	}
	return prices
}

func minutes(n int) time.Duration { return time.Duration(n) * time.Minute }

func TestOnlyChangesAreKept(t *testing.T) {
	t.Parallel()
	s, _ := fresh(t)
	for n, ask := range []model.PriceCents{600, 600, 610, 610, 600, model.UnknownPrice, model.UnknownPrice, 600} {
		observe(t, s, bale, noon.Add(minutes(n)), ask)
	}
	if got := asks(t, s, bale, time.Time{}); !slices.Equal(got, []model.PriceCents{600, 610, 600, model.UnknownPrice, 600}) {
		t.Errorf("%v", got)
	}
	// A change of what is available is news too.
	must(t, s.Of(production).History.Observe(t.Context(), []Observation{{bale, noon.Add(minutes(9)), 600, 2e6}}))
	if got := asks(t, s, bale, noon.Add(minutes(9))); !slices.Equal(got, []model.PriceCents{600}) {
		t.Errorf("%v", got)
	}
}

func TestPricesBeginWithTheOneThatHeld(t *testing.T) {
	t.Parallel()
	s, _ := fresh(t)
	for n, ask := range []model.PriceCents{600, 610, 620} {
		observe(t, s, bale, noon.Add(minutes(10*n)), ask)
	}
	for since, want := range map[int][]model.PriceCents{-1: {600, 610, 620}, 0: {600, 610, 620}, 9: {600, 610, 620}, 10: {610, 620}, 15: {610, 620}, 99: {620}} {
		if got := asks(t, s, bale, noon.Add(minutes(since))); !slices.Equal(got, want) {
			t.Errorf("since minute %d: %v, want %v", since, got, want)
		}
	}
	if got := asks(t, s, wind, time.Time{}); got != nil {
		t.Errorf("a vintage that was never seen: %v", got)
	}
}

func TestLateNewsOfAnotherProgramAreLeftOut(t *testing.T) {
	t.Parallel()
	s, _ := fresh(t)
	observe(t, s, bale, noon, 600)
	observe(t, s, bale, noon.Add(-4*time.Minute), 590)
	if got := asks(t, s, bale, time.Time{}); !slices.Equal(got, []model.PriceCents{600}) {
		t.Errorf("%v", got)
	}
	// A clock that went back a day is believed.
	observe(t, s, bale, noon.Add(-24*time.Hour), 580)
	observe(t, s, bale, noon.Add(-24*time.Hour+time.Minute), 570)
	if got := asks(t, s, bale, time.Time{}); !slices.Equal(got, []model.PriceCents{580, 570, 600}) {
		t.Errorf("%v", got)
	}
}

func TestAMarketIsObservedVintageByVintage(t *testing.T) {
	t.Parallel()
	part := &market.Page{}
	part.AddProject(bale.ProjectID)
	part.AddVintage(bale.VintageID, 2019)
	part.AddOrder("a", 2_500_000, 620)
	part.AddProject(wind.ProjectID)
	part.AddVintage(wind.VintageID, 2021)
	want := []Observation{{bale, noon, 620, 2_500_000}, {wind, noon, model.UnknownPrice, 0}}
	if got := Observations(market.New(part), noon); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
}

// The asks of a moment are those that held then, with no memory of it those that
// were seen first. They count as those of the moment only if the market was watched
// within the hour before it: else as those of the last observation.
func TestAsksAt(t *testing.T) {
	t.Parallel()
	s, _ := fresh(t)
	if asks, _, err := s.Of(production).History.AsksAt(t.Context(), noon); len(asks) != 0 || err != nil {
		t.Errorf("of nothing: %v, %v", asks, err)
	}
	observe(t, s, bale, noon, 600)
	observe(t, s, wind, noon.Add(minutes(11)), 100)
	observe(t, s, bale, noon.Add(minutes(25)), 610)
	for _, c := range []struct {
		at, since  int
		bale, wind model.PriceCents
	}{{20, 20, 600, 100}, {85, 85, 610, 100}, {86, 25, 610, 100}, {4000, 25, 610, 100}, {5, 5, 600, 0}, {-50, 0, 600, 0}} {
		asks, since, err := s.Of(production).History.AsksAt(t.Context(), noon.Add(minutes(c.at)))
		if err != nil || asks[bale] != c.bale || asks[wind] != c.wind || !since.Equal(noon.Add(minutes(c.since))) {
			t.Errorf("at %d minutes: %v since %v, %v", c.at, asks, since, err)
		}
	}
}

// One look is no course: a line would be invented.
func TestOneObservationHasNoTrend(t *testing.T) {
	t.Parallel()
	s, _ := fresh(t)
	observe(t, s, bale, noon, 600)
	if got, err := s.Of(production).History.Trends(t.Context(), noon.Add(-24*time.Hour), noon, 8); len(got) != 0 || err != nil {
		t.Errorf("the trends are %v, %v", got, err)
	}
}

func TestTrends(t *testing.T) {
	t.Parallel()
	s, _ := fresh(t)
	observe(t, s, bale, noon, 600)
	observe(t, s, bale, noon.Add(minutes(25)), 610)
	observe(t, s, bale, noon.Add(minutes(30)), 620)
	observe(t, s, bale, noon.Add(minutes(39)), model.UnknownPrice)
	observe(t, s, wind, noon.Add(minutes(11)), 100)
	none := model.UnknownPrice
	for _, c := range []struct {
		name         string
		since, until int
		bale, wind   []model.PriceCents
	}{
		{"all of it", 0, 40, []model.PriceCents{600, 600, 620, none}, []model.PriceCents{none, 100, 100, 100}},
		{"a longer time than is known", -4000, 40, []model.PriceCents{600, 600, 620, none}, []model.PriceCents{none, 100, 100, 100}},
		{"the end of it", 26, 34, []model.PriceCents{610, 620, 620, 620}, []model.PriceCents{100, 100, 100, 100}},
		{"before wind was seen", 2, 10, []model.PriceCents{600, 600, 600, 600}, nil},
	} {
		got, err := s.Of(production).History.Trends(t.Context(), noon.Add(minutes(c.since)), noon.Add(minutes(c.until)), 4)
		if err != nil || !slices.Equal(got[bale], c.bale) || !slices.Equal(got[wind], c.wind) {
			t.Errorf("%s: %v, %v", c.name, got, err)
		}
	}
	if got, err := s.Of(production).History.Trends(t.Context(), noon, noon.Add(time.Hour), 0); len(got) != 0 || err != nil {
		t.Errorf("no prices asked for: %v, %v", got, err)
	}
}

// drawPoints draws a history of up to three years, oldest first.
func drawPoints(t *rapid.T) []point {
	at := noon.Add(-time.Duration(rapid.IntRange(0, 3*365*24).Draw(t, "hours")) * time.Hour).UnixMilli()
	var points []point
	for range rapid.IntRange(0, 300).Draw(t, "points") {
		step := rapid.OneOf(rapid.Int64Range(1, 60_000), rapid.Int64Range(1, 3_600_000), rapid.Int64Range(1, 100*3_600_000)).Draw(t, "step")
		if at += step; at > noon.UnixMilli() {
			break
		}
		price := rapid.OneOf(rapid.Just(model.UnknownPrice), rapid.Map(rapid.Int64Range(500, 700), func(n int64) model.PriceCents { return model.PriceCents(n) })).Draw(t, "price")
		points = append(points, point{at, price})
	}
	return points
}

type point struct {
	at    int64
	price model.PriceCents
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

// thinner thins out points of a vintage in a store.
type thinner struct{ *Store }

func newThinner(t *testing.T) thinner {
	s, _ := fresh(t)
	observe(t, s, bale, noon, 600)
	return thinner{s}
}

func (s thinner) kept(t *rapid.T, points []point, now time.Time) (left []point) {
	err := s.Of(production).History.write(context.Background(), func(conn *sqlite.Conn, _ int64) (err error) {
		if err := run(conn, `DELETE FROM observation`); err != nil {
			return err
		}
		for _, p := range points {
			if err := run(conn, `INSERT INTO observation (vintage, at, best_ask, available) VALUES (1, ?, ?, 0)`, p.at, nullPrice(p.price)); err != nil {
				return err
			}
		}
		if err := compact(conn, 1, now); err != nil {
			return err
		}
		left, err = collect(conn, `SELECT at, best_ask FROM observation ORDER BY at`,
			func(stmt *sqlite.Stmt) (point, bool) { return point{stmt.ColumnInt64(0), columnPrice(stmt, 1)}, true })
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return left
}

func TestThinningKeepsTheLowestTheHighestAndTheLastOfEachSpan(t *testing.T) {
	t.Parallel()
	s := newThinner(t)
	rapid.Check(t, func(t *rapid.T) {
		points := drawPoints(t)
		before, after := bySpan(points), bySpan(s.kept(t, points, noon))
		if len(before) != len(after) {
			t.Fatalf("%d spans became %d", len(before), len(after))
		}
		for span, all := range before {
			rest := after[span]
			if all[len(all)-1] != rest[len(rest)-1] || len(rest) > 3 || span.forgotten && len(rest) > 1 {
				t.Fatalf("%+v: %v became %v", span, all, rest)
			}
			low, high := bounds(all)
			if restLow, restHigh := bounds(rest); !span.forgotten && (low != restLow || high != restHigh) {
				t.Fatalf("%+v: %v became %v", span, all, rest)
			}
			if span.length == 0 && !span.forgotten && len(all) != len(rest) {
				t.Fatalf("recent prices were dropped: %v became %v", all, rest)
			}
		}
	})
}

func TestThinningTwiceIsThinningOnce(t *testing.T) {
	t.Parallel()
	s := newThinner(t)
	rapid.Check(t, func(t *rapid.T) {
		once := s.kept(t, drawPoints(t), noon)
		if twice := s.kept(t, once, noon); !slices.Equal(once, twice) {
			t.Fatalf("%v became %v", once, twice)
		}
		// Thinning as time goes by ends where thinning at the end does.
		later := noon.Add(45 * 24 * time.Hour)
		points := drawPoints(t)
		if a, b := s.kept(t, points, later), s.kept(t, s.kept(t, points, noon), later); !slices.EqualFunc(a, b, func(p, q point) bool { return p.price == q.price }) {
			t.Fatalf("%v\n%v", a, b)
		}
	})
}

func bySpan(points []point) map[span][]point {
	spans := make(map[span][]point)
	for _, p := range points {
		s := spanOf(p, noon)
		spans[s] = append(spans[s], p)
	}
	return spans
}

func bounds(points []point) (low, high model.PriceCents) {
	low, high = model.UnknownPrice, model.UnknownPrice
	for _, p := range points {
		if p.price.Known() && (low < 0 || p.price < low) {
			low = p.price
		}
		high = max(high, p.price)
	}
	return low, high
}

func TestAStoreIsThinnedOutAsItIsUsed(t *testing.T) {
	t.Parallel()
	s, _ := fresh(t)
	ctx, week := t.Context(), 7*24*time.Hour
	var moving []Observation
	for at := noon.Add(-week); at.Before(noon); at = at.Add(time.Minute) {
		moving = append(moving, Observation{bale, at, model.PriceCents(600 + at.Minute()), 1e6})
	}
	must(t, s.Of(production).History.Observe(ctx, moving))
	for n := range 3 {
		observe(t, s, wind, noon.Add(minutes(n)), model.PriceCents(100+n))
	}
	prices := asks(t, s, bale, time.Time{})
	// Five days of three an hour, two of three in five minutes, two hours.
	if most := 5*24*3 + 46*12*3 + 120 + 8; len(prices) > most || len(prices) < most/2 {
		t.Errorf("%d of %d observations are left", len(prices), len(moving))
	}
	if low, high := slices.Min(prices), slices.Max(prices); low != 600 || high != 659 {
		t.Errorf("from %d to %d", low, high)
	}
}

// manyVintages fills a store with n vintages that each moved 50 times in a
// day.
func manyVintages(b *testing.B, s *Store, n int) []Observation {
	b.Helper()
	last := make([]Observation, n)
	for step := range 50 {
		for v := range last {
			key := model.VintageKey{ProjectID: fmt.Sprintf("003project%08d", v/5), VintageID: fmt.Sprintf("004vintage%08d", v)}
			last[v] = Observation{key, noon.Add(time.Duration(step-50) * 29 * time.Minute), model.PriceCents(600 + (step*v)%50), model.Grams(step) * 1e6}
		}
		if err := s.Of(production).History.Observe(b.Context(), last); err != nil {
			b.Fatal(err)
		}
	}
	return last
}

func BenchmarkTrends(b *testing.B) {
	for _, n := range []int{30, 300, 3000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s := Open("")
			defer s.Close()
			manyVintages(b, s, n)
			for b.Loop() {
				if trends, err := s.Of(production).History.Trends(b.Context(), noon.Add(-24*time.Hour), noon, 8); err != nil || len(trends) != n {
					b.Fatal(len(trends), err)
				}
			}
		})
	}
}

func BenchmarkObserveUnchanged(b *testing.B) {
	for _, n := range []int{30, 300, 3000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s := Open(filepath.Join(b.TempDir(), "tonne.db"))
			defer s.Close()
			last := manyVintages(b, s, n)
			for b.Loop() {
				if err := s.Of(production).History.Observe(b.Context(), last); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkOpen(b *testing.B) {
	path := filepath.Join(b.TempDir(), "tonne.db")
	for b.Loop() {
		s := Open(path)
		if _, err := s.Of(production).Alerts.Watched(b.Context()); err != nil {
			b.Fatal(err)
		}
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
