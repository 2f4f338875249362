package market

import (
	"bytes"
	"context"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
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
	"tonne/ui/uitest"
)

// The test simulates 58 days of polling with a pause of 84 s, and fewer days in short runs.
// Memory may grow by soakGrows bytes from its minimum to the end: less than a byte per
// three polls.
const (
	soakPause = 84 * time.Second
	soakGrows = 8 << 10
)

// moving is a service that reprices one order per poll and now and then lists an unknown
// project. Like the ids from api/wire, its ids are slices of a longer text.
type moving struct {
	polls int
	names string
}

// strangers is the number of polls between two unknown projects.
const strangers = 20

var still = bytes.Repeat([]byte("x"), 2<<10)

func (m *moving) Market(context.Context, int, func(*market.Page, model.Page)) (*market.Market, error) {
	if m.polls%strangers == 0 {
		m.names = string(strconv.AppendInt(still, int64(m.polls), 10))
	}
	m.polls++
	part := &market.Page{}
	part.AddProject(m.names[len(still):])
	part.AddVintage(m.names[:1], 2020)
	part.AddOrder(string(still), 5_000_000, 900)
	part.AddOrder("o", 5_000_000, model.PriceCents(500+m.polls%100))
	return market.New(part), nil
}

func (*moving) InventoryPage(context.Context, api.InventoryQuery) (*portfolio.Inventory, model.Page, error) {
	return &portfolio.Inventory{}, model.Page{}, nil
}

func (*moving) Inventory(context.Context, api.InventoryQuery, func(*portfolio.Inventory, model.Page)) (*portfolio.Inventory, error) {
	return &portfolio.Inventory{}, nil
}

func (*moving) Retirement(_ context.Context, id string) (retirement.Request, error) {
	return retirement.Request{ID: id}, nil
}

func (*moving) Projects(context.Context, ...string) ([]model.Project, error) { return nil, nil }

func (*moving) Certificate(context.Context, string, string, string, func(received, total int64)) (retirement.Certificate, error) {
	return retirement.Certificate{}, nil
}

func soak(t *testing.T, r *robot, polls int) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	defer debug.SetGCPercent(debug.SetGCPercent(1000))
	poller := session.New(&moving{}, session.Options{MarketEvery: soakPause, InventoryEvery: 3 * soakPause})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- poller.Run(ctx) }()
	// early is the measurement with the least memory in use.
	var early uitest.Memory
	next := polls / 10
	for generation := 0; generation < polls; {
		news, err := poller.Next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		r.Now = time.Now()
		for _, e := range news {
			r.View.Receive(e)
			cmd := r.tab.receive(e)
			generation = int(r.View.Market.Generation)
			if generation%(polls/100) == 0 {
				r.Run(cmd)
				r.tab.Layout(width, height)
			}
		}
		r.tab.Expire(r.Now)
		if generation >= next {
			next += polls / 10
			if m := uitest.InUse(); early.Heap == 0 || m.Heap < early.Heap {
				early = m
			}
		}
	}
	late := uitest.InUse()
	t.Logf("%d polls: %+v, then %+v", polls, early, late)
	if grown := late.Heap - early.Heap; grown > soakGrows {
		t.Errorf("memory grew by %d bytes in %d polls", grown, polls)
	}
	if late.Goroutines > early.Goroutines {
		t.Errorf("%d goroutines run, then %d", early.Goroutines, late.Goroutines)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// This test measures memory, so it does not run in parallel.
func TestMemoryStaysFlatOverMonthsOfPolling(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		soak(t, newRobot(t, nil), longtest.Runs(6_000, 60_000))
	})
}

// An id is a slice of the text of a snapshot and would keep all of it in memory.
func TestChangesDoNotKeepSnapshotsAlive(t *testing.T) {
	r := newRobot(t, nil)
	const text = 1 << 20
	still := []byte(strings.Repeat("x", text))
	before := uitest.InUse()
	for n := range maxChanges {
		part := &market.Page{}
		part.AddProject("p")
		part.AddVintage("v", 2020)
		part.AddOrder(string(still), 5_000_000, 900)
		part.AddOrder("o", 5_000_000, model.PriceCents(500+n))
		r.poll(market.New(part))
	}
	if grown := uitest.InUse().Heap - before.Heap; grown > 10*text {
		t.Errorf("%d MB in use after %d polls of a market of 1 MB", grown>>20, maxChanges)
	}
	r.Press("v")
	r.Sees("▲ dearer")
}
