package market

import (
	"time"

	"tonne/api/session"
	"tonne/model"
	"tonne/model/store"
	"tonne/ui/tab"
)

// history is what is remembered of the prices of the selected vintage.
type history struct {
	view *tab.View
	// asked is the vintage whose prices the session was asked for, prices are
	// those that came last.
	asked  model.VintageKey
	prices session.PricesEvent
}

func (h *history) of(key model.VintageKey) ([]store.Observation, bool) {
	return h.prices.Observations, h.prices.Vintage == key && h.prices.Err == nil
}

// move is the last time that a best ask moved.
type move struct {
	at       time.Time
	was, now model.PriceCents
}

func lastMove(observations []store.Observation) (move, bool) {
	for i := len(observations) - 1; i > 0; i-- {
		if was, now := observations[i-1], observations[i]; was.BestAsk != now.BestAsk {
			return move{now.At, was.BestAsk, now.BestAsk}, true
		}
	}
	return move{}, false
}

func (h *history) moved(key model.VintageKey) string {
	observations, ok := h.of(key)
	if !ok || len(observations) == 0 {
		return ""
	}
	m, ok := lastMove(observations)
	if !ok {
		return "no move seen since " + h.view.Moment(model.At(observations[0].At))
	}
	when := h.view.Ago(m.at)
	for _, g := range h.prices.Gaps {
		if g.Until.Equal(m.at) {
			when = h.view.Between(g.From, g.Until)
		}
	}
	switch {
	case !m.was.Known():
		return "on offer again " + when + ": " + m.now.FormatDollars()
	case !m.now.Known():
		return "sold out or withdrawn " + when + ", at " + m.was.FormatDollars()
	}
	return "moved " + when + ": " + m.was.FormatDollars() + " → " + m.now.FormatDollars()
}
