package store

import (
	"errors"
	"slices"
	"testing"
	"time"

	"tonne/model"
)

// gapsOf are the gaps of a store, in minutes after noon.
func gapsOf(t *testing.T, s *Store, origin string) [][2]int {
	t.Helper()
	gaps, err := s.Of(origin).History.Gaps(t.Context(), time.Time{})
	must(t, err)
	var at [][2]int
	for _, g := range gaps {
		at = append(at, [2]int{int(g.From.Sub(noon).Minutes()), int(g.Until.Sub(noon).Minutes())})
	}
	return at
}

func TestTheTimesInWhichNobodyLookedAreRemembered(t *testing.T) {
	t.Parallel()
	s, path := fresh(t)
	see := func(minute int, ask model.PriceCents) {
		must(t, s.Of(production).History.Observe(t.Context(), []Observation{{bale, noon.Add(minutes(minute)), ask, 1e6}}))
	}
	see(0, 600)
	see(1, 610)
	see(3, 610)
	if got := gapsOf(t, s, production); got != nil {
		t.Errorf("the market was watched all the time: %v", got)
	}
	must(t, s.Of(production).History.Saw(t.Context(), noon.Add(minutes(5))))
	must(t, s.Close())
	s = opened(t, path)
	see(8, 620)
	see(7, 615)
	must(t, s.Of(production).History.Saw(t.Context(), noon.Add(minutes(30))))
	if got, want := gapsOf(t, s, production), [][2]int{{5, 8}, {8, 30}}; !slices.Equal(got, want) {
		t.Errorf("the gaps are %v, want %v", got, want)
	}
	if got := gapsOf(t, s, demo); got != nil {
		t.Errorf("of another service %v", got)
	}
	if gaps, err := s.Of(production).History.Gaps(t.Context(), noon.Add(minutes(8))); err != nil || len(gaps) != 1 {
		t.Errorf("since a moment: %v, %v", gaps, err)
	}
	last, at, err := s.Of(production).History.LastSeen(t.Context())
	if err != nil || !at.Equal(noon.Add(minutes(30))) || last[bale].BestAsk != 620 || !last[bale].At.Equal(noon.Add(minutes(8))) {
		t.Errorf("seen last at %v: %+v, %v", at, last, err)
	}
}

func TestGapsAreThinnedOutWithTheObservationsBetweenThem(t *testing.T) {
	t.Parallel()
	s := opened(t, "")
	day := 24 * 60
	for _, minute := range []int{0, 4, 40, 40 + 3*60, 3 * day, 3*day + 10} {
		must(t, s.Of(production).History.Saw(t.Context(), noon.Add(minutes(minute))))
	}
	must(t, s.Of(production).History.Saw(t.Context(), noon.Add(minutes(4*day))))
	if got, want := gapsOf(t, s, production), [][2]int{{40, 220}, {220, 3 * day}, {3 * day, 3*day + 10}, {3*day + 10, 4 * day}}; !slices.Equal(got, want) {
		t.Errorf("left are %v, want %v", got, want)
	}
	must(t, s.Of(production).History.Saw(t.Context(), noon.Add(3*forgotten)))
	if got := gapsOf(t, s, production); len(got) != 1 {
		t.Errorf("after years %v", got)
	}
}

func TestWhatFiredAfterAGapSaysSinceWhenItMayHaveHeld(t *testing.T) {
	t.Parallel()
	s, path := fresh(t)
	must(t, s.Of(production).Alerts.AddRule(t.Context(), rule(t, "price < 6").On(bale)))
	for _, c := range []struct {
		minute int
		ask    model.PriceCents
		since  time.Time
	}{{0, 590, time.Time{}}, {1, 620, time.Time{}}, {2, 590, time.Time{}}, {3, 620, time.Time{}}, {6, 590, noon.Add(minutes(3))}} {
		crossed := holdAgainst(t, s, noon.Add(minutes(c.minute)), c.ask)
		if c.ask == 590 && (len(crossed) != 1 || !crossed[0].Since.Equal(c.since)) {
			t.Errorf("minute %d: %+v", c.minute, crossed)
		}
	}
	must(t, s.Close())
	s = opened(t, path)
	if all := history(t, s); len(all) != 3 || !all[0].Since.Equal(noon.Add(minutes(3))) || !all[1].Since.IsZero() {
		t.Errorf("%+v", all)
	}
	s.turn <- struct{}{}
	must(t, s.continueInMemory(errors.New("the disk is full")))
	<-s.turn
	if all := history(t, s); len(all) != 3 || all[0].Since.IsZero() {
		t.Errorf("in memory: %+v", all)
	}
}
