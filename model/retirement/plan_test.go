package retirement_test

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tonne/model"
	"tonne/model/market"
	must "tonne/model/musttest"
	"tonne/model/retirement"
	"tonne/model/texttest"
)

const tonne = model.GramsPerTonne

func bookOf(orders ...market.SellOrder) market.Book { return market.NewBook(orders) }

func ask(id string, tonnes int64, price model.PriceCents) market.SellOrder {
	return market.SellOrder{ID: id, Quantity: model.Grams(tonnes * tonne), Price: price}
}

func gramsOf(text string) model.Grams {
	return model.Grams(must.Get(strconv.ParseInt(text, 10, 64)))
}

func TestPlanRetirement(t *testing.T) {
	book := bookOf(ask("cheap", 2, 500), ask("large", 10, 592), ask("next", 3, 510))
	texttest.Table(t, "plans", func(text string) string {
		var r retirement.RetireRequest
		var held model.Grams
		for word := range strings.FieldsSeq(text) {
			name, value, _ := strings.Cut(word, "=")
			switch name {
			case "grams":
				r.Quantity = gramsOf(value)
			case "held":
				held = gramsOf(value)
			case "order":
				r.SellOrderID = value
			case "for":
				r.Retiree = retirement.Retiree{Name: value, TaxID: "1", Country: "GB"}
			default:
				t.Fatal(word)
			}
		}
		plan, err := retirement.PlanRetirement(book, held, r)
		if err != nil {
			_, wrongOrder := errors.AsType[*retirement.OrderError](err)
			must.Hold(t, wrongOrder == (r.SellOrderID != "") && plan.Calls == nil, text, plan)
			return err.Error()
		}
		var line strings.Builder
		for _, c := range plan.Calls {
			fmt.Fprintf(&line, "%s, %s held", c.Quantity.FormatTonnes(), c.FromInventory.FormatTonnes())
			if c.BuyTonnes > 0 {
				price, cost := c.Price.FormatDollars(), c.Cost.FormatDollars()
				fmt.Fprintf(&line, ", buys %d t of %s at %s for %s", c.BuyTonnes, c.SellOrderID, price, cost)
			}
			line.WriteString("\n")
		}
		short, stays := plan.Short.FormatTonnes(), plan.Remainder.FormatTonnes()
		fmt.Fprintf(&line, "%s, short %s, %s stay", plan.Cost.FormatDollars(), short, stays)
		if plan.Dearer != 0 {
			line.WriteString(", dearer by " + plan.Dearer.FormatDollars())
		}
		return line.String()
	})
}

// The test simulates the service (section 4.5): it uses the wallet first, then buys whole
// tonnes of one order.
func TestPlanMatchesTheService(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		supply := map[string]market.SellOrder{}
		var orders []market.SellOrder
		for i := range rapid.IntRange(0, 6).Draw(t, "orders") {
			o := ask(fmt.Sprint("o", i), rapid.Int64Range(0, 5).Draw(t, "tonnes"),
				model.PriceCents(rapid.Int64Range(1, 9).Draw(t, "price")))
			orders = append(orders, o)
			supply[o.ID] = o
		}
		quantity := model.Grams(rapid.Int64Range(1, 20*tonne).Draw(t, "quantity"))
		if rapid.Bool().Draw(t, "whole") {
			quantity = max(quantity-quantity%tonne, tonne)
		}
		inventory := model.Grams(rapid.Int64Range(0, 10*tonne).Draw(t, "inventory"))
		book := market.NewBook(orders)
		plan := must.Get(retirement.PlanRetirement(book, inventory,
			retirement.RetireRequest{VintageID: "v", Quantity: quantity}))
		wallet, retired, bought, cost := inventory, model.Grams(0), int64(0), model.Cents(0)
		for i, c := range plan.Calls {
			short := (c.Quantity - min(wallet, c.Quantity)).TonnesUp()
			o := supply[c.SellOrderID]
			switch {
			case short != c.BuyTonnes, c.FromInventory != min(wallet, c.Quantity):
				t.Fatalf("call %d buys %d t and holds %d g, the service %d t and %d g", i, c.BuyTonnes, c.FromInventory, short,
					wallet)
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
		{retirement.Call{Quantity: 1_500_000, FromInventory: 500_000, BuyTonnes: 1, SellOrderID: "006a", Price: 620,
			Cost: 620}, 1240},
		{retirement.Call{Quantity: 20, BuyTonnes: 1, SellOrderID: "006a", Price: 620, Cost: 620}, 620},
	} {
		must.Equal(t, must.Get(tt.call.MostCost()), tt.want, tt.call)
	}
	got, err := (retirement.Call{Quantity: math.MaxInt64, SellOrderID: "006a", Price: math.MaxInt64}).MostCost()
	must.Hold(t, err != nil, "beyond any cost", got)
}

// The user confirms the highest cost: another user may empty the wallet before each call.
func TestEmptiedWalletCostsAtMostMostCost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const price = 7
		book := bookOf(ask("one", 3, price), ask("two", 40, price))
		wallet := model.Grams(rapid.Int64Range(0, 20*tonne).Draw(t, "inventory"))
		request := retirement.RetireRequest{VintageID: "v",
			Quantity: model.Grams(rapid.Int64Range(1, 20*tonne).Draw(t, "quantity"))}
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
