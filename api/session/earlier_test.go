package session_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"tonne/api"
	"tonne/api/session"
	"tonne/api/wire"
	"tonne/model"
	"tonne/model/market"
	"tonne/model/portfolio"
	"tonne/model/store"
)

// keeping are the options of a session that reads what dayBefore keeps.
var keeping = session.Options{KeyMark: "k1", Portfolio: true}

// dayBefore keeps what a run of the day before read: 4 t of the vintage V.
func dayBefore(_ *testing.T, s *store.Store) error {
	market := wire.AppendMarket(nil, market.New(part(400, "a", "b")))
	inventory := wire.AppendInventory(nil, owningPage(4).Projects, wire.OnePage)
	return errors.Join(
		s.Of(origin).Cache.PutSnapshot(context.Background(), "market", "k1", start.Add(-24*time.Hour), market),
		s.Of(origin).Cache.PutSnapshot(context.Background(), "inventory", "k1", start.Add(-25*time.Hour), inventory),
	)
}

func TestAnEarlierRunIsShownWhileTheServiceFails(t *testing.T) {
	t.Parallel()
	var up atomic.Bool
	f := &fake{market: func(context.Context, func(*market.Page, model.Page)) (*market.Market, error) {
		if !up.Load() {
			return nil, failing(api.Unreachable)
		}
		return market.New(part(500, "a")), nil
	}}
	f.whole = func(func(*portfolio.Inventory, model.Page)) (*portfolio.Inventory, error) {
		if !up.Load() {
			return nil, failing(api.Unreachable)
		}
		return owningPage(7), nil
	}
	f.lastPaid = func(context.Context) (portfolio.LastPaidPrices, error) { return nil, failing(api.Unreachable) }
	polling(t, f, keeping, func(t *testing.T, d *session.Session, read *running) {
		var market session.MarketEvent
		var book session.PortfolioEvent
		take := func() {
			for _, e := range read.news() {
				switch e := e.(type) {
				case session.MarketEvent:
					market = e
				case session.PortfolioEvent:
					book = e
				}
			}
		}
		take()
		for what, s := range map[string]session.Status{"market": market.Status, "book": book.Status} {
			if s.State != session.Stale || !s.Earlier || s.Err == nil || s.RetryAt.IsZero() {
				t.Errorf("%s: %+v", what, s)
			}
		}
		if !market.At.Equal(start.Add(-24*time.Hour)) || market.Market.Orders() != 2 || market.Generation != 0 || market.Partial || !market.Changes.Empty() {
			t.Errorf("market is %+v", market)
		}
		key := model.VintageKey{ProjectID: "p4", VintageID: "v"}
		if !book.At.Equal(start.Add(-25*time.Hour)) || book.Positions.Len() != 1 || book.LastPaid[key].Price != 4 || book.Balances[key] != 4 {
			t.Errorf("book is %+v", book)
		}
		up.Store(true)
		time.Sleep(time.Minute)
		take()
		if market.State != session.Live || market.Earlier || market.Market.Orders() != 1 || !market.Changes.Empty() {
			t.Errorf("market is %+v", market)
		}
		if book.State != session.Live || book.Earlier || book.Positions.At(0).Wallet.Quantity != 7 {
			t.Errorf("book is %+v", book)
		}
	}, dayBefore)
}

func TestAnEarlierRunIsShownWholeUntilAReadIsComplete(t *testing.T) {
	t.Parallel()
	polling(t, &fake{market: slowRead}, keeping, func(t *testing.T, d *session.Session, read *running) {
		time.Sleep(300 * time.Millisecond)
		if e := must[session.MarketEvent](read); e.State != session.Stale || e.Err != nil || !e.Fetching || e.Market.Projects() != 2 {
			t.Errorf("while nothing answers: %+v", e)
		}
		time.Sleep(5 * time.Second)
		if e := must[session.MarketEvent](read); e.Partial || !e.Earlier || e.Market.Projects() != 2 || e.Done != 5 || e.Total != 10 {
			t.Errorf("at page 5: %+v", e)
		}
		time.Sleep(5 * time.Second)
		if e := must[session.MarketEvent](read); e.Earlier || e.Market.Projects() != 10 || e.State != session.Live {
			t.Errorf("at the end: %+v", e)
		}
	}, dayBefore)
}

func TestPagesThatArrivedAreNotReplacedByAnEarlierRun(t *testing.T) {
	t.Parallel()
	polling(t, &fake{market: slowRead}, keeping, func(t *testing.T, d *session.Session, read *running) {
		time.Sleep(4 * time.Second)
		if e := must[session.MarketEvent](read); !e.Partial || e.Earlier {
			t.Errorf("market is %+v", e)
		}
	}, dayBefore, func(t *testing.T, s *store.Store) error {
		hold(t, s, 2*time.Second)
		return nil
	})
}

func TestAnEarlierRunIsShownToAKeyThatIsRefused(t *testing.T) {
	t.Parallel()
	f := &fake{market: func(context.Context, func(*market.Page, model.Page)) (*market.Market, error) {
		return nil, failing(api.Unauthorized)
	}}
	polling(t, f, keeping, func(t *testing.T, d *session.Session, read *running) {
		time.Sleep(time.Second)
		e := must[session.MarketEvent](read)
		if e.State != session.Refused || !e.Earlier || e.Market.Orders() != 2 || !e.At.Equal(start.Add(-24*time.Hour)) {
			t.Errorf("market is %+v", e)
		}
	}, dayBefore)
}
