package wire

import (
	"bytes"
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"tonne/model/market"
	must "tonne/model/musttest"
)

// marketPages returns a market in pages of so many sell orders: ten to a vintage, and ten vintages
// to a project. Every hundredth price differs between two rounds.
func marketPages(orders, perPage, round int) (pages [][]byte, size int) {
	var b bytes.Buffer
	for o := range orders {
		if o%perPage == 0 {
			b.WriteString(`{"projects":[`)
		}
		if o%100 == 0 {
			fmt.Fprintf(&b, `{"project_id":"003%015d","vintages":[`, o)
		}
		if o%10 == 0 {
			fmt.Fprintf(&b, `{"vintage_id":"004%015d","vintage_year":%d,"sell_orders":[`, o, 2000+o%25)
		}
		price := 100 + o*7919%9000
		if o%100 == 0 {
			price += round
		}
		fmt.Fprintf(&b, `{"sell_order_id":"006%015d","quantity_grams":"%d000000","price_cents":"%d"}`, o, 1+o%9000, price)
		next := o + 1
		if next%10 == 0 {
			b.WriteString(`]}`)
		}
		if next%100 == 0 {
			b.WriteString(`]}`)
		}
		if next%perPage != 0 {
			b.WriteByte(',')
			continue
		}
		b.WriteString(`],` + pagination + `}`)
		pages, size = append(pages, bytes.Clone(b.Bytes())), size+b.Len()
		b.Reset()
	}
	return pages, size
}

func decodeAll(pages [][]byte) *market.Market {
	parts := make([]*market.Page, len(pages))
	for i, page := range pages {
		var err error
		if parts[i], _, err = DecodeMarket(page); err != nil {
			panic(err)
		}
	}
	return market.New(parts...)
}

// withCheck compares a work on pages with the time in which the JSON reader checks that they are valid.
func withCheck(b *testing.B, orders int, pages [][]byte, size int, name string, work func(b *testing.B)) {
	b.Run(fmt.Sprintf("valid/orders=%d", orders), func(b *testing.B) {
		b.SetBytes(int64(size))
		for b.Loop() {
			for _, page := range pages {
				must.Equal(b, jsontext.Value(page).IsValid(), true)
			}
		}
	})
	b.Run(fmt.Sprintf("%s/orders=%d", name, orders), func(b *testing.B) {
		b.SetBytes(int64(size))
		b.ReportAllocs()
		for b.Loop() {
			work(b)
		}
	})
}

// BenchmarkDecodeMarket decodes one page.
func BenchmarkDecodeMarket(b *testing.B) {
	for _, orders := range []int{100, 1_000, 10_000, 100_000} {
		pages, size := marketPages(orders, orders, 0)
		withCheck(b, orders, pages, size, "decode", func(b *testing.B) {
			_, _, err := DecodeMarket(pages[0])
			must.Succeed(b, err)
		})
	}
}

// BenchmarkPoll is all that a poll costs, from the bytes to sorted rows.
func BenchmarkPoll(b *testing.B) {
	for _, orders := range []int{1_000, 10_000, 100_000, 1_000_000} {
		before, _ := marketPages(orders, 1000, 0)
		was := decodeAll(before)
		pages, size := marketPages(orders, 1000, 1)
		withCheck(b, orders, pages, size, "poll", func(b *testing.B) {
			m := decodeAll(pages)
			must.Equal(b, len(m.Since(was).Orders), orders/100)
			var rows []int
			for i := range m.Vintages() {
				if m.Vintage(i).Year >= 2010 {
					rows = append(rows, i)
				}
			}
			slices.SortFunc(rows, func(x, y int) int { return cmp.Compare(m.Vintage(x).BestAsk, m.Vintage(y).BestAsk) })
		})
	}
}

// heapOf returns the live heap of a market as a share of the bytes that it was read from.
func heapOf(orders int) float64 {
	pages, size := marketPages(orders, 1000, 0)
	before := liveHeap()
	m := decodeAll(pages)
	share := float64(liveHeap()-before) / float64(size)
	runtime.KeepAlive(m)
	runtime.KeepAlive(pages)
	return share
}

func TestASnapshotIsSmallerThanWhatItWasReadFrom(t *testing.T) {
	share := heapOf(100_000)
	must.Hold(t, share < 1, "it takes", share)
}

func BenchmarkMarketHeap(b *testing.B) {
	for _, orders := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprintf("orders=%d", orders), func(b *testing.B) {
			for b.Loop() {
				b.ReportMetric(heapOf(orders), "heap/payload")
			}
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
