package demo

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"tonne/api/marketplace"
	"tonne/api/marketplace/marketplacetest"
	"tonne/api/wire"
	"tonne/model"
	must "tonne/model/musttest"
	"tonne/model/retirement"
)

// testNow is where the clock of the tests stands.
var testNow = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func standing() time.Time { return testNow }

// open is a service on a database in memory that ends with the test.
func open(t testing.TB, o marketplace.Options) *marketplace.Marketplace {
	t.Helper()
	m := must.Get(marketplace.Open(t.Context(), "", o))
	t.Cleanup(func() { must.Succeed(t, m.Close()) })
	return m
}

func client(t testing.TB, m *marketplace.Marketplace, made Data) marketplacetest.Client {
	return marketplacetest.Client{TB: t, Service: m, Key: made.Key}
}

// openDemo is a service with demo data that the test may change.
func openDemo(t testing.TB) (*marketplace.Marketplace, marketplacetest.Client, Data) {
	t.Helper()
	m := open(t, marketplace.Options{Now: standing, RatePerSecond: -1})
	made := must.Get(Load(t.Context(), m, Options{Seed: 1}))
	return m, client(t, m, made), made
}

// sharedDemo is made once, for all tests that only read.
var sharedDemo = sync.OnceValues(func() (*marketplace.Marketplace, Data) {
	m := must.Get(marketplace.Open(context.Background(), "", marketplace.Options{Now: standing, RatePerSecond: -1}))
	return m, must.Get(Load(context.Background(), m, Options{Seed: 1}))
})

// readDemo is a service with demo data that the test must not change.
func readDemo(t testing.TB) (marketplacetest.Client, Data) {
	t.Helper()
	m, made := sharedDemo()
	return client(t, m, made), made
}

func TestDemoFillsSeveralPages(t *testing.T) {
	d, _ := readDemo(t)
	d.CheckBooks()
	market, position := d.Market("per_page=100")
	must.Hold(t, market.Projects() >= 24 && market.Vintages() >= 100 && market.Orders() >= 600 &&
		position.TotalPages == 1, "the market has", market.Projects(), market.Vintages(), market.Orders())
	inventory, position := d.Inventory("per_page=100")
	wallets, zeros, fractions, longest := 0, 0, 0, 0
	for _, p := range inventory.Projects {
		for _, v := range p.Vintages {
			for _, w := range v.Wallets {
				wallets++
				longest = max(longest, len(w.Trades))
				if w.Quantity == 0 && len(w.Trades) > 0 {
					zeros++
				}
				if !w.Quantity.IsWhole() {
					fractions++
				}
			}
		}
	}
	must.Hold(t, wallets >= 40 && position.TotalItems > 40 && zeros != 0 && fractions != 0 && longest >= 15, wallets,
		position.TotalItems, zeros, fractions, longest)
}

func TestDemoPricesAreNearTheMarket(t *testing.T) {
	d, _ := readDemo(t)
	market, _ := d.Market("per_page=100")
	inventory, _ := d.Inventory("per_page=100")
	for key, paid := range inventory.LastPaid() {
		i, listed := market.Find(key)
		if !listed {
			continue
		}
		ask := market.Vintage(i).BestAsk
		must.Hold(t, paid.Price >= ask/2 && paid.Price <= ask*2, key, paid.Price.FormatDollars(), ask.FormatDollars())
	}
}

func TestDemoShowsEveryState(t *testing.T) {
	d, made := readDemo(t)
	seen := make(map[retirement.Status]int)
	kinds := make(map[retirement.Type]int)
	hidden := 0
	for _, r := range made.Retirements {
		w := d.Get("/api/retirement?id=" + r.ID)
		if w.Code == http.StatusUnprocessableEntity {
			hidden++
			continue
		}
		retirement, err := wire.DecodeRetirement(w.Body.Bytes())
		must.Need(t, err == nil, r.Label, err)
		seen[retirement.Status]++
		kinds[retirement.Type]++
		sum, err := retirement.ItemsTotal()
		must.Hold(t, err == nil && sum == retirement.TotalQuantity, r.Label, sum, retirement.TotalQuantity, err)
	}
	for _, status := range []retirement.Status{retirement.Open, retirement.Closed, retirement.InProgress, retirement.Complete, retirement.NothingToProcess} {
		must.Hold(t, seen[status] != 0, "no request is", status)
	}
	must.Hold(t, kinds[retirement.Whole] != 0 && kinds[retirement.Fractionalised] != 0 && hidden == 1, "types", kinds,
		hidden)
}

func TestDemoIsTheSameForASeed(t *testing.T) {
	a, first := readDemo(t)
	m := open(t, marketplace.Options{RatePerSecond: -1})
	second := must.Get(Load(t.Context(), m, Options{Seed: 1, Now: testNow}))
	b := client(t, m, second)
	for _, path := range []string{"/api/market?page=2", "/api/inventory?page=2", "/api/projects"} {
		must.Equal(t, a.Get(path).Body.String(), b.Get(path).Body.String(), path)
	}
	must.Hold(t, first.Key != second.Key, "two demos share an API key")
	// README.md names the first request.
	now := time.Date(2027, 2, 3, 15, 0, 0, 0, time.UTC)
	later := must.Get(Load(t.Context(), open(t, marketplace.Options{Now: func() time.Time { return now }}), Options{Seed: 1, Now: now}))
	one, other := first.Retirements[0].ID, later.Retirements[0].ID
	must.Equal(t, one, other, "the id of the first request differs by day")
}

func TestDemoNeedsAnEmptyDatabase(t *testing.T) {
	d, _ := readDemo(t)
	_, err := Load(t.Context(), d.Service.(Service), Options{})
	must.Fail(t, err, ErrNotEmpty, "loading twice")
}

// The prices that the demo remembers lead to the market as it is.
func TestDemoPricesEndWithTheMarket(t *testing.T) {
	d, made := readDemo(t)
	market, _ := d.Market("per_page=100")
	last := make(map[model.VintageKey]Price)
	moves := make(map[model.VintageKey]int)
	for _, p := range made.Prices {
		before, ok := last[p.Vintage]
		must.Need(t, !ok || before.At.Before(p.At), p, before)
		must.Need(t, p.BestAsk >= 1 && p.Available >= model.GramsPerTonne && p.At.Before(testNow), p)
		last[p.Vintage] = p
		moves[p.Vintage]++
	}
	must.Equal(t, len(last), market.Vintages(), "prices of")
	for i := range market.Vintages() {
		v, p := market.Vintage(i), last[market.Key(i)]
		must.Hold(t, p.BestAsk == v.BestAsk && p.Available == v.Available && moves[p.Vintage] >= 10, moves[p.Vintage],
			p.BestAsk, p.Available, v.BestAsk, v.Available)
	}
}
