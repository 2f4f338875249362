package store

import (
	"testing"
	"time"

	"tonne/model"
	must "tonne/model/musttest"
	"tonne/model/portfolio"
)

func TestOnlyChangedPricesAndQuantitiesAreKept(t *testing.T) {
	f := fresh(t)
	for minute, ask := range []model.PriceCents{600, 600, 610, 610, 600, none, none, 600} {
		f.observe(bale, minute, ask)
	}
	must.Equal(t, f.asks(bale, time.Time{}), []model.PriceCents{600, 610, 600, none, 600})
	must.Equal(t, f.asks(wind, time.Time{}), nil)
	for minute, available := range []model.Grams{1e6, 1e6, 2e6, 2e6} {
		f.ok(f.History.Observe(t.Context(), []Observation{{wind, noon.Add(minutes(minute)), 600, available}}))
	}
	must.Equal(t, each(must.Get(f.History.Prices(t.Context(), wind, time.Time{})), show), []string{
		"{Vintage:{ProjectID:003b VintageID:004b} At:2026-02-08T12:00:00Z BestAsk:600 Available:1000000}",
		"{Vintage:{ProjectID:003b VintageID:004b} At:2026-02-08T12:02:00Z BestAsk:600 Available:2000000}",
	})
}

func TestPricesBeginWithTheOneThatWasValid(t *testing.T) {
	f := fresh(t)
	f.observe(bale, 0, 600)
	f.observe(bale, 10, 610)
	f.observe(bale, 20, 620)
	for _, c := range []struct {
		since int
		want  []model.PriceCents
	}{
		{since: -1, want: []model.PriceCents{600, 610, 620}},
		{since: 0, want: []model.PriceCents{600, 610, 620}},
		{since: 9, want: []model.PriceCents{600, 610, 620}},
		{since: 10, want: []model.PriceCents{610, 620}},
		{since: 15, want: []model.PriceCents{610, 620}},
		{since: 99, want: []model.PriceCents{620}},
	} {
		must.Equal(t, f.asks(bale, noon.Add(minutes(c.since))), c.want, c.since)
	}
}

func TestLateObservationIsIgnoredUnlessTheClockWasSetBack(t *testing.T) {
	f := fresh(t)
	f.observe(bale, 0, 600)
	f.observe(bale, -4, 590)
	f.observe(bale, -24*60, 580)
	f.observe(bale, -24*60+1, 570)
	must.Equal(t, f.asks(bale, time.Time{}), []model.PriceCents{580, 570, 600})
}

func TestAsksOfATime(t *testing.T) {
	f := fresh(t)
	expect := func(minute int, baleAsk, windAsk model.PriceCents, since int) {
		t.Helper()
		asks, at, err := f.History.AsksAt(t.Context(), noon.Add(minutes(minute)))
		f.ok(err)
		must.Hold(t, asks[bale] == baleAsk && asks[wind] == windAsk && at.Equal(noon.Add(minutes(since))), minute, asks, at)
	}
	expect(0, 0, 0, 0)
	f.observe(bale, 0, 600)
	f.observe(wind, 11, 100)
	f.observe(bale, 25, 610)
	expect(20, 600, 100, 20)
	expect(85, 610, 100, 85)
	expect(86, 610, 100, 25)
	expect(4000, 610, 100, 25)
	expect(5, 600, 0, 5)
	expect(-50, 600, 0, 0)
}

func TestTrends(t *testing.T) {
	f := fresh(t)
	f.observe(bale, 0, 600)
	must.Equal(t, must.Get(f.History.Trends(t.Context(), noon.Add(-24*time.Hour), noon, 8)), nil)
	f.observe(wind, 11, 100)
	f.observe(bale, 25, 610)
	f.observe(bale, 30, 620)
	f.observe(bale, 39, none)
	for _, c := range []struct {
		from, to, points int
		bale, wind       string
	}{
		{from: 0, to: 40, points: 4, bale: "600 600 620 ?", wind: "? 100 100 100"},
		// Longer than the history, its end, and before wind was seen.
		{from: -4000, to: 40, points: 4, bale: "600 600 620 ?", wind: "? 100 100 100"},
		{from: 26, to: 34, points: 4, bale: "610 620 620 620", wind: "100 100 100 100"},
		{from: 2, to: 10, points: 4, bale: "600 600 600 600"},
		{from: 0, to: 60, points: 0},
	} {
		trends := must.Get(f.History.Trends(t.Context(), noon.Add(minutes(c.from)), noon.Add(minutes(c.to)), c.points))
		must.Equal(t, [2]string{prices(trends[bale]...), prices(trends[wind]...)}, [2]string{c.bale, c.wind}, c)
	}
}

func (f *fixture) saw(after time.Duration) {
	f.Helper()
	f.ok(f.History.Saw(f.Context(), noon.Add(after)))
}

func (f *fixture) gaps(since time.Time) []string {
	return each(must.Get(f.History.Gaps(f.Context(), since)),
		func(g Gap) string { return clock(g.From) + " to " + clock(g.Until) })
}

func TestGaps(t *testing.T) {
	f := fresh(t)
	f.observe(bale, 0, 600)
	f.observe(bale, 1, 610)
	f.observe(bale, 3, 610)
	must.Equal(t, f.gaps(time.Time{}), nil)
	f.saw(minutes(5))
	f.reopen()
	f.observe(bale, 8, 620)
	f.observe(bale, 7, 615)
	f.saw(minutes(30))
	want := []string{"Feb 8 12:05:00 to Feb 8 12:08:00", "Feb 8 12:08:00 to Feb 8 12:30:00"}
	must.Equal(t, f.gaps(time.Time{}), want)
	must.Equal(t, f.gaps(noon.Add(minutes(8))), want[1:])
	must.Equal(t, must.Get(f.Of(demo).History.Gaps(t.Context(), time.Time{})), nil)
	last, at, err := f.History.LastSeen(t.Context())
	f.ok(err)
	must.Equal(t, clock(at), "Feb 8 12:30:00")
	must.Equal(t, show(last[bale]),
		"{Vintage:{ProjectID:003a VintageID:004a} At:2026-02-08T12:08:00Z BestAsk:620 Available:1000000}")
	must.Equal(t, last[wind], Observation{})
}

func TestGapsAreThinnedOutWithTheObservations(t *testing.T) {
	f := fresh(t)
	for _, after := range []time.Duration{
		0, minutes(4), minutes(40), minutes(220), 72 * time.Hour, 72*time.Hour + minutes(10), 96 * time.Hour,
	} {
		f.saw(after)
	}
	must.Equal(t, f.gaps(time.Time{}), []string{
		"Feb 8 12:40:00 to Feb 8 15:40:00", "Feb 8 15:40:00 to Feb 11 12:00:00", "Feb 11 12:00:00 to Feb 11 12:10:00",
		"Feb 11 12:10:00 to Feb 12 12:00:00",
	})
	f.saw(30_000 * time.Hour)
	must.Equal(t, f.gaps(time.Time{}), []string{"Feb 12 12:00:00 to Jul 12 12:00:00"})
}

func TestLastValueOfEachHourIsKept(t *testing.T) {
	f, ctx := fresh(t), t.Context()
	for _, p := range []ValuePoint{valued(0, 1), valued(minutes(20), 2), valued(minutes(10), 3), valued(minutes(60), 9)} {
		f.ok(f.History.KeepValues(ctx, p))
	}
	f.ok(f.Of(demo).History.KeepValues(ctx, valued(minutes(61), 4)))
	f.reopen()
	f.ok(f.History.KeepValues(ctx))
	values := func(since int) (points []ValuePoint) {
		for _, p := range must.Get(f.History.Values(ctx, noon.Add(minutes(since)))) {
			points = append(points, ValuePoint{At: p.At.UTC(), Value: portfolio.BookValue{Value: p.Value.Value}})
		}
		return points
	}
	must.Equal(t, values(0), []ValuePoint{valued(minutes(20), 2), valued(minutes(60), 9)})
	must.Equal(t, values(21), []ValuePoint{valued(minutes(60), 9)})
}
