package market_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"tonne/model/must"
	"unsafe"

	"pgregory.net/rapid"

	"tonne/model"
	"tonne/model/market"
	"tonne/model/modeltest"
)

// order is a sell order of a test.
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

// oneVintage is a market of one vintage with the orders.
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
	if m.Projects() != 2 || m.Vintages() != 3 || m.Orders() != 3 {
		t.Fatalf("%d projects, %d vintages, %d orders", m.Projects(), m.Vintages(), m.Orders())
	}
	if i, ok := m.Find(model.VintageKey{ProjectID: "p2", VintageID: "v1"}); !ok || m.ProjectOf(i).ID != "p2" {
		t.Errorf("v1 of p2 found at %d, %t", i, ok)
	}
	if i, ok := m.FindVintage("v1"); !ok || i != 0 {
		t.Errorf("the first v1 found at %d, %t", i, ok)
	}
	if i, ok := m.FindOrder("c"); !ok || m.Order(i) != (market.SellOrder{ID: "c", Quantity: 3e6, Price: 3}) {
		t.Errorf("order c found at %d, %t", i, ok)
	}
	for _, missing := range []string{"", "d", "v1"} {
		if _, ok := m.FindOrder(missing); ok {
			t.Errorf("an order %q is found", missing)
		}
	}
	if _, ok := m.Find(model.VintageKey{ProjectID: "p2", VintageID: "v2"}); ok {
		t.Error("p2 has no v2")
	}
	if p := m.Project(0); p.ID != "p1" || p.First != 0 || p.End != 2 {
		t.Errorf("project 0 = %+v", p)
	}
}

func TestAnEmptyMarketAnswers(t *testing.T) {
	for name, m := range map[string]*market.Market{"zero": {}, "no pages": market.New(), "empty page": market.New(&market.Page{})} {
		_, order := m.FindOrder("a")
		_, vintage := m.FindVintage("a")
		_, key := m.Find(model.VintageKey{})
		if m.Orders() != 0 || order || vintage || key || !m.Since(m).Empty() {
			t.Errorf("%s: not empty", name)
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
	if i, ok := m.Find(model.VintageKey{ProjectID: "p", VintageID: "v"}); !ok || m.Vintage(i).Year != 2020 || m.Vintage(i).Asks() != 1 {
		t.Errorf("found at %d, %t: %+v", i, ok, m.Vintage(0))
	}
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
	if got := m.Extra("p"); len(got) != 1 || got[0].Value != "A" {
		t.Errorf("extra of p = %v", got)
	}
	if got := m.Extra("w"); len(got) != 1 || m.Extra("nothing") != nil {
		t.Errorf("extra of w = %v", got)
	}
	if f := m.Faults(); len(f) != 2 || f[0].Error() != "a is not a number" || f[1].Error() != "b is missing" {
		t.Errorf("faults = %v", f)
	}
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
	if m := oneVintage(sells...); m.Tonnes(0) != 8 || m.Tonnes(0) != m.Book(0).Tonnes() {
		t.Errorf("%d tonnes, the book sells %d", m.Tonnes(0), m.Book(0).Tonnes())
	}
	if got := oneVintage(append(sells, order{"e", 1_000_000, model.UnknownPrice})...).Tonnes(0); got != 9 {
		t.Errorf("with an order of an unknown price: %d tonnes", got)
	}
	if got := oneVintage(append(sells, order{"e", model.UnknownGrams, 100})...).Tonnes(0); got != -1 {
		t.Errorf("with an order of an unknown quantity: %d tonnes", got)
	}
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
	if unsafe.StringData(got) == unsafe.StringData(of) {
		t.Errorf("%s shares its bytes", what)
	}
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
