package session_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"tonne/api"
	"tonne/api/session"
	"tonne/model"
	"tonne/model/market"
	"tonne/model/portfolio"
	"tonne/model/store"
)

// unreachable is a service that does not answer.
func unreachable() *fake {
	return &fake{
		unpaid: failing(api.Unreachable),
		market: func(context.Context, func(*market.Page, model.Page)) (*market.Market, error) {
			return nil, failing(api.Unreachable)
		},
		whole: func(func(*portfolio.Inventory, model.Page)) (*portfolio.Inventory, error) {
			return nil, failing(api.Unreachable)
		},
	}
}

// marked are the options of a session that keeps listings in a file.
func marked(path, account, key string) session.Options {
	return session.Options{Origin: origin, Account: account, KeyMark: key, Store: store.Open(path), Portfolio: true}
}

// keepADay runs a session that reads the market and the book and is idle for a day.
func keepADay(t *testing.T, path string) (seen time.Time) {
	t.Helper()
	r := beginWith(t, &fake{market: offers(400, 500), whole: owning(300)}, marked(path, "acme", "k1"))
	r.Record()
	pause()
	seen = must[session.MarketEvent](r).At
	r.end()
	time.Sleep(24 * time.Hour)
	return seen
}

func TestTheLastMarketAndInventoryAreShownWithoutTheService(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		path := file(t)
		seen := keepADay(t, path)
		r := beginWith(t, unreachable(), marked(path, "acme", "k1"))
		r.Record()
		r.AddRule(rule(t, "best ask < 10").On(vintage))
		time.Sleep(10 * time.Second)
		var market session.MarketEvent
		var book session.PortfolioEvent
		var trends session.TrendsEvent
		var worth session.PortfolioValueEvent
		for _, e := range r.news() {
			switch e := e.(type) {
			case session.MarketEvent:
				market = e
			case session.PortfolioEvent:
				book = e
			case session.TrendsEvent:
				trends = e
			case session.PortfolioValueEvent:
				worth = e
			case session.AlertsEvent:
				if len(e.Fired) > 0 {
					t.Errorf("a rule fires: %+v", e)
				}
			}
		}
		if market.State != session.Stale || !market.Earlier || market.Market.Vintage(0).BestAsk != 500 || !market.At.Equal(seen) {
			t.Errorf("market is %+v, seen at %v", market, seen)
		}
		if book.State != session.Stale || !book.Earlier || book.Positions.At(0).Wallet.Quantity != 2_000_000 {
			t.Errorf("book is %+v", book)
		}
		if prices := trends.Prices[vintage]; len(prices) != session.TrendPoints || !trends.At.Equal(seen) {
			t.Errorf("trends are %+v", trends)
		}
		if worth.Value.Value != 1000 || worth.At.After(seen) {
			t.Errorf("the book is worth %+v", worth)
		}
		if got := pricesOf(t, r.store); got != "[400 500]" {
			t.Errorf("recorded prices: %s", got)
		}
		points, err := r.store.Of("acme").History.Values(t.Context(), time.Time{})
		if err != nil || len(points) != 1 {
			t.Errorf("%d values of the book (%v)", len(points), err)
		}
		r.end()
		// What was not read again is still of the day before.
		time.Sleep(24 * time.Hour)
		next := beginWith(t, unreachable(), marked(path, "acme", "k1"))
		time.Sleep(time.Second)
		if e := must[session.MarketEvent](next); !e.At.Equal(seen) {
			t.Errorf("market is %+v", e)
		}
	})
}

func TestListingsOfAnotherTenantAreNotShown(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		path := file(t)
		keepADay(t, path)
		for name, o := range map[string]session.Options{
			"another profile": marked(path, "other", "k1"), "another key": marked(path, "acme", "k2"), "a session that keeps none": marked(path, "acme", ""),
		} {
			r := beginWith(t, unreachable(), o)
			time.Sleep(10 * time.Second)
			for _, e := range r.news() {
				switch e := e.(type) {
				case session.MarketEvent:
					if e.Market != nil || e.State != session.Loading {
						t.Errorf("%s: %+v", name, e)
					}
				case session.PortfolioEvent:
					if e.Positions != nil {
						t.Errorf("%s: %+v", name, e)
					}
				}
			}
			r.end()
		}
	})
}

func TestListingsThatCannotBeReadAreLeftOut(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{"of another format": "{}", "cut off": `{"projects":[`, "empty": ""} {
		in(t, func(t *testing.T) {
			o := marked(file(t), "acme", "k1")
			for _, listing := range []string{"market", "inventory"} {
				if err := o.Store.Of("acme").Cache.PutSnapshot(t.Context(), listing, "k1", time.Now().Add(-time.Hour), []byte(body)); err != nil {
					t.Fatal(err)
				}
			}
			r := beginWith(t, unreachable(), o)
			time.Sleep(time.Second)
			if e := must[session.MarketEvent](r); e.Market != nil || e.Earlier {
				t.Errorf("%s: %+v", name, e)
			}
		})
	}
}

func TestAListingOfTheFutureIsLeftOut(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		path := file(t)
		keepADay(t, path)
		o := marked(path, "acme", "k1")
		o.Now = func() time.Time { return time.Now().Add(-48 * time.Hour) }
		r := beginWith(t, unreachable(), o)
		time.Sleep(time.Second)
		if e := must[session.MarketEvent](r); e.Market != nil {
			t.Errorf("market is %+v", e)
		}
	})
}

func TestListingsAreWrittenNowAndThenAndAtTheEnd(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		o := marked(file(t), "acme", "k1")
		r := beginWith(t, &fake{market: offers(500, 600)}, o)
		kept := func() (body string, at time.Time) {
			synctest.Wait()
			text, at, err := o.Store.Of("acme").Cache.Snapshot(context.Background(), "market", "k1")
			if err != nil {
				t.Fatal(err)
			}
			return string(text), at
		}
		begun := time.Now()
		time.Sleep(4 * time.Minute)
		if body, _ := kept(); body != "" {
			t.Errorf("after four minutes %s is kept", body)
		}
		time.Sleep(2 * time.Minute)
		if body, at := kept(); body == "" || at.Sub(begun) < 4*time.Minute {
			t.Errorf("after six minutes %s of %v is kept", body, at)
		}
		r.stop()
		if err := <-r.ended; err != nil {
			t.Fatal(err)
		}
		r.over = true
		if _, at := kept(); time.Since(at) > 6*time.Second {
			t.Errorf("at the end what is kept is of %v", at)
		}
		if err := o.Store.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestADeskStartsWithTheLastMarketAndInventory(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		path := file(t)
		seen := keepADay(t, path)
		d := &sharedDesk{t: t, store: store.Open(path)}
		d.SharedSession = session.NewShared(unreachable(), session.Options{Origin: origin, Account: "acme", KeyMark: "k1", Store: d.store, Portfolio: true})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- d.Run(ctx) }()
		time.Sleep(time.Minute)
		ada := d.sit("ada")
		ada.AddRule(rule(t, "best ask < 10").On(vintage))
		time.Sleep(10 * time.Second)
		found := 0
		for _, e := range ada.news() {
			switch e := e.(type) {
			case session.MarketEvent:
				if found++; e.State != session.Stale || !e.Earlier || !e.At.Equal(seen) {
					t.Errorf("market is %+v", e)
				}
			case session.PortfolioEvent:
				if found++; e.State != session.Stale || e.Positions.Len() != 1 {
					t.Errorf("book is %+v", e)
				}
			case session.TrendsEvent:
				found++
			case session.AlertsEvent:
				if len(e.Fired) > 0 {
					t.Errorf("a rule fires: %+v", e)
				}
			}
		}
		if found != 3 {
			t.Errorf("%d of 3 events", found)
		}
		ada.end()
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if err := d.store.Close(); err != nil {
			t.Error(err)
		}
	})
}
