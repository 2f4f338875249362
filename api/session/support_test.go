package session_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"tonne/api"
	"tonne/api/session"
	"tonne/model"
	"tonne/model/alert"
	"tonne/model/market"
	"tonne/model/portfolio"
	"tonne/model/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const origin = "https://market.example"

// bought is an inventory with the last purchase of each vintage and the balances.
func bought(paid portfolio.LastPaidPrices, balances portfolio.Balances) *portfolio.Inventory {
	inv := &portfolio.Inventory{}
	for key, last := range paid {
		trade := portfolio.Trade{Type: portfolio.Buy, Price: last.Price, Quantity: 1}
		wallet := portfolio.Wallet{Type: portfolio.WalletCAAS, Quantity: balances[key], Trades: []portfolio.Trade{trade}}
		inv.Projects = append(inv.Projects, portfolio.Project{ID: key.ProjectID, Vintages: []portfolio.Vintage{
			{ID: key.VintageID, Wallets: []portfolio.Wallet{wallet}},
		}})
	}
	return inv
}

// offer returns a market with one sell order of a million grams at a price.
func offer(price model.PriceCents) *market.Market {
	p := &market.Page{}
	p.AddProject("P")
	p.AddVintage("V", 2020)
	p.AddOrder("O", 1_000_000, price)
	return market.New(p)
}

var vintage = model.VintageKey{ProjectID: "P", VintageID: "V"}

// offers answers each call with the next price, and the last one from then on.
func offers(prices ...model.PriceCents) func(context.Context, func(*market.Page, model.Page)) (*market.Market, error) {
	next := 0
	return func(context.Context, func(*market.Page, model.Page)) (*market.Market, error) {
		price := prices[min(next, len(prices)-1)]
		next++
		return offer(price), nil
	}
}

func rule(t *testing.T, text string) alert.Rule {
	t.Helper()
	r, err := alert.ParseRule(text)
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

// beginKeeping is begin of a session that keeps the portfolio.
func beginKeeping(t *testing.T, f session.Client, s *store.Store) *running {
	t.Helper()
	return beginWith(t, f, session.Options{Origin: origin, Store: s, Portfolio: true})
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

// latest returns the pending event of a type, and false if there is none. It drops
// all other pending events.
func latest[E session.Event](r *running) (last E, found bool) {
	r.t.Helper()
	for _, e := range r.news() {
		if e, ok := e.(E); ok {
			last, found = e, true
		}
	}
	return last, found
}

// fires returns the alerts that are pending, and whether one of them fired since the last
// were read. It drops all other pending events.
func fires(r *running) (e session.AlertsEvent, fired bool) {
	r.t.Helper()
	e, _ = latest[session.AlertsEvent](r)
	return e, len(e.Fired) > 0
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
func failing(kind api.Kind) error { return failingFor(kind, 0) }

// failingFor is failing of a service that asks to wait.
func failingFor(kind api.Kind, retryAfter time.Duration) error {
	return fmt.Errorf("call: %w", &api.Error{Kind: kind, Message: "it failed", RetryAfter: retryAfter})
}

func pause() { time.Sleep(5*time.Second + time.Millisecond) }
