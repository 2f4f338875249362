package demo

import (
	"testing"
	"time"

	"tonne/api/marketplace/demo"
	"tonne/model"
	"tonne/model/file/store"
	must "tonne/model/musttest"
	"tonne/model/portfolio"
)

const baseURL = "https://market.example"

var vintage = model.VintageKey{ProjectID: "P1", VintageID: "V1"}

// The recorded prices end some minutes before the demo starts. That is not a gap.
func TestDemoStartsWithoutGap(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC)
	d := &syntheticMarket{baseURL: baseURL, store: store.Open(""), prices: []demo.Price{
		{Vintage: vintage, At: now.Add(-48 * time.Hour), BestAsk: 600, Available: 1e6},
		{Vintage: vintage, At: now.Add(-20 * time.Minute), BestAsk: 610, Available: 1e6},
	}}
	t.Cleanup(func() { _ = d.store.Close() })
	err := d.recordPast(t.Context(), now)
	if err == nil {
		err = d.store.Of(baseURL).History.Observe(t.Context(),
			[]store.Observation{{Vintage: vintage, At: now.Add(time.Second), BestAsk: 620, Available: 1e6}})
	}
	gaps, failed := d.store.Of(baseURL).History.Gaps(t.Context(), time.Time{})
	must.Hold(t, err == nil && failed == nil && len(gaps) == 0, err, failed, "gaps", gaps)
}

// The value history of a demo covers weeks, at the best asks of the time, and ends before
// the hour that the dashboard records.
func TestDemoRecordsPortfolioValueHistory(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 22, 9, 20, 0, 0, time.UTC)
	buy := func(ago time.Duration) portfolio.Trade {
		return portfolio.Trade{ExecutionDate: model.At(now.Add(-ago)), Quantity: 2 * model.GramsPerTonne, Price: 500,
			Type: portfolio.Buy}
	}
	d := &syntheticMarket{baseURL: baseURL, store: store.Open(""),
		prices: []demo.Price{
			{Vintage: vintage, At: now.Add(-50 * 24 * time.Hour), BestAsk: 600},
			{Vintage: vintage, At: now.Add(-5 * time.Hour), BestAsk: 610},
		},
		held: &portfolio.Inventory{Projects: []portfolio.Project{{ID: vintage.ProjectID, Vintages: []portfolio.Vintage{{
			ID: vintage.VintageID, Wallets: []portfolio.Wallet{{
				Type: portfolio.WalletCAAS, Quantity: 3 * model.GramsPerTonne,
				Trades: []portfolio.Trade{buy(48 * time.Hour), buy(60 * 24 * time.Hour)},
			}},
		}}}}},
	}
	t.Cleanup(func() { _ = d.store.Close() })
	must.Succeed(t, d.recordBook(t.Context(), now))
	points, err := d.store.Of(baseURL).History.Values(t.Context(), time.Time{})
	must.Need(t, err == nil && len(points) >= 300, len(points), "points", err)
	for at, want := range map[int]portfolio.BookValue{
		0: {Held: 3_000_000, Valued: 3_000_000, Value: 1800, Costed: 3_000_000, Cost: 1500, Compared: 3_000_000,
			OverCost: 300},
		len(points) - 9: {Held: 3_000_000, Valued: 3_000_000, Value: 1800, Costed: 3_000_000, Cost: 1500, Compared: 3_000_000,
			OverCost: 300},
		len(points) - 1: {Held: 3_000_000, Valued: 3_000_000, Value: 1830, Costed: 3_000_000, Cost: 1500, Compared: 3_000_000,
			OverCost: 330},
	} {
		got := points[at]
		must.Equal(t, got.Value, want, "at", got.At)
	}
	last := points[len(points)-1].At
	must.Hold(t, last.Equal(now.Truncate(time.Hour).Add(-time.Hour)) && now.Sub(points[0].At) >= 44*24*time.Hour,
		"from", points[0].At, "to", last)
	for i := 1; i < len(points); i++ {
		apart := points[i].At.Sub(points[i-1].At)
		must.Hold(t, apart <= 24*time.Hour && (now.Sub(points[i-1].At) >= bookHourly || apart == time.Hour),
			apart, "between points at", points[i-1].At)
	}
}
