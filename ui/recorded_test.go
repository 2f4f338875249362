package ui

import (
	"context"
	"errors"
	"testing"
	"time"

	"tonne/api/session"
	"tonne/model"
	livemarket "tonne/model/market"
	"tonne/ui/uitest"
)

// fakePast has a market of an hour before the tests' time, and a change two hours before.
type fakePast struct{}

func (fakePast) At(_ context.Context, at time.Time) (*livemarket.Market, time.Time, error) {
	switch back := uitest.Now.Sub(at); {
	case back > 3*time.Hour:
		return nil, time.Time{}, errors.New("the market of that time was not recorded")
	case back >= 2*time.Hour:
		return uitest.Market(100), at.Add(-5 * time.Second), nil
	}
	return uitest.Market(7), at.Add(-2 * time.Second), nil
}

func (fakePast) Change(_ context.Context, _ model.VintageKey, at time.Time, back bool) (time.Time, error) {
	change := uitest.Now.Add(-2 * time.Hour)
	if at.After(change) != back || at.Equal(change) {
		return time.Time{}, nil
	}
	return change, nil
}

func replaying(t *testing.T, width, height int) *robot {
	r := newRobotWith(t, width, height, func(o *Options) { o.Past = fakePast{} })
	r.settle()
	return r
}

const banner = "RECORDED 2 Nov 2026 08:14:05 UTC · read 2 s before · Esc live"

func TestRecordedMarketReplacesTheLiveOne(t *testing.T) {
	t.Parallel()
	r := replaying(t, 120, 36)
	r.Sees("$6.20", "● live")
	r.Press("<")
	r.Sees(banner, "$6.27")
	r.SeesNot("● live", "request 0s", "NO RETIRING", "book $")
	// The live market goes on, and does not show.
	r.hear(session.MarketEvent{Status: uitest.Live(), Generation: 2, Market: uitest.Market(40)})
	r.Sees(banner, "$6.27")
	r.SeesNot("$6.60")
	r.Press("esc")
	r.SeesNot("RECORDED", "$6.27")
	r.Sees("$6.60", "● live")
}

func TestRecordedMarketsAreReachedByTimeHourAndChange(t *testing.T) {
	t.Parallel()
	r := replaying(t, 120, 36)
	r.Press("A")
	r.Reply("yesterday")
	r.Sees("Enter a time such as")
	r.Press("esc", "A")
	r.Reply("08:14:05")
	r.Sees(banner)
	r.Press("(")
	r.Sees("RECORDED 2 Nov 2026 07:14:05 UTC · read 5 s before", "$7.20")
	r.Press("(")
	r.Sees("Bale Mountains 2019 has no recorded change before", "07:14:05")
	r.Press("<", "<")
	r.Sees("The market of that time was not recorded.", "RECORDED 2 Nov 2026 06:14:05")
	r.Press(">")
	// A held key does not draw the pane.
	r.now = r.now.Add(time.Second)
	r.Press(">")
	r.Sees("RECORDED 2 Nov 2026 08:14:05 UTC", "$6.27       400 t")
	r.Press(">", ">")
	r.Sees("● live")
	r.Press("esc", ">")
	r.Sees("This is the live market.")
}

func TestRecordedMarketIsReachedFromThePalette(t *testing.T) {
	t.Parallel()
	r := replaying(t, 120, 36)
	r.types(":", "a", "t", "space", "0", "8", ":", "1", "4", ":", "0", "5", "enter")
	r.Sees(banner)
}

func TestWhatWatchesOrWritesIsOffInRecordedMarkets(t *testing.T) {
	t.Parallel()
	r := replaying(t, 120, 36)
	r.Press("<")
	for _, key := range []string{"f", "F", "a", "w", "x", "R", "v"} {
		r.Press(key)
		r.Sees("This is a recorded market. Esc returns to the live one.")
	}
	r.Press("b")
	r.Reply("10")
	r.Sees(banner, "$62.70")
	r.Press("u")
	r.Sees("g")
	r.Press("2")
	r.SeesNot("RECORDED")
	r.Press("tab", "tab")
	r.SeesNot("RECORDED")
}

func TestCommandOfRecordedMarketHasItsTime(t *testing.T) {
	t.Parallel()
	r := replaying(t, 120, 36)
	r.Press("<", "!")
	r.Sees("Copied the command", "026-11-02T08:14:03Z.")
}

func TestRecordedMarketKeepsSelectionAndFilter(t *testing.T) {
	t.Parallel()
	r := replaying(t, 120, 36)
	r.types("/", "c", "a", "b", "o", "enter", "j")
	r.Press("<")
	r.Sees(banner, "Cabo Leones · 2022")
	r.SeesNot("Genneia")
}

func TestSessionWithoutRecordsSaysSo(t *testing.T) {
	t.Parallel()
	r := ready(t)
	r.Press("<")
	r.Sees("This session records no markets.")
}

func TestBannerOfRecordedMarketFitsNarrowTerminals(t *testing.T) {
	t.Parallel()
	for _, width := range []int{60, 80, 160} {
		r := replaying(t, width, 15)
		r.Press("<")
		r.Sees("RECORDED 2 Nov 2026 08:14:05 UTC", "2 s before · Esc live")
	}
}
