package record

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"tonne/model"
	"tonne/model/longtest"
	"tonne/model/market"
	must "tonne/model/musttest"
)

// manyOrders returns a market of 2,000 projects with 10,000 vintages and 100,000 orders. The price of
// an order has risen as changed says.
func manyOrders(changed map[int]int) *market.Market {
	var page market.Page
	page.Grow(100_000)
	for p := range 2000 {
		page.AddProject(fmt.Sprintf("003project%08d", p))
		for v := range 5 {
			page.AddVintage(fmt.Sprintf("004vintage%07d%d", p, v), 2018+v)
			for o := range 10 {
				i := (p*5+v)*10 + o
				page.AddOrder(fmt.Sprintf("006%08xorder%02d", uint32(i)*2654435761, o),
					model.Grams(i%50+1)*model.GramsPerTonne, model.PriceCents(500+i%700+changed[i]))
			}
		}
	}
	return market.New(&page)
}

// perUnit returns how much the file grew, in bytes per unit of what was added.
func perUnit(t testing.TB, f *File, units int, add func()) int64 {
	t.Helper()
	before := must.Get(f.Size(t.Context()))
	add()
	return (must.Get(f.Size(t.Context())) - before) / int64(units)
}

func TestBytesPerIntervalAndRead(t *testing.T) {
	t.Parallel()
	f := Open(filepath.Join(t.TempDir(), "orders.db"))
	s, now := f.Of(service), noon
	changed, m := make(map[int]int), manyOrders(nil)
	add := func() {
		now = now.Add(5 * time.Second)
		must.Succeed(t, s.Add(t.Context(), Read{Market: m, At: now}))
	}
	bytes := perUnit(t, f, 100_000, add)
	must.Hold(t, bytes <= 100, bytes, "bytes per interval of the first read")
	bytes = perUnit(t, f, 5000, func() {
		for range 5000 {
			add()
		}
	})
	must.Hold(t, bytes <= 16, bytes, "bytes per read that changed nothing")
	random := rand.New(rand.NewPCG(1, 2))
	const reads, each = 20, 2000
	bytes = perUnit(t, f, reads*each, func() {
		for range reads {
			for range each {
				changed[random.IntN(100_000)]++
			}
			m = manyOrders(changed)
			add()
		}
	})
	must.Hold(t, bytes <= 100, bytes, "bytes per interval that ended")
	must.Succeed(t, f.Close())
}

// A live market of a day: a poll every 5 s, and one in ten of them with a change.
func TestDayStaysWithinItsBytes(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	f := Open(filepath.Join(t.TempDir(), "orders.db"))
	s, changed, m := f.Of(service), make(map[int]int), manyOrders(nil)
	random := rand.New(rand.NewPCG(1, 2))
	intervals, reads := int64(100_000), int64(0)
	for now := noon; now.Before(noon.Add(24 * time.Hour)); now = now.Add(5 * time.Second) {
		if reads++; reads%10 == 0 {
			changed[random.IntN(100_000)]++
			m = manyOrders(changed)
			intervals++
		}
		must.Succeed(t, s.Add(t.Context(), Read{Market: m, At: now}))
	}
	size := must.Get(f.Size(t.Context()))
	must.Hold(t, size <= 100*intervals+16*reads, size, "bytes for", intervals, "intervals and", reads, "reads")
	must.Succeed(t, f.Close())
}

func BenchmarkFirstRecordOf100000Orders(b *testing.B) {
	m := manyOrders(nil)
	for b.Loop() {
		f := Open(filepath.Join(b.TempDir(), "orders.db"))
		must.Succeed(b, f.Of(service).Add(b.Context(), Read{Market: m, At: noon}), f.Close())
	}
}

func BenchmarkPollWithOneChangeOf100000Orders(b *testing.B) {
	f := Open(filepath.Join(b.TempDir(), "orders.db"))
	s, now := f.Of(service), noon
	markets := []*market.Market{manyOrders(nil), manyOrders(map[int]int{70_000: 1})}
	for n := range 2 {
		now = now.Add(5 * time.Second)
		must.Succeed(b, s.Add(b.Context(), Read{Market: markets[n], At: now}))
	}
	for n := 0; b.Loop(); n++ {
		now = now.Add(5 * time.Second)
		must.Succeed(b, s.Add(b.Context(), Read{Market: markets[n%2], At: now}))
	}
	must.Succeed(b, f.Close())
}

func BenchmarkAtOver2000000Intervals(b *testing.B) {
	f := Open(filepath.Join(b.TempDir(), "orders.db"))
	s, now := f.Of(service), noon
	random, changed := rand.New(rand.NewPCG(1, 2)), make(map[int]int)
	for range 100 {
		for range 20_000 {
			changed[random.IntN(100_000)]++
		}
		now = now.Add(time.Minute)
		must.Succeed(b, s.Add(b.Context(), Read{Market: manyOrders(changed), At: now}))
	}
	b.ReportMetric(float64(must.Get(s.Intervals(b.Context()))), "intervals")
	for b.Loop() {
		must.Get(s.At(b.Context(), noon.Add(50*time.Minute)))
	}
	must.Succeed(b, f.Close())
}
