package session_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"tonne/api"
	"tonne/api/session"
	"tonne/model"
	"tonne/model/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const origin = "https://market.example"

// fake is a marketplace of functions. One that is nil answers with nothing.
type fake struct {
	market      func(each func(*model.MarketPage, model.Page)) (*model.Market, error)
	paid        model.LastPaidPrices
	unpaid      error // of Holdings
	inventory   func(each func(*model.Inventory, model.Page)) (*model.Inventory, error)
	retirement  func(id string) (model.Retirement, error)
	projects    func(ids []string) ([]model.Project, error)
	certificate func(dir, id string) (api.Certificate, error)

	mu    sync.Mutex
	calls map[string]int
}

func (f *fake) call(operation string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.calls == nil {
		f.calls = make(map[string]int)
	}
	f.calls[operation]++
}

// called returns how often an operation was called.
func (f *fake) called(operation string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.calls[operation]
}

func (f *fake) Market(_ context.Context, _ int, each func(*model.MarketPage, model.Page)) (*model.Market, error) {
	f.call("market")
	if f.market == nil {
		return model.NewMarket(), nil
	}
	return f.market(each)
}

func (f *fake) InventoryPage(_ context.Context, q api.InventoryQuery) (*model.Inventory, model.Page, error) {
	f.call(fmt.Sprint("inventory ", q.Page))
	return &model.Inventory{}, model.Page{}, nil
}

func (f *fake) Inventory(_ context.Context, _ api.InventoryQuery, each func(*model.Inventory, model.Page)) (*model.Inventory, error) {
	f.call("inventory")
	if f.inventory == nil {
		return &model.Inventory{}, nil
	}
	return f.inventory(each)
}

func (f *fake) Holdings(context.Context) (model.LastPaidPrices, model.Balances, error) {
	f.call("holdings")
	return f.paid, nil, f.unpaid
}

func (f *fake) Retirement(_ context.Context, id string) (model.Retirement, error) {
	f.call("retirement " + id)
	if f.retirement == nil {
		return model.Retirement{ID: id, Status: model.Complete}, nil
	}
	return f.retirement(id)
}

func (f *fake) Projects(_ context.Context, ids ...string) ([]model.Project, error) {
	f.call("projects")
	if f.projects == nil {
		return nil, nil
	}
	return f.projects(ids)
}

func (f *fake) Certificate(_ context.Context, _, dir, id string, _ func(received, total int64)) (api.Certificate, error) {
	return f.certificate(dir, id)
}

// offer returns a market with one sell order of a million grams at a price.
func offer(price model.PriceCents) *model.Market {
	p := &model.MarketPage{}
	p.AddProject("P")
	p.AddVintage("V", 2020)
	p.AddOrder("O", 1_000_000, price)
	return model.NewMarket(p)
}

var vintage = model.VintageKey{ProjectID: "P", VintageID: "V"}

// offers answers each call with the next price, and the last one from then on.
func offers(prices ...model.PriceCents) func(func(*model.MarketPage, model.Page)) (*model.Market, error) {
	next := 0
	return func(func(*model.MarketPage, model.Page)) (*model.Market, error) {
		price := prices[min(next, len(prices)-1)]
		next++
		return offer(price), nil
	}
}

func rule(t *testing.T, text string) model.Rule {
	t.Helper()
	r, err := model.ParseRule(text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// running is a session in a bubble.
type running struct {
	*session.Session
	t     *testing.T
	store *store.Store
	stop  context.CancelFunc
	ended chan error
	over  bool
}

// in runs a test in a bubble.
func in(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, test)
}

// begin starts a session over a store, which end closes.
func begin(t *testing.T, f session.Client, s *store.Store) *running {
	t.Helper()
	return beginWith(t, f, session.Options{Origin: origin, Store: s})
}

// beginWith is begin with options.
func beginWith(t *testing.T, f session.Client, o session.Options) *running {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r := &running{Session: session.New(f, o), t: t, store: o.Store, stop: cancel, ended: make(chan error, 1)}
	go func() { r.ended <- r.Run(ctx) }()
	t.Cleanup(r.end)
	return r
}

// end ends the session and waits until everything is written.
func (r *running) end() {
	r.t.Helper()
	if r.over {
		return
	}
	r.over = true
	r.stop()
	if err := <-r.ended; err != nil {
		r.t.Errorf("the session ends with %v", err)
	}
	if err := r.store.Close(); err != nil {
		r.t.Error(err)
	}
}

// news returns the events that are pending when nothing moves any more.
func (r *running) news() []session.Event {
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

// latest returns the pending event of a type, and false if there is none. What
// is pending beside it is gone.
func latest[E session.Event](r *running) (last E, found bool) {
	r.t.Helper()
	for _, e := range r.news() {
		if e, ok := e.(E); ok {
			last, found = e, true
		}
	}
	return last, found
}

// must is latest if there has to be one.
func must[E session.Event](r *running) E {
	r.t.Helper()
	e, ok := latest[E](r)
	if !ok {
		r.t.Fatalf("there is no %T", e)
	}
	return e
}

// file returns a place for a store that two processes share.
func file(t *testing.T) string { return filepath.Join(t.TempDir(), "store.db") }

// failing returns an error as the client does.
func failing(kind api.Kind) error {
	return fmt.Errorf("call: %w", &api.Error{Kind: kind, Message: "it failed"})
}

func pause() { time.Sleep(5*time.Second + time.Millisecond) }
