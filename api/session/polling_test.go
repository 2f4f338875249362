package session_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"tonne/api"
	"tonne/api/session"
	"tonne/model"
	"tonne/model/market"
	"tonne/model/portfolio"
)

// seconds writes points in time as whole seconds.
func seconds(at []time.Duration) string {
	var s []int
	for _, d := range at {
		s = append(s, int(d.Seconds()))
	}
	return fmt.Sprint(s)
}

func TestEachResourceIsPolledAtItsPace(t *testing.T) {
	t.Parallel()
	f := &fake{}
	polling(t, f, session.Options{}, func(t *testing.T, d *session.Session, read *running) {
		d.ShowInventory(api.InventoryQuery{Page: 1})
		time.Sleep(31 * time.Second)
		for operation, want := range map[string]string{
			"market": "[0 5 10 15 20 25 30]", "last paid": "[0 15 30]", "inventory": "[0 15 30]",
		} {
			if got := seconds(f.called(operation)); got != want {
				t.Errorf("%s is polled at %s, want %s", operation, got, want)
			}
		}
	})
}

func TestOneRequestOfAResourceIsInFlight(t *testing.T) {
	t.Parallel()
	f := &fake{market: func(ctx context.Context, _ func(*market.Page, model.Page)) (*market.Market, error) {
		time.Sleep(8 * time.Second)
		return market.New(), nil
	}}
	polling(t, f, session.Options{}, func(t *testing.T, d *session.Session, read *running) {
		for range 200 {
			d.Refresh()
			time.Sleep(100 * time.Millisecond)
		}
		if got := seconds(f.called("market")); got != "[0 8 16]" {
			t.Errorf("market is polled at %s", got)
		}
	})
}

func TestRefreshKeyHeldDownDoesNotStorm(t *testing.T) {
	t.Parallel()
	f := &fake{}
	polling(t, f, session.Options{}, func(t *testing.T, d *session.Session, read *running) {
		for range 300 {
			time.Sleep(33 * time.Millisecond)
			d.Refresh()
		}
		if n := len(f.called("market")); n < 9 || n > 11 {
			t.Errorf("ten seconds of refreshing make %d polls", n)
		}
	})
}

func TestPauseEndsPollingAndRefreshPollsOnce(t *testing.T) {
	t.Parallel()
	f := &fake{}
	polling(t, f, session.Options{}, func(t *testing.T, d *session.Session, read *running) {
		time.Sleep(6 * time.Second)
		d.Pause(true)
		if e := must[session.MarketEvent](read); e.State != session.Paused || e.At.IsZero() {
			t.Errorf("status is %+v", e.Status)
		}
		time.Sleep(time.Hour)
		d.Refresh()
		time.Sleep(time.Hour)
		d.Pause(false)
		time.Sleep(time.Second)
		if got := seconds(f.called("market")); got != "[0 5 3606 7206]" {
			t.Errorf("market is polled at %s", got)
		}
		if e := must[session.MarketEvent](read); e.State != session.Live {
			t.Errorf("status is %+v", e.Status)
		}
	})
}

func TestPollsAreRarerWithoutViewers(t *testing.T) {
	t.Parallel()
	f := &fake{}
	polling(t, f, session.Options{}, func(t *testing.T, d *session.Session, read *running) {
		d.Focus(false)
		time.Sleep(58 * time.Second)
		d.Focus(true) // the next poll is overdue
		time.Sleep(6 * time.Second)
		if got := seconds(f.called("market")); got != "[0 20 40 58 63]" {
			t.Errorf("market is polled at %s", got)
		}
	})
}

func TestFailuresKeepTheValueAndBackOff(t *testing.T) {
	t.Parallel()
	var broken atomic.Bool
	f := &fake{market: func(context.Context, func(*market.Page, model.Page)) (*market.Market, error) {
		if broken.Load() {
			return nil, failing(api.Unreachable)
		}
		return market.New(part(500, "p")), nil
	}}
	polling(t, f, session.Options{}, func(t *testing.T, d *session.Session, read *running) {
		first := must[session.MarketEvent](read)
		broken.Store(true)
		time.Sleep(10 * time.Minute)
		e := must[session.MarketEvent](read)
		if e.State != session.Stale || e.Market != first.Market || e.At != first.At || api.KindOf(e.Err) != api.Unreachable {
			t.Errorf("event is %+v", e)
		}
		if left := time.Until(e.RetryAt); left < 0 || left > 30*time.Second {
			t.Errorf("the next try is due in %v", left)
		}
		if age := ageOf(e.Status, time.Now()); age != 10*time.Minute {
			t.Errorf("age is %v", age)
		}
		if n := len(f.called("market")); n < 600/30 || n > 100 {
			t.Errorf("ten minutes of failures make %d tries", n)
		}
		broken.Store(false)
		time.Sleep(31 * time.Second)
		if e := must[session.MarketEvent](read); e.State != session.Live || e.Err != nil || e.Market == first.Market {
			t.Errorf("event is %+v", e)
		}
	})
}

func TestFirstFailureShowsNoValue(t *testing.T) {
	t.Parallel()
	f := &fake{lastPaid: func(context.Context) (portfolio.LastPaidPrices, error) { return nil, failing(api.ServerError) }}
	polling(t, f, session.Options{}, func(t *testing.T, d *session.Session, read *running) {
		if e := must[session.PortfolioEvent](read); e.State != session.Loading || e.LastPaid != nil || e.Err == nil || !e.At.IsZero() {
			t.Errorf("event is %+v", e)
		}
	})
}

func TestWaitOfTheServiceIsObeyedUpToAnHourUntilARefresh(t *testing.T) {
	t.Parallel()
	f := &fake{market: func(context.Context, func(*market.Page, model.Page)) (*market.Market, error) {
		return nil, failingFor(api.RateLimited, 24*time.Hour)
	}}
	polling(t, f, session.Options{}, func(t *testing.T, d *session.Session, read *running) {
		time.Sleep(time.Hour + 10*time.Minute)
		if e := must[session.MarketEvent](read); !e.Asked || time.Until(e.RetryAt) != 50*time.Minute {
			t.Errorf("event is %+v", e)
		}
		d.Refresh()
		time.Sleep(time.Second)
		if got := seconds(f.called("market")); got != "[0 3600 4200]" {
			t.Errorf("market is polled at %s", got)
		}
		if e := must[session.MarketEvent](read); !e.Asked || time.Until(e.RetryAt) != time.Hour-time.Second {
			t.Errorf("event is %+v", e)
		}
	})
}

func TestRefusedKeyEndsAllPollingUntilRefresh(t *testing.T) {
	t.Parallel()
	var refuse atomic.Bool
	refuse.Store(true)
	f := &fake{lastPaid: func(context.Context) (portfolio.LastPaidPrices, error) {
		if refuse.Load() {
			return nil, failing(api.Unauthorized)
		}
		return portfolio.LastPaidPrices{}, nil
	}}
	polling(t, f, session.Options{}, func(t *testing.T, d *session.Session, read *running) {
		d.ShowInventory(api.InventoryQuery{})
		if e := must[session.MarketEvent](read); e.State != session.Refused || api.KindOf(e.Err) != api.Unauthorized {
			t.Errorf("event is %+v", e)
		}
		read.news()
		time.Sleep(time.Hour)
		if news := read.news(); len(news) > 0 {
			t.Errorf("it is said again: %v", news)
		}
		d.ShowInventory(api.InventoryQuery{Page: 2})
		if e := must[session.InventoryEvent](read); e.State != session.Refused || e.Query.Page != 2 || e.Fetching {
			t.Errorf("event is %+v", e)
		}
		refuse.Store(false)
		d.Refresh()
		if e := must[session.MarketEvent](read); e.State != session.Live {
			t.Errorf("event is %+v", e)
		}
	})
}

func TestMissingRoleEndsPollingOfThatResource(t *testing.T) {
	t.Parallel()
	f := &fake{lastPaid: func(context.Context) (portfolio.LastPaidPrices, error) { return nil, failing(api.Forbidden) }}
	polling(t, f, session.Options{}, func(t *testing.T, d *session.Session, read *running) {
		time.Sleep(16 * time.Second)
		if got := seconds(f.called("market")) + seconds(f.called("last paid")); got != "[0 5 10 15][0]" {
			t.Errorf("market and last paid are polled at %s", got)
		}
		if e := must[session.PortfolioEvent](read); e.State != session.Refused {
			t.Errorf("event is %+v", e)
		}
	})
}

// wallClock is a clock that can be set, and runs while timers are stopped.
type wallClock struct{ ahead atomic.Int64 }

func (c *wallClock) set(ahead time.Duration) { c.ahead.Store(int64(ahead)) }

func (c *wallClock) now() time.Time { return time.Now().Add(time.Duration(c.ahead.Load())) }

func TestSleepOfTwoHoursMakesOnePoll(t *testing.T) {
	t.Parallel()
	f, clock := &fake{}, &wallClock{}
	polling(t, f, session.Options{Now: clock.now}, func(t *testing.T, d *session.Session, read *running) {
		time.Sleep(6 * time.Second)
		before := must[session.MarketEvent](read)
		clock.set(2 * time.Hour)
		if age := ageOf(before.Status, clock.now()); age < 2*time.Hour {
			t.Errorf("after two hours the age is %v", age)
		}
		time.Sleep(8 * time.Second)
		if got := seconds(f.called("market")); got != "[0 5 10]" {
			t.Errorf("market is polled at %s", got)
		}
		if e := must[session.MarketEvent](read); e.State != session.Live || ageOf(e.Status, clock.now()) > 5*time.Second {
			t.Errorf("event is %+v", e)
		}
	})
}

func TestSleepIsNoticedSoonAlsoByARarePoll(t *testing.T) {
	t.Parallel()
	f, clock := &fake{}, &wallClock{}
	rarely := session.Options{Now: clock.now, MarketEvery: time.Hour, InventoryEvery: time.Hour}
	polling(t, f, rarely, func(t *testing.T, d *session.Session, read *running) {
		time.Sleep(time.Minute)
		clock.set(2 * time.Hour)
		time.Sleep(31 * time.Second)
		if n := len(f.called("market")); n != 2 {
			t.Errorf("market is polled %d times", n)
		}
	})
}

func TestClockSetBackADayChangesNothing(t *testing.T) {
	t.Parallel()
	f, clock := &fake{}, &wallClock{}
	polling(t, f, session.Options{Now: clock.now}, func(t *testing.T, d *session.Session, read *running) {
		time.Sleep(6 * time.Second)
		e := must[session.MarketEvent](read)
		clock.set(-24 * time.Hour)
		if age := ageOf(e.Status, clock.now()); age != 0 {
			t.Errorf("age is %v", age)
		}
		time.Sleep(21 * time.Second)
		if n := len(f.called("market")); n < 5 {
			t.Errorf("market is polled %d times", n)
		}
	})
}

func TestPanicInARequestEndsTheSessionWithAnError(t *testing.T) {
	t.Parallel()
	f := &fake{market: func(context.Context, func(*market.Page, model.Page)) (*market.Market, error) { panic("it broke") }}
	d := session.New(f, session.Options{})
	var broke *session.PanicError
	err := d.Run(t.Context())
	if !errors.As(err, &broke) || err.Error() != "the session broke: it broke" || broke.Stack == "" {
		t.Errorf("the poller ends with %v", err)
	}
	for {
		events, err := d.Next(t.Context())
		if err != nil {
			if !errors.As(err, &broke) {
				t.Errorf("Next ends with %v", err)
			}
			break
		}
		if len(events) == 0 {
			t.Fatal("Next returns nothing")
		}
	}
}

// ageOf is how old the value shown is at the time now, never less than nothing: the
// clock may have been set back.
func ageOf(s session.Status, now time.Time) time.Duration {
	if s.At.IsZero() {
		return 0
	}
	return max(now.Round(0).Sub(s.At), 0)
}
