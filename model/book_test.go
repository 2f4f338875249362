package model_test

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"tonne/model"
	"tonne/model/market"
	"tonne/model/must"
)

func TestBookListsWhatCanBeBoughtCheapestFirst(t *testing.T) {
	m := oneVintage(
		order{"late", 1e6, 625}, order{"early", 1e6, 625}, order{"large", 9e6, 625},
		order{"cheap", 2_500_000, 620}, order{"small", 999_999, 1},
		order{"noprice", 5e6, model.UnknownPrice}, order{"noquantity", model.UnknownGrams, 1},
	)
	book := m.Book(0)
	type row struct {
		id          string
		tonnes, cum int64
		average     model.PriceCents
	}
	var got []row
	for _, a := range book.Asks {
		got = append(got, row{a.Order.ID, a.Tonnes, a.CumTonnes, a.Average()})
	}
	want := []row{{"cheap", 2, 2, 620}, {"large", 9, 11, 624}, {"early", 1, 12, 624}, {"late", 1, 13, 624}}
	must.Equal(t, got, want)
	must.Hold(t, book.Small == 1 && book.Unread == 2 && book.Tonnes() == 13, book.Small, book.Unread, book.Tonnes())
	gap, ok := book.GapToNext()
	must.Hold(t, ok && gap == 5, "gap to the next ask =", gap, ok)
}

func TestABookOfOnePriceHasNoGap(t *testing.T) {
	for _, orders := range [][]order{nil, {{"a", 1e6, 620}}, {{"a", 1e6, 620}, {"b", 1e6, 620}}} {
		gap, ok := oneVintage(orders...).Book(0).GapToNext()
		must.Hold(t, !ok, orders, gap)
	}
}

// screenBook is the order book drawn on the market screen.
func screenBook() market.Book {
	return oneVintage(
		order{"a", 400e6, 620}, order{"b", 1000e6, 625}, order{"c", 250e6, 640}, order{"d", 3000e6, 675},
	).Book(0)
}

func TestQuoteForBuyingSweepsTheBook(t *testing.T) {
	for _, c := range []struct {
		name                  string
		tonnes, bought, short int64
		cost                  model.Cents
		average, marginal     model.PriceCents
		fills                 int
		left                  int64
		requested             model.Grams
	}{
		{"nothing", 0, 0, 0, 0, model.UnknownPrice, model.UnknownPrice, 0, 4650, 0},
		{"part of the first ask", 1, 1, 0, 620, 620, 620, 1, 4649, 1e6},
		{"the first ask", 400, 400, 0, 248_000, 620, 620, 1, 4250, 400e6},
		{"into the second", 500, 500, 0, 310_500, 621, 625, 2, 4150, 500e6},
		{"all of it", 4650, 4650, 0, 3_058_000, 658, 675, 4, 0, 4650e6},
		{"more than there is", 5000, 4650, 350, 3_058_000, 658, 675, 4, 0, 5000e6},
	} {
		q, err := screenBook().Buy(c.tonnes)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if q.BuyTonnes != c.bought || q.Short != c.short || q.Cost != c.cost || q.Average != c.average ||
			q.Marginal != c.marginal || len(q.Fills) != c.fills || q.Left != c.left || q.Requested != c.requested {
			t.Errorf("%s: %+v", c.name, q)
		}
	}
}

func TestQuoteForRetiringUsesTheInventoryFirst(t *testing.T) {
	for _, c := range []struct {
		name                string
		quantity, inventory model.Grams
		from, remainder     model.Grams
		bought, short       int64
	}{
		{name: "the worked example, first call", quantity: 20, bought: 1, remainder: 999_980},
		{name: "the worked example, second call", quantity: 40, inventory: 999_980, from: 40},
		{name: "whole tonnes", quantity: 3e6, bought: 3},
		{name: "inventory covers exactly", quantity: 5e6, inventory: 5e6, from: 5e6},
		{name: "inventory falls short by a gram", quantity: 1_000_001, inventory: 1e6, from: 1e6, bought: 1, remainder: 999_999},
		{name: "inventory that is not known", quantity: 20, inventory: model.UnknownGrams, bought: 1, remainder: 999_980},
		{name: "the book falls short", quantity: 4_650_500_000, bought: 4650, short: 1},
		{name: "nothing", quantity: 0, inventory: 7},
	} {
		q, err := screenBook().Retire(c.quantity, c.inventory)
		if err != nil || q.FromInventory != c.from || q.BuyTonnes != c.bought || q.Remainder != c.remainder || q.Short != c.short || q.Requested != c.quantity {
			t.Errorf("%s: %+v, %v", c.name, q, err)
		}
	}
}

func TestAQuoteTooLargeIsAnErrorNeverAWrap(t *testing.T) {
	huge := oneVintage(order{"a", math.MaxInt64, math.MaxInt64}).Book(0)
	for name, err := range map[string]error{
		"cost":     second(huge.Buy(2)),
		"tonnes":   second(huge.Buy(math.MaxInt64)),
		"negative": second(huge.Buy(-1)),
		"retire":   second(huge.Retire(math.MaxInt64, 0)),
	} {
		must.Fail(t, err, model.ErrOverflow, name)
	}
}

func second(_ market.Quote, err error) error { return err }

// TestQuotesAddUp holds any quote against sums in big integers.
func TestQuotesAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var orders []order
		for i := range rapid.IntRange(0, 12).Draw(t, "orders") {
			grams := model.Grams(rapid.Int64Range(0, 50_000_000).Draw(t, "grams"))
			price := model.PriceCents(rapid.Int64Range(0, 50_000).Draw(t, "price"))
			orders = append(orders, order{string(rune('a' + i)), grams, price})
		}
		book := oneVintage(orders...).Book(0)
		quantity := model.Grams(rapid.Int64Range(0, 400_000_000).Draw(t, "quantity"))
		inventory := model.Grams(rapid.Int64Range(0, 20_000_000).Draw(t, "inventory"))
		q := must.Get(book.Retire(quantity, inventory))
		cost, tonnes, last := new(big.Int), int64(0), model.PriceCents(0)
		for _, f := range q.Fills {
			if f.Order.Price < last || f.Tonnes <= 0 || f.Tonnes > f.Order.Quantity.Tonnes() {
				t.Fatalf("fill %+v after price %d", f, last)
			}
			last = f.Order.Price
			tonnes += f.Tonnes
			cost.Add(cost, new(big.Int).Mul(big.NewInt(f.Tonnes), big.NewInt(int64(f.Order.Price))))
		}
		if tonnes != q.BuyTonnes || cost.Cmp(big.NewInt(int64(q.Cost))) != 0 || q.Left != book.Tonnes()-tonnes {
			t.Fatalf("the fills do not add up to %+v", q)
		}
		if q.Short > 0 && q.Left > 0 {
			t.Fatalf("short of %d t with %d t left", q.Short, q.Left)
		}
		bought := model.Grams(q.BuyTonnes * model.GramsPerTonne)
		if q.Short == 0 && q.FromInventory+bought != quantity+q.Remainder || q.Remainder >= model.GramsPerTonne {
			t.Fatalf("the grams do not add up in %+v", q)
		}
	})
}

func TestVersusComparesExactAmounts(t *testing.T) {
	var part market.Page
	part.AddProject("P")
	part.AddVintage("V", 2020)
	part.AddOrder("A", 1000*model.GramsPerTonne, 202)
	part.AddOrder("B", 1500*model.GramsPerTonne, 203)
	book := market.New(&part).Book(0)
	for _, c := range []struct {
		tonnes int64
		paid   model.PriceCents
		want   string
	}{
		// 506,500 cents against 490,000; the average is shown as $2.03, which
		// would be 3.6 per cent.
		{2500, 196, "+3.4%"},
		{1000, 202, "0.0%"},
		{1, 404, "−50.0%"},
	} {
		q, err := book.Buy(c.tonnes)
		got, ok := q.Versus(c.paid)
		must.Hold(t, err == nil && ok && got.String() == c.want, c.tonnes, c.paid, got, ok, err, c.want)
	}
	none, _ := book.Buy(0)
	some, _ := book.Buy(1)
	for _, q := range []market.Quote{none, some} {
		if d, ok := q.Versus(model.UnknownPrice); ok {
			t.Errorf("against nothing: %v", d)
		}
	}
	if _, ok := none.Versus(196); ok {
		t.Error("nothing bought is compared")
	}
}
