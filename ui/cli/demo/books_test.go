package demo

import (
	"context"
	"fmt"
	"testing"
	"time"

	"tonne/api"
	"tonne/api/marketplace/demo"
	"tonne/model"
	"tonne/model/execution"
	"tonne/model/file/record"
	must "tonne/model/musttest"
	"tonne/model/portfolio"
)

// A demo shows each verdict: its purchases are the cheapest, the cheapest of the vintage, dearer, or not recorded.
func TestDemoRecordsTheMarketAroundItsPurchases(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC)
	s := &syntheticMarket{baseURL: baseURL, held: &portfolio.Inventory{}}
	projects := make(model.Projects)
	for v := range 6 {
		key := model.VintageKey{ProjectID: fmt.Sprint("P", v/2), VintageID: fmt.Sprint("V", v)}
		p := projects[key.ProjectID]
		p.ID, p.Type = key.ProjectID, "Cookstoves"
		p.Vintages = append(p.Vintages, model.ProjectVintage{ID: key.VintageID, Year: 2020})
		projects[key.ProjectID] = p
		wallet := portfolio.Wallet{Type: portfolio.WalletCAAS}
		for n := range 8 {
			at := now.Add(-time.Duration(v*8+n+1) * time.Hour)
			s.prices = append([]demo.Price{{Vintage: key, At: at, BestAsk: model.PriceCents(500 + 10*v), Available: 90e6}},
				s.prices...)
			wallet.Trades = append(wallet.Trades, portfolio.Trade{ExecutionDate: model.At(at), Quantity: 2 * model.GramsPerTonne,
				Price: model.PriceCents(500 + 10*v), Type: portfolio.Buy})
		}
		s.held.Projects = append(s.held.Projects, portfolio.Project{ID: key.ProjectID,
			Vintages: []portfolio.Vintage{{ID: key.VintageID, Wallets: []portfolio.Wallet{wallet}}}})
	}
	f := record.Open("")
	s.recordBooks(func(read api.MarketRead) {
		must.Succeed(t, f.Of(baseURL).Add(context.Background(), record.Read(read)))
	})
	rows := must.Get(execution.New(t.Context(), f.Of(baseURL),
		execution.Request{Purchases: execution.Purchases(s.held, nil), Projects: projects}))
	seen := execution.Sum(rows).Purchases
	for _, v := range execution.Verdicts {
		must.Hold(t, seen[v] >= 3, seen)
	}
	must.Succeed(t, f.Close())
}
