package session_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tonne/api"
	"tonne/api/session"
	"tonne/model"
	"tonne/model/market"
	"tonne/model/portfolio"
	"tonne/model/retirement"
	"tonne/model/store"
)

// fake is a marketplace of functions. One that is nil answers with nothing.
type fake struct {
	market    func(ctx context.Context, each func(*market.Page, model.Page)) (*market.Market, error)
	inventory func(ctx context.Context, q api.InventoryQuery) (*portfolio.Inventory, error)
	whole     func(each func(*portfolio.Inventory, model.Page)) (*portfolio.Inventory, error)
	// lastPaid answers with the last paid prices; paid and unpaid do if it is nil.
	lastPaid    func(ctx context.Context) (portfolio.LastPaidPrices, error)
	paid        portfolio.LastPaidPrices
	unpaid      error
	balances    portfolio.Balances
	retirement  func(ctx context.Context, id string) (retirement.Request, error)
	projects    func(ctx context.Context, ids []string) ([]model.Project, error)
	certificate func(ctx context.Context, dir, id string, progress func(received, total int64)) (retirement.Certificate, error)

	mu    sync.Mutex
	calls map[string][]time.Time
}

// called returns when an operation was called, since the start of the bubble.
func (f *fake) called(operation string) []time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	var at []time.Duration
	for _, t := range f.calls[operation] {
		at = append(at, t.Sub(start))
	}
	return at
}

// start is when every synctest bubble starts.
var start = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

func (f *fake) call(operations ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.calls == nil {
		f.calls = make(map[string][]time.Time)
	}
	for _, operation := range operations {
		f.calls[operation] = append(f.calls[operation], time.Now())
	}
}

// count returns how often an operation was called.
func (f *fake) count(operation string) int { return len(f.called(operation)) }

// operations are the names of what was asked for.
func (f *fake) operations() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Collect(maps.Keys(f.calls))
}

func (f *fake) Market(ctx context.Context, _ int, each func(*market.Page, model.Page)) (*market.Market, error) {
	f.call("market")
	if f.market == nil {
		return market.New(), nil
	}
	return f.market(ctx, each)
}

func (f *fake) InventoryPage(ctx context.Context, q api.InventoryQuery) (*portfolio.Inventory, model.Page, error) {
	f.call("inventory", fmt.Sprint("inventory ", q.Page))
	if f.inventory == nil {
		return &portfolio.Inventory{}, model.Page{Current: q.Page}, nil
	}
	inv, err := f.inventory(ctx, q)
	return inv, model.Page{Current: q.Page}, err
}

func (f *fake) Inventory(ctx context.Context, q api.InventoryQuery, each func(*portfolio.Inventory, model.Page)) (*portfolio.Inventory, error) {
	if q == api.LastPaidQuery {
		f.call("last paid")
		if f.lastPaid == nil {
			return bought(f.paid, f.balances), f.unpaid
		}
		prices, err := f.lastPaid(ctx)
		if err != nil {
			return nil, err
		}
		return bought(prices, f.balances), nil
	}
	f.call("whole", fmt.Sprintf("whole %+v", q))
	if f.whole == nil {
		return &portfolio.Inventory{}, nil
	}
	return f.whole(each)
}

func (f *fake) Retirement(ctx context.Context, id string) (retirement.Request, error) {
	f.call("retirement", "retirement "+id)
	if f.retirement == nil {
		return retirement.Request{ID: id, Status: retirement.Complete}, nil
	}
	return f.retirement(ctx, id)
}

func (f *fake) Projects(ctx context.Context, ids ...string) ([]model.Project, error) {
	f.call("projects")
	if f.projects == nil {
		return nil, nil
	}
	return f.projects(ctx, ids)
}

func (f *fake) Certificate(ctx context.Context, _, dir, id string, progress func(received, total int64)) (retirement.Certificate, error) {
	f.call("certificate")
	return f.certificate(ctx, dir, id, progress)
}

// polling runs a test with a running session in a bubble, and then ends the session.
// Its store has what an earlier run remembered.
func polling(t *testing.T, f *fake, o session.Options, test func(t *testing.T, d *session.Session, read *running), remembered ...func(*testing.T, *store.Store) error) {
	t.Helper()
	in(t, func(t *testing.T) {
		o.Origin, o.Store = origin, store.Open("")
		for _, remember := range remembered {
			if err := remember(t, o.Store); err != nil {
				t.Fatal(err)
			}
		}
		r := beginWith(t, f, o)
		synctest.Wait()
		test(t, r.Session, r)
		r.end()
	})
}

// part is a page with a sell order at the price for each project.
func part(price model.PriceCents, projects ...string) *market.Page {
	p := &market.Page{}
	for _, id := range projects {
		p.AddProject(id)
		p.AddVintage("v-"+id, 2020)
		p.AddOrder("o-"+id, 1_000_000, price)
	}
	return p
}
