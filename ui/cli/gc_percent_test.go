package cli

import (
	"context"
	"runtime/debug"
	"strconv"
	"testing"

	"tonne/api/session"
	"tonne/model"
	"tonne/model/market"
	"tonne/ui/cli/dashboard"
)

// oneMarket is a client that always returns the same market.
type oneMarket struct {
	session.Client
	market *market.Market
}

func (c oneMarket) Market(context.Context, int, func(*market.Page, model.Page)) (*market.Market, error) {
	return c.market, nil
}

// Not parallel, because the GC percentage belongs to the process.
func TestLargeMarketLowersGCPercent(t *testing.T) {
	before := debug.SetGCPercent(100)
	defer debug.SetGCPercent(before)
	for _, test := range []struct{ orders, percent int }{{249_999, 100}, {250_000, 30}} {
		var part market.Page
		part.AddProject("P")
		part.AddVintage("V", 2020)
		for n := range test.orders {
			part.AddOrder(strconv.Itoa(n), model.GramsPerTonne, 1)
		}
		want := market.New(&part)
		got, err := dashboard.TunedCollector{Client: oneMarket{market: want}}.Market(t.Context(), 0, nil)
		if got != want || err != nil {
			t.Fatalf("another market, or %v", err)
		}
		if percent := debug.SetGCPercent(100); percent != test.percent {
			t.Errorf("%d orders: %d per cent, want %d", test.orders, percent, test.percent)
		}
	}
}
