package session_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"tonne/api"
	"tonne/api/session"
	"tonne/model"
)

// dayBefore is what a run of the day before read: 4 t of the vintage V.
func dayBefore() session.Earlier {
	return session.Earlier{
		Market: model.NewMarket(part(400, "a", "b")), MarketAt: start.Add(-24 * time.Hour),
		Inventory: owningPage(4), InventoryAt: start.Add(-25 * time.Hour),
	}
}

func lastRun(context.Context) session.Earlier { return dayBefore() }

func TestAnEarlierRunIsShownWhileTheServiceFails(t *testing.T) {
	t.Parallel()
	var up atomic.Bool
	f := &pollFake{market: func(context.Context, func(*model.MarketPage, model.Page)) (*model.Market, error) {
		if !up.Load() {
			return nil, failingFor(api.Unreachable, 0)
		}
		return model.NewMarket(part(500, "a")), nil
	}}
	f.whole = func(func(*model.Inventory, model.Page)) (*model.Inventory, error) {
		if !up.Load() {
			return nil, failingFor(api.Unreachable, 0)
		}
		return owningPage(7), nil
	}
	f.lastPaid = func(context.Context) (model.LastPaidPrices, error) { return nil, failingFor(api.Unreachable, 0) }
	onPoller(t, f, session.PollerOptions{Earlier: lastRun}, func(t *testing.T, d *session.Poller, read reader) {
		d.KeepPortfolio()
		var market session.MarketEvent
		var paid session.LastPaidEvent
		var book session.PortfolioEvent
		take := func() {
			for _, e := range read.news() {
				switch e := e.(type) {
				case session.MarketEvent:
					market = e
				case session.LastPaidEvent:
					paid = e
				case session.PortfolioEvent:
					book = e
				}
			}
		}
		take()
		for what, s := range map[string]session.Status{"market": market.Status, "last paid": paid.Status, "book": book.Status} {
			if s.State != session.Stale || !s.Earlier || s.Err == nil || s.RetryAt.IsZero() {
				t.Errorf("%s: %+v", what, s)
			}
		}
		if !market.At.Equal(start.Add(-24*time.Hour)) || market.Market.Orders() != 2 || market.Generation != 0 || market.Partial || !market.Changes.Empty() {
			t.Errorf("market is %+v", market)
		}
		key := model.VintageKey{ProjectID: "p4", VintageID: "v"}
		if !book.At.Equal(start.Add(-25*time.Hour)) || book.Positions.Len() != 1 || paid.Prices[key].Price != 4 || paid.Balances[key] != 4 {
			t.Errorf("book is %+v, last paid %+v", book, paid)
		}
		up.Store(true)
		time.Sleep(time.Minute)
		take()
		if market.State != session.Live || market.Earlier || market.Market.Orders() != 1 || !market.Changes.Empty() {
			t.Errorf("market is %+v", market)
		}
		if book.State != session.Live || book.Earlier || book.Positions.At(0).Wallet.Quantity != 7 || paid.Earlier {
			t.Errorf("book is %+v", book)
		}
	})
}

func TestAnEarlierRunIsNotReadIfTheServiceAnswersSoon(t *testing.T) {
	t.Parallel()
	reads := 0
	o := session.PollerOptions{Earlier: func(context.Context) session.Earlier {
		reads++
		return dayBefore()
	}}
	f := markets(model.NewMarket(part(500, "a")))
	onPoller(t, f, o, func(t *testing.T, d *session.Poller, read reader) {
		time.Sleep(time.Second)
		if e := mustRead[session.MarketEvent](read); e.Earlier || e.Market.Orders() != 1 || reads > 0 {
			t.Errorf("%d reads, market is %+v", reads, e)
		}
	})
}

func TestAnEarlierRunIsShownWholeUntilAReadIsComplete(t *testing.T) {
	t.Parallel()
	onPoller(t, &pollFake{market: slowRead}, session.PollerOptions{Earlier: lastRun}, func(t *testing.T, d *session.Poller, read reader) {
		time.Sleep(300 * time.Millisecond)
		if e := mustRead[session.MarketEvent](read); e.State != session.Stale || e.Err != nil || !e.Fetching || e.Market.Projects() != 2 {
			t.Errorf("while nothing answers: %+v", e)
		}
		time.Sleep(5 * time.Second)
		if e := mustRead[session.MarketEvent](read); e.Partial || !e.Earlier || e.Market.Projects() != 2 || e.Done != 5 || e.Total != 10 {
			t.Errorf("at page 5: %+v", e)
		}
		time.Sleep(5 * time.Second)
		if e := mustRead[session.MarketEvent](read); e.Earlier || e.Market.Projects() != 10 || e.State != session.Live {
			t.Errorf("at the end: %+v", e)
		}
	})
}

func TestPagesThatArrivedAreNotReplacedByAnEarlierRun(t *testing.T) {
	t.Parallel()
	o := session.PollerOptions{Earlier: func(context.Context) session.Earlier {
		time.Sleep(2 * time.Second)
		return dayBefore()
	}}
	onPoller(t, &pollFake{market: slowRead}, o, func(t *testing.T, d *session.Poller, read reader) {
		time.Sleep(4 * time.Second)
		if e := mustRead[session.MarketEvent](read); !e.Partial || e.Earlier {
			t.Errorf("market is %+v", e)
		}
	})
}

func TestAnEarlierRunIsShownToAKeyThatIsRefused(t *testing.T) {
	t.Parallel()
	f := &pollFake{market: func(context.Context, func(*model.MarketPage, model.Page)) (*model.Market, error) {
		return nil, failingFor(api.Unauthorized, 0)
	}}
	onPoller(t, f, session.PollerOptions{Earlier: lastRun}, func(t *testing.T, d *session.Poller, read reader) {
		time.Sleep(time.Second)
		e := mustRead[session.MarketEvent](read)
		if e.State != session.Refused || !e.Earlier || e.Market.Orders() != 2 || !e.At.Equal(start.Add(-24*time.Hour)) {
			t.Errorf("market is %+v", e)
		}
	})
}

func TestTheBookOfAnEarlierRunIsNotThatOfNow(t *testing.T) {
	t.Parallel()
	var works atomic.Bool
	f := &pollFake{lastPaid: func(context.Context) (model.LastPaidPrices, error) {
		if !works.Load() {
			return nil, errors.New("down")
		}
		return model.LastPaidPrices{}, nil
	}}
	f.whole = func(func(*model.Inventory, model.Page)) (*model.Inventory, error) {
		return nil, failingFor(api.Unreachable, 0)
	}
	onPoller(t, f, session.PollerOptions{Earlier: lastRun}, func(t *testing.T, d *session.Poller, read reader) {
		works.Store(true)
		time.Sleep(time.Minute)
		if e := mustRead[session.LastPaidEvent](read); e.State != session.Live || e.Earlier {
			t.Errorf("last paid is %+v", e)
		}
		d.KeepPortfolio()
		time.Sleep(time.Second)
		if e := mustRead[session.PortfolioEvent](read); e.Positions != nil || e.State == session.Live {
			t.Errorf("book is %+v", e)
		}
	})
}
