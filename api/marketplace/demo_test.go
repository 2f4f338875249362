package marketplace

import (
	"context"
	"errors"
	"net/http"
	"os"
	"sync"
	"testing"
	"time"

	"tonne/api/wire"
	"tonne/model"
)

// openDemo is a service with demo data that the test may change: a copy of the
// shared one.
func openDemo(t testing.TB) (*desk, Demo) {
	t.Helper()
	image, demo := demoImage()
	path := tempDatabase(t)
	if err := os.WriteFile(path, image, 0o600); err != nil {
		t.Fatal(err)
	}
	d := &desk{t: t, clock: &testClock{now: testNow}, key: demo.Key}
	d.Marketplace = open(t, path, Options{Now: d.clock.Now, RatePerSecond: -1})
	return d, demo
}

var demoImage = sync.OnceValues(func() ([]byte, Demo) {
	m, demo := sharedDemo()
	conn, err := m.db.writer.Take(context.Background())
	if err != nil {
		panic(err)
	}
	defer m.db.writer.Put(conn)
	image, err := conn.Serialize("main")
	if err != nil {
		panic(err)
	}
	return image, demo
})

// sharedDemo is made once, for all tests that only read.
var sharedDemo = sync.OnceValues(func() (*Marketplace, Demo) {
	m, err := Open(context.Background(), "", Options{Now: func() time.Time { return testNow }, RatePerSecond: -1})
	if err != nil {
		panic(err)
	}
	demo, err := m.LoadDemo(context.Background(), DemoOptions{Seed: 1})
	if err != nil {
		panic(err)
	}
	return m, demo
})

// readDemo is a service with demo data that the test must not change.
func readDemo(t testing.TB) (*desk, Demo) {
	t.Helper()
	m, demo := sharedDemo()
	return &desk{t: t, Marketplace: m, key: demo.Key}, demo
}

func TestDemoFillsSeveralPages(t *testing.T) {
	t.Parallel()
	d, _ := readDemo(t)
	market, position := d.market("per_page=100")
	if market.Projects() < 24 || market.Vintages() < 100 || market.Orders() < 600 || position.TotalPages != 1 {
		t.Errorf("the market has %d projects, %d vintages, %d orders", market.Projects(), market.Vintages(), market.Orders())
	}
	inventory, position := d.inventory("per_page=100")
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
	if wallets < 40 || position.TotalItems <= 40 || zeros == 0 || fractions == 0 || longest < 15 {
		t.Errorf("%d wallets in %d projects, %d empty, %d with fractions, longest history %d",
			wallets, position.TotalItems, zeros, fractions, longest)
	}
}

func TestDemoPricesAreNearTheMarket(t *testing.T) {
	t.Parallel()
	d, _ := readDemo(t)
	market, _ := d.market("per_page=100")
	inventory, _ := d.inventory("per_page=100")
	for key, paid := range inventory.LastPaid() {
		i, listed := market.Find(key)
		if !listed {
			continue
		}
		ask := market.Vintage(i).BestAsk
		if paid.Price < ask/2 || paid.Price > ask*2 {
			t.Errorf("%v: last paid %v, best ask %v", key, paid.Price.FormatDollars(), ask.FormatDollars())
		}
	}
}

func TestDemoShowsEveryState(t *testing.T) {
	t.Parallel()
	d, demo := readDemo(t)
	seen := make(map[model.RetirementStatus]int)
	kinds := make(map[model.RetirementType]int)
	hidden := 0
	for _, r := range demo.RetirementIDs {
		w := d.get("/api/retirement?id=" + r.ID)
		if w.Code == http.StatusUnprocessableEntity {
			hidden++
			continue
		}
		retirement, err := wire.DecodeRetirement(w.Body.Bytes())
		if err != nil {
			t.Fatalf("%s: %v", r.Label, err)
		}
		seen[retirement.Status]++
		kinds[retirement.Type]++
		if sum, err := retirement.ItemsTotal(); err != nil || sum != retirement.TotalQuantity {
			t.Errorf("%s: items sum to %v, total is %v: %v", r.Label, sum, retirement.TotalQuantity, err)
		}
	}
	for _, status := range []model.RetirementStatus{model.Open, model.Closed, model.InProgress, model.Complete, model.NothingToProcess} {
		if seen[status] == 0 {
			t.Errorf("no request is %s", status)
		}
	}
	if kinds[model.Whole] == 0 || kinds[model.Fractionalised] == 0 || hidden != 1 {
		t.Errorf("types %v, %d of another tenant", kinds, hidden)
	}
}

func TestDemoIsTheSameForASeed(t *testing.T) {
	t.Parallel()
	a, first := readDemo(t)
	b := &desk{t: t, Marketplace: open(t, "", Options{RatePerSecond: -1})}
	second, err := b.LoadDemo(t.Context(), DemoOptions{Seed: 1, Now: testNow})
	if err != nil {
		t.Fatal(err)
	}
	b.key = second.Key
	for _, path := range []string{"/api/market?page=2", "/api/inventory?page=2", "/api/projects"} {
		if a.get(path).Body.String() != b.get(path).Body.String() {
			t.Errorf("%s differs", path)
		}
	}
	if first.Key == second.Key {
		t.Error("two demos share an API key")
	}
}

func TestDemoBooksBalance(t *testing.T) {
	t.Parallel()
	d, _ := readDemo(t)
	checkBooks(t, d)
}

func TestDemoNeedsAnEmptyDatabase(t *testing.T) {
	t.Parallel()
	d, _ := readDemo(t)
	if _, err := d.LoadDemo(t.Context(), DemoOptions{}); !errors.Is(err, ErrNotEmpty) {
		t.Errorf("loading twice: %v", err)
	}
}

// The prices that the demo remembers lead to the market as it is.
func TestDemoPricesEndWithTheMarket(t *testing.T) {
	t.Parallel()
	d, demo := readDemo(t)
	market, _ := d.market("per_page=100")
	last := make(map[model.VintageKey]DemoPrice)
	moves := make(map[model.VintageKey]int)
	for _, p := range demo.Prices {
		if before, ok := last[p.Vintage]; ok && !before.At.Before(p.At) {
			t.Fatalf("%v follows %v", p, before)
		}
		if p.BestAsk < 1 || p.Available < model.GramsPerTonne || !p.At.Before(testNow) {
			t.Fatalf("%+v", p)
		}
		last[p.Vintage] = p
		moves[p.Vintage]++
	}
	if len(last) != market.Vintages() {
		t.Errorf("prices of %d vintages, %d are for sale", len(last), market.Vintages())
	}
	for i := range market.Vintages() {
		v, p := market.Vintage(i), last[market.Key(i)]
		if p.BestAsk != v.BestAsk || p.Available != v.Available || moves[p.Vintage] < 10 {
			t.Errorf("%d prices that end with %v and %v, for sale at %v are %v", moves[p.Vintage], p.BestAsk, p.Available, v.BestAsk, v.Available)
		}
	}
}
