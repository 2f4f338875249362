package demo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"time"

	"tonne/api"
	"tonne/api/marketplace"
	"tonne/api/marketplace/demo"
	"tonne/api/session"
	"tonne/api/worker"
	"tonne/model"
	"tonne/model/file/store"
	"tonne/model/portfolio"
	"tonne/ui/cli/command"
	"tonne/ui/cli/config"
)

type syntheticMarket struct {
	baseURL string
	key     *pendingKey
	// hints are retirement requests to suggest as soon as the key is ready.
	hints []session.Entry
	// store contains the prices that a running dashboard would have recorded.
	store  *store.Store
	prices []demo.Price
	held   *portfolio.Inventory
}

func (s *syntheticMarket) settings() *command.Settings {
	return &command.Settings{File: new(config.File), BaseURL: config.BaseURL(s.baseURL)}
}

func (s *syntheticMarket) offer() []session.Entry {
	select {
	case <-s.key.ready:
		return s.hints
	default:
		return nil
	}
}

// market generates the data and serves it until ctx ends.
func (d *options) market(ctx context.Context, market *syntheticMarket, path string,
	listener net.Listener) (failed error) {
	log := d.dash.App.Log()
	// The database of --keep is created even if the user quits at once.
	m, err := marketplace.Open(context.WithoutCancel(ctx), path,
		marketplace.Options{Log: log, RatePerSecond: -1, Service: true})
	var key string
	if err == nil {
		defer func() { failed = errors.Join(failed, m.Close()) }()
		key, err = d.fill(ctx, market, m)
	}
	if err != nil {
		listener.Close()
		market.key.arrive("", err)
		return unlessEnded(ctx, err)
	}
	if err := market.recordBook(ctx, d.dash.App.Now()); err != nil {
		log.Warn("the demo does not remember its book", "error", err)
	}
	market.recordBooks(d.dash.App.Recording(market.settings()))
	// Started before the key is ready, to finish before the first poll.
	recorded := worker.Start(func() error { return market.recordPast(ctx, d.dash.App.Now()) })
	market.key.arrive(key, nil)
	live := worker.Start(func() error { return demo.Live(ctx, m, demo.Pace, log) })
	processed := worker.Start(func() error {
		// Longer than the interval of look-ups, so that no state is missed.
		demo.Process(ctx, m, 45*time.Second, log)
		return nil
	})
	practised := worker.Start(func() error { return demo.Practise(ctx, m, 10*time.Second, log) })
	err = m.Serve(ctx, listener)
	return unlessEnded(ctx, errors.Join(err, live(), processed(), practised(), recorded()))
}

func unlessEnded(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

func (d *options) fill(ctx context.Context, market *syntheticMarket, m *marketplace.Marketplace) (key string,
	err error) {
	made, err := demo.Load(ctx, m, demo.Options{Seed: cmp.Or(d.seed, rand.Uint64())})
	if err != nil {
		return "", fmt.Errorf("the demo's data could not be made: %w", err)
	}
	market.prices, market.held = made.Prices, made.Inventory
	for _, r := range made.Retirements {
		market.hints = append(market.hints, session.Entry{ID: r.ID, Label: r.Label})
	}
	return made.Key, nil
}

// recordPast fills the store as if the dashboard had run until now.
func (s *syntheticMarket) recordPast(ctx context.Context, now time.Time) error {
	if err := s.store.Of(s.baseURL).History.Saw(ctx, now); err != nil {
		return err
	}
	past := make([]store.Observation, len(s.prices))
	for i, p := range s.prices {
		past[i] = store.Observation(p)
	}
	return s.store.Of(s.baseURL).History.Observe(ctx, past)
}

// The demo remembers its book for bookPast: by the hour for bookHourly, and by the
// day before that.
const (
	bookPast   = 44 * 24 * time.Hour
	bookHourly = 13 * 24 * time.Hour
)

func (s *syntheticMarket) recordBook(ctx context.Context, now time.Time) error {
	prices := make(map[model.VintageKey][]demo.Price)
	for _, p := range s.prices {
		prices[p.Vintage] = append(prices[p.Vintage], p)
	}
	wallets, step := portfolio.NewPositions(s.held, s.held), 24*time.Hour
	var points []store.ValuePoint
	for at := now.Add(-bookPast).Truncate(step); at.Before(now.Truncate(time.Hour)); at = at.Add(step) {
		point := store.ValuePoint{At: at}
		for i := range wallets.Len() {
			w, ask := wallets.At(i), model.UnknownPrice
			for _, p := range prices[w.Key.VintageKey] {
				if !p.At.After(at) {
					ask = p.BestAsk
				}
			}
			if err := point.Value.AddPosition(w, ask, portfolio.Start{}); err != nil {
				return err
			}
		}
		points = append(points, point)
		if now.Sub(at) <= bookHourly {
			step = time.Hour
		}
	}
	return s.store.Of(s.baseURL).History.KeepValues(ctx, points...)
}

// pendingKey is the transport to a marketplace that is still being created: requests
// wait until there is a key, so that the dashboard can start at once.
type pendingKey struct {
	http.Transport
	ready chan struct{}
	key   string
	err   error
}

func newPendingKey() *pendingKey { return &pendingKey{ready: make(chan struct{})} }

func (p *pendingKey) arrive(key string, err error) {
	p.key = key
	if err != nil {
		p.err = &api.Error{Kind: api.Unreachable, Message: err.Error(), Err: err}
	}
	close(p.ready)
}

// RoundTrip sends a request as soon as there is a key.
func (p *pendingKey) RoundTrip(r *http.Request) (*http.Response, error) {
	select {
	case <-p.ready:
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	if p.err != nil {
		return nil, p.err
	}
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+p.key)
	return p.Transport.RoundTrip(r)
}
