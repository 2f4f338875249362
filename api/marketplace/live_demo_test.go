package marketplace

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tonne/api/marketplace/demo"
	"tonne/api/marketplace/exchange"
	"tonne/api/marketplace/marketplacetest"
	"tonne/model"
	"tonne/model/market"
	must "tonne/model/musttest"
	"tonne/model/retirement"
)

// newDemo is a service with demo data in memory.
func newDemo(t testing.TB, now func() time.Time) *fixture {
	t.Helper()
	m := open(t, "", Options{Now: now, RatePerSecond: -1})
	made := must.Get(demo.Load(t.Context(), m, demo.Options{Seed: 1}))
	return &fixture{Client: marketplacetest.Client{TB: t, Service: m, Key: made.Key}, Marketplace: m, Clock: newClock(),
		made: made}
}

// whileWorking runs a test next to the work of the operator, in a bubble with its own time.
func whileWorking(t *testing.T, work func(context.Context, demo.Service, *slog.Logger) error,
	test func(t *testing.T, d *fixture)) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		d := newDemo(t, func() time.Time { return testNow.Add(time.Since(begin)) })
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- work(ctx, d.Marketplace, slog.New(slog.DiscardHandler)) }()
		synctest.Wait()
		test(t, d)
		cancel()
		must.Succeed(t, <-done)
		d.CheckBooks()
	})
}

// Moves of hours change a market in every way, and leave it as large and as dear as it was.
// A buyer who is late learns that the order is gone, not that it never was.
func TestLiveMarketStaysBounded(t *testing.T) {
	const step = 20 * time.Second
	whileWorking(t, func(ctx context.Context, s demo.Service, log *slog.Logger) error {
		// A few vintages that move often are as good as many that move rarely.
		must.Succeed(t,
			s.Change(ctx, testNow, "test", func(c *exchange.Change) { c.Exec("DELETE FROM demo_vintages WHERE vintage > 3") }))
		return demo.Live(ctx, s, step, log)
	}, func(t *testing.T, d *fixture) {
		before, _ := d.Market("per_page=100")
		wait := func(moves time.Duration) {
			time.Sleep(moves * step)
			synctest.Wait()
		}
		seen, after := make(map[market.ChangeKind]int), before
		for range 10 {
			was := after
			wait(10)
			after, _ = d.Market("per_page=100")
			for _, change := range after.Since(was).Orders {
				seen[change.Kind]++
			}
		}
		must.Hold(t,
			seen[market.Appeared] > 0 && seen[market.Vanished] > 0 && seen[market.Repriced] > 0 && seen[market.Resized] > 0,
			seen)
		last := body{
			"vintage_id": after.Vintage(after.Vintages() - 1).ID, "sell_order_id": after.Order(after.Orders() - 1).ID,
			"quantity_grams": "1000000000", "expected_price_cents": after.Order(after.Orders() - 1).Price.String(),
			"external_id": "late",
		}
		d.Clock.Set(d.Now())
		d.Do(func(c *exchange.Change) { exchange.Withdraw(c, exchange.FindOrder(c, last["sell_order_id"].(string))) })
		// Old orders are deleted at each 200th move.
		wait(105)
		must.Equal(t, d.Refused(d.Retire(d.Key, last), http.StatusUnprocessableEntity).Code, "SELL_ORDER_NOT_LIVE")
		wait(800)
		must.Equal(t, d.Refused(d.Retire(d.Key, last), http.StatusUnprocessableEntity).Code, "SELL_ORDER_NOT_EXISTS")
		after, _ = d.Market("per_page=100")
		must.Hold(t, after.Orders() >= before.Orders()-30 && after.Orders() <= before.Orders()+30, before.Orders(),
			after.Orders())
		for i := range after.Vintages() {
			v := after.Vintage(i)
			base := model.PriceCents(d.Number("SELECT base_cents FROM demo_vintages d JOIN vintages v ON v.number = d.vintage WHERE v.id = $1", v.ID))
			must.Hold(t, base == 0 || v.BestAsk >= base/2 && v.BestAsk <= base*2, v, base)
		}
		// Withdrawn orders are kept for an hour.
		withdrawn := d.Number("SELECT count(*) FROM sell_orders WHERE state = 'WITHDRAWN'")
		must.Hold(t, withdrawn <= 2*int64(time.Hour/step), withdrawn)
		own := d.Number("SELECT count(*) FROM sell_orders s JOIN tenants t ON t.number = s.seller WHERE t.name = $1 AND s.state = 'LIVE'", d.made.Tenant)
		must.Equal(t, own, 1, "the tenant's own order was touched")
	})
}

func TestPractisedRetirementGetsItsCertificate(t *testing.T) {
	whileWorking(t, func(ctx context.Context, s demo.Service, log *slog.Logger) error {
		return demo.Practise(ctx, s, 5*time.Second, log)
	}, func(t *testing.T, d *fixture) {
		const complete = "SELECT count(*) FROM retirement_requests WHERE status = 'COMPLETE'"
		before := d.Number(complete)
		time.Sleep(25 * time.Second)
		must.Equal(t, d.Number(complete), before, "complete before anyone practised")
		market, _ := d.Market("per_page=100")
		vintage := market.Vintage(0)
		order := market.Order(int(vintage.First))
		id := d.Retired(body{
			"vintage_id": vintage.ID, "quantity_grams": "1000000", "external_id": "x-1", "sell_order_id": order.ID,
			"expected_price_cents": order.Price.String(),
		})
		time.Sleep(25 * time.Second)
		synctest.Wait()
		got := d.Retirement(id)
		must.Hold(t, got.Status == retirement.Complete && got.CertificateURL != "" && len(got.SerialNumbers) > 0, got)
	})
}

func TestFollowedRequestsPassTheirStates(t *testing.T) {
	whileWorking(t, func(ctx context.Context, s demo.Service, log *slog.Logger) error {
		demo.Process(ctx, s, 45*time.Second, log)
		return nil
	}, func(t *testing.T, d *fixture) {
		labelled := make(map[string]string)
		for _, r := range d.made.Retirements {
			labelled[r.Label] = r.ID
			for _, state := range []string{"open", "closed", "progress", "complete", "nothing"} {
				must.Hold(t, !strings.Contains(r.Label, state), "the wrong label for a pending request", r)
			}
		}
		var states []retirement.Status
		for range 4 {
			states = append(states, d.Retirement(labelled["followed from its invoice on"]).Status)
			time.Sleep(45*time.Second + time.Millisecond)
			synctest.Wait()
		}
		must.Equal(t, states,
			[]retirement.Status{retirement.Closed, retirement.Closed, retirement.InProgress, retirement.Complete})
		r := d.Retirement(labelled["followed on the registry"])
		must.Hold(t, r.Status == retirement.Complete && len(r.SerialNumbers) > 0, r)
	})
}
