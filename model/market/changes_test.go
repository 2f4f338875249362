package market_test

import (
	"fmt"
	"slices"
	"testing"
	"tonne/model/must"

	"pgregory.net/rapid"

	"tonne/model"
	"tonne/model/market"
)

func TestChangesBetweenTwoSnapshots(t *testing.T) {
	was := market.New(part(
		listing{"p", "v", []order{{"same", 1e6, 500}, {"repriced", 1e6, 600}, {"resized", 4e6, 700}, {"both", 1e6, 800}, {"gone", 1e6, 400}}},
		listing{"p", "w", []order{{"left", 1e6, 100}}},
	))
	now := market.New(part(
		listing{"p", "v", []order{{"both", 2e6, 810}, {"new", 1e6, 450}, {"resized", 3e6, 700}, {"same", 1e6, 500}, {"repriced", 1e6, 610}}},
		listing{"p", "x", []order{{"arrived", 1e6, 100}}},
	))
	got := now.Since(was)
	var kinds []string
	for _, c := range got.Orders {
		kinds = append(kinds, fmt.Sprint(c.Kind, " ", c.Vintage.VintageID, " ", c.Was.ID, ">", c.Now.ID))
	}
	want := []string{
		fmt.Sprint(market.Repriced, " v both>both"),
		fmt.Sprint(market.Appeared, " v >new"),
		fmt.Sprint(market.Resized, " v resized>resized"),
		fmt.Sprint(market.Repriced, " v repriced>repriced"),
		fmt.Sprint(market.Appeared, " x >arrived"),
		fmt.Sprint(market.Vanished, " v gone>"),
		fmt.Sprint(market.Vanished, " w left>"),
	}
	must.Equal(t, kinds, want)
	// Vintages that came or went have no best ask before or after to compare.
	asks := []market.AskChange{{Vintage: model.VintageKey{ProjectID: "p", VintageID: "v"}, Was: 400, Now: 450}}
	must.Equal(t, got.Asks, asks)
}

func TestNothingChangesWhereOnlyTheOrderOfTheListDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		listings := drawListings(t)
		was := market.New(part(listings...))
		shuffled := slices.Clone(listings)
		for i := range shuffled {
			shuffled[i].orders = rapid.Permutation(shuffled[i].orders).Draw(t, "orders")
		}
		if c := market.New(part(shuffled...)).Since(was); !c.Empty() {
			t.Fatalf("%+v", c)
		}
	})
}

// TestChangesLeadFromOneSnapshotToTheOther applies the changes to the orders
// of the older snapshot and compares with those of the newer.
func TestChangesLeadFromOneSnapshotToTheOther(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		was, now := market.New(part(drawListings(t)...)), market.New(part(drawListings(t)...))
		orders := ordersOf(was)
		for _, c := range now.Since(was).Orders {
			if before, there := orders[c.Was.ID]; c.Kind != market.Appeared && (!there || before != c.Was) {
				t.Fatalf("%+v was %+v", c, before)
			}
			delete(orders, c.Was.ID)
			if c.Kind != market.Vanished {
				orders[c.Now.ID] = c.Now
			}
		}
		must.Equal(t, ordersOf(now), orders)
	})
}

func ordersOf(m *market.Market) map[string]market.SellOrder {
	orders := make(map[string]market.SellOrder, m.Orders())
	for i := range m.Orders() {
		orders[m.Order(i).ID] = m.Order(i)
	}
	return orders
}
