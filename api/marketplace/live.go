package marketplace

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"zombiezen.com/go/sqlite"

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
	// pruneEvery is after how many moves the old ones are forgotten.
	pruneEvery = 200
)

// Live moves the synthetic market that LoadDemo made until ctx ends: one sell
// order arrives, is repriced, shrinks or vanishes every so often, around the
// fair price of its vintage, which drifts. Then it returns nil. A move that
// fails is logged and the market goes on; the error is ErrNoDemo where there
// is nothing to move.
func (m *Marketplace) Live(ctx context.Context, every time.Duration) error {
	market, err := m.liveMarket(ctx)
	if err != nil {
		return fmt.Errorf("move the market: %w", err)
	}
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	failing := false
	for n := 1; ; n++ {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		err := m.change(ctx, demoActor, func(c *change) error {
			if n%pruneEvery == 0 {
				if err := c.forgetWithdrawn(); err != nil {
					return err
				}
			}
			return market.move(c)
		})
		if err != nil && !failing && ctx.Err() == nil {
			m.log.Warn("the synthetic market stands still", "error", err)
		}
		failing = err != nil
	}
}

// CanLive returns ErrNoDemo where there is no market that Live could move.
func (m *Marketplace) CanLive(ctx context.Context) error {
	found := false
	err := m.db.read(ctx, func(conn *sqlite.Conn) (err error) {
		found, err = find(conn, "SELECT 1 FROM demo_vintages LIMIT 1", func(*sqlite.Stmt) {})
		return err
	})
	if err == nil && !found {
		err = ErrNoDemo
	}
	if err != nil {
		return fmt.Errorf("move the market: %w", err)
	}
	return nil
}

// liveMarket is what moves: the vintages of the demo.
type liveMarket struct {
	rand     *rand.Rand
	vintages []liveVintage
}

type liveVintage struct {
	vintage
	seller     int64
	base, fair int64
}

func (m *Marketplace) liveMarket(ctx context.Context) (*liveMarket, error) {
	market := &liveMarket{rand: rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))}
	err := m.db.read(ctx, func(conn *sqlite.Conn) error {
		return each(conn, `SELECT d.vintage, v.project, d.seller, d.base_cents, d.fair_cents
			FROM demo_vintages d JOIN vintages v ON v.number = d.vintage ORDER BY d.vintage`, func(stmt *sqlite.Stmt) error {
			market.vintages = append(market.vintages, liveVintage{
				vintage: vintage{stmt.ColumnInt64(0), stmt.ColumnInt64(1)}, seller: stmt.ColumnInt64(2),
				base: stmt.ColumnInt64(3), fair: stmt.ColumnInt64(4),
			})
			return nil
		})
	})
	if err == nil && len(market.vintages) == 0 {
		err = ErrNoDemo
	}
	return market, err
}

// move changes one order of one vintage.
func (l *liveMarket) move(c *change) error {
	v := &l.vintages[l.rand.IntN(len(l.vintages))]
	if err := l.drift(c, v); err != nil {
		return err
	}
	orders, err := c.liveOrders(v)
	if err != nil {
		return err
	}
	chance := l.rand.IntN(100)
	switch n := len(orders); {
	case n < fewOrders || n < someMany && chance < 18:
		return l.arrive(c, v)
	case n > someMany || n > fewOrders && chance < 30:
		return c.end(orders[l.rand.IntN(n)], withdrawn)
	default:
		s := orders[l.rand.IntN(n)]
		if chance < 55 && s.quantity.Tonnes() > 1 {
			sold := 1 + l.rand.Int64N(s.quantity.Tonnes()/2)
			return c.resize(s, s.quantity-model.Grams(sold*model.GramsPerTonne))
		}
		return c.reprice(s, l.price(v))
	}
}

// drift moves the fair price of a vintage by up to a per cent, and back
// towards its base the further away it is.
func (l *liveMarket) drift(c *change, v *liveVintage) error {
	step := l.rand.Int64N(21) - 10
	pull := (v.base - v.fair) * 20 / v.base
	fair := v.fair * (1000 + step + pull) / 1000
	if fair == v.fair && step != 0 {
		// Cheap credits move by whole cents or not at all.
		fair += step / max(step, -step)
	}
	v.fair = min(max(fair, v.base*fairLow/100, 1), max(v.base*fairHigh/100, 1))
	return run(c.Conn, "UPDATE demo_vintages SET fair_cents = ? WHERE vintage = ?", v.fair, v.number)
}

func (l *liveMarket) price(v *liveVintage) model.PriceCents {
	return tick(v.fair * (1000 + l.rand.Int64N(1+l.rand.Int64N(180))) / 1000)
}

func (l *liveMarket) arrive(c *change, v *liveVintage) error {
	price := l.price(v)
	tonnes := 5 * (1 + l.rand.Int64N(80))
	if price < 500 {
		tonnes *= 10
	}
	_, err := c.offer(sellOrder{vintage: v.vintage, seller: v.seller, price: price, quantity: model.Grams(tonnes * model.GramsPerTonne)})
	return err
}

// liveOrders reads the live orders of a vintage by its demo seller: nobody
// else's are touched.
func (c *change) liveOrders(v *liveVintage) ([]sellOrder, error) {
	var orders []sellOrder
	err := each(c.Conn, `SELECT number, price_cents, quantity_grams FROM sell_orders
		WHERE seller = ? AND vintage = ? AND state = 'LIVE' ORDER BY number`, func(stmt *sqlite.Stmt) error {
		orders = append(orders, sellOrder{
			number: stmt.ColumnInt64(0), vintage: v.vintage, seller: v.seller, state: live,
			price: columnPrice(stmt, 1), quantity: columnGrams(stmt, 2),
		})
		return nil
	}, v.seller, v.number)
	return orders, err
}

// forgetWithdrawn deletes withdrawn orders that nobody has bought from.
func (c *change) forgetWithdrawn() error {
	return run(c.Conn, `DELETE FROM sell_orders WHERE state = 'WITHDRAWN' AND ended_at < ?
		AND NOT EXISTS (SELECT 1 FROM trades WHERE sell_order = sell_orders.number)`, c.at.Add(-withdrawnKept).UnixMilli())
}
