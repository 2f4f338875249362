package market_test

import (
	"fmt"
	"runtime"
	"testing"

	"tonne/model"
	"tonne/model/market"
)

// pages builds a market of n orders, 50 to a vintage and 20 vintages to a page, as the service sends it.
func pages(n int) []*market.Page {
	var parts []*market.Page
	for o := range n {
		if o%1000 == 0 {
			parts = append(parts, &market.Page{})
		}
		p := parts[len(parts)-1]
		if o%200 == 0 {
			p.AddProject(fmt.Sprintf("003project%08d", o/200))
		}
		if o%50 == 0 {
			p.AddVintage(fmt.Sprintf("004vintage%08d", o/50), 2015+o/50%10)
		}
		p.AddOrder(fmt.Sprintf("006order%010d", o), model.Grams(1+o%40)*model.GramsPerTonne, model.PriceCents(500+o%97))
	}
	return parts
}

// TestASnapshotIsSmallerThanWhatItWasReadFrom states the budget of the live
// heap: less than the 118 bytes of an order's JSON.
func TestASnapshotIsSmallerThanWhatItWasReadFrom(t *testing.T) {
	const orders = 100_000
	if got := heapOf(orders) / orders; got >= 118 {
		t.Errorf("%d bytes an order", got)
	}
}

func heapOf(orders int) uint64 {
	parts := pages(orders)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	m := market.New(parts...)
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(m)
	runtime.KeepAlive(parts)
	return after.HeapAlloc - min(before.HeapAlloc, after.HeapAlloc)
}
