package session_test

import (
	"context"
	"errors"
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
	"tonne/model/store"
)

// pollFake is a marketplace of functions. One that is nil answers with nothing.
type pollFake struct {
	market      func(ctx context.Context, each func(*model.MarketPage, model.Page)) (*model.Market, error)
	inventory   func(ctx context.Context, q api.InventoryQuery) (*model.Inventory, error)
	whole       func(each func(*model.Inventory, model.Page)) (*model.Inventory, error)
	lastPaid    func(ctx context.Context) (model.LastPaidPrices, error)
	balances    model.Balances
	retirement  func(ctx context.Context, id string) (model.Retirement, error)
	projects    func(ctx context.Context, ids []string) ([]model.Project, error)
	certificate func(ctx context.Context, progress func(received, total int64)) (api.Certificate, error)

	mu    sync.Mutex
	calls map[string][]time.Time
}

// called returns when an operation was called, since the start of the bubble.
func (f *pollFake) called(operation string) []time.Duration {
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

func (f *pollFake) call(operation string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.calls == nil {
		f.calls = make(map[string][]time.Time)
	}
	f.calls[operation] = append(f.calls[operation], time.Now())
}

// operations are the names of what was asked for.
func (f *pollFake) operations() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Collect(maps.Keys(f.calls))
}

func (f *pollFake) Market(ctx context.Context, _ int, each func(*model.MarketPage, model.Page)) (*model.Market, error) {
	f.call("market")
	if f.market == nil {
		return model.NewMarket(), nil
	}
	return f.market(ctx, each)
}

func (f *pollFake) InventoryPage(ctx context.Context, q api.InventoryQuery) (*model.Inventory, model.Page, error) {
	f.call("inventory")
	if f.inventory == nil {
		return &model.Inventory{}, model.Page{Current: q.Page}, nil
	}
	inv, err := f.inventory(ctx, q)
	return inv, model.Page{Current: q.Page}, err
}

func (f *pollFake) Inventory(_ context.Context, q api.InventoryQuery, each func(*model.Inventory, model.Page)) (*model.Inventory, error) {
	f.call(fmt.Sprintf("whole %+v", q))
	if f.whole == nil {
		return &model.Inventory{}, nil
	}
	return f.whole(each)
}

func (f *pollFake) Holdings(ctx context.Context) (model.LastPaidPrices, model.Balances, error) {
	f.call("last paid")
	if f.lastPaid == nil {
		return model.LastPaidPrices{}, model.Balances{}, nil
	}
	prices, err := f.lastPaid(ctx)
	return prices, f.balances, err
}

func (f *pollFake) Retirement(ctx context.Context, id string) (model.Retirement, error) {
	f.call("retirement")
	if f.retirement == nil {
		return model.Retirement{ID: id, Status: model.Open}, nil
	}
	return f.retirement(ctx, id)
}

func (f *pollFake) Projects(ctx context.Context, ids ...string) ([]model.Project, error) {
	f.call("projects")
	if f.projects == nil {
		return nil, nil
	}
	return f.projects(ctx, ids)
}

func (f *pollFake) Certificate(ctx context.Context, _, _, _ string, progress func(received, total int64)) (api.Certificate, error) {
	f.call("certificate")
	return f.certificate(ctx, progress)
}

// polling runs a test with a running session in a bubble, and then ends the session.
// Its store has what an earlier run remembered.
func polling(t *testing.T, f *pollFake, o session.Options, test func(t *testing.T, d *session.Session, read reader), remembered ...func(*testing.T, *store.Store) error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		o.Origin, o.Store = origin, store.Open("")
		defer o.Store.Close()
		for _, remember := range remembered {
			if err := remember(t, o.Store); err != nil {
				t.Fatal(err)
			}
		}
		d := session.New(f, o)
		ended := make(chan error, 1)
		go func() { ended <- d.Run(ctx) }()
		synctest.Wait()
		test(t, d, reader{t, d})
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the session ends with %v", err)
		}
	})
}

// reader reads the events of a session once everything is quiet.
type reader struct {
	t *testing.T
	*session.Session
}

// news returns the events that are pending when nothing moves any more.
func (r reader) news() []session.Event {
	r.t.Helper()
	synctest.Wait()
	ctx, cancel := context.WithCancel(r.t.Context())
	cancel()
	events, err := r.Next(ctx)
	if err != nil && !errors.Is(err, context.Canceled) {
		r.t.Fatal(err)
	}
	return events
}

// latest returns the pending event of a type, and false where there is none.
func latestRead[E session.Event](r reader) (E, bool) {
	r.t.Helper()
	var last E
	found := false
	for _, e := range r.news() {
		if e, ok := e.(E); ok {
			last, found = e, true
		}
	}
	return last, found
}

// must is latest where there has to be one.
func mustRead[E session.Event](r reader) E {
	r.t.Helper()
	e, ok := latestRead[E](r)
	if !ok {
		r.t.Fatalf("there is no %T", e)
	}
	return e
}

// part is a page with a sell order at the price for each project.
func part(price model.PriceCents, projects ...string) *model.MarketPage {
	p := &model.MarketPage{}
	for _, id := range projects {
		p.AddProject(id)
		p.AddVintage("v-"+id, 2020)
		p.AddOrder("o-"+id, 1_000_000, price)
	}
	return p
}

// failing returns an error as the client does.
func failingFor(kind api.Kind, retryAfter time.Duration) error {
	return fmt.Errorf("call: %w", &api.Error{Kind: kind, Message: "it failed", RetryAfter: retryAfter})
}
