package basket

import (
	"context"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tonne/model"
	"tonne/model/market"
	must "tonne/model/musttest"
	"tonne/model/portfolio"
)

func fold(s string) string { return strings.ToLower(s) }

// meets fails unless a basket keeps every limit by the words of Limits.
func meets(t *rapid.T, listings []listing, l Limits, b Basket) {
	t.Helper()
	var parts []part
	var tonnes int64
	var cost model.Cents
	for _, line := range b.Lines {
		of := listings[slices.IndexFunc(listings, func(l listing) bool { return l.id == line.Vintage.ProjectID })]
		parts = append(parts, part{entry{line.Tonnes, int64(line.Order.Price)}, of, isLabelled(line.Vintage), line.Tonnes})
		tonnes += line.Tonnes
		cost += line.Cost
		if line.Tonnes < 1 || line.Tonnes > line.Order.Quantity.Tonnes() ||
			int64(line.Cost) != line.Tonnes*int64(line.Order.Price) {
			t.Fatalf("a line that cannot be: %+v", line)
		}
	}
	if tonnes != b.Tonnes || cost != b.Cost || b.Short != b.Asked-b.Tonnes || b.Short < 0 {
		t.Fatalf("the lines add up to %d t and %d: %+v", tonnes, cost, b)
	}
	must.Need(t, keeps(l, b.Asked, parts), l, b)
}

func TestBasketsAreTheFullestAndCheapestOfAllWaysToBuy(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, listings := drawBook(t, 5, 6, 3)
		l := drawLimits(t)
		tonnes := rapid.Int64Range(1, 14).Draw(t, "tonnes")
		got := must.Get(b.Buy(context.Background(), Request{Tonnes: tonnes, Limits: l}))
		meets(t, listings, l, got)
		most, cost := bruteForce(listings, l, tonnes)
		must.Need(t, got.Tonnes == most && int64(got.Cost) == cost, got.Tonnes, got.Cost, most, cost)
	})
}

func TestALimitCostsWhatTheBestBasketWithoutItSaves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, listings := drawBook(t, 4, 5, 3)
		l := drawLimits(t)
		tonnes := rapid.Int64Range(1, 10).Draw(t, "tonnes")
		got := must.Get(b.Buy(context.Background(), Request{Tonnes: tonnes, Limits: l}))
		for i, limit := range got.Limits {
			most, cost := bruteForce(listings, Limits{slices.Delete(slices.Clone(l.all), i, i+1)}, tonnes)
			fills, costs := most-got.Tonnes, int64(0)
			if fills == 0 && most > 0 {
				costs = int64(got.Cost) - cost
			}
			if limit.Fills != fills || int64(limit.Costs) != costs || limit.Binds != (fills > 0 || costs > 0) {
				t.Fatalf("%s: %+v, and without it there are %d t more, or the basket is %d cheaper", limit, limit, fills, costs)
			}
		}
	})
}

func TestWhatABudgetPaysForIsNotLookedForOnceNobodyWaits(t *testing.T) {
	ctx, leave := context.WithCancel(t.Context())
	leave()
	b := book(listing{"p", "Wind", "KE", []entry{{900, 5}}, nil})
	got, err := b.Buy(ctx, Request{Budget: 1000, Limits: limits(t, "cap project=33.3%")})
	must.Fail(t, err, context.Canceled, got)
}

func TestABudgetBuysTheMostTonnesThatItPaysFor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, listings := drawBook(t, 4, 5, 3)
		l := drawLimits(t)
		budget := rapid.Int64Range(1, 90).Draw(t, "budget")
		got := must.Get(b.Buy(context.Background(), Request{Budget: model.Cents(budget), Limits: l}))
		meets(t, listings, l, got)
		want := int64(0)
		for n := int64(1); n <= 15; n++ {
			if most, cost := bruteForce(listings, l, n); most == n && cost <= budget {
				want = n
			}
		}
		if got.Tonnes != want || got.Short != 0 || int64(got.Cost) > budget {
			t.Fatalf("%d t for %d, and %d pays for %d t", got.Tonnes, got.Cost, budget, want)
		}
	})
}

// Where steps are small against the book, the search by halves is at work.
func TestABudgetIsSearchedAsIfEachNumberOfTonnesWereTried(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, _ := drawBook(t, 8, 20, 60)
		l := drawLimits(t)
		budget := model.Cents(rapid.Int64Range(1, 2_000).Draw(t, "budget"))
		got := must.Get(b.Buy(context.Background(), Request{Budget: budget, Limits: l}))
		for n := b.ForSale; n > got.Tonnes; n-- {
			cost, whole := b.label(l.Label()).costOf(l.all, n)
			must.Hold(t, !whole || cost > budget, got.Tonnes, n, cost, budget)
		}
	})
}

func TestABasketIsComparedWithWhatWasPaidWhereSomethingWas(t *testing.T) {
	b := book(listing{"a", "Wind", "KE", []entry{{2, 90}}, nil}, listing{"b", "Wind", "KE", []entry{{5, 100}}, nil})
	got := must.Get(b.Buy(t.Context(), Request{Tonnes: 4}))
	paid := portfolio.LastPaidPrices{{ProjectID: "a", VintageID: "a-2020"}: {Price: 100}}
	if v, ok := got.Versus(paid); !ok || v != (Versus{2, 180, 200}) {
		t.Errorf("%+v", v)
	} else if d, ok := v.Difference(); !ok || d != -100 {
		t.Errorf("%s", d)
	}
	v, ok := got.Versus(nil)
	must.Hold(t, !ok, "nothing was bought before", v)
}

func TestOrdersThatCannotBeBoughtAreCounted(t *testing.T) {
	page := &market.Page{}
	page.AddProject("p")
	page.AddVintage("v", 2020)
	page.AddOrder("small", 999_999, 1)
	page.AddOrder("unread", model.UnknownGrams, 1)
	page.AddOrder("dear", 2_500_000, 10)
	page.AddVintage("w", 2021)
	page.AddOrder("left out", 2_500_000, 1)
	b := NewBook(market.New(page), nil, func(vintage int) bool { return vintage == 0 })
	got := must.Get(b.Buy(t.Context(), Request{Tonnes: 3}))
	must.Hold(t, b.Small == 1 && b.Unread == 1 && b.ForSale == 2 && got.Tonnes == 2 && got.Short == 1 && got.Cost == 20,
		got, b)
}
