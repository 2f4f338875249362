package demo

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tonne/api/marketplace"
	"tonne/api/marketplace/exchange"
	"tonne/api/marketplace/marketplacetest"
	"tonne/api/wire"
	"tonne/model"
	"tonne/model/market"
	must "tonne/model/musttest"
	"tonne/model/retirement"
)

// whileWorking runs a test next to the work of the operator, in a bubble with its own time.
func whileWorking(t *testing.T, work func(context.Context, *marketplace.Marketplace) error, test func(t *testing.T, d marketplacetest.Client, made Data)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		m, d, made := openDemo(t)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- work(ctx, m) }()
		synctest.Wait()
		test(t, d, made)
		cancel()
		must.Succeed(t, <-done)
		d.CheckBooks()
	})
}

func TestLiveMarketMovesInEveryWay(t *testing.T) {
	whileWorking(t, func(ctx context.Context, m *marketplace.Marketplace) error {
		return Live(ctx, m, 400*time.Millisecond, slog.New(slog.DiscardHandler))
	}, func(t *testing.T, d marketplacetest.Client, _ Data) {
		before, _ := d.Market("per_page=100")
		time.Sleep(time.Minute)
		synctest.Wait()
		after, _ := d.Market("per_page=100")
		seen := make(map[market.ChangeKind]int)
		for _, change := range after.Since(before).Orders {
			seen[change.Kind]++
		}
		for _, kind := range []market.ChangeKind{market.Appeared, market.Vanished, market.Repriced, market.Resized} {
			must.Hold(t, seen[kind] != 0, "no change of kind", kind, seen)
		}
	})
}

// Moves of hours leave a market as large and as dear as it was.
func TestLiveMarketStaysBounded(t *testing.T) {
	m, d, _ := openDemo(t)
	live := must.Get(readMarket(t.Context(), m))
	// A few vintages that move often are as good as many that move rarely.
	live.vintages = live.vintages[:3]
	before, _ := d.Market("per_page=2")
	const moves, step = 1000, 20 * time.Second
	must.Succeed(t, m.Change(t.Context(), testNow, "test", func(c *exchange.Change) {
		for n := range moves {
			c.At = c.At.Add(step)
			if n%pruneEvery == 0 {
				forgetWithdrawn(c)
			}
			live.move(c)
		}
	}))
	after, _ := d.Market("per_page=2")
	n := after.Orders()
	must.Hold(t, n >= before.Orders()/2 && n <= before.Orders()*2, before.Orders(), n)
	for i := range live.vintages {
		v := after.Vintage(i)
		base := model.PriceCents(d.Number("SELECT base_cents FROM demo_vintages d JOIN vintages v ON v.number = d.vintage WHERE v.id = $1", v.ID))
		must.Hold(t, v.BestAsk >= base/2 && v.BestAsk <= base*2, "vintage", v.ID, v.BestAsk.FormatDollars(),
			base.FormatDollars())
	}
	withdrawn := d.Number("SELECT count(*) FROM sell_orders WHERE state = 'WITHDRAWN'")
	must.Hold(t, withdrawn <= 2*int64(withdrawnKept/step), withdrawn)
	own := d.Number("SELECT count(*) FROM sell_orders s JOIN tenants t ON t.number = s.seller WHERE t.name = $1 AND s.state = 'LIVE'", tenantName)
	must.Equal(t, own, 1, "the tenant's own order was touched")
	d.CheckBooks()
}

func TestLiveNeedsDemoData(t *testing.T) {
	m := open(t, marketplace.Options{})
	must.Fail(t, Live(t.Context(), m, time.Second, slog.New(slog.DiscardHandler)), ErrNoDemo)
	must.Fail(t, CanLive(t.Context(), m), ErrNoDemo)
}

// A buyer who is late learns that the order is gone, not that it never was.
func TestWithdrawnOrdersAreRememberedForAWhile(t *testing.T) {
	m, d, _ := openDemo(t)
	market, _ := d.Market("")
	order, key := market.Order(market.Orders()-1), market.Key(market.Vintages()-1)
	change := func(at time.Time, fn func(*exchange.Change)) {
		must.Succeed(t, m.Change(t.Context(), at, "test", fn))
	}
	change(testNow, func(c *exchange.Change) { exchange.Withdraw(c, exchange.FindOrder(c, order.ID)) })
	code := func(at time.Time) string {
		change(at, forgetWithdrawn)
		w := marketplacetest.Call(m, d.Key, http.MethodPost, "/api/caas/request-retirement", fmt.Sprintf(
			`{"vintage_id":%q,"quantity_grams":"1000000000","external_id":"a","sell_order_id":%q,"expected_price_cents":"%d"}`,
			key.VintageID, order.ID, order.Price))
		must.Need(t, w.Code == http.StatusUnprocessableEntity, w.Code, w.Body)
		return wire.DecodeFailure(w.Body.Bytes()).Code
	}
	must.Equal(t, code(testNow), "SELL_ORDER_NOT_LIVE")
	must.Equal(t, code(testNow.Add(withdrawnKept+time.Second)), "SELL_ORDER_NOT_EXISTS")
}

func TestPractisedRetirementGetsItsCertificate(t *testing.T) {
	whileWorking(t, func(ctx context.Context, m *marketplace.Marketplace) error {
		return Practise(ctx, m, 5*time.Second, slog.New(slog.DiscardHandler))
	}, func(t *testing.T, d marketplacetest.Client, _ Data) {
		market, _ := d.Market("per_page=100")
		vintage := market.Vintage(market.Vintages() - 1)
		order := market.Order(int(vintage.First))
		id, _ := d.Accepted(marketplacetest.Call(d.Service, d.Key, http.MethodPost, "/api/caas/request-retirement", fmt.Sprintf(
			`{"vintage_id":%q,"quantity_grams":"1000000","external_id":"x-1","sell_order_id":%q,"expected_price_cents":"%d"}`, vintage.ID, order.ID, order.Price)))
		time.Sleep(25 * time.Second)
		synctest.Wait()
		got := d.Retirement(id)
		must.Hold(t, got.Status == retirement.Complete && got.CertificateURL != "" && len(got.SerialNumbers) != 0,
			"it is", got)
	})
}

func TestFollowedRequestsPassTheirStates(t *testing.T) {
	whileWorking(t, func(ctx context.Context, m *marketplace.Marketplace) error {
		Process(ctx, m, 45*time.Second, slog.New(slog.DiscardHandler))
		return nil
	}, func(t *testing.T, d marketplacetest.Client, made Data) {
		labelled := make(map[string]string)
		for _, r := range made.Retirements {
			labelled[r.Label] = r.ID
			for _, state := range []string{"open", "closed", "progress", "complete", "nothing"} {
				must.Hold(t, !strings.Contains(r.Label, state), r.Label)
			}
		}
		var states []retirement.Status
		for range 4 {
			states = append(states, d.Retirement(labelled["followed from its invoice on"]).Status)
			time.Sleep(45*time.Second + time.Millisecond)
			synctest.Wait()
		}
		want := []retirement.Status{retirement.Closed, retirement.Closed, retirement.InProgress, retirement.Complete}
		must.Equal(t, states, want, "what waits for its invoice went through")
		r := d.Retirement(labelled["followed on the registry"])
		must.Hold(t, r.Status == retirement.Complete && len(r.SerialNumbers) != 0, "what the registry processed is", r)
	})
}
