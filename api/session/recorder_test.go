package session_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"tonne/api"
	"tonne/api/session"
	"tonne/model"
	"tonne/model/market"
	"tonne/model/store"
)

func pricesOf(t *testing.T, s *store.Store) string {
	t.Helper()
	observations, err := s.Of(origin).History.Prices(t.Context(), vintage, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	var prices []model.PriceCents
	for _, o := range observations {
		prices = append(prices, o.BestAsk)
	}
	return fmt.Sprint(prices)
}

func TestPricesAreRecordedWithEachCompletePoll(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		r := begin(t, &fake{market: offers(500, 500, 480)}, store.Open(""))
		r.Record()
		r.news()
		for range 3 {
			pause()
		}
		r.news()
		if got := pricesOf(t, r.store); got != "[500 480]" {
			t.Errorf("recorded is %s", got)
		}
	})
}

func TestNothingIsRecordedThatNobodyAskedFor(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		r := begin(t, &fake{market: offers(500)}, store.Open(""))
		pause()
		r.news()
		if got := pricesOf(t, r.store); got != "[]" {
			t.Errorf("recorded is %s", got)
		}
	})
}

func TestMarketOfWhichPagesAreMissingIsNotRecorded(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		f := &fake{market: func(_ context.Context, each func(*market.Page, model.Page)) (*market.Market, error) {
			part := &market.Page{}
			part.AddProject("P")
			part.AddVintage("V", 2020)
			part.AddOrder("O", 1_000_000, 700)
			each(part, model.Page{Current: 1, TotalPages: 2})
			time.Sleep(time.Second)
			return offer(500), nil
		}}
		r := begin(t, f, store.Open(""))
		r.Record()
		r.news()
		if got := pricesOf(t, r.store); got != "[]" {
			t.Errorf("half way, recorded is %s", got)
		}
		time.Sleep(2 * time.Second)
		r.news()
		if got := pricesOf(t, r.store); got != "[500]" {
			t.Errorf("recorded is %s", got)
		}
	})
}

func TestPollThatFailsRecordsNothingAndTheNextOneDoes(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		polls := 0
		f := &fake{market: func(context.Context, func(*market.Page, model.Page)) (*market.Market, error) {
			if polls++; polls == 2 {
				return nil, failing(api.ServerError)
			}
			return offer(model.PriceCents(500 + polls)), nil
		}}
		r := begin(t, f, store.Open(""))
		r.Record()
		time.Sleep(12 * time.Second)
		r.news()
		if got := pricesOf(t, r.store); polls < 3 || got != "[501 503 504]" && got != "[501 503]" {
			t.Errorf("recorded is %s after %d polls", got, polls)
		}
	})
}

func TestTrendsArePricesThatAreReadWhenAnAskMovesOrAMinuteIsOver(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		r := begin(t, &fake{market: offers(500, 500, 480)}, store.Open(""))
		r.Record()
		first := must[session.TrendsEvent](r)
		if got := first.Prices[vintage]; len(got) != 0 {
			t.Errorf("after one observation the trend is %v", got)
		}
		if first.Opened[vintage] != 500 || !first.Since.Equal(first.At) {
			t.Errorf("the day opened with %v at %v", first.Opened, first.Since)
		}
		pause()
		if e, again := latest[session.TrendsEvent](r); again {
			t.Errorf("nothing moved, and the trends are read at %v", e.At)
		}
		pause()
		moved := must[session.TrendsEvent](r)
		if got := moved.Prices[vintage]; len(got) != session.TrendPoints || got[len(got)-1] != 480 {
			t.Errorf("after a move the trend is %v", got)
		}
		if moved.Opened[vintage] != 500 || !moved.Since.Equal(first.Since) {
			t.Errorf("after a move the day opened with %v at %v", moved.Opened, moved.Since)
		}
		for range 11 {
			pause()
			if _, again := latest[session.TrendsEvent](r); again {
				t.Error("trends are read within a minute")
			}
		}
		pause()
		must[session.TrendsEvent](r)
	})
}

// A market that polls only confirm is recorded once, and its trends grow old
// like those of any.
func TestAConfirmedMarketIsRecordedOnceAndItsTrendsAreReadEachMinute(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		current := offer(500)
		f := &fake{market: func(context.Context, func(*market.Page, model.Page)) (*market.Market, error) {
			return current, nil
		}}
		r := begin(t, f, store.Open(""))
		r.Record()
		must[session.TrendsEvent](r)
		for minute := range 2 {
			for range 11 {
				pause()
				if e, again := latest[session.TrendsEvent](r); again {
					t.Errorf("minute %d: trends are read at %v", minute, e.At)
				}
			}
			pause()
			must[session.TrendsEvent](r)
		}
		if got := pricesOf(t, r.store); got != "[500]" {
			t.Errorf("recorded is %s", got)
		}
	})
}

func TestPricesOfTheVintageThatWasNamedLastAreReadAndReadAgain(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		r := begin(t, &fake{market: offers(500, 480)}, store.Open(""))
		r.Record()
		r.news()
		for n := range 50 {
			r.LoadPrices(model.VintageKey{ProjectID: "P", VintageID: fmt.Sprint(n)})
		}
		r.LoadPrices(vintage)
		if e := must[session.PricesEvent](r); len(e.Observations) != 1 || len(e.Observations[vintage]) != 1 || e.Err != nil {
			t.Errorf("prices are %+v", e)
		}
		pause()
		if e := must[session.PricesEvent](r); len(e.Observations[vintage]) != 2 {
			t.Errorf("prices are %+v", e)
		}
	})
}

func TestBrokenStoreIsToldOnceAndNeverStopsPolling(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		f := &fake{market: offers(500, 490, 480)}
		r := begin(t, f, store.Open(t.TempDir())) // a directory is no database
		r.Record()
		if e := must[session.StoreEvent](r); e.Problem == nil {
			t.Errorf("event is %+v", e)
		}
		r.Watch(vintage, true)
		for range 5 {
			pause()
			if e, again := latest[session.StoreEvent](r); again {
				t.Errorf("it is sent again: %+v", e)
			}
		}
		if n := f.count("market"); n != 6 {
			t.Errorf("%d polls", n)
		}
		if got := pricesOf(t, r.store); got != "[500 490 480]" {
			t.Errorf("in memory stands %s", got)
		}
	})
}

func TestPricesAndRulesOutliveTheSession(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		path := file(t)
		r := begin(t, &fake{market: offers(500)}, store.Open(path))
		r.Record()
		r.AddRule(rule(t, "best ask <= 4.60").On(vintage))
		if e, fired := fires(r); fired {
			t.Errorf("a rule that does not hold fires: %+v", e)
		}
		r.end()
		time.Sleep(time.Hour)
		next := begin(t, &fake{market: offers(450)}, store.Open(path))
		next.Record()
		next.LoadPrices(vintage)
		var prices session.PricesEvent
		var fired session.AlertsEvent
		for _, e := range next.news() {
			switch e := e.(type) {
			case session.PricesEvent:
				prices = e
			case session.AlertsEvent:
				fired = e
			}
		}
		if o := prices.Observations[vintage]; len(o) != 2 || o[0].BestAsk != 500 || o[1].BestAsk != 450 {
			t.Errorf("prices are %+v", prices)
		}
		if len(fired.Fired) != 1 || fired.Fired[0].Vintage != vintage {
			t.Errorf("fired is %+v", fired)
		}
	})
}
