package inventory

import (
	"cmp"
	"context"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"tonne/api"
	"tonne/api/session"
	"tonne/model"
	"tonne/model/longtest"
	"tonne/model/market"
	"tonne/model/portfolio"
	"tonne/model/retirement"
	"tonne/model/store"
	"tonne/ui/uitest"
)

// The test runs the tab for six weeks, with a long pause between the polls to keep
// their number low. The curve has a point per hour for the last two weeks and a point
// per day before. In the second half, memory may grow by soakGrows bytes per third:
// eight bytes per poll.
const (
	soakPolls = 2_000
	soakPause = 30 * time.Minute
	soakGrows = 8 * soakPolls / 6
)

// trading is a service that changes a price and a balance with each poll. It allocates
// new strings each time, like decoded responses.
type trading struct{ polls atomic.Int64 }

func (s *trading) Market(context.Context, int, func(*market.Page, model.Page)) (*market.Market, error) {
	polls := s.polls.Add(1)
	part := &market.Page{}
	part.AddProject(string(strconv.AppendInt(nil, 7, 10)))
	part.AddVintage(string(strconv.AppendInt(nil, 8, 10)), 2020)
	part.AddOrder("o", 5_000_000, model.PriceCents(500+polls%100))
	return market.New(part), nil
}

func (s *trading) Inventory(context.Context, api.InventoryQuery, func(*portfolio.Inventory, model.Page)) (*portfolio.Inventory, error) {
	inv := traded(1, 12, 3)
	inv.Projects[0].ID, inv.Projects[0].Vintages[0].ID = string(strconv.AppendInt(nil, 7, 10)), string(strconv.AppendInt(nil, 8, 10))
	inv.Projects[0].Vintages[0].Wallets[0].Quantity = model.Grams(1_000_000 + s.polls.Load()%1000)
	return inv, nil
}

func (*trading) InventoryPage(context.Context, api.InventoryQuery) (*portfolio.Inventory, model.Page, error) {
	return &portfolio.Inventory{}, model.Page{}, nil
}

func (*trading) Retirement(_ context.Context, id string) (retirement.Request, error) {
	return retirement.Request{ID: id}, nil
}

func (*trading) Projects(context.Context, ...string) ([]model.Project, error) { return nil, nil }

func (*trading) Certificate(context.Context, string, string, string, func(received, total int64)) (retirement.Certificate, error) {
	return retirement.Certificate{}, nil
}

// soak polls a session in simulated time and passes its events to the tab.
func soak(t *testing.T, r *robot) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	service := &trading{}
	work := session.New(service, session.Options{MarketEvery: soakPause, InventoryEvery: soakPause, Portfolio: true, Store: store.Open("")})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	work.Record()
	go func() { ended <- work.Run(ctx) }()
	var held []uitest.Memory
	next := soakPolls / 2
	for service.polls.Load() < soakPolls {
		news, err := work.Next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		r.Now = time.Now()
		r.Hear(news...)
		r.tab.Layout(120, 32)
		r.tab.Expire(r.Now)
		if int(service.polls.Load()) >= next {
			next += soakPolls / 20
			held = append(held, uitest.InUse())
		}
	}
	least := func(all []uitest.Memory) uitest.Memory {
		return slices.MinFunc(all, func(a, b uitest.Memory) int { return cmp.Compare(a.Heap, b.Heap) })
	}
	third := len(held) / 3
	early, middle, late := least(held[:third]), least(held[third:2*third]), least(held[2*third:])
	t.Logf("%d polls: %+v, %+v, %+v", soakPolls, early, middle, late)
	// A leak grows in both intervals, the runtime only in one.
	if grown := min(middle.Heap-early.Heap, late.Heap-middle.Heap); grown > soakGrows {
		t.Errorf("memory grows by %d bytes per %d polls", grown, soakPolls/6)
	}
	if late.Goroutines > early.Goroutines {
		t.Errorf("goroutines grow from %d to %d", early.Goroutines, late.Goroutines)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// This test measures memory, so it must not run in parallel.
func TestInventoryTabRunsForWeeksInFlatMemory(t *testing.T) {
	longtest.Only(t)
	if uitest.Race {
		t.Skip("takes seconds")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(1000))
	synctest.Test(t, func(t *testing.T) { soak(t, newRobot(t)) })
}
