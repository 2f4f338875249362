package session_test

import (
	"context"
	"testing"
	"time"

	"tonne/api"
	"tonne/api/session"
	"tonne/model"
	"tonne/model/market"
	"tonne/model/store"
)

func TestWhatMovedBetweenTwoRunsIsToldWithTheTimeInWhichItDid(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		path := file(t)
		r := begin(t, &fake{market: offers(500)}, store.Open(path))
		r.Record()
		if e, away := latest[session.MissedMovesEvent](r); away {
			t.Errorf("of a first run nothing is known: %+v", e)
		}
		time.Sleep(3 * time.Minute)
		closed := time.Now()
		r.end()
		time.Sleep(3 * time.Minute)
		r = begin(t, &fake{market: offers(480)}, store.Open(path))
		r.Record()
		r.LoadPrices(vintage)
		var away session.MissedMovesEvent
		var prices session.PricesEvent
		for _, e := range r.news() {
			switch e := e.(type) {
			case session.MissedMovesEvent:
				away = e
			case session.PricesEvent:
				prices = e
			}
		}
		if len(away.Moves) != 1 || away.Moves[0].Was.BestAsk != 500 || away.Moves[0].Now.BestAsk != 480 || away.Moves[0].Now.Vintage != vintage {
			t.Fatalf("told is %+v", away)
		}
		if away.Since.After(closed) || closed.Sub(away.Since) > time.Minute+5*time.Second || away.At.Sub(closed) != 3*time.Minute {
			t.Errorf("away from %v to %v, closed at %v", away.Since, away.At, closed)
		}
		if len(prices.Gaps) != 1 || !prices.Gaps[0].Until.Equal(away.At) || !prices.Gaps[0].From.Equal(away.Since) {
			t.Errorf("the gaps are %v", prices.Gaps)
		}
	})
}

func TestARunThatBeginsAtOnceWasNotAway(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		path := file(t)
		r := begin(t, &fake{market: offers(500)}, store.Open(path))
		r.Record()
		r.news()
		r.end()
		time.Sleep(10 * time.Second)
		r = begin(t, &fake{market: offers(480)}, store.Open(path))
		r.Record()
		if e, away := latest[session.MissedMovesEvent](r); away {
			t.Errorf("told is %+v", e)
		}
	})
}

// The market is confirmed at 5 s and at 10 s; then the service is out of reach.
func TestWhatMovedWhileTheServiceWasOutOfReachMovedInAGap(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		begun := time.Now()
		same := offer(500)
		r := begin(t, &fake{market: func(context.Context, func(*market.Page, model.Page)) (*market.Market, error) {
			switch passed := time.Since(begun); {
			case passed < 12*time.Second:
				return same, nil
			case passed < 5*time.Minute:
				return nil, failing(api.ServerError)
			}
			return offer(480), nil
		}}, store.Open(""))
		r.Record()
		r.AddRule(rule(t, "price < 4.90").On(vintage))
		r.news()
		for range 2 {
			time.Sleep(5 * time.Second)
			r.news()
		}
		time.Sleep(8 * time.Minute)
		var market session.MarketEvent
		var fired session.AlertsEvent
		for _, e := range r.news() {
			switch e := e.(type) {
			case session.MarketEvent:
				market = e
			case session.AlertsEvent:
				fired = e
			}
		}
		seen := begun.Add(10 * time.Second)
		if len(market.Changes.Asks) != 1 || !market.Before.Equal(seen) {
			t.Errorf("%+v changed since %v, want %v", market.Changes.Asks, market.Before, seen)
		}
		gaps, err := r.store.Of(origin).History.Gaps(t.Context(), time.Time{})
		if err != nil || len(gaps) != 1 || !gaps[0].From.Equal(seen) || gaps[0].Until.Before(begun.Add(5*time.Minute)) {
			t.Errorf("the gaps are %v (%v), want one from %v", gaps, err, seen)
		}
		if len(fired.Fired) != 1 || fired.Fired[0].Since.IsZero() || fired.Fired[0].Since.After(seen) {
			t.Errorf("fired: %+v", fired.Fired)
		}
	})
}
