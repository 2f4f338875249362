package market

import (
	"testing"
	"time"

	"tonne/api/session"
	"tonne/model"
	must "tonne/model/musttest"
	"tonne/model/store"
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
		must.Equal(t, h.moved(bale), c.want, c.name)
		must.Equal(t, h.moved(uitest.Key("003bale", 1)), "", c.name)
	}
}

func TestPricesOfSelectedVintageAreLoadedOnce(t *testing.T) {
	t.Parallel()
	r := settled(t)
	loads := r.session.loads
	for n := range 10 {
		r.Press("j")
		key, _ := r.tab.list.table.CurrentKey()
		must.Equal(t, r.session.vintage, key, "the cursor is on")
		r.poll(uitest.Market(model.PriceCents(n)))
	}
	must.Equal(t, r.session.loads-loads, 10, "10 moves loaded the prices")
}
