package retire

import (
	"testing"

	"tonne/model"
	"tonne/model/market"
	"tonne/model/retirement"
)

func TestAPlanIsComparedWithTheMarketAndTheWalletOfNow(t *testing.T) {
	t.Parallel()
	supply := func(held model.Grams, orders ...market.SellOrder) Supplies {
		return Supplies{"V": {Book: market.NewBook(orders), Held: held}}
	}
	order := func(id string, tonnes model.Grams, price model.PriceCents) market.SellOrder {
		return market.SellOrder{ID: id, Quantity: tonnes * model.GramsPerTonne, Price: price}
	}
	before := supply(20, order("a", 5, 600), order("b", 9, 620))
	calls := []retirement.Call{
		{VintageID: "V", Quantity: 20}, {VintageID: "V", SellOrderID: "a", BuyTonnes: 3, Price: 600}, {VintageID: "V", SellOrderID: "a", BuyTonnes: 2, Price: 600},
	}
	for _, tt := range []struct {
		name string
		now  Supplies
		want string
	}{
		{"nothing changed", supply(20, order("b", 9, 620), order("a", 5, 600)), ""},
		{"another order changed", supply(20, order("a", 5, 600)), ""},
		{"the wallet changed", supply(30, order("a", 5, 600)), "the wallet of V has 0.000030 t now, and had 0.000020 t"},
		{"the price moved", supply(20, order("a", 5, 610)), "the price of the sell order a moved: $6.00 → $6.10"},
		{"two calls need more than there is", supply(20, order("a", 4, 600)), "the sell order a has 4 t now, and 5 t are planned"},
		{"the order is gone", supply(20, order("b", 9, 620)), "the sell order a is not for sale any more"},
		{"the vintage is gone", Supplies{"V": {Held: 20}}, "the sell order a is not for sale any more"},
	} {
		got := ""
		if err := recheck(before, tt.now, calls); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestPlansOfOneRunTakeFromTheSameSupply(t *testing.T) {
	t.Parallel()
	before := Supplies{"V": {Book: market.NewBook([]market.SellOrder{{ID: "a", Quantity: 5 * model.GramsPerTonne, Price: 600}}), Held: 2 * model.GramsPerTonne}}
	after := before.Clone()
	for n, want := range []struct{ short, held model.Grams }{{0, 0}, {0, 0}, {2 * model.GramsPerTonne, 0}} {
		plan, err := after.Plan(retirement.RetireRequest{VintageID: "V", Quantity: 3 * model.GramsPerTonne})
		if err != nil || plan.Short != want.short || after["V"].Held != want.held {
			t.Errorf("plan %d: %+v, %v, %+v", n, plan, err, after)
		}
	}
	if s := before["V"]; s.Held != 2*model.GramsPerTonne || s.Book.Asks[0].Tonnes != 5 {
		t.Errorf("the supply that was read changed: %+v", s)
	}
}
