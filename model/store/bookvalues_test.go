package store

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tonne/model"
	"tonne/model/portfolio"
)

// worth returns the values that are kept, by what they say.
func worth(t *testing.T, s *Store) (values []model.Cents) {
	t.Helper()
	points, err := s.Of(production).History.Values(t.Context(), time.Time{})
	must(t, err)
	for _, p := range points {
		values = append(values, p.Value.Value)
	}
	return values
}

func TestTheLastValueOfEachHourIsKept(t *testing.T) {
	t.Parallel()
	s, path := fresh(t)
	ctx := t.Context()
	whole := portfolio.BookValue{Held: 9, Valued: 7, Unvalued: 2, Value: 70, Costed: 6, Cost: 50, Compared: 5, OverCost: -3}
	must(t, s.Of(production).History.KeepValues(ctx, ValuePoint{noon, portfolio.BookValue{Value: 1}}))
	must(t, s.Of(production).History.KeepValues(ctx, ValuePoint{noon.Add(minutes(20)), portfolio.BookValue{Value: 2}}))
	must(t, s.Of(production).History.KeepValues(ctx, ValuePoint{noon.Add(minutes(10)), portfolio.BookValue{Value: 3}})) // of a program that lags
	must(t, s.Of(production).History.KeepValues(ctx, ValuePoint{noon.Add(minutes(60)), whole}))
	must(t, s.Of(demo).History.KeepValues(ctx, ValuePoint{noon.Add(minutes(61)), portfolio.BookValue{Value: 4}}))
	must(t, s.Close())
	s = opened(t, path)
	points, err := s.Of(production).History.Values(ctx, noon)
	if must(t, err); len(points) != 2 || points[0].Value.Value != 2 || !points[0].At.Equal(noon.Add(minutes(20))) || points[1].Value != whole {
		t.Errorf("%+v", points)
	}
	if points, err = s.Of(production).History.Values(ctx, noon.Add(minutes(21))); err != nil || len(points) != 1 {
		t.Errorf("%+v, %v", points, err)
	}
}

func TestOldValuesAreThinnedToOneADay(t *testing.T) {
	t.Parallel()
	s := opened(t, "")
	start := time.Date(2026, 2, 1, 0, 30, 0, 0, time.UTC)
	const days = 20
	for h := range days * 24 {
		must(t, s.Of(production).History.KeepValues(t.Context(), ValuePoint{start.Add(time.Duration(h) * time.Hour), portfolio.BookValue{Value: model.Cents(h)}}))
	}
	got := worth(t, s)
	// The last point is of day 19, 23:30: what is before day 5 is thinned out.
	if want := 5 + 15*24; len(got) != want || got[0] != 23 || got[4] != 5*24-1 || got[5] != 5*24 {
		t.Errorf("%d points, %v", len(got), got[:6])
	}
	must(t, s.Of(production).History.KeepValues(t.Context(), ValuePoint{start.Add(valuesKept + 24*time.Hour), portfolio.BookValue{Value: -1}}))
	if got = worth(t, s); got[0] != 2*24-1 || got[len(got)-1] != -1 || len(got) != days {
		t.Errorf("%v", got)
	}
}

func TestValuesAreKeptTogetherAsOneByOne(t *testing.T) {
	t.Parallel()
	together, apart := opened(t, ""), opened(t, "")
	must(t, together.Of(production).History.KeepValues(t.Context()))
	var points []ValuePoint
	for n := range 60 {
		p := ValuePoint{noon.Add(time.Duration(n) * 10 * time.Hour), portfolio.BookValue{Value: model.Cents(n)}}
		must(t, apart.Of(production).History.KeepValues(t.Context(), p))
		points = append(points, p, ValuePoint{p.At.Add(time.Minute), portfolio.BookValue{Value: model.Cents(n + 1000)}})
		must(t, apart.Of(production).History.KeepValues(t.Context(), points[len(points)-1]))
	}
	must(t, together.Of(production).History.KeepValues(t.Context(), points...))
	got, want := worth(t, together), worth(t, apart)
	if !slices.Equal(got, want) || len(got) >= 60 || len(got) == 0 {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestTheNewestValueIsAlwaysKept(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		s := Open("")
		defer func() { _ = s.Close() }()
		at, n := noon, rapid.IntRange(1, 20).Draw(r, "points")
		for i := range n {
			at = at.Add(time.Duration(rapid.Int64Range(1, int64(10*24*time.Hour)).Draw(r, "pause")))
			if err := s.Of(production).History.KeepValues(t.Context(), ValuePoint{at, portfolio.BookValue{Value: model.Cents(i)}}); err != nil {
				r.Fatal(err)
			}
		}
		points, err := s.Of(production).History.Values(t.Context(), time.Time{})
		if err != nil || len(points) == 0 || points[len(points)-1].Value.Value != model.Cents(n-1) {
			r.Fatalf("%+v, %v", points, err)
		}
	})
}
