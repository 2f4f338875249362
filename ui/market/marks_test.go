package market

import (
	"slices"
	"testing"
	"time"

	"tonne/model"
	"tonne/model/market"
	must "tonne/model/musttest"
)

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
		{"appeared", market.Appeared, none, order("O", 1, 5), true, []string{"ask", "delta", "available", "asks"}, []string{"price", "tonnes"}},
		{"vanished, not the best ask", market.Vanished, order("O", 1, 5), none, false, []string{"available", "asks"}, nil},
		{"repriced", market.Repriced, order("O", 1, 5), order("O", 1, 6), true, []string{"ask", "delta"}, []string{"price"}},
		{"resized", market.Resized, order("O", 1, 5), order("O", 2, 5), false, []string{"available"}, []string{"tonnes"}},
		{"repriced and resized", market.Repriced, order("O", 1, 5), order("O", 2, 6), false, []string{"available"}, []string{"price", "tonnes"}},
	} {
		var m marks
		changes := market.MarketChanges{Orders: []market.OrderChange{{Kind: test.kind, Vintage: key, Was: test.was, Now: test.now}}}
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
