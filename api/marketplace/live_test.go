package marketplace

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"tonne/model"
)

func TestLiveMarketMovesInEveryWay(t *testing.T) {
	t.Parallel()
	// What is shared must not belong to the bubble.
	demoImage()
	synctest.Test(t, func(t *testing.T) {
		d, _ := openDemo(t)
		before, _ := d.market("per_page=100")
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- d.Live(ctx, 400*time.Millisecond) }()
		time.Sleep(time.Minute)
		synctest.Wait()
		cancel()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		after, _ := d.market("per_page=100")
		seen := make(map[model.ChangeKind]int)
		for _, change := range after.Since(before).Orders {
			seen[change.Kind]++
		}
		for _, kind := range []model.ChangeKind{model.Appeared, model.Vanished, model.Repriced, model.Resized} {
			if seen[kind] == 0 {
				t.Errorf("no change of kind %d in a minute: %v", kind, seen)
			}
		}
		checkBooks(t, d)
	})
}

// Moves of hours leave a market as large and as dear as it was.
func TestLiveMarketStaysBounded(t *testing.T) {
	t.Parallel()
	d, _ := openDemo(t)
	live, err := d.liveMarket(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// A few vintages that move often are as good as many that move rarely.
	live.vintages = live.vintages[:3]
	before, _ := d.market("per_page=2")
	const moves, step = 1000, 20 * time.Second
	d.do(func(c *change) error {
		for n := range moves {
			c.at = c.at.Add(step)
			if n%pruneEvery == 0 {
				if err := c.forgetWithdrawn(); err != nil {
					return err
				}
			}
			if err := live.move(c); err != nil {
				return err
			}
		}
		return nil
	})
	after, _ := d.market("per_page=2")
	if n := after.Orders(); n < before.Orders()/2 || n > before.Orders()*2 {
		t.Errorf("%d orders became %d", before.Orders(), n)
	}
	for i := range live.vintages {
		v := after.Vintage(i)
		base := model.PriceCents(d.query("SELECT base_cents FROM demo_vintages d JOIN vintages v ON v.number = d.vintage WHERE v.id = ?", v.ID))
		if v.BestAsk < base/2 || v.BestAsk > base*2 {
			t.Errorf("vintage %s: best ask %s, base %s", v.ID, v.BestAsk.FormatDollars(), base.FormatDollars())
		}
	}
	if n := d.query("SELECT count(*) FROM sell_orders WHERE state = 'WITHDRAWN'"); n > 2*int64(withdrawnKept/step) {
		t.Errorf("%d withdrawn orders are still remembered", n)
	}
	if own := d.query("SELECT count(*) FROM sell_orders s JOIN tenants t ON t.number = s.seller WHERE t.name = ? AND s.state = 'LIVE'", demoTenant); own != 1 {
		t.Errorf("the tenant's own order was touched")
	}
	checkBooks(t, d)
}

func TestLiveNeedsDemoData(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	if err := d.Live(t.Context(), time.Second); !errors.Is(err, ErrNoDemo) {
		t.Error(err)
	}
}

// A buyer who is late learns that the order is gone, not that it never was.
func TestWithdrawnOrdersAreRememberedForAWhile(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	v := d.vintages[0]
	order := d.sell(v, 10, 620)
	d.do(func(c *change) error {
		s, _, err := c.sellOrder(order)
		if err != nil {
			return err
		}
		return c.end(s, withdrawn)
	})
	code := func() string {
		d.do(func(c *change) error { return c.forgetWithdrawn() })
		w := d.retire(d.key, body{"vintage_id": v.id, "quantity_grams": "1000000", "external_id": "a", "sell_order_id": order, "expected_price_cents": "620"})
		return refused(t, w, http.StatusUnprocessableEntity).Code
	}
	if got := code(); got != "SELL_ORDER_NOT_LIVE" {
		t.Error(got)
	}
	d.clock.set(testNow.Add(withdrawnKept + time.Second))
	if got := code(); got != "SELL_ORDER_NOT_EXISTS" {
		t.Error(got)
	}
}
