package market

import (
	"errors"
	"strings"
	"testing"
	"time"

	"tonne/api/session"
	"tonne/model"
	"tonne/model/store"
	"tonne/ui/tab"
	"tonne/ui/uitest"
)

func TestLastPriceMove(t *testing.T) {
	t.Parallel()
	at := func(minute int, ask model.PriceCents) store.Observation {
		return store.Observation{At: uitest.Now.Add(time.Duration(minute-20) * time.Minute), BestAsk: ask}
	}
	for _, c := range []struct {
		name         string
		observations []store.Observation
		want         string
	}{
		{"no observations", nil, ""},
		{"one observation", []store.Observation{at(0, 610)}, "ask unchanged since 2 Nov 2026 08:54 UTC"},
		{"moved", []store.Observation{at(0, 600), at(1, 610), at(8, 620)}, "moved 12m ago: $6.10 → $6.20"},
		{"moved, then the quantity changed", []store.Observation{at(1, 610), at(8, 620), at(9, 620), at(19, 620)}, "moved 12m ago: $6.10 → $6.20"},
		{"gone", []store.Observation{at(1, 610), at(15, model.UnknownPrice)}, "sold out or withdrawn 5m ago, at $6.10"},
		{"back", []store.Observation{at(1, 610), at(2, model.UnknownPrice), at(15, 640)}, "on offer again 5m ago: $6.40"},
	} {
		r := newRobot(t, nil)
		h := &r.tab.history
		h.prices = session.PricesEvent{Observations: map[model.VintageKey][]store.Observation{bale: c.observations}}
		if got := h.moved(bale); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		if got := h.moved(uitest.Key("003bale", 1)); got != "" {
			t.Errorf("%s: other vintage: %q", c.name, got)
		}
	}
}

func TestMoveShowsTimeInsteadOfAgeWhilePaused(t *testing.T) {
	t.Parallel()
	r := settled(t)
	r.later(time.Minute)
	r.poll(uitest.Market(10))
	r.later(3 * time.Minute)
	r.Sees("moved 3m ago")
	r.View.Market.State = session.Paused
	r.Sees("moved 2 Nov 2026 09:15 UTC: $6.20 → $6.30")
}

func TestLastMoveFollowsCursor(t *testing.T) {
	t.Parallel()
	r := settled(t)
	r.later(time.Minute)
	r.poll(uitest.Market(10))
	r.Sees("moved 0s ago: $6.20 → $6.30")
	r.Press("j")
	r.Sees("ask unchanged since 2 Nov 2026 09:14")
	r.Press("j", "j")
	r.Sees("moved 0s ago: $19.80 → $19.90")
}

func TestChartHasThreePeriods(t *testing.T) {
	t.Parallel()
	r := settled(t)
	for n := range 50 {
		r.later(26 * time.Hour)
		r.poll(uitest.Market(model.PriceCents(-n)))
	}
	r.Press("c")
	r.Sees("best ask  24 hours", "low $5.71 · high $5.72")
	r.Press("c")
	r.Sees("low $5.71 · high $5.99")
	r.Press("c")
	r.Sees("low $5.71 · high $6.20", "Dec")
	r.Press("c", "esc")
	r.Sees("order book")
}

func TestTrendsAreDrawnFromEvent(t *testing.T) {
	t.Parallel()
	r := settled(t)
	r.SeesNot("▁▁▁▁▁▁▁▇")
	moved := []model.PriceCents{620, 620, 620, 620, 620, 620, 620, 630}
	r.Hear(session.TrendsEvent{At: r.Now, Prices: map[model.VintageKey][]model.PriceCents{bale: moved}})
	r.Sees("▁▁▁▁▁▁▁▇")
	r.Hear(session.TrendsEvent{At: r.Now, Prices: map[model.VintageKey][]model.PriceCents{bale: moved[1:]}})
	r.Sees("▁▁▁▁▁▁▇")
	r.SeesNot("▁▁▁▁▁▁▁▇")
	r.Hear(session.TrendsEvent{At: r.Now})
	r.SeesNot("▇")
}

func TestPricesOfSelectedVintageAreLoadedOnce(t *testing.T) {
	t.Parallel()
	r := settled(t)
	loads := r.session.loads
	for n := range 10 {
		r.Press("j")
		if key, _ := r.tab.list.table.CurrentKey(); r.session.vintage != key {
			t.Errorf("the cursor is on %v, loaded is %v", key, r.session.vintage)
		}
		r.poll(uitest.Market(model.PriceCents(n)))
	}
	if n := r.session.loads - loads; n != 10 {
		t.Errorf("10 moves loaded the prices %d times", n)
	}
}

func TestUnreadablePricesAreNotShown(t *testing.T) {
	t.Parallel()
	r := settled(t)
	r.Press("c")
	r.SeesNot("Loading the price history")
	r.Hear(session.PricesEvent{Err: errors.New("the disk is full")})
	r.Sees("Loading the price history")
}

func TestPanesFollowTheWheel(t *testing.T) {
	t.Parallel()
	r := settled(t)
	r.Frame()
	r.tab.Layout(width, 11)
	r.Run(r.tab.Input(tab.Wheel{X: 5, Y: 2, Lines: 3}))
	if key := r.tab.panes.book.key; key == bale || r.session.vintage != key {
		t.Errorf("the book is of %v, the history of %v", key, r.session.vintage)
	}
}

// Without earlier observations, the first poll shows no trend and no move.
func TestDayMovesStartAtMidnight(t *testing.T) {
	t.Parallel()
	r := settled(t)
	r.Sees("Δ 0s")
	r.SeesNot("▄▄")
	r.later(5 * time.Minute)
	r.poll(uitest.Market(20))
	r.later(5 * time.Minute)
	r.poll(uitest.Market(20))
	if line := r.Line("▎Bale Mountains"); !strings.Contains(line, "▲ 0.20") {
		t.Errorf("a poll later the line is %q", line)
	}
	r.later(24 * time.Hour)
	r.poll(uitest.Market(15))
	r.Sees("Δ 24h")
	if line := r.Line("▎Bale Mountains"); !strings.Contains(line, "▼ 0.05") {
		t.Errorf("the next day the line is %q", line)
	}
}

func TestDayMovesUseLastPriceBeforeMidnight(t *testing.T) {
	t.Parallel()
	r := settled(t)
	r.later(14*time.Hour + 30*time.Minute)
	r.poll(uitest.Market(20))
	r.later(time.Hour)
	r.poll(uitest.Market(15))
	r.Sees("Δ TODAY")
	if line := r.Line("▎Bale Mountains"); !strings.Contains(line, "▼ 0.05") {
		t.Errorf("after midnight the line is %q", line)
	}
}
