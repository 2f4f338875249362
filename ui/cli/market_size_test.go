package cli

import (
	"context"
	"runtime/debug"
	"strconv"
	"testing"

	"tonne/api/session"
	"tonne/model"
	"tonne/model/market"
	must "tonne/model/musttest"
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
	var part market.Page
	part.AddProject("P")
	part.AddVintage("V", 2020)
	for n := range 250_000 {
		part.AddOrder(strconv.Itoa(n), model.GramsPerTonne, 1)
		if n < 249_998 {
			continue
		}
		want := market.New(&part)
		got, err := dashboard.TunedCollector{Client: oneMarket{market: want}}.Market(t.Context(), 0, nil)
		percent := debug.SetGCPercent(100)
		wanted := map[int]int{249_998: 100, 249_999: 30}[n]
		must.Hold(t, got == want && err == nil && percent == wanted,
			n+1, "orders", percent, "per cent, want", wanted, err)
	}
}
