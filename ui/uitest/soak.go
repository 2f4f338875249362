package uitest

import (
	"bytes"
	"context"
	"runtime"
	"runtime/debug"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"tonne/api"
	"tonne/api/session"
	"tonne/model"
	"tonne/model/file/store"
	"tonne/model/market"
	must "tonne/model/musttest"
	"tonne/model/portfolio"
)

// Soak lets a session poll a service with constant changes, in simulated time, and passes its events to hear. It fails
// if the memory grows in both halves of the later polls, or if goroutines are left. A test that calls it does not run
// in parallel.
func Soak(t *testing.T, r *Robot, polls int, hear func(polls int, news []session.Event)) {
	const pause = 5 * time.Minute
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	defer debug.SetGCPercent(debug.SetGCPercent(1000))
	service := &moving{}
	work := session.New(service,
		session.Options{MarketEvery: pause, InventoryEvery: 3 * pause, Portfolio: true, Store: store.Open("")})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- work.Run(ctx) }()
	// least are the measurements with the least memory in each third of the second half.
	var least [3]Memory
	for measured, n := 0, 0; n < polls; {
		news, err := work.Next(ctx)
		must.Succeed(t, err)
		r.Now, n = time.Now(), int(service.polls.Load())
		hear(n, news)
		if at := polls/2 + measured*polls/24; n >= at && measured < 12 {
			third := &least[measured/4]
			if m := InUse(); third.Heap == 0 || m.Heap < third.Heap {
				*third = m
			}
			measured++
		}
	}
	t.Logf("%d polls: %+v", polls, least)
	// A leak grows in both intervals. The runtime may take a page of 8 KiB in each.
	const noise = 16 << 10
	grown := min(least[1].Heap-least[0].Heap, least[2].Heap-least[1].Heap)
	must.Hold(t, grown <= noise, "memory grows by", grown, polls/6)
	must.Hold(t, least[2].Goroutines <= least[0].Goroutines,
		"goroutines grow from", least[0].Goroutines, least[2].Goroutines)
	cancel()
	must.Succeed(t, <-ended)
}

// moving is a service that changes a price and a balance with each poll and now and then lists an unknown project.
// Like the ids of api/wire, its ids are slices of a longer text.
type moving struct {
	session.Client
	polls atomic.Int64
	names string
}

// strangers is the number of polls between two unknown projects.
const strangers = 20

var padding = bytes.Repeat([]byte("x"), 2<<10)

func (m *moving) Market(context.Context, int, func(*market.Page, model.Page)) (*market.Market, error) {
	n := m.polls.Add(1)
	if n%strangers == 1 {
		m.names = string(strconv.AppendInt(padding, n, 10))
	}
	part := &market.Page{}
	part.AddProject(m.names[len(padding):])
	part.AddVintage(m.names[:1], 2020)
	part.AddOrder(string(padding), 5_000_000, 900)
	part.AddOrder("o", 5_000_000, model.PriceCents(500+n%100))
	return market.New(part), nil
}

func (m *moving) Inventory(context.Context, api.InventoryQuery,
	func(*portfolio.Inventory, model.Page)) (*portfolio.Inventory, error) {
	inv := Inventory()
	inv.Projects[0].ID = string(strconv.AppendInt(nil, 7, 10))
	inv.Projects[0].Vintages[0].Wallets[0].Quantity = model.Grams(1_000_000 + m.polls.Load()%1000)
	return inv, nil
}

func (*moving) Projects(context.Context, ...string) ([]model.Project, error) { return nil, nil }

// Memory is the memory use of a program.
type Memory struct {
	// Heap is in bytes.
	Heap       int64
	Goroutines int
}

// InUse returns the memory in use after garbage collection.
func InUse() Memory {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return Memory{int64(m.HeapAlloc), runtime.NumGoroutine()}
}
