package model_test

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"pgregory.net/rapid"

	"tonne/model"
	"tonne/model/market"
	"tonne/model/modeltest"
	must "tonne/model/musttest"
)

type order struct {
	id    string
	grams model.Grams
	price model.PriceCents
}

// listing is the market of a test: project, vintage, orders.
type listing struct {
	project, vintage string
	orders           []order
}

// part builds one page from listings; a project that follows itself is one.
func part(listings ...listing) *market.Page {
	p := &market.Page{}
	last := ""
	for i, l := range listings {
		if i == 0 || l.project != last {
			p.AddProject(l.project)
			last = l.project
		}
		p.AddVintage(l.vintage, 2019)
		for _, o := range l.orders {
			p.AddOrder(o.id, o.grams, o.price)
		}
	}
	return p
}

func oneVintage(orders ...order) *market.Market {
	return market.New(part(listing{"p", "v", orders}))
}

func TestBestAskIsTheCheapestOrderOfAWholeTonne(t *testing.T) {
	for _, c := range []struct {
		name      string
		orders    []order
		bestAsk   model.PriceCents
		available model.Grams
	}{
		{"no orders", nil, model.UnknownPrice, 0},
		{"one tonne exactly", []order{{"a", 1_000_000, 620}}, 620, 1_000_000},
		{"one gram short of a tonne", []order{{"a", 999_999, 1}}, model.UnknownPrice, 999_999},
		{"cheaper but below a tonne", []order{{"a", 999_999, 1}, {"b", 2_500_000, 620}}, 620, 3_499_999},
		{"free", []order{{"a", 1_000_000, 0}, {"b", 1_000_000, 620}}, 0, 2_000_000},
		{"unreadable price", []order{{"a", 5_000_000, model.UnknownPrice}, {"b", 1_000_000, 700}}, 700, 6_000_000},
		{"unreadable quantity", []order{{"a", model.UnknownGrams, 1}, {"b", 1_000_000, 700}}, 700, model.UnknownGrams},
		{"all that fits", []order{{"a", math.MaxInt64, 9}}, 9, math.MaxInt64},
		{"more than fits", []order{{"a", math.MaxInt64, 9}, {"b", 1, 8}, {"c", math.MaxInt64, 8}}, 8, model.UnknownGrams},
	} {
		m := oneVintage(c.orders...)
		v := m.Vintage(0)
		must.Equal(t, (len(m.Faults()) == 1), (c.name == "more than fits"), c.name)
		if v.BestAsk != c.bestAsk || v.Available != c.available || v.Asks() != len(c.orders) {
			t.Errorf("%s: best ask %d, available %d, %d asks; want %d, %d, %d",
				c.name, v.BestAsk, v.Available, v.Asks(), c.bestAsk, c.available, len(c.orders))
		}
	}
}

func TestMarketFindsThingsByID(t *testing.T) {
	m := market.New(part(
		listing{"p1", "v1", []order{{"a", 1e6, 1}}},
		listing{"p1", "v2", []order{{"b", 2e6, 2}, {"c", 3e6, 3}}},
		listing{"p2", "v1", nil},
	))
	must.Need(t, m.Projects() == 2 && m.Vintages() == 3 && m.Orders() == 3, m.Projects(), m.Vintages(), m.Orders())
	i, ok := m.Find(model.VintageKey{ProjectID: "p2", VintageID: "v1"})
	must.Hold(t, ok && m.ProjectOf(i).ID == "p2", "v1 of p2 found at", i, ok)
	i, ok = m.FindVintage("v1")
	must.Hold(t, ok && i == 0, "the first v1 found at", i, ok)
	i, ok = m.FindOrder("c")
	must.Hold(t, ok && m.Order(i) == (market.SellOrder{ID: "c", Quantity: 3e6, Price: 3}), "order c found at", i, ok)
	for _, missing := range []string{"", "d", "v1"} {
		_, ok := m.FindOrder(missing)
		must.Hold(t, !ok, "an order", missing)
	}
	_, ok = m.Find(model.VintageKey{ProjectID: "p2", VintageID: "v2"})
	must.Hold(t, !ok, "p2 has no v2")
	p := m.Project(0)
	must.Hold(t, p.ID == "p1" && p.First == 0 && p.End == 2, "project 0 =", p)
}

func TestAnEmptyMarketAnswers(t *testing.T) {
	for name, m := range map[string]*market.Market{"zero": {}, "no pages": market.New(), "empty page": market.New(&market.Page{})} {
		_, order := m.FindOrder("a")
		_, vintage := m.FindVintage("a")
		_, key := m.Find(model.VintageKey{})
		must.Hold(t, m.Orders() == 0 && !order && !vintage && !key && m.Since(m).Empty(), name)
	}
}

func TestMembersMayComeBeforeTheirNames(t *testing.T) {
	p := &market.Page{}
	p.AddProject("")
	p.AddVintage("", 0)
	p.AddOrder("a", 1e6, 1)
	p.NameVintage("v", 2020)
	p.NameProject("p")
	m := market.New(p)
	i, ok := m.Find(model.VintageKey{ProjectID: "p", VintageID: "v"})
	must.Hold(t, ok && m.Vintage(i).Year == 2020 && m.Vintage(i).Asks() == 1, "found at", i, ok, m.Vintage(0))
	must.Equal(t, p.ProjectIDs(), []string{"p"})
}

func TestExtrasAndFaultsOfAllPagesAreKept(t *testing.T) {
	one, two := part(listing{"p", "v", nil}), part(listing{"q", "w", nil})
	one.AddExtra("p", model.Field{Name: "rating", Value: "A"})
	two.AddExtra("p", model.Field{Name: "rating", Value: "B"})
	two.AddExtra("w", model.Field{Name: "note", Value: "x"})
	one.AddFault(model.Fault{Path: "a", Reason: "is not a number"})
	two.AddFault(model.Fault{Path: "b", Reason: "is missing"})
	m := market.New(one, two)
	got := m.Extra("p")
	must.Hold(t, len(got) == 1 && got[0].Value == "A", "extra of p =", got)
	got = m.Extra("w")
	must.Hold(t, len(got) == 1 && m.Extra("nothing") == nil, "extra of w =", got)
	f := m.Faults()
	must.Hold(t, len(f) == 2 && f[0].Error() == "a is not a number" && f[1].Error() == "b is missing", "faults =", f)
}

// drawListings draws a market whose ids are all different.
func drawListings(t *rapid.T) []listing {
	var listings []listing
	id := 0
	for p := range rapid.IntRange(0, 4).Draw(t, "projects") {
		for v := range rapid.IntRange(1, 3).Draw(t, "vintages") {
			l := listing{project: fmt.Sprint("p", p), vintage: fmt.Sprint("v", v)}
			for range rapid.IntRange(0, 5).Draw(t, "orders") {
				id++
				l.orders = append(l.orders, order{fmt.Sprint("o", id), modeltest.DrawGrams(t, "grams"), modeltest.DrawPrice(t, "price")})
			}
			listings = append(listings, l)
		}
	}
	return listings
}

// Only whole tonnes are sold, so that the fractions of two orders make no tonne.
func TestTonnesAreCountedOrderByOrder(t *testing.T) {
	sells := []order{{"a", 2_600_000, 100}, {"b", 1_600_000, 100}, {"c", 999_999, 100}, {"d", 5_000_000, 100}}
	m := oneVintage(sells...)
	must.Hold(t, m.Tonnes(0) == 8 && m.Tonnes(0) == m.Book(0).Tonnes(), m.Tonnes(0), m.Book(0).Tonnes())
	got := oneVintage(append(sells, order{"e", 1_000_000, model.UnknownPrice})...).Tonnes(0)
	must.Hold(t, got == 9, "with an order of an unknown price", got)
	got = oneVintage(append(sells, order{"e", model.UnknownGrams, 100})...).Tonnes(0)
	must.Hold(t, got == -1, "with an order of an unknown quantity", got)
}

func TestAMarketIsUnreadableIfNoPriceOrNoQuantityIsKnown(t *testing.T) {
	for name, c := range map[string]struct {
		orders []order
		want   bool
	}{
		"no orders":   {nil, false},
		"all known":   {[]order{{"a", 1, 1}, {"b", 1, 1}}, false},
		"one of each": {[]order{{"a", 1, model.UnknownPrice}, {"b", model.UnknownGrams, 1}}, false},
		"no price":    {[]order{{"a", 1, model.UnknownPrice}, {"b", 1, model.UnknownPrice}}, true},
		"no quantity": {[]order{{"a", model.UnknownGrams, 1}, {"b", model.UnknownGrams, 1}}, true},
	} {
		must.Equal(t, oneVintage(c.orders...).Unreadable(), c.want, name)
	}
}

// owned checks that a text is equal to another one and shares no bytes with it.
func owned(t *testing.T, what, got, of string) {
	t.Helper()
	must.Equal(t, got, of, what)
	must.Hold(t, unsafe.StringData(got) != unsafe.StringData(of), what)
}

func TestAClonedChangeOwnsItsBytes(t *testing.T) {
	was := market.New(part(listing{"p", "v", []order{{"o", 1e6, 500}}}))
	now := market.New(part(listing{"p", "v", []order{{"o", 1e6, 510}}}))
	change := now.Since(was).Orders[0].Clone()
	owned(t, "the order before", change.Was.ID, was.Order(0).ID)
	owned(t, "the order now", change.Now.ID, now.Order(0).ID)
	owned(t, "the project", change.Vintage.ProjectID, now.Key(0).ProjectID)
	owned(t, "the vintage", change.Vintage.VintageID, now.Key(0).VintageID)
	if change.Kind != market.Repriced || change.Was.Price != 500 || change.Now.Price != 510 {
		t.Errorf("the clone is %+v", change)
	}
}

func TestIDsOwnTheirBytes(t *testing.T) {
	text := strings.Repeat("p", 3) + " rest"
	owned(t, "the id", model.SplitIDs(text)[0], text[:3])
}

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
		c := market.New(part(shuffled...)).Since(was)
		must.Hold(t, c.Empty(), c)
	})
}

// TestChangesLeadFromOneSnapshotToTheOther applies the changes to the orders
// of the older snapshot and compares with those of the newer.
func TestChangesLeadFromOneSnapshotToTheOther(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		was, now := market.New(part(drawListings(t)...)), market.New(part(drawListings(t)...))
		orders := ordersOf(was)
		for _, c := range now.Since(was).Orders {
			before, there := orders[c.Was.ID]
			must.Need(t, c.Kind == market.Appeared || (there && before == c.Was), c, before)
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

// drawPages draws pages on which projects, vintages and orders may come back
// anywhere.
func drawPages(t *rapid.T) [][]listing {
	return rapid.SliceOfN(rapid.SliceOfN(rapid.Custom(func(t *rapid.T) listing {
		l := listing{project: rapid.StringMatching("p[0-5]").Draw(t, "project"), vintage: rapid.StringMatching("v[0-2]").Draw(t, "vintage")}
		for _, id := range rapid.SliceOfN(rapid.IntRange(0, 200), 0, 12).Draw(t, "orders") {
			l.orders = append(l.orders, order{fmt.Sprint("o", id), modeltest.DrawGrams(t, "grams"), modeltest.DrawPrice(t, "price")})
		}
		return l
	}), 0, 5), 0, 6).Draw(t, "pages")
}

// joined is what the pages hold, said by the rule alone: projects in the order in
// which they first come, in each its vintages, of each the orders of its first
// list, and every order once.
func joined(pages [][]listing) (lines []string) {
	all := slices.Concat(pages...)
	var projects []string
	seen := make(map[string]bool)
	for _, l := range all {
		if !slices.Contains(projects, l.project) {
			projects = append(projects, l.project)
		}
	}
	for _, p := range projects {
		for _, l := range all {
			if key := p + " " + l.vintage; l.project == p && !seen[key] {
				seen[key] = true
				lines = append(lines, key+linesOf(l, seen))
			}
		}
	}
	return lines
}

func linesOf(l listing, seen map[string]bool) string {
	var orders strings.Builder
	for _, o := range l.orders {
		if !seen[o.id] {
			seen[o.id] = true
			orders.WriteString(" " + o.id)
		}
	}
	return orders.String()
}

func linesOfMarket(m *market.Market) (lines []string) {
	for v := range m.Vintages() {
		row, key := m.Vintage(v), m.Key(v)
		line := key.ProjectID + " " + key.VintageID
		for o := row.First; o < row.End; o++ {
			id := m.Order(int(o)).ID
			line += " " + id
			if at, ok := m.FindOrder(id); !ok || at != int(o) {
				line += " (not found)"
			}
		}
		lines = append(lines, line)
	}
	return lines
}

func TestMarketJoinsPages(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pages := drawPages(t)
		var parts []*market.Page
		for _, listings := range pages {
			parts = append(parts, part(listings...))
		}
		want := joined(pages)
		m := market.New(parts...)
		got := linesOfMarket(m)
		must.Need(t, slices.Equal(got, want), "joined", got, want)
		cut := rapid.IntRange(0, m.Projects()).Draw(t, "cut")
		again := market.New(m.Page(0, cut), m.Page(cut, m.Projects()))
		got = linesOfMarket(again)
		must.Need(t, slices.Equal(got, want), "cut again at", cut, got, want)
		for v := range m.Vintages() {
			a, b := m.Vintage(v), again.Vintage(v)
			must.Hold(t, a == b, "vintage", v, a, cut, b)
		}
	})
}

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
		must.Need(t, q.Short <= 0 || q.Left <= 0, "short of", q.Short, q.Left)
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
