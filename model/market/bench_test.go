package market_test

import (
	"fmt"
	"runtime"
	"testing"

	"tonne/model"
	"tonne/model/market"
)

// marketSizes are the numbers of orders that costs are measured at: they are
// to grow with the orders and no faster.
var marketSizes = []int{100, 1_000, 10_000, 100_000}

// pages builds a market of n orders, 50 to a vintage and 20 vintages to a
// page, as the service sends it. Every hundredth order depends on the round.
func pages(n, round int) []*market.Page {
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
		price := model.PriceCents(500 + o%97)
		if o%100 == 0 {
			price += model.PriceCents(round)
		}
		p.AddOrder(fmt.Sprintf("006order%010d", o), model.Grams(1+o%40)*model.GramsPerTonne, price)
	}
	return parts
}

func BenchmarkNewMarket(b *testing.B) {
	for _, n := range marketSizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			parts := pages(n, 0)
			b.ReportAllocs()
			for b.Loop() {
				market.New(parts...)
			}
			perOrder(b, n)
		})
	}
}

func BenchmarkSince(b *testing.B) {
	for _, n := range marketSizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			was, now := market.New(pages(n, 0)...), market.New(pages(n, 1)...)
			b.ReportAllocs()
			for b.Loop() {
				if got := len(now.Since(was).Orders); got != n/100 {
					b.Fatalf("%d changes", got)
				}
			}
			perOrder(b, n)
		})
	}
}

func BenchmarkBook(b *testing.B) {
	for _, n := range marketSizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			p := part(listing{project: "p", vintage: "v"})
			for o := range n {
				p.AddOrder(fmt.Sprintf("006order%010d", o), model.GramsPerTonne, model.PriceCents(o*7919%n))
			}
			m := market.New(p)
			b.ReportAllocs()
			for b.Loop() {
				m.Book(0)
			}
			perOrder(b, n)
		})
	}
}

// BenchmarkMarketHeap reports what a snapshot keeps alive per order, next to
// the 118 bytes that an order takes on the wire.
func BenchmarkMarketHeap(b *testing.B) {
	for _, n := range marketSizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var bytes uint64
			for b.Loop() {
				bytes = heapOf(n)
			}
			b.ReportMetric(float64(bytes)/float64(n), "B/order")
		})
	}
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
	parts := pages(orders, 0)
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

func perOrder(b *testing.B, n int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/order")
}
