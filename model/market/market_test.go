package market_test

import (
	"fmt"
	"math"
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

// A sell order belongs to one vintage, and is once in its list. What is wrong is said, and makes
// no quantity smaller than it may be.
func TestASellOrderThatIsListedTwice(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name      string
		parts     []*market.Page
		available model.Grams
		fault     string
	}{
		{"the same twice", []*market.Page{part(listing{"p", "v", []order{{"o", 5e6, 620}, {"o", 5e6, 620}}})}, 5e6, ""},
		{"at another price", []*market.Page{part(listing{"p", "v", []order{{"o", 5e6, 620}, {"o", 5e6, 500}}})},
			model.UnknownGrams, "different values: o"},
		{"of another quantity",
			[]*market.Page{part(listing{"p", "v", []order{{"o", 5e6, 620}, {"n", 1e6, 1}, {"o", 6e6, 620}}})},
			model.UnknownGrams, "different values: o"},
		{"of another vintage",
			[]*market.Page{part(listing{"p", "u", []order{{"o", 5e6, 620}}}, listing{"p", "v", []order{{"o", 5e6, 620}}})},
			model.UnknownGrams, "of another vintage: o"},
		{"of another project",
			[]*market.Page{part(listing{"q", "v", []order{{"o", 5e6, 620}}},
				listing{"p", "v", []order{{"o", 5e6, 620}, {"n", 1e6, 1}}})}, model.UnknownGrams, "of another vintage: o"},
		{"in a vintage that is listed twice",
			[]*market.Page{part(listing{"p", "v", []order{{"o", 5e6, 620}}}, listing{"p", "v", []order{{"o", 5e6, 620}}})}, 5e6, ""},
		{"beside a second list of its vintage",
			[]*market.Page{part(listing{"p", "v", []order{{"o", 5e6, 620}}}, listing{"p", "v", []order{{"n", 6e6, 500}}})},
			model.UnknownGrams, "v is twice in its project, with different orders"},
		{"a vintage that moved",
			[]*market.Page{part(listing{"p", "v", []order{{"o", 5e6, 620}}}), part(listing{"p", "v", []order{{"o", 6e6, 500}}})},
			5e6, ""},
	} {
		m := market.New(c.parts...)
		_, available := m.Offer(model.VintageKey{ProjectID: "p", VintageID: "v"})
		faults := ""
		for _, f := range m.Faults() {
			faults += f.Path + " " + f.Reason
		}
		must.Hold(t, available == c.available && strings.HasSuffix(faults, c.fault) && (faults == "") == (c.fault == ""),
			c.name, available, faults)
	}
}

// Only whole tonnes are sold, so that the fractions of two orders make no tonne.
func TestWhatAVintageOffers(t *testing.T) {
	const all = math.MaxInt64 / model.GramsPerTonne
	for _, c := range []struct {
		name      string
		orders    []order
		bestAsk   model.PriceCents
		available model.Grams
		tonnes    int64
	}{
		{"no orders", nil, model.UnknownPrice, 0, 0},
		{"one tonne exactly", []order{{"a", 1_000_000, 620}}, 620, 1_000_000, 1},
		{"one gram short of a tonne", []order{{"a", 999_999, 1}}, model.UnknownPrice, 999_999, 0},
		{"cheaper but below a tonne", []order{{"a", 999_999, 1}, {"b", 2_500_000, 620}}, 620, 3_499_999, 2},
		{"fractions of several orders", []order{{"a", 2_600_000, 9}, {"b", 1_600_000, 9}, {"c", 5_000_000, 9}}, 9, 9_200_000,
			8},
		{"free", []order{{"a", 1_000_000, 0}, {"b", 1_000_000, 620}}, 0, 2_000_000, 2},
		{"unreadable price", []order{{"a", 5_000_000, model.UnknownPrice}, {"b", 1_000_000, 700}}, 700, 6_000_000, 6},
		{"unreadable quantity", []order{{"a", model.UnknownGrams, 1}, {"b", 1_000_000, 700}}, 700, model.UnknownGrams, -1},
		{"all that fits", []order{{"a", math.MaxInt64, 9}}, 9, math.MaxInt64, all},
		{"more than fits", []order{{"a", math.MaxInt64, 9}, {"b", 1, 8}, {"c", math.MaxInt64, 8}}, 8, model.UnknownGrams,
			2 * all},
	} {
		m := oneVintage(c.orders...)
		v := m.Vintage(0)
		must.Equal(t, len(m.Faults()) == 1, c.name == "more than fits", c.name)
		must.Hold(t, v.BestAsk == c.bestAsk && v.Available == c.available && v.Asks() == len(c.orders), c.name, v)
		must.Equal(t, m.Tonnes(0), c.tonnes, c.name)
	}
}

func TestWhatIsNotThereIsNotFound(t *testing.T) {
	for name, m := range map[string]*market.Market{
		"zero": {}, "no pages": market.New(), "empty page": market.New(&market.Page{}),
		"another": oneVintage(order{"b", 1e6, 1}),
	} {
		for _, id := range []string{"", "a", "v"} {
			_, order := m.FindOrder(id)
			_, vintage := m.FindVintage(id + "a")
			_, key := m.Find(model.VintageKey{ProjectID: id})
			must.Hold(t, !order && !vintage && !key && m.Since(m).Empty(), name, id)
		}
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
				l.orders = append(l.orders,
					order{fmt.Sprint("o", id), modeltest.DrawGrams(t, "grams"), modeltest.DrawPrice(t, "price")})
			}
			listings = append(listings, l)
		}
	}
	return listings
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
		listing{"p", "v",
			[]order{{"same", 1e6, 500}, {"repriced", 1e6, 600}, {"resized", 4e6, 700}, {"both", 1e6, 800}, {"gone", 1e6, 400}}},
		listing{"p", "w", []order{{"left", 1e6, 100}}},
	))
	now := market.New(part(
		listing{"p", "v",
			[]order{{"both", 2e6, 810}, {"new", 1e6, 450}, {"resized", 3e6, 700}, {"same", 1e6, 500}, {"repriced", 1e6, 610}}},
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

// TestChangesLeadFromOneSnapshotToTheOther applies the changes to the orders
// of the older snapshot and compares with those of the newer. Another order of the list is no change.
func TestChangesLeadFromOneSnapshotToTheOther(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		older, newer := drawListings(t), drawListings(t)
		same := rapid.Bool().Draw(t, "the same")
		if same {
			newer = slices.Clone(older)
			for i := range newer {
				newer[i].orders = rapid.Permutation(newer[i].orders).Draw(t, "orders")
			}
		}
		was, now := market.New(part(older...)), market.New(part(newer...))
		changes, orders := now.Since(was), ordersOf(was)
		must.Need(t, !same || changes.Empty(), changes)
		for _, c := range changes.Orders {
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
		l := listing{project: rapid.StringMatching("p[0-5]").Draw(t, "project"),
			vintage: rapid.StringMatching("v[0-2]").Draw(t, "vintage")}
		for _, id := range rapid.SliceOfN(rapid.IntRange(0, 200), 0, 12).Draw(t, "orders") {
			l.orders = append(l.orders,
				order{fmt.Sprint("o", id), modeltest.DrawGrams(t, "grams"), modeltest.DrawPrice(t, "price")})
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
		at := make(map[model.VintageKey]int)
		for v := range m.Vintages() {
			at[m.Key(v)] = v
			first, ok := m.FindVintage(m.Key(v).VintageID)
			must.Need(t, ok && first <= v && m.Key(first).VintageID == m.Key(v).VintageID, first, v)
		}
		for n := range 6 * 3 {
			key := model.VintageKey{ProjectID: fmt.Sprint("p", n/3), VintageID: fmt.Sprint("v", n%3)}
			found, ok := m.Find(key)
			v, listed := at[key]
			must.Need(t, ok == listed && (!ok || found == v && m.ProjectOf(v).ID == key.ProjectID), key, found, ok, v)
		}
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

func TestAQuoteTooLargeIsAnErrorNeverAWrap(t *testing.T) {
	huge := oneVintage(order{"a", math.MaxInt64, math.MaxInt64}).Book(0)
	for name, err := range map[string]error{
		"cost":     must.Err(huge.Buy(2)),
		"tonnes":   must.Err(huge.Buy(math.MaxInt64)),
		"negative": must.Err(huge.Buy(-1)),
		"retire":   must.Err(huge.Retire(math.MaxInt64, 0)),
	} {
		must.Fail(t, err, model.ErrOverflow, name)
	}
}

// TestQuotesAddUp holds any quote against the sums of its fills.
func TestQuotesAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var orders []order
		for i := range rapid.IntRange(0, 12).Draw(t, "orders") {
			grams := model.Grams(rapid.Int64Range(0, 50_000_000).Draw(t, "grams"))
			price := model.PriceCents(rapid.Int64Range(0, 50_000).Draw(t, "price"))
			orders = append(orders, order{string(rune('a' + i)), grams, price})
		}
		m := oneVintage(orders...)
		book := m.Book(0)
		quantity := model.Grams(rapid.Int64Range(0, 400_000_000).Draw(t, "quantity"))
		inventory := model.Grams(rapid.Int64Range(int64(model.UnknownGrams), 20_000_000).Draw(t, "inventory"))
		q := must.Get(book.Retire(quantity, inventory))
		from := min(quantity, max(inventory, 0))
		needed := (quantity - from).TonnesUp()
		want := market.Quote{
			Requested: quantity, FromInventory: from, BuyTonnes: min(needed, m.Tonnes(0)), Fills: q.Fills,
			Average: model.UnknownPrice, Marginal: model.UnknownPrice,
		}
		want.Short, want.Left = needed-want.BuyTonnes, book.Tonnes()-want.BuyTonnes
		want.Remainder = max(from+model.Grams(want.BuyTonnes*model.GramsPerTonne)-quantity, 0)
		tonnes := int64(0)
		for _, f := range q.Fills {
			must.Need(t, f.Order.Price >= want.Marginal && f.Tonnes > 0 && f.Tonnes <= f.Order.Quantity.Tonnes(), f)
			must.Equal(t, int64(f.Cost), f.Tonnes*int64(f.Order.Price), f)
			want.Marginal, want.Cost, tonnes = f.Order.Price, want.Cost+f.Cost, tonnes+f.Tonnes
			want.Average = model.PriceCents((2*int64(want.Cost) + tonnes) / (2 * tonnes))
		}
		must.Equal(t, tonnes, want.BuyTonnes)
		must.Equal(t, q, want)
		want.Requested, want.FromInventory, want.Remainder = model.Grams(needed*model.GramsPerTonne), 0, 0
		must.Equal(t, must.Get(book.Buy(needed)), want)
	})
}

func TestVersusComparesExactAmounts(t *testing.T) {
	book := oneVintage(order{"a", 1000e6, 202}, order{"b", 1500e6, 203}).Book(0)
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
		{1, model.UnknownPrice, ""},
		{0, 196, ""},
	} {
		got, ok := must.Get(book.Buy(c.tonnes)).Versus(c.paid)
		must.Hold(t, ok == (c.want != "") && (!ok || got.String() == c.want), c.tonnes, c.paid, got, ok)
	}
}
