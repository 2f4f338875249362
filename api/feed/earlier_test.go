package feed_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"tonne/api"
	"tonne/api/feed"
	"tonne/model"
)

// dayBefore is what a run of the day before read: 4 t of the vintage V.
func dayBefore() feed.Earlier {
	return feed.Earlier{
		Market: model.NewMarket(part(400, "a", "b")), MarketAt: start.Add(-24 * time.Hour),
		Inventory: owning(4), InventoryAt: start.Add(-25 * time.Hour),
	}
}

func lastRun(context.Context) feed.Earlier { return dayBefore() }

func TestAnEarlierRunIsShownWhileTheServiceFails(t *testing.T) {
	t.Parallel()
	var up atomic.Bool
	f := &fake{market: func(context.Context, func(*model.MarketPage, model.Page)) (*model.Market, error) {
		if !up.Load() {
			return nil, failing(api.Unreachable, 0)
		}
		return model.NewMarket(part(500, "a")), nil
	}}
	f.whole = func(func(*model.Inventory, model.Page)) (*model.Inventory, error) {
		if !up.Load() {
			return nil, failing(api.Unreachable, 0)
		}
		return owning(7), nil
	}
	f.lastPaid = func(context.Context) (model.LastPaidPrices, error) { return nil, failing(api.Unreachable, 0) }
	onPoller(t, f, feed.Options{Earlier: lastRun}, func(t *testing.T, d *feed.Poller, read reader) {
		d.KeepBook()
		var market feed.MarketEvent
		var paid feed.LastPaidEvent
		var book feed.BookEvent
		take := func() {
			for _, e := range read.news() {
				switch e := e.(type) {
				case feed.MarketEvent:
					market = e
				case feed.LastPaidEvent:
					paid = e
				case feed.BookEvent:
					book = e
				}
			}
		}
		take()
		for what, s := range map[string]feed.Status{"market": market.Status, "last paid": paid.Status, "book": book.Status} {
			if s.State != feed.Stale || !s.Earlier || s.Err == nil || s.RetryAt.IsZero() {
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
		if market.State != feed.Live || market.Earlier || market.Market.Orders() != 1 || !market.Changes.Empty() {
			t.Errorf("market is %+v", market)
		}
		if book.State != feed.Live || book.Earlier || book.Positions.At(0).Wallet.Quantity != 7 || paid.Earlier {
			t.Errorf("book is %+v", book)
		}
	})
}

func TestAnEarlierRunIsNotReadIfTheServiceAnswersSoon(t *testing.T) {
	t.Parallel()
	reads := 0
	o := feed.Options{Earlier: func(context.Context) feed.Earlier {
		reads++
		return dayBefore()
	}}
	f := markets(model.NewMarket(part(500, "a")))
	onPoller(t, f, o, func(t *testing.T, d *feed.Poller, read reader) {
		time.Sleep(time.Second)
		if e := must[feed.MarketEvent](read); e.Earlier || e.Market.Orders() != 1 || reads > 0 {
			t.Errorf("%d reads, market is %+v", reads, e)
		}
	})
}

func TestAnEarlierRunIsShownWholeUntilAReadIsComplete(t *testing.T) {
	t.Parallel()
	onPoller(t, &fake{market: slowRead}, feed.Options{Earlier: lastRun}, func(t *testing.T, d *feed.Poller, read reader) {
		time.Sleep(300 * time.Millisecond)
		if e := must[feed.MarketEvent](read); e.State != feed.Stale || e.Err != nil || !e.Fetching || e.Market.Projects() != 2 {
			t.Errorf("while nothing answers: %+v", e)
		}
		time.Sleep(5 * time.Second)
		if e := must[feed.MarketEvent](read); e.Partial || !e.Earlier || e.Market.Projects() != 2 || e.Done != 5 || e.Total != 10 {
			t.Errorf("at page 5: %+v", e)
		}
		time.Sleep(5 * time.Second)
		if e := must[feed.MarketEvent](read); e.Earlier || e.Market.Projects() != 10 || e.State != feed.Live {
			t.Errorf("at the end: %+v", e)
		}
	})
}

func TestPagesThatArrivedAreNotReplacedByAnEarlierRun(t *testing.T) {
	t.Parallel()
	o := feed.Options{Earlier: func(context.Context) feed.Earlier {
		time.Sleep(2 * time.Second)
		return dayBefore()
	}}
	onPoller(t, &fake{market: slowRead}, o, func(t *testing.T, d *feed.Poller, read reader) {
		time.Sleep(4 * time.Second)
		if e := must[feed.MarketEvent](read); !e.Partial || e.Earlier {
			t.Errorf("market is %+v", e)
		}
	})
}

func TestAnEarlierRunIsShownToAKeyThatIsRefused(t *testing.T) {
	t.Parallel()
	f := &fake{market: func(context.Context, func(*model.MarketPage, model.Page)) (*model.Market, error) {
		return nil, failing(api.Unauthorized, 0)
	}}
	onPoller(t, f, feed.Options{Earlier: lastRun}, func(t *testing.T, d *feed.Poller, read reader) {
		time.Sleep(time.Second)
		e := must[feed.MarketEvent](read)
		if e.State != feed.Refused || !e.Earlier || e.Market.Orders() != 2 || !e.At.Equal(start.Add(-24*time.Hour)) {
			t.Errorf("market is %+v", e)
		}
	})
}

func TestTheBookOfAnEarlierRunIsNotThatOfNow(t *testing.T) {
	t.Parallel()
	var works atomic.Bool
	f := &fake{lastPaid: func(context.Context) (model.LastPaidPrices, error) {
		if !works.Load() {
			return nil, errors.New("down")
		}
		return model.LastPaidPrices{}, nil
	}}
	f.whole = func(func(*model.Inventory, model.Page)) (*model.Inventory, error) {
		return nil, failing(api.Unreachable, 0)
	}
	onPoller(t, f, feed.Options{Earlier: lastRun}, func(t *testing.T, d *feed.Poller, read reader) {
		works.Store(true)
		time.Sleep(time.Minute)
		if e := must[feed.LastPaidEvent](read); e.State != feed.Live || e.Earlier {
			t.Errorf("last paid is %+v", e)
		}
		d.KeepBook()
		time.Sleep(time.Second)
		if e := must[feed.BookEvent](read); e.Positions != nil || e.State == feed.Live {
			t.Errorf("book is %+v", e)
		}
	})
}
