package model_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tonne/model"
	"tonne/model/market"
	must "tonne/model/musttest"
	"tonne/model/retirement"
)

const tonne = model.GramsPerTonne

func bookOf(orders ...market.SellOrder) market.Book { return market.NewBook(orders) }

func ask(id string, tonnes int64, price model.PriceCents) market.SellOrder {
	return market.SellOrder{ID: id, Quantity: model.Grams(tonnes * tonne), Price: price}
}

func said(p retirement.Plan) (lines []string) {
	for _, c := range p.Calls {
		line := c.Quantity.FormatTonnes() + ", " + c.FromInventory.FormatTonnes() + " held"
		if c.BuyTonnes > 0 {
			line += fmt.Sprintf(", buys %d t of %s at %s for %s", c.BuyTonnes, c.SellOrderID, c.Price.FormatDollars(), c.Cost.FormatDollars())
		}
		lines = append(lines, line)
	}
	return append(lines, fmt.Sprintf("%s, short %s, %s stay", p.Cost.FormatDollars(), p.Short.FormatTonnes(), p.Remainder.FormatTonnes()))
}

func TestPlanRetirement(t *testing.T) {
	book := bookOf(ask("cheap", 2, 500), ask("large", 10, 592), ask("next", 3, 510))
	for _, tt := range []struct {
		name      string
		inventory model.Grams
		request   retirement.RetireRequest
		want      []string
	}{
		{"the inventory covers it", 3 * tonne, retirement.RetireRequest{Quantity: 2_500_000},
			[]string{"2.500000 t, 2.500000 t held", "$0.00, short 0 t, 0.500000 t stay"}},
		{"a fraction of the wallet with a purchase", 874_900, retirement.RetireRequest{Quantity: 2_500_000},
			[]string{"2.500000 t, 0.874900 t held, buys 2 t of cheap at $5.00 for $10.00", "$10.00, short 0 t, 0.374900 t stay"}},
		{"whole tonnes of the wallet with a purchase", 60_900_000, retirement.RetireRequest{Quantity: 61_500_000}, []string{
			"60 t, 60 t held",
			"1.500000 t, 0.900000 t held, buys 1 t of cheap at $5.00 for $5.00",
			"$5.00, short 0 t, 0.400000 t stay"}},
		{"a gram less in the wallet than requested", 61_205_647, retirement.RetireRequest{Quantity: 61_205_648}, []string{
			"61 t, 61 t held",
			"0.205648 t, 0.205647 t held, buys 1 t of cheap at $5.00 for $5.00",
			"$5.00, short 0 t, 0.999999 t stay"}},
		{"the cheapest order that covers it", 0, retirement.RetireRequest{Quantity: 3 * tonne},
			[]string{"3 t, 0 t held, buys 3 t of next at $5.10 for $15.30", "$15.30, short 0 t, 0 t stay"}},
		{"a chosen order", 0, retirement.RetireRequest{Quantity: 20, SellOrderID: "large"},
			[]string{"0.000020 t, 0 t held, buys 1 t of large at $5.92 for $5.92", "$5.92, short 0 t, 0.999980 t stay"}},
		{"several calls, the fraction in the last", 300_000, retirement.RetireRequest{Quantity: 12_700_000}, []string{
			"2 t, 0.300000 t held, buys 2 t of cheap at $5.00 for $10.00",
			"3 t, 0.300000 t held, buys 3 t of next at $5.10 for $15.30",
			"7.700000 t, 0.300000 t held, buys 8 t of large at $5.92 for $47.36",
			"$72.66, short 0 t, 0.600000 t stay"}},
		{"more than the market sells", 0, retirement.RetireRequest{Quantity: 16 * tonne}, []string{
			"2 t, 0 t held, buys 2 t of cheap at $5.00 for $10.00",
			"3 t, 0 t held, buys 3 t of next at $5.10 for $15.30",
			"10 t, 0 t held, buys 10 t of large at $5.92 for $59.20",
			"$84.50, short 1 t, 0 t stay"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			plan := must.Get(retirement.PlanRetirement(book, tt.inventory, tt.request))
			must.Equal(t, said(plan), tt.want, strings.Join(tt.want, "\n"))
		})
	}
}

func TestPlanRetirementErrors(t *testing.T) {
	customer := retirement.Retiree{Name: "Your Customer Ltd", TaxID: "1", Country: "GB"}
	book := bookOf(ask("cheap", 2, 500))
	for _, tt := range []struct {
		name    string
		request retirement.RetireRequest
		// want is nil for an *OrderError.
		want error
	}{
		{"nothing", retirement.RetireRequest{}, retirement.ErrNothingToRetire},
		{"less than nothing", retirement.RetireRequest{Quantity: -1}, retirement.ErrNothingToRetire},
		{"a fraction for a customer", retirement.RetireRequest{Quantity: 1_000_001, Retiree: customer}, retirement.ErrCustomerFraction},
		{"an order that does not exist", retirement.RetireRequest{Quantity: tonne, SellOrderID: "sold"}, nil},
		{"an order that is too small", retirement.RetireRequest{Quantity: 3 * tonne, SellOrderID: "cheap"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			plan, err := retirement.PlanRetirement(book, 0, tt.request)
			_, wrongOrder := errors.AsType[*retirement.OrderError](err)
			must.Equal(t, wrongOrder, tt.want == nil)
			if tt.want != nil {
				must.Fail(t, err, tt.want)
			}
			must.Equal(t, len(plan.Calls), 0, plan.Calls)
		})
	}
}

// The test simulates the service (section 4.5): it uses the wallet first, then buys whole
// tonnes of one order.
func TestPlanMatchesTheService(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		supply := map[string]market.SellOrder{}
		var orders []market.SellOrder
		for i := range rapid.IntRange(0, 6).Draw(t, "orders") {
			o := ask(fmt.Sprint("o", i), rapid.Int64Range(0, 5).Draw(t, "tonnes"), model.PriceCents(rapid.Int64Range(1, 9).Draw(t, "price")))
			orders = append(orders, o)
			supply[o.ID] = o
		}
		quantity := model.Grams(rapid.Int64Range(1, 20*tonne).Draw(t, "quantity"))
		if rapid.Bool().Draw(t, "whole") {
			quantity = max(quantity-quantity%tonne, tonne)
		}
		inventory := model.Grams(rapid.Int64Range(0, 10*tonne).Draw(t, "inventory"))
		book := market.NewBook(orders)
		plan := must.Get(retirement.PlanRetirement(book, inventory, retirement.RetireRequest{VintageID: "v", Quantity: quantity}))
		wallet, retired, bought, cost := inventory, model.Grams(0), int64(0), model.Cents(0)
		for i, c := range plan.Calls {
			short := (c.Quantity - min(wallet, c.Quantity)).TonnesUp()
			o := supply[c.SellOrderID]
			switch {
			case short != c.BuyTonnes, c.FromInventory != min(wallet, c.Quantity):
				t.Fatalf("call %d buys %d t and holds %d g, the service %d t and %d g", i, c.BuyTonnes, c.FromInventory, short, wallet)
			case short > 0 && (o.Quantity.Tonnes() < short || o.Price != c.Price):
				t.Fatalf("order %[2]v refuses call %[1]d", i, o)
			case i < len(plan.Calls)-1 && !c.Quantity.IsWhole():
				t.Fatalf("call %d is of %d g", i, c.Quantity)
			}
			o.Quantity -= model.Grams(short * tonne)
			supply[c.SellOrderID] = o
			wallet += model.Grams(short*tonne) - c.Quantity
			retired, bought, cost = retired+c.Quantity, bought+short, cost+c.Cost
		}
		needed := (quantity - min(quantity, inventory)).TonnesUp()
		switch {
		case cost != plan.Cost, wallet != plan.Remainder:
			t.Fatalf("cost %v and remainder %v, want %v and %v", plan.Cost, plan.Remainder, cost, wallet)
		case (plan.Short == 0) != (retired == quantity), (plan.Short == 0) != (book.Tonnes() >= needed):
			t.Fatalf("short %d g after %d of %d g", plan.Short, retired, quantity)
		case plan.Short == 0 && bought != needed:
			t.Fatalf("bought %d t, but only %d t are needed", bought, needed)
		}
	})
}

func TestMostCostBuysTheWholeQuantity(t *testing.T) {
	for _, tt := range []struct {
		call retirement.Call
		want model.Cents
	}{
		{retirement.Call{Quantity: 1_500_000, FromInventory: 1_500_000, Price: model.UnknownPrice}, 0},
		{retirement.Call{Quantity: 1_500_000, FromInventory: 500_000, BuyTonnes: 1, SellOrderID: "006a", Price: 620, Cost: 620}, 1240},
		{retirement.Call{Quantity: 20, BuyTonnes: 1, SellOrderID: "006a", Price: 620, Cost: 620}, 620},
	} {
		must.Equal(t, must.Get(tt.call.MostCost()), tt.want, tt.call)
	}
	got, err := (retirement.Call{Quantity: math.MaxInt64, SellOrderID: "006a", Price: math.MaxInt64}).MostCost()
	must.Hold(t, err != nil, "beyond any cost", got)
}

func TestDearerIsTheSavingOfSeveralOrders(t *testing.T) {
	book := bookOf(ask("cheap", 2, 500), ask("next", 3, 510), ask("large", 10, 592))
	for _, tt := range []struct {
		held    model.Grams
		request retirement.RetireRequest
		want    model.Cents
	}{
		{0, retirement.RetireRequest{Quantity: 2 * tonne}, 0},
		{0, retirement.RetireRequest{Quantity: 3 * tonne}, 20},
		{0, retirement.RetireRequest{Quantity: 9_300_000}, 10*592 - 2*500 - 3*510 - 5*592},
		{2 * tonne, retirement.RetireRequest{Quantity: 6 * tonne}, 4*592 - 2*500 - 2*510},
		{7 * tonne, retirement.RetireRequest{Quantity: 6 * tonne}, 0},
		{0, retirement.RetireRequest{Quantity: 3 * tonne, SellOrderID: "large"}, 0},
		{0, retirement.RetireRequest{Quantity: 12 * tonne}, 0},
		{0, retirement.RetireRequest{Quantity: 20 * tonne}, 0},
	} {
		plan, err := retirement.PlanRetirement(book, tt.held, tt.request)
		must.Hold(t, err == nil && plan.Dearer == tt.want, tt.request.Quantity, tt.held, plan.Dearer, tt.want, err)
	}
}

// The user confirms the highest cost: another user may empty the wallet before each call.
func TestEmptiedWalletCostsAtMostMostCost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const price = 7
		book := bookOf(ask("one", 3, price), ask("two", 40, price))
		wallet := model.Grams(rapid.Int64Range(0, 20*tonne).Draw(t, "inventory"))
		request := retirement.RetireRequest{VintageID: "v", Quantity: model.Grams(rapid.Int64Range(1, 20*tonne).Draw(t, "quantity"))}
		if rapid.Bool().Draw(t, "customer") {
			request.Quantity = request.Quantity - request.Quantity%tonne + tonne
			request.Retiree = retirement.Retiree{Name: "Ann", TaxID: "1", Country: "GB"}
		}
		plan := must.Get(retirement.PlanRetirement(book, wallet, request))
		most := model.Cents(0)
		if plan.Cost > 0 && !request.Quantity.IsWhole() {
			most = price
		}
		must.Need(t, plan.MostCost <= plan.Cost+most, "the cost is", plan.Cost, plan.MostCost)
		spent := model.Cents(0)
		for _, c := range plan.Calls {
			wallet -= model.Grams(rapid.Int64Range(0, int64(wallet)).Draw(t, "used elsewhere"))
			if c.SellOrderID == "" && wallet < c.Quantity {
				break
			}
			bought := (c.Quantity - min(wallet, c.Quantity)).TonnesUp()
			spent += model.Cents(bought * price)
			wallet += model.Grams(bought*tonne) - c.Quantity
		}
		must.Hold(t, spent <= plan.MostCost, "spent", spent, plan.MostCost)
	})
}
