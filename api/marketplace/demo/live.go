package demo

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	"tonne/api/marketplace/exchange"
	"tonne/model"
)

// How far the synthetic market moves, so that it stays plausible for days:
// the fair price of a vintage stays near its base, in per cent of that, and
// the number of its orders between a few and a handful.
const (
	fairLow, fairHigh   = 80, 125
	fewOrders, someMany = 3, 9
	// withdrawnKept is how long a withdrawn order is remembered, so that a
	// late buyer learns that it is no longer live.
	withdrawnKept = time.Hour
	pruneEvery    = 200
)

// Pace is the time between two moves of the market of a demo.
const Pace = 1200 * time.Millisecond

// ErrNoDemo is returned by Live for a database without demo data.
var ErrNoDemo = errors.New("there is no demo data to move; load it first")

// Live moves the synthetic market that Load made until ctx ends: one sell
// order arrives, is repriced, shrinks or vanishes every so often, around the
// fair price of its vintage, which drifts. Then it returns nil. A move that
// fails is logged and the market goes on; the error is ErrNoDemo where there
// is nothing to move.
func Live(ctx context.Context, s Service, every time.Duration, log *slog.Logger) error {
	market, err := readMarket(ctx, s)
	if err != nil {
		return err
	}
	n := 0
	repeat(ctx, s, every, log, "the synthetic market stands still", func(c *exchange.Change) error {
		if n++; n%pruneEvery == 0 {
			forgetWithdrawn(c)
		}
		return market.move(c)
	})
	return nil
}

// forgetWithdrawn deletes orders that were withdrawn a while ago and that no tenant
// has bought from. Those whose credits are accounted for stay.
func forgetWithdrawn(c *exchange.Change) {
	c.Do(`DELETE FROM sell_orders WHERE state = 'WITHDRAWN' AND ended_at < $1
		AND NOT EXISTS (SELECT 1 FROM trades WHERE sell_order = sell_orders.number)
		AND NOT EXISTS (SELECT 1 FROM transfers WHERE sell_order = sell_orders.number)`, c.At.Add(-withdrawnKept).UnixMilli())
}

func repeat(ctx context.Context, s Service, every time.Duration, log *slog.Logger, failure string, step func(*exchange.Change) error) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	failing := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		err := s.Change(ctx, s.Now(), actor, step)
		if err != nil && !failing && ctx.Err() == nil {
			log.Warn(failure, "error", err)
		}
		failing = err != nil
	}
}

// CanLive returns ErrNoDemo if there is no market that Live could move.
func CanLive(ctx context.Context, s Service) error {
	_, err := readMarket(ctx, s)
	return err
}

type liveMarket struct {
	rand     *rand.Rand
	vintages []exchange.DemoVintage
}

func readMarket(ctx context.Context, s Service) (*liveMarket, error) {
	vintages, err := exchange.Read(ctx, s, exchange.DemoVintages)
	if err == nil && len(vintages) == 0 {
		err = ErrNoDemo
	}
	if err != nil {
		return nil, fmt.Errorf("move the market: %w", err)
	}
	return &liveMarket{rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64())), vintages}, nil
}

func (l *liveMarket) move(c *exchange.Change) error {
	v := &l.vintages[l.rand.IntN(len(l.vintages))]
	l.drift(v)
	c.Do("UPDATE demo_vintages SET fair_cents = $1 WHERE vintage = $2", v.Fair, v.Number)
	orders := exchange.DemoOrders(c, *v)
	chance := l.rand.IntN(100)
	switch n := len(orders); {
	case n < fewOrders || n < someMany && chance < 18:
		return l.arrive(c, v)
	case n > someMany || n > fewOrders && chance < 30:
		c.Withdraw(orders[l.rand.IntN(n)])
	default:
		s := orders[l.rand.IntN(n)]
		if chance < 55 && s.Quantity.Tonnes() > 1 {
			sold := 1 + l.rand.Int64N(s.Quantity.Tonnes()/2)
			return c.Resize(s, s.Quantity-model.Grams(sold*model.GramsPerTonne))
		}
		c.SetPrice(s, l.price(v))
	}
	return nil
}

// drift moves the fair price of a vintage by up to a per cent, and back
// towards its base the further away it is.
func (l *liveMarket) drift(v *exchange.DemoVintage) {
	step := model.PriceCents(l.rand.Int64N(21) - 10)
	pull := (v.Base - v.Fair) * 20 / v.Base
	fair := v.Fair * (1000 + step + pull) / 1000
	if fair == v.Fair && step != 0 {
		// Cheap credits move by whole cents or not at all.
		fair += step / max(step, -step)
	}
	v.Fair = min(max(fair, v.Base*fairLow/100, 1), max(v.Base*fairHigh/100, 1))
}

func (l *liveMarket) price(v *exchange.DemoVintage) model.PriceCents {
	return tick(int64(v.Fair) * (1000 + l.rand.Int64N(1+l.rand.Int64N(180))) / 1000)
}

func (l *liveMarket) arrive(c *exchange.Change, v *exchange.DemoVintage) error {
	price := l.price(v)
	tonnes := 5 * (1 + l.rand.Int64N(80))
	if price < 500 {
		tonnes *= 10
	}
	_, err := c.Offer(exchange.SellOrder{Vintage: v.Vintage, Seller: v.Seller, Price: price, Quantity: model.Grams(tonnes * model.GramsPerTonne)})
	return err
}

// Practise moves the retirement requests that somebody makes from now on a step
// along their life cycle every so often, until ctx ends: the month of a request
// of whole tonnes is closed, its invoice settled, its credits retired on the
// registry. Whoever practises sees a certificate soon. Requests that were there
// before stay as they are, but for those that gather fractions until the month
// is closed. A step that fails is logged and tried again.
func Practise(ctx context.Context, s Service, every time.Duration, log *slog.Logger) error {
	p := practice{before: make(map[string]bool)}
	there, err := exchange.Read(ctx, s, unfinished)
	if err != nil {
		return fmt.Errorf("practise retiring: %w", err)
	}
	for _, w := range there {
		p.before[w.ID] = true
	}
	repeat(ctx, s, every, log, "a retirement that is practised stands still", p.step)
	return nil
}

func unfinished(tx exchange.Tx) []exchange.Work { return exchange.Requests(tx, exchange.WorkFilter{}) }

type practice struct{ before map[string]bool }

func (p practice) step(c *exchange.Change) (err error) {
	states, due := make(map[string]string), false
	for _, b := range exchange.Invoices(c, exchange.BillFilter{Open: true}) {
		states[b.ID] = b.State
	}
	for _, w := range unfinished(c) {
		if p.before[w.ID] {
			continue
		}
		if w.Status == model.InProgress {
			err = c.Complete(w.ID)
		}
		for _, id := range w.Unsettled {
			due = due || w.Status == model.Closed && states[id] == exchange.InvoiceLive
			if err == nil && w.Status == model.Closed && states[id] == exchange.InvoiceIssued {
				states[id], err = exchange.InvoiceSettled, c.Settle(id)
			}
		}
		if err != nil {
			return err
		}
	}
	if due {
		c.CloseMonth()
	}
	return nil
}

// Advance moves every retirement request a step along its life cycle every so
// often, until ctx ends. A step that fails is logged and repeated.
func Advance(ctx context.Context, s Service, every time.Duration, log *slog.Logger) {
	repeat(ctx, s, every, log, "advancing failed", func(c *exchange.Change) error {
		c.Advance()
		return nil
	})
}

// Process moves the retirement requests of the demo on until ctx ends: every so
// often the registry has retired what it was processing, or, if it was processing
// nothing, the invoices that were issued are paid. So each state of a request that
// waits for its invoice is seen. A step that fails is logged and repeated.
func Process(ctx context.Context, s Service, every time.Duration, log *slog.Logger) {
	repeat(ctx, s, every, log, "the synthetic requests stand still", func(c *exchange.Change) error {
		if c.CompleteAll() == 0 {
			c.SettleAll()
		}
		return nil
	})
}
