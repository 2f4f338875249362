package market

import (
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"tonne/api/session"
	"tonne/model"
	"tonne/model/file/store"
	"tonne/model/market"
	must "tonne/model/musttest"
	"tonne/ui/column"
	"tonne/ui/uitest"
)

func TestTypeColumnCanBeRead(t *testing.T) {
	t.Parallel()
	typed := 0
	r := settled(t)
	for width := 60; width <= 240; width++ {
		r.FrameAt(width, 32)
		titles, row := r.Line("VINTAGE"), r.Line("BaumInvest")
		if !strings.Contains(titles, "TYPE") {
			// The asks are dropped first.
			must.Hold(t, !strings.Contains(titles, "ASKS"), width, titles)
			continue
		}
		typed++
		whole := strings.Contains(row, "Afforestation, Reforestation & Restoration")
		must.Hold(t, strings.Contains(row, "Afforesta") && (whole == (width >= 160) || width != 120 && width < 160),
			width, whole, row)
		must.Hold(t, width < 120 || strings.Contains(row, "BaumInvest Reforestation "), width, row)
	}
	must.Hold(t, typed >= 140, "the type is shown at", typed)
}

// A saved view works in commands if they have its columns.
func TestColumnsHaveTheNamesOfCommands(t *testing.T) {
	t.Parallel()
	known := slices.Concat(column.Offers.Names(), column.Offers.Extras())
	uitest.ColumnNames(t, spec(new(vintages), nil).Columns, known, "delta", "trend")
}

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
		{"moved, then the quantity changed", []store.Observation{at(1, 610), at(8, 620), at(9, 620), at(19, 620)},
			"moved 12m ago: $6.10 → $6.20"},
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

func TestOnlyChangedCellsAreMarked(t *testing.T) {
	t.Parallel()
	key := model.VintageKey{ProjectID: "P", VintageID: "V"}
	order := func(id string, tonnes model.Grams, price model.PriceCents) market.SellOrder {
		return market.SellOrder{ID: id, Quantity: tonnes * model.GramsPerTonne, Price: price}
	}
	var none market.SellOrder
	for _, test := range []struct {
		name     string
		kind     market.ChangeKind
		was, now market.SellOrder
		best     bool
		vintage  []string
		order    []string
	}{
		{"appeared", market.Appeared, none, order("O", 1, 5), true, []string{"ask", "delta", "available", "asks"},
			[]string{"price", "tonnes"}},
		{"vanished, not the best ask", market.Vanished, order("O", 1, 5), none, false, []string{"available", "asks"}, nil},
		{"repriced", market.Repriced, order("O", 1, 5), order("O", 1, 6), true, []string{"ask", "delta"}, []string{"price"}},
		{"resized", market.Resized, order("O", 1, 5), order("O", 2, 5), false, []string{"available"}, []string{"tonnes"}},
		{"repriced and resized", market.Repriced, order("O", 1, 5), order("O", 2, 6), false, []string{"available"},
			[]string{"price", "tonnes"}},
	} {
		var m marks
		changes := market.MarketChanges{Orders: []market.OrderChange{{Kind: test.kind, Vintage: key, Was: test.was,
			Now: test.now}}}
		if test.best {
			changes.Asks = []market.AskChange{{Vintage: key, Was: test.was.Price, Now: test.now.Price}}
		}
		m.add(changes, time.Unix(0, 0))
		var vintage, inBook []string
		for _, column := range []string{"name", "ask", "delta", "available", "asks", "trend"} {
			if m.vintage(key, column) {
				vintage = append(vintage, column)
			}
		}
		for _, column := range []string{"price", "tonnes", "cost"} {
			if m.On("O", column) {
				inBook = append(inBook, column)
			}
		}
		must.Hold(t, slices.Equal(vintage, test.vintage) && slices.Equal(inBook, test.order),
			test.name, vintage, inBook, test.vintage, test.order)
	}
}

func TestRememberedKeysDoNotKeepSnapshotAlive(t *testing.T) {
	t.Parallel()
	r := settled(t)
	r.poll(uitest.Market(5))
	row, ok := r.tab.list.table.Current()
	must.Need(t, ok, "no vintage is selected")
	r.Press("f", "a")
	r.Reply("best ask <= 1.00")
	shared := row.key()
	kept := map[string]model.VintageKey{"the history": r.tab.history.wanted[0]}
	for key := range r.tab.history.prices.Observations {
		kept["its prices"] = key
	}
	for key := range r.tab.watch.Watched {
		kept["the watch list"] = key
	}
	for _, a := range r.tab.watch.Rules {
		kept["a rule"] = a.Vintage
	}
	must.Need(t, len(kept) == 4, "kept", kept)
	for what, key := range kept {
		must.Equal(t, key, shared, what)
		must.Hold(t, unsafe.StringData(key.VintageID) != unsafe.StringData(shared.VintageID) &&
			unsafe.StringData(key.ProjectID) != unsafe.StringData(shared.ProjectID),
			what)
	}
}
