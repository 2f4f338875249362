package demo_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tonne/api/marketplace"
	"tonne/api/marketplace/demo"
	"tonne/api/marketplace/exchange"
	"tonne/api/marketplace/marketplacetest"
	"tonne/api/wire"
	"tonne/model"
	must "tonne/model/musttest"
	"tonne/model/retirement"
)

var now = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func clock() time.Time { return now }

// market is a service with demo data in memory.
type market struct {
	marketplacetest.Client
	market *marketplace.Marketplace
	made   demo.Data
}

// load fills a service in memory.
func load(ctx context.Context, now func() time.Time) market {
	m := must.Get(marketplace.Open(ctx, "", marketplace.Options{Now: now, RatePerSecond: -1}))
	made := must.Get(demo.Load(ctx, m, demo.Options{Seed: 1}))
	return market{marketplacetest.Client{Service: m, Key: made.Key}, m, made}
}

var shared = sync.OnceValue(func() market { return load(context.Background(), clock) })

// loaded returns a service that all tests read and none changes.
func loaded(t testing.TB) market {
	d := shared()
	d.TB = t
	return d
}

func loadFor(t testing.TB, now func() time.Time) market {
	d := load(t.Context(), now)
	d.TB = t
	t.Cleanup(func() { must.Succeed(t, d.market.Close()) })
	return d
}

func TestProjects(t *testing.T) {
	t.Parallel()
	d := loaded(t)
	// Words of services of the family: types of projects, and goals.
	types, goals, _ := strings.Cut(string(must.Get(os.ReadFile("testdata/vocabulary.txt"))), "\n")
	listed := func(words, word string) bool {
		return slices.Contains(strings.Split(strings.TrimSpace(words), "|"), word)
	}
	names, pages, public := make(map[string]bool), make(map[string]bool), 0
	for _, p := range must.Get(exchange.Read(t.Context(), d.market, exchange.AllProjects)) {
		must.Hold(t, listed(types, p.Type) && len(p.Country) == 2 && len(p.SDGs) > 0, p)
		must.Hold(t, !names[p.Name] && !pages[p.RegistryURL], "listed twice", p)
		invented := strings.HasPrefix(p.Description, "Synthetic project")
		must.Hold(t, strings.Contains(strings.ToLower(p.Description), "synthetic") && len(p.Description) > 60, p)
		must.Hold(t, !invented || p.RegistryURL == "", "invented, and has a page in a registry", p)
		if !invented {
			public++
		}
		for _, goal := range p.SDGs {
			must.Hold(t, listed(goals, goal), p.Name, goal)
		}
		for _, v := range p.Vintages {
			page, err := url.Parse(v.RegistryURL)
			must.Hold(t, err == nil && page.Scheme == "https" && page.Host != "", p.Name, v)
		}
		if names[p.Name] = true; p.RegistryURL != "" {
			pages[p.RegistryURL] = true
		}
	}
	must.Hold(t, public >= 24 && pages["https://registry.goldstandard.org/projects?q=gs11603"], public, pages)
}

func TestSerialNumbersDoNotOverlap(t *testing.T) {
	t.Parallel()
	var blocks []retirement.Serial
	for _, text := range loaded(t).Texts("SELECT serial FROM serial_numbers") {
		a, ok := retirement.ParseSerial(text)
		must.Hold(t, ok, text)
		for _, b := range blocks {
			if a.Registry == b.Registry && a.Start <= b.End && b.Start <= a.End {
				t.Errorf("%+v and %+v overlap", a, b)
			}
		}
		blocks = append(blocks, a)
	}
	must.Hold(t, len(blocks) >= 100, len(blocks))
}

func TestFillsSeveralPages(t *testing.T) {
	t.Parallel()
	d := loaded(t)
	d.CheckBooks()
	market, page := d.Market("per_page=100")
	must.Hold(t, market.Projects() >= 24 && market.Vintages() >= 100 && market.Orders() >= 600 && page.TotalPages == 1,
		market.Projects(), market.Vintages(), market.Orders())
	inventory, page := d.Inventory("per_page=100")
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
	must.Hold(t, wallets >= 40 && page.TotalItems > 40 && zeros > 0 && fractions > 0 && longest >= 15,
		wallets, page.TotalItems, zeros, fractions, longest)
}

// The prices that the demo remembers lead to the market as it is, and are near what was paid.
func TestPricesEndWithTheMarket(t *testing.T) {
	t.Parallel()
	d := loaded(t)
	market, _ := d.Market("per_page=100")
	last, moves := make(map[model.VintageKey]demo.Price), make(map[model.VintageKey]int)
	for _, p := range d.made.Prices {
		before, known := last[p.Vintage]
		must.Need(t, !known || before.At.Before(p.At), p, before)
		must.Need(t, p.BestAsk >= 1 && p.Available >= model.GramsPerTonne && p.At.Before(now), p)
		last[p.Vintage] = p
		moves[p.Vintage]++
	}
	must.Equal(t, len(last), market.Vintages())
	for i := range market.Vintages() {
		v, p := market.Vintage(i), last[market.Key(i)]
		must.Hold(t, p.BestAsk == v.BestAsk && p.Available == v.Available && moves[p.Vintage] >= 10, v, p, moves[p.Vintage])
	}
	inventory, _ := d.Inventory("per_page=100")
	for key, paid := range inventory.LastPaid() {
		if i, listed := market.Find(key); listed {
			ask := market.Vintage(i).BestAsk
			must.Hold(t, paid.Price >= ask/2 && paid.Price <= ask*2, key, paid.Price, ask)
		}
	}
}

func TestShowsEveryState(t *testing.T) {
	t.Parallel()
	d := loaded(t)
	seen := make(map[any]int)
	hidden := 0
	for _, r := range d.made.Retirements {
		w := d.Get("/api/retirement?id=" + r.ID)
		if w.Code == http.StatusUnprocessableEntity {
			hidden++
			continue
		}
		retirement := must.Get(wire.DecodeRetirement(w.Body.Bytes()))
		seen[retirement.Status]++
		seen[retirement.Type]++
		must.Equal(t, must.Get(retirement.ItemsTotal()), retirement.TotalQuantity, r.Label)
	}
	must.Hold(t, len(seen) == 5+2 && hidden == 1, "states and types", seen, "of another tenant", hidden)
}

func TestIsTheSameForASeed(t *testing.T) {
	t.Parallel()
	a, b := loaded(t), loadFor(t, clock)
	for _, path := range []string{"/api/market?page=2", "/api/inventory?page=2", "/api/projects"} {
		must.Equal(t, a.Get(path).Body.String(), b.Get(path).Body.String(), path)
	}
	must.Hold(t, a.Key != b.Key, "two demos share an API key")
	// README.md names the first request.
	later := loadFor(t, func() time.Time { return time.Date(2027, 2, 3, 15, 0, 0, 0, time.UTC) })
	must.Equal(t, later.made.Retirements[0].ID, a.made.Retirements[0].ID)
	must.Fail(t, must.Err(demo.Load(t.Context(), a.market, demo.Options{})), demo.ErrNotEmpty)
}

func TestLiveNeedsDemoData(t *testing.T) {
	t.Parallel()
	m := must.Get(marketplace.Open(t.Context(), "", marketplace.Options{}))
	defer m.Close()
	must.Fail(t, demo.Live(t.Context(), m, time.Second, slog.New(slog.DiscardHandler)), demo.ErrNoDemo)
	must.Fail(t, demo.CanLive(t.Context(), m), demo.ErrNoDemo)
}
