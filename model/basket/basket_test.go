package basket

import (
	"context"
	"errors"
	"math"
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
		if line.Tonnes < 1 || line.Tonnes > line.Order.Quantity.Tonnes() || int64(line.Cost) != line.Tonnes*int64(line.Order.Price) {
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
	got, err := book(listing{"p", "Wind", "KE", []entry{{900, 5}}, nil}).Buy(ctx, Request{Budget: 1000, Limits: limits(t, "cap project=33.3%")})
	must.Hold(t, errors.Is(err, context.Canceled), got, err)
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

func TestABasketSaysWhatItsLimitsDo(t *testing.T) {
	b := book(listing{"palm", "Cookstoves", "KE", []entry{{5_000, 412}}, nil}, listing{"high", "Cookstoves", "ET", []entry{{1_600, 459}, {900, 600}}, nil},
		listing{"wind", "Wind", "CL", []entry{{9_000, 700}}, nil})
	got := buy(t, b, Request{Tonnes: 5_000, Limits: limits(t, "cap project=40%", "cap type=90%")})
	if got.Tonnes != 5_000 || got.Short != 0 || got.Average() != 500 || len(got.Lines) != 4 || got.Lines[0].Order.ID != "o0" {
		t.Fatalf("%+v", got)
	}
	project, kind := got.Limits[0], got.Limits[1]
	if project.String() != "cap project=40%" || !project.Binds || project.Costs != 2_000*412+1_600*459+400*600+1_000*700-(4_500*412+500*700) ||
		!slices.Equal(project.At, []string{"high", "palm"}) || project.Tonnes != 2_000 {
		t.Errorf("%+v", project)
	}
	if kind.String() != "cap type=90%" || kind.Binds || kind.Costs != 0 || kind.Fills != 0 || kind.At != nil {
		t.Errorf("%+v", kind)
	}
}

func TestABasketThatCannotBeFilledBlamesTheLimit(t *testing.T) {
	b := book(listing{"a", "Biochar", "KE", []entry{{3, 100}}, nil}, listing{"b", "Wind", "KE", []entry{{90, 50}}, nil})
	got := buy(t, b, Request{Tonnes: 20, Limits: limits(t, "floor type:Biochar=50%")})
	floor := got.Limits[0]
	must.Hold(t, got.Tonnes == 13 && got.Short == 7 && floor.Binds && floor.Fills == 7 && floor.Costs == 0 && got.ForSale == 93, got)
	got = buy(t, b, Request{Tonnes: 20, Limits: limits(t, "max-price 40")})
	limit := got.Limits[0]
	must.Hold(t, got.Tonnes == 0 && got.Average() == model.UnknownPrice && limit.String() == "max-price 40" && limit.Fills == 20, got)
	if got = buy(t, b, Request{Tonnes: 100}); got.Short != 7 || got.Limits != nil {
		t.Errorf("a book that is too small: %+v", got)
	}
}

func TestABasketIsComparedWithWhatWasPaidWhereSomethingWas(t *testing.T) {
	b := book(listing{"a", "Wind", "KE", []entry{{2, 90}}, nil}, listing{"b", "Wind", "KE", []entry{{5, 100}}, nil})
	got := buy(t, b, Request{Tonnes: 4})
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
	got := buy(t, b, Request{Tonnes: 3})
	must.Hold(t, b.Small == 1 && b.Unread == 1 && b.ForSale == 2 && got.Tonnes == 2 && got.Short == 1 && got.Cost == 20, got, b)
}

func TestOfOnePriceTheLargestOrderComesFirst(t *testing.T) {
	b := book(listing{"a", "Wind", "KE", []entry{{5, 100}, {70_000, 100}, {5_000_000, 5_000_000}, {70_000, 100}, {1, 0}}, nil})
	var ids []uint32
	for _, o := range b.offers {
		ids = append(ids, o.order)
	}
	must.Equal(t, ids, []uint32{4, 1, 3, 0, 2})
}

func TestAmountsBeyondAnyAreRefused(t *testing.T) {
	dear := []entry{{math.MaxInt64 / model.GramsPerTonne, math.MaxInt64}}
	b := book(listing{"a", "Wind", "KE", dear, nil}, listing{"b", "Biochar", "BR", dear, nil})
	for _, r := range []Request{
		{Tonnes: 2}, {Tonnes: math.MaxInt64}, {Tonnes: 2, Limits: limits(t, "cap country=50%", "floor type:Wind=50%")},
	} {
		got, err := b.Buy(context.Background(), r)
		must.Hold(t, errors.Is(err, model.ErrOverflow), r, got, err)
	}
	got := buy(t, b, Request{Budget: math.MaxInt64})
	must.Hold(t, got.Tonnes == 1 && got.Cost == math.MaxInt64, got)
}

// An absurdly high ask must not prevent a basket that does not need it.
func TestAnAbsurdAskRefusesNoBasketThatDoesWithoutIt(t *testing.T) {
	absurd := entry{1000, math.MaxInt64 / 2}
	b := book(listing{"a", "Wind", "KE", []entry{{60, 500}, absurd}, nil}, listing{"b", "Biochar", "BR", []entry{{60, 900}}, nil})
	for name, c := range map[string]struct {
		r            Request
		tonnes, cost int64
	}{
		"a cap that binds":           {Request{Tonnes: 100, Limits: limits(t, "cap project=50%")}, 100, 70_000},
		"a price limit":              {Request{Tonnes: 1000, Limits: limits(t, "max-price 1000")}, 120, 84_000},
		"countries and floors":       {Request{Tonnes: 100, Limits: limits(t, "cap country=60%", "floor type:Wind=10%")}, 100, 66_000},
		"countries, floors, a price": {Request{Tonnes: 1000, Limits: limits(t, "max-price 1000", "cap country=90%", "floor type:Wind=1%")}, 120, 84_000},
		"countries, floors, money":   {Request{Budget: 66_000, Limits: limits(t, "cap country=60%", "floor type:Wind=10%")}, 100, 66_000},
	} {
		got, err := b.Buy(context.Background(), c.r)
		if err != nil || got.Tonnes != c.tonnes || int64(got.Cost) != c.cost || len(got.Limits) == 0 {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	across := Request{Tonnes: 130, Limits: limits(t, "cap country=100%", "floor type:Wind=10%")}
	if got, err := b.Buy(context.Background(), across); !errors.Is(err, model.ErrOverflow) {
		t.Errorf("%+v, %v", got, err)
	}
}
