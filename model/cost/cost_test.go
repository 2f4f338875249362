package cost_test

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tonne/model"
	"tonne/model/cost"
	"tonne/model/modeltest"
	must "tonne/model/musttest"
	"tonne/model/portfolio"
	"tonne/model/retirement"
)

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func at(n int) model.Timestamp { return model.At(start.Add(time.Duration(n) * time.Hour)) }

func inventory(wallets ...portfolio.Wallet) *portfolio.Inventory {
	return &portfolio.Inventory{Projects: []portfolio.Project{
		{ID: "p", Vintages: []portfolio.Vintage{{ID: "v", Wallets: wallets}}},
	}}
}

func buy(hour int, grams model.Grams, price model.PriceCents) portfolio.Trade {
	return portfolio.Trade{ExecutionDate: at(hour), Quantity: grams, Price: price, Type: portfolio.Buy}
}

func request(id string, items ...retirement.Item) *retirement.Request {
	r := &retirement.Request{ID: id, Status: retirement.Complete, ProjectID: "p", VintageID: "v", Items: items}
	for _, i := range items {
		r.TotalQuantity = r.TotalQuantity.Plus(i.Quantity)
	}
	return r
}

func item(id string, hour int, grams model.Grams) retirement.Item {
	return retirement.Item{ID: id, CreatedAt: at(hour), Quantity: grams}
}

func TestFirstBoughtIsFirstRetired(t *testing.T) {
	t.Parallel()
	wallet := portfolio.Wallet{Quantity: 1_500_000,
		Trades: []portfolio.Trade{buy(5, 3_000_000, 700), buy(1, 2_000_000, 500)}}
	// A fraction is gathered in a request that is older than the item of another one.
	gathering := request("R1", item("i3", 9, 500_000), item("i1", 2, 500_000))
	whole := request("R2", item("i2", 6, 2_500_000))
	empty := &retirement.Request{ID: "R3", Status: retirement.NothingToProcess, ProjectID: "p", VintageID: "v",
		Items: []retirement.Item{item("i0", 1, 40)}}
	costs := cost.New(inventory(wallet), []*retirement.Request{gathering, whole, empty})
	items, why := costs.Items(gathering)
	must.Equal(t, why, "")
	must.Equal(t, items, []cost.Item{
		{Cost: 350, Lots: []cost.Lot{{Bought: at(5), Quantity: 500_000, Price: 700}}},
		{Cost: 250, Lots: []cost.Lot{{Bought: at(1), Quantity: 500_000, Price: 500}}},
	})
	total := costs.Request(whole)
	must.Hold(t, total.Known && total.Cents == 1450 && total.Why == "", total)
	must.Equal(t, total.Lots,
		[]cost.Lot{{Bought: at(1), Quantity: 1_500_000, Price: 500}, {Bought: at(5), Quantity: 1_000_000, Price: 700}})
	total = costs.Request(empty)
	must.Hold(t, total.Known && total.Cents == 0 && total.Lots == nil && total.Why == "", total)
	must.Equal(t, costs.Unknown(), nil)
}

func TestCostsAreUnknownIfAGramIs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		wallet portfolio.Wallet
		items  []retirement.Item
		why    string
	}{
		{"a gram is missing", portfolio.Wallet{Quantity: 999_999, Trades: []portfolio.Trade{buy(1, 2_000_000, 500)}},
			[]retirement.Item{item("i", 2, 1_000_000)},
			"1 g were bought that are neither in a wallet nor in a request of the ledger"},
		{"a gram too many", portfolio.Wallet{Quantity: 1_000_001, Trades: []portfolio.Trade{buy(1, 2_000_000, 500)}},
			[]retirement.Item{item("i", 2, 1_000_000)}, "1 g are in wallets and requests that no trade has bought"},
		{"a sale", portfolio.Wallet{Quantity: 0,
			Trades: []portfolio.Trade{{ExecutionDate: at(2), Quantity: 1, Price: 1, Type: portfolio.Sell}}},
			nil, "credits of it were sold"},
		{"an unread wallet", portfolio.Wallet{Quantity: model.UnknownGrams}, nil, "a wallet cannot be read"},
		{"an unread price", portfolio.Wallet{Quantity: 1, Trades: []portfolio.Trade{buy(1, 1, model.UnknownPrice)}}, nil,
			"a trade cannot be read"},
		{"another kind of trade",
			portfolio.Wallet{Quantity: 1,
				Trades: []portfolio.Trade{{ExecutionDate: at(1), Quantity: 1, Price: 1, Type: "GIFT"}}},
			nil, "a trade cannot be read"},
		{"an item without a time", portfolio.Wallet{Quantity: 0, Trades: []portfolio.Trade{buy(1, 1, 1)}},
			[]retirement.Item{{ID: "i", Quantity: 1}}, "an item of request R cannot be read"},
		{"too much", portfolio.Wallet{Quantity: 0, Trades: []portfolio.Trade{buy(1, 1<<62, 1<<62)}},
			[]retirement.Item{item("i", 2, 1<<62)}, "its costs are too large"},
	} {
		r := request("R", c.items...)
		costs := cost.New(inventory(c.wallet), []*retirement.Request{r})
		items, why := costs.Items(r)
		must.Hold(t, items == nil && why == c.why, c.name, items, why)
		must.Equal(t, fmt.Sprint(costs.Unknown()), "[The cost of retirements of vintage v is unknown: "+c.why+".]", c.name)
	}
}

// A request without items is not one that cost nothing.
func TestItemsMustAddUpToTheirRequest(t *testing.T) {
	t.Parallel()
	r := request("R")
	r.TotalQuantity = 20
	total := cost.New(inventory(portfolio.Wallet{}), []*retirement.Request{r}).Request(r)
	must.Equal(t, total.Why, "the items of request R do not add up to it")
}

func TestOtherVintagesStayKnown(t *testing.T) {
	t.Parallel()
	source := modeltest.YearOfTwo()
	source.Requests[0].VintageID = "f18"
	costs := cost.New(source.Inventory, source.Requests)
	known := 0
	for _, r := range source.Requests {
		if _, why := costs.Items(r); why == "" {
			known++
		}
	}
	must.Hold(t, known > 0 && known < len(source.Requests) && len(costs.Unknown()) == 2, known, costs.Unknown())
	_, why := costs.Items(&retirement.Request{ID: "R", ProjectID: "wind", VintageID: "w21"})
	must.Hold(t, strings.HasPrefix(why, "the request is not in the ledger"), why)
}

// history is what a tenant did with a vintage, in grams few enough to count them one by one.
type history struct {
	wallets  []portfolio.Wallet
	requests []*retirement.Request
	// prices are those of the grams bought, retired the items, each in the order of time.
	prices  []model.PriceCents
	retired []*retirement.Item
}

func someHistory(t *rapid.T) (h history) {
	h.wallets = make([]portfolio.Wallet, rapid.IntRange(1, 3).Draw(t, "wallets"))
	h.requests = make([]*retirement.Request, rapid.IntRange(1, 4).Draw(t, "requests"))
	for n := range h.requests {
		h.requests[n] = request(fmt.Sprint("R", n))
	}
	held := model.Grams(0)
	for hour := range rapid.IntRange(1, 30).Draw(t, "events") {
		if grams := model.Grams(rapid.IntRange(1, 60).Draw(t, "grams")); rapid.Bool().Draw(t, "buys") {
			price := model.PriceCents(rapid.Int64Range(1, 9_999_999).Draw(t, "price"))
			w := &h.wallets[rapid.IntRange(0, len(h.wallets)-1).Draw(t, "wallet")]
			w.Trades = append(w.Trades, buy(hour, grams, price))
			h.prices = append(h.prices, slices.Repeat([]model.PriceCents{price}, int(grams))...)
			held += grams
		} else if grams = min(grams, held); grams > 0 {
			// The request need not be the one of the month.
			r := h.requests[rapid.IntRange(0, len(h.requests)-1).Draw(t, "request")]
			r.Items = append(r.Items, item(fmt.Sprint("i", hour), hour, grams))
			r.TotalQuantity += grams
			held -= grams
		}
	}
	h.wallets[0].Quantity = held
	for n := range h.wallets {
		h.wallets[n].Trades = rapid.Permutation(h.wallets[n].Trades).Draw(t, "trades")
	}
	for _, r := range h.requests {
		r.Items = rapid.Permutation(r.Items).Draw(t, "items")
		for i := range r.Items {
			h.retired = append(h.retired, &r.Items[i])
		}
	}
	slices.SortFunc(h.retired, func(a, b *retirement.Item) int { return a.CreatedAt.Time.Compare(b.CreatedAt.Time) })
	return h
}

// roundedCents rounds the cost of grams half up.
func roundedCents(prices []model.PriceCents) int64 {
	sum := new(big.Int)
	for _, price := range prices {
		sum.Add(sum, big.NewInt(int64(price)))
	}
	return sum.Add(sum, big.NewInt(500_000)).Div(sum, big.NewInt(1_000_000)).Int64()
}

func TestCostsEqualThoseOfGramsCountedOneByOne(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		h := someHistory(t)
		costs := cost.New(inventory(h.wallets...), rapid.Permutation(h.requests).Draw(t, "ledger"))
		want, used := make(map[string]int64), 0
		for _, i := range h.retired {
			next := used + int(i.Quantity)
			want[i.ID] = roundedCents(h.prices[:next]) - roundedCents(h.prices[:used])
			used = next
		}
		sum := model.Cents(0)
		for _, r := range h.requests {
			items, why := costs.Items(r)
			must.Need(t, why == "" && len(items) == len(r.Items), why)
			for n, i := range items {
				must.Equal(t, int64(i.Cost), want[r.Items[n].ID], r.Items[n])
				of := model.Grams(0)
				for _, lot := range i.Lots {
					of += lot.Quantity
				}
				must.Equal(t, of, r.Items[n].Quantity, "lots")
				sum += i.Cost
			}
		}
		must.Equal(t, int64(sum), roundedCents(h.prices[:used]), "the sum of all")
		h.wallets[0].Quantity++
		_, why := cost.New(inventory(h.wallets...), h.requests).Items(h.requests[0])
		must.Hold(t, strings.HasPrefix(why, "1 g are"), why)
	})
}
