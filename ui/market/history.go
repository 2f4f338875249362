package market

import (
	"context"
	"time"

	"tonne/model"
	"tonne/model/store"
	"tonne/ui/effect"
	"tonne/ui/tab"
)

// history is what is remembered of the prices of the selected vintage.
type history struct {
	tab *Tab
	// key names the vintage that the observations are of; they are oldest
	// first, and known says that they were read.
	key          model.VintageKey
	observations []store.Observation
	known        bool
	// asked says that a read waits for its turn.
	asked bool
}

// of returns what is known of a vintage, and false while that is not read.
func (h *history) of(key model.VintageKey) ([]store.Observation, bool) {
	if h.key != key || !h.known {
		return nil, false
	}
	return h.observations, true
}

// follow reads the prices of the vintage that the cursor came to.
func (h *history) follow() effect.Effect {
	if h.tab.pane.book.key == h.key {
		return nil
	}
	return h.again()
}

// again reads the prices of the selected vintage, also where they are known:
// there may be more. Whoever runs over many rows asks for the last one alone.
func (h *history) again() effect.Effect {
	if h.asked || h.tab.pane.book.key == (model.VintageKey{}) {
		return nil
	}
	h.asked = true
	return h.tab.memory.run(h.begin)
}

func (h *history) begin() effect.Work {
	h.asked = false
	m, key := h.tab.memory, h.tab.pane.book.key.Clone()
	if key == (model.VintageKey{}) {
		return nil
	}
	return func(ctx context.Context) any {
		observations, err := m.store.Prices(ctx, m.origin, key, time.Time{})
		return pricesRead{key, observations, err == nil}
	}
}

// pricesRead are the prices of a vintage; known says that they were read.
type pricesRead struct {
	vintage      model.VintageKey
	observations []store.Observation
	known        bool
}

func (h *history) read(r pricesRead) effect.Effect {
	h.key, h.observations, h.known = r.vintage, r.observations, r.known
	return h.follow()
}

// move is the last time that a best ask moved.
type move struct {
	at       time.Time
	was, now model.PriceCents
}

// lastMove finds the last move in observations, oldest first. It is false
// where the price has been the same for as long as they reach back.
func lastMove(observations []store.Observation) (move, bool) {
	for i := len(observations) - 1; i > 0; i-- {
		if was, now := observations[i-1], observations[i]; was.BestAsk != now.BestAsk {
			return move{now.At, was.BestAsk, now.BestAsk}, true
		}
	}
	return move{}, false
}

// moved says when the best ask of a vintage moved last, or "".
func (h *history) moved(key model.VintageKey) string {
	observations, ok := h.of(key)
	if !ok || len(observations) == 0 {
		return ""
	}
	m, ok := lastMove(observations)
	switch {
	case !ok:
		return "no move seen since " + h.tab.view.Since(observations[0].At)
	case !m.was.Known():
		return "on offer again " + h.tab.ago(m.at) + ": " + m.now.FormatDollars()
	case !m.now.Known():
		return "sold out or withdrawn " + h.tab.ago(m.at) + ", at " + m.was.FormatDollars()
	}
	return "moved " + h.tab.ago(m.at) + ": " + m.was.FormatDollars() + " → " + m.now.FormatDollars()
}

// ago says how long ago something was. While the clock of the screen stands,
// it says when.
func (t *Tab) ago(at time.Time) string {
	if t.clockStands() {
		return t.view.Since(at)
	}
	return tab.Age(t.view.Now().Sub(at)) + " ago"
}
