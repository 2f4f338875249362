package demo

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
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
	"tonne/model/must"
	"tonne/model/retirement"
)

func TestLiveMarketMovesInEveryWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, d := openDemo(t)
		before, _ := d.Market("per_page=100")
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- Live(ctx, m, 400*time.Millisecond, slog.New(slog.DiscardHandler)) }()
		time.Sleep(time.Minute)
		synctest.Wait()
		cancel()
		must.Succeed(t, <-done)
		after, _ := d.Market("per_page=100")
		seen := make(map[market.ChangeKind]int)
		for _, change := range after.Since(before).Orders {
			seen[change.Kind]++
		}
		for _, kind := range []market.ChangeKind{market.Appeared, market.Vanished, market.Repriced, market.Resized} {
			if seen[kind] == 0 {
				t.Errorf("no change of kind %d in a minute: %v", kind, seen)
			}
		}
		d.CheckBooks()
	})
}

// Moves of hours leave a market as large and as dear as it was.
func TestLiveMarketStaysBounded(t *testing.T) {
	m, d := openDemo(t)
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
	if n := after.Orders(); n < before.Orders()/2 || n > before.Orders()*2 {
		t.Errorf("%d orders became %d", before.Orders(), n)
	}
	for i := range live.vintages {
		v := after.Vintage(i)
		base := model.PriceCents(d.Number("SELECT base_cents FROM demo_vintages d JOIN vintages v ON v.number = d.vintage WHERE v.id = $1", v.ID))
		if v.BestAsk < base/2 || v.BestAsk > base*2 {
			t.Errorf("vintage %s: best ask %s, base %s", v.ID, v.BestAsk.FormatDollars(), base.FormatDollars())
		}
	}
	if n := d.Number("SELECT count(*) FROM sell_orders WHERE state = 'WITHDRAWN'"); n > 2*int64(withdrawnKept/step) {
		t.Errorf("%d withdrawn orders are still remembered", n)
	}
	if own := d.Number("SELECT count(*) FROM sell_orders s JOIN tenants t ON t.number = s.seller WHERE t.name = $1 AND s.state = 'LIVE'", tenantName); own != 1 {
		t.Errorf("the tenant's own order was touched")
	}
	d.CheckBooks()
}

func TestLiveNeedsDemoData(t *testing.T) {
	m := open(t, marketplace.Options{})
	if err := Live(t.Context(), m, time.Second, slog.New(slog.DiscardHandler)); !errors.Is(err, ErrNoDemo) {
		t.Error(err)
	}
	if err := CanLive(t.Context(), m); !errors.Is(err, ErrNoDemo) {
		t.Error(err)
	}
}

// A buyer who is late learns that the order is gone, not that it never was.
func TestWithdrawnOrdersAreRememberedForAWhile(t *testing.T) {
	m, d := openDemo(t)
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
		if w.Code != http.StatusUnprocessableEntity {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		return wire.DecodeFailure(w.Body.Bytes()).Code
	}
	if got := code(testNow); got != "SELL_ORDER_NOT_LIVE" {
		t.Error(got)
	}
	if got := code(testNow.Add(withdrawnKept + time.Second)); got != "SELL_ORDER_NOT_EXISTS" {
		t.Error(got)
	}
}

func TestPractisedRetirementGetsItsCertificate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, d := openDemo(t)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- Practise(ctx, m, 5*time.Second, slog.New(slog.DiscardHandler)) }()
		synctest.Wait()
		market, _ := d.Market("per_page=100")
		vintage := market.Vintage(market.Vintages() - 1)
		order := market.Order(int(vintage.First))
		answer := marketplacetest.Call(d.Service, d.Key, http.MethodPost, "/api/caas/request-retirement", fmt.Sprintf(
			`{"vintage_id":%q,"quantity_grams":"1000000","external_id":"x-1","sell_order_id":%q,"expected_price_cents":"%d"}`, vintage.ID, order.ID, order.Price))
		if answer.Code != http.StatusOK {
			t.Fatalf("%d %s", answer.Code, answer.Body)
		}
		_, id, _ := strings.Cut(answer.Body.String(), `"retirement_request_id":"`)
		id, _, _ = strings.Cut(id, `"`)
		var states []retirement.Status
		for range 5 {
			synctest.Wait()
			states = append(states, d.Retirement(id).Status)
			time.Sleep(5 * time.Second)
		}
		synctest.Wait()
		got := d.Retirement(id)
		if got.Status != retirement.Complete || got.CertificateURL == "" || len(got.SerialNumbers) == 0 {
			t.Errorf("it is %+v after %v", got, states)
		}
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		d.CheckBooks()
	})
}

func TestFollowedRequestsPassTheirStates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := open(t, marketplace.Options{Now: standing, RatePerSecond: -1})
		made := must.Get(Load(t.Context(), m, Options{Seed: 1}))
		d := client(t, m, made)
		labelled := func(label string) string {
			n := slices.IndexFunc(made.Retirements, func(r Retirement) bool { return r.Label == label })
			return made.Retirements[n].ID
		}
		waits, processed := labelled("followed from its invoice on"), labelled("followed on the registry")
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan bool)
		go func() {
			Process(ctx, m, 45*time.Second, slog.New(slog.DiscardHandler))
			close(ended)
		}()
		var states []retirement.Status
		for range 4 {
			states = append(states, d.Retirement(waits).Status)
			time.Sleep(45*time.Second + time.Millisecond)
			synctest.Wait()
		}
		cancel()
		<-ended
		if want := []retirement.Status{retirement.Closed, retirement.Closed, retirement.InProgress, retirement.Complete}; !slices.Equal(states, want) {
			t.Errorf("what waits for its invoice went through %v, want %v", states, want)
		}
		if r := d.Retirement(processed); r.Status != retirement.Complete || len(r.SerialNumbers) == 0 {
			t.Errorf("what the registry processed is %+v", r)
		}
		for _, r := range made.Retirements {
			for _, state := range []string{"open", "closed", "progress", "complete", "nothing"} {
				if strings.Contains(r.Label, state) {
					t.Errorf("%q is the wrong label for a pending request", r.Label)
				}
			}
		}
		d.CheckBooks()
	})
}
