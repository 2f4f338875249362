package demo

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"time"

	"tonne/api/marketplace/exchange"
	"tonne/model"
	"tonne/model/retirement"
)

// Limits that keep the synthetic market plausible for days: the fair price of a vintage in per
// cent of its base, and the number of its orders.
const (
	fairLow, fairHigh    = 80, 125
	minOrders, maxOrders = 3, 9
	// withdrawnKept is the time before a withdrawn order is deleted. Until then, a late buyer
	// gets the error that it is no longer live.
	withdrawnKept = time.Hour
	pruneEvery    = 200
)

// Pace is the default interval between two changes of the demo market.
const Pace = 1200 * time.Millisecond

// ErrNoDemo is returned by Live for a database without demo data.
var ErrNoDemo = errors.New("there is no demo data in the database; load it first")

// Live changes the synthetic market until ctx ends: at every interval it adds, reprices,
// shrinks or withdraws one sell order. It logs failed changes. The error is ErrNoDemo if there
// is no demo data.
func Live(ctx context.Context, s Service, every time.Duration, log *slog.Logger) error {
	market, err := readMarket(ctx, s)
	if err != nil {
		return err
	}
	n := 0
	repeat(ctx, s, every, log, "cannot change the synthetic market", func(c *exchange.Change) {
		if n++; n%pruneEvery == 0 {
			forgetWithdrawn(c)
		}
		market.move(c)
	})
	return nil
}

// forgetWithdrawn deletes old withdrawn orders without trades. It keeps orders whose credits
// came from a wallet.
func forgetWithdrawn(c *exchange.Change) {
	c.Do(`DELETE FROM sell_orders WHERE state = 'WITHDRAWN' AND ended_at < $1
		AND NOT EXISTS (SELECT 1 FROM trades WHERE sell_order = sell_orders.number)
		AND NOT EXISTS (SELECT 1 FROM transfers WHERE sell_order = sell_orders.number)`, c.At.Add(-withdrawnKept).UnixMilli())
}

func repeat(ctx context.Context, s Service, every time.Duration, log *slog.Logger, failure string,
	step func(*exchange.Change)) {
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

// CanLive returns ErrNoDemo if there is no market that Live can change.
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

func (l *liveMarket) move(c *exchange.Change) {
	v := &l.vintages[l.rand.IntN(len(l.vintages))]
	l.drift(v)
	c.Do("UPDATE demo_vintages SET fair_cents = $1 WHERE vintage = $2", v.Fair, v.Number)
	orders := exchange.DemoOrders(c, *v)
	chance := l.rand.IntN(100)
	switch n := len(orders); {
	case n < minOrders || n < maxOrders && chance < 18:
		l.arrive(c, v)
	case n > maxOrders || n > minOrders && chance < 30:
		exchange.Withdraw(c, orders[l.rand.IntN(n)])
	default:
		s := orders[l.rand.IntN(n)]
		if chance < 55 && s.Quantity.Tonnes() > 1 {
			sold := 1 + l.rand.Int64N(s.Quantity.Tonnes()/2)
			exchange.Resize(c, s, s.Quantity-model.Grams(sold*model.GramsPerTonne))
			return
		}
		exchange.SetPrice(c, s, l.price(v))
	}
}

// drift changes the fair price of a vintage by up to one per cent, and pulls it back towards
// its base: the further away it is, the stronger.
func (l *liveMarket) drift(v *exchange.DemoVintage) {
	step := model.PriceCents(l.rand.Int64N(21) - 10)
	pull := (v.Base - v.Fair) * 20 / v.Base
	fair := v.Fair * (1000 + step + pull) / 1000
	if fair == v.Fair && step != 0 {
		// Rounding must not stop the price of cheap credits.
		fair += step / max(step, -step)
	}
	v.Fair = min(max(fair, v.Base*fairLow/100, 1), max(v.Base*fairHigh/100, 1))
}

func (l *liveMarket) price(v *exchange.DemoVintage) model.PriceCents {
	return tick(int64(v.Fair) * (1000 + l.rand.Int64N(1+l.rand.Int64N(180))) / 1000)
}

func (l *liveMarket) arrive(c *exchange.Change, v *exchange.DemoVintage) {
	price := l.price(v)
	tonnes := 5 * (1 + l.rand.Int64N(80))
	if price < 500 {
		tonnes *= 10
	}
	exchange.Offer(c,
		exchange.SellOrder{Vintage: v.Vintage, Seller: v.Seller, Price: price,
			Quantity: model.Grams(tonnes * model.GramsPerTonne)})
}

// Practise does the same as Advance, but only while a retirement request is unfinished that
// was created after the start of Practise.
func Practise(ctx context.Context, s Service, every time.Duration, log *slog.Logger) error {
	before, err := exchange.Read(ctx, s, unfinished)
	if err != nil {
		return fmt.Errorf("practise retiring: %w", err)
	}
	repeat(ctx, s, every, log, "cannot advance the practice retirement", func(c *exchange.Change) {
		if slices.ContainsFunc(unfinished(c), func(id string) bool { return !slices.Contains(before, id) }) {
			exchange.Advance(c)
		}
	})
	return nil
}

func unfinished(tx exchange.Tx) (ids []string) {
	for _, w := range exchange.Requests(tx, exchange.WorkFilter{}) {
		if w.Status != retirement.Open {
			ids = append(ids, w.ID)
		}
	}
	return ids
}

// Advance moves every retirement request one step along its life cycle at every interval,
// until ctx ends. It logs a failed step and repeats it.
func Advance(ctx context.Context, s Service, every time.Duration, log *slog.Logger) {
	repeat(ctx, s, every, log, "cannot advance the retirement requests", exchange.Advance)
}

// Process completes requests and settles invoices in turns until ctx ends, so that a request
// that waits for its invoice shows each state. It logs a failed step and repeats it.
func Process(ctx context.Context, s Service, every time.Duration, log *slog.Logger) {
	repeat(ctx, s, every, log, "cannot process the synthetic requests", func(c *exchange.Change) {
		if exchange.CompleteAll(c) == 0 {
			exchange.SettleAll(c)
		}
	})
}
