package session_test

import (
	"bytes"
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"tonne/api/wire"
	"tonne/model/market"
)

// pageOf returns a page of the market with 1,000 sell orders, ten a vintage,
// from the given one on. Every hundredth price differs between two rounds.
func pageOf(first, round int) []byte {
	var b bytes.Buffer
	b.WriteString(`{"projects":[`)
	for o := first; o < first+1000; o++ {
		switch {
		case o%100 == 0:
			if o > first {
				b.WriteString(`]}]},`)
			}
			fmt.Fprintf(&b, `{"project_id":"003%015d","vintages":[{"vintage_id":"004%015d","vintage_year":%d,"sell_orders":[`, o, o, 2000+o%25)
		case o%10 == 0:
			fmt.Fprintf(&b, `]},{"vintage_id":"004%015d","vintage_year":%d,"sell_orders":[`, o, 2000+o%25)
		default:
			b.WriteByte(',')
		}
		price := 100 + o*7919%9000
		if o%100 == 0 {
			price += round
		}
		fmt.Fprintf(&b, `{"sell_order_id":"006%015d","quantity_grams":"%d000000","price_cents":"%d"}`, o, 1+o%9000, price)
	}
	b.WriteString(`]}]}],"pagination":{"per_page":10,"total_pages":1,"total_items":1,"current_page":1}}`)
	return b.Bytes()
}

func pagesOf(orders, round int) (pages [][]byte, size int) {
	for first := 0; first < orders; first += 1000 {
		page := pageOf(first, round)
		pages, size = append(pages, page), size+len(page)
	}
	return pages, size
}

func decodeAll(b *testing.B, pages [][]byte) *market.Market {
	b.Helper()
	parts := make([]*market.Page, len(pages))
	for i, page := range pages {
		part, _, err := wire.DecodeMarket(page)
		if err != nil {
			b.Fatal(err)
		}
		parts[i] = part
	}
	return market.New(parts...)
}

// BenchmarkPoll compares all that a poll costs, from the bytes to sorted rows,
// with the time in which the JSON reader checks that the bytes are valid.
func BenchmarkPoll(b *testing.B) {
	for _, orders := range []int{1_000, 10_000, 100_000, 1_000_000} {
		pages, size := pagesOf(orders, 1)
		before, _ := pagesOf(orders, 0)
		was := decodeAll(b, before)
		b.Run(fmt.Sprintf("valid/orders=%d", orders), func(b *testing.B) {
			b.SetBytes(int64(size))
			for b.Loop() {
				for _, page := range pages {
					if !jsontext.Value(page).IsValid() {
						b.Fatal("not valid")
					}
				}
			}
		})
		b.Run(fmt.Sprintf("poll/orders=%d", orders), func(b *testing.B) {
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				m := decodeAll(b, pages)
				if changes := m.Since(was); len(changes.Orders) != orders/100 {
					b.Fatalf("%d changes", len(changes.Orders))
				}
				if rows := cheapest(m, 2010); len(rows) == 0 {
					b.Fatal("no rows")
				}
			}
		})
	}
}

// cheapest returns the vintages since a year, sorted by their best ask.
func cheapest(m *market.Market, since int32) []uint32 {
	var rows []uint32
	for i := range m.Vintages() {
		if m.Vintage(i).Year >= since {
			rows = append(rows, uint32(i))
		}
	}
	slices.SortFunc(rows, func(a, b uint32) int {
		return cmp.Compare(m.Vintage(int(a)).BestAsk, m.Vintage(int(b)).BestAsk)
	})
	return rows
}

// BenchmarkMarketHeap measures the live heap of a market against the bytes
// that it was read from.
func BenchmarkMarketHeap(b *testing.B) {
	for _, orders := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprintf("orders=%d", orders), func(b *testing.B) {
			pages, size := pagesOf(orders, 0)
			var heap int64
			for b.Loop() {
				before := liveHeap()
				m := decodeAll(b, pages)
				heap = liveHeap() - before
				runtime.KeepAlive(m)
			}
			runtime.KeepAlive(pages)
			b.ReportMetric(float64(heap)/float64(size), "heap/payload")
			b.ReportMetric(float64(heap)/float64(orders), "B/order")
		})
	}
}

func liveHeap() int64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}
