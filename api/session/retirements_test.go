package session_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"tonne/api"
	"tonne/api/session"
	"tonne/model/retirement"
)

// request returns the only request of the ledger.
func request(read *running) *session.Request {
	read.t.Helper()
	e := must[session.LedgerEvent](read)
	if len(e.Requests) != 1 {
		read.t.Fatalf("the ledger is %+v", e)
	}
	return e.Requests[0]
}

// pending is a marketplace whose requests stay open.
func pending() *fake {
	return &fake{retirement: func(_ context.Context, id string) (retirement.Request, error) {
		return retirement.Request{ID: id, Status: retirement.Open}, nil
	}}
}

// entries are requests of the ledger named r0 and so on.
func entries(n int) (all []session.Entry) {
	for i := range n {
		all = append(all, session.Entry{ID: fmt.Sprintf("r%d", i)})
	}
	return all
}

func TestLookUpTellsThatItFetchesAndWhatItFound(t *testing.T) {
	t.Parallel()
	f := &fake{retirement: func(_ context.Context, id string) (retirement.Request, error) {
		time.Sleep(time.Second)
		return retirement.Request{ID: id, Status: retirement.Complete}, nil
	}}
	polling(t, f, session.Options{}, func(t *testing.T, d *session.Session, read *running) {
		d.Add(session.Entry{ID: "r1"})
		d.LookUp("r1")
		if r := request(read); !r.Fetching || r.Answer != nil {
			t.Errorf("request is %+v", r)
		}
		time.Sleep(time.Second)
		if r := request(read); r.Fetching || r.Answer.ID != "r1" || !r.AnsweredAt.Equal(time.Now()) || !r.NextAt.IsZero() {
			t.Errorf("request is %+v", r)
		}
		d.LookUp("unknown")
		time.Sleep(time.Hour)
		if n := len(f.called("retirement")); n != 1 {
			t.Errorf("%d requests", n)
		}
	})
}

func TestLookUpThatFailsKeepsWhatWasFound(t *testing.T) {
	t.Parallel()
	var broken atomic.Bool
	f := &fake{retirement: func(_ context.Context, id string) (retirement.Request, error) {
		if broken.Load() {
			return retirement.Request{}, failing(api.NotFound)
		}
		return retirement.Request{ID: id, Status: retirement.Complete}, nil
	}}
	polling(t, f, session.Options{}, func(t *testing.T, d *session.Session, read *running) {
		d.Add(session.Entry{ID: "r1"})
		first := request(read)
		broken.Store(true)
		time.Sleep(time.Minute)
		d.LookUp("r1")
		if r := request(read); r.Answer != first.Answer || r.AnsweredAt != first.AnsweredAt || api.KindOf(r.Err) != api.NotFound {
			t.Errorf("request is %+v", r)
		}
	})
}

func TestLookUpsWorkWhilePaused(t *testing.T) {
	t.Parallel()
	f := pending()
	polling(t, f, session.Options{}, func(t *testing.T, d *session.Session, read *running) {
		d.Pause(true)
		read.news()
		d.Add(session.Entry{ID: "r1"})
		if r := request(read); r.Answer == nil {
			t.Errorf("request is %+v", r)
		}
		time.Sleep(time.Hour)
		if n := len(f.called("retirement")); n != 1 {
			t.Errorf("%d requests while paused", n)
		}
	})
}

func TestManyLookUpsGoAFewAtATime(t *testing.T) {
	t.Parallel()
	now, most := 0, 0
	f := &fake{}
	f.retirement = func(_ context.Context, id string) (retirement.Request, error) {
		f.mu.Lock()
		now++
		most = max(most, now)
		f.mu.Unlock()
		time.Sleep(time.Second)
		f.mu.Lock()
		now--
		f.mu.Unlock()
		return retirement.Request{ID: id}, nil
	}
	polling(t, f, session.Options{}, func(t *testing.T, d *session.Session, read *running) {
		d.Add(entries(40)...)
		time.Sleep(10*time.Second + time.Millisecond)
		synctest.Wait()
		if n := len(f.called("retirement")); n != 40 || most != 4 {
			t.Errorf("%d requests, %d at once", n, most)
		}
	})
}

func TestPendingRequestIsPolledRarerTheLongerItWaits(t *testing.T) {
	t.Parallel()
	f := pending()
	rarely := session.Options{MarketEvery: time.Hour, InventoryEvery: time.Hour}
	polling(t, f, rarely, func(t *testing.T, d *session.Session, read *running) {
		d.Add(session.Entry{ID: "r1"})
		time.Sleep(24 * time.Hour)
		at := f.called("retirement")
		if len(at) < 2 || at[0] != 0 {
			t.Fatalf("polled at %v", at)
		}
		for i, gap := range gaps(at) {
			limit := min(max(at[i]/20, 30*time.Second), 15*time.Minute)
			if gap < limit*4/5 || gap > limit*6/5 {
				t.Errorf("after %v the pause is %v, want about %v", at[i], gap, limit)
			}
		}
		if r := request(read); r.NextAt.Before(time.Now()) || r.NextAt.After(time.Now().Add(18*time.Minute)) {
			t.Errorf("request is %+v", r)
		}
		d.Remove("r1")
		time.Sleep(24 * time.Hour)
		if n := len(f.called("retirement")); n != len(at) {
			t.Errorf("%d requests after the end", n-len(at))
		}
	})
}

func gaps(at []time.Duration) []time.Duration {
	var all []time.Duration
	for i := 1; i < len(at); i++ {
		all = append(all, at[i]-at[i-1])
	}
	return all
}

func TestFollowingEndsWithTheRequest(t *testing.T) {
	t.Parallel()
	for _, final := range []retirement.Status{retirement.Complete, retirement.NothingToProcess} {
		var done atomic.Bool
		f := &fake{retirement: func(_ context.Context, id string) (retirement.Request, error) {
			if done.Load() {
				return retirement.Request{ID: id, Status: final}, nil
			}
			return retirement.Request{ID: id, Status: retirement.InProgress}, nil
		}}
		polling(t, f, session.Options{}, func(t *testing.T, d *session.Session, read *running) {
			d.Add(session.Entry{ID: "r1"})
			read.news()
			done.Store(true)
			time.Sleep(time.Hour)
			r := request(read)
			if n := len(f.called("retirement")); n != 2 || r.Answer.Status != final || !r.NextAt.IsZero() {
				t.Errorf("%d requests end in %+v", n, r)
			}
			d.Refresh()
			time.Sleep(time.Hour)
			if n := len(f.called("retirement")); n != 2 {
				t.Errorf("%d requests for a final request", n)
			}
		})
	}
}

func TestRefreshLooksUpPendingRequests(t *testing.T) {
	t.Parallel()
	f := pending()
	polling(t, f, session.Options{}, func(t *testing.T, d *session.Session, read *running) {
		d.Add(session.Entry{ID: "r1"})
		time.Sleep(10 * time.Second)
		d.Refresh()
		time.Sleep(100 * time.Millisecond)
		d.Refresh()
		synctest.Wait()
		if got := seconds(f.called("retirement")); got != "[0 10]" {
			t.Errorf("requests are made at %s", got)
		}
	})
}

func TestPendingRequestIsLookedUpAfterTheClockWentBack(t *testing.T) {
	t.Parallel()
	f := pending()
	var back atomic.Int64
	o := session.Options{Now: func() time.Time { return time.Now().Add(-time.Duration(back.Load())) }}
	polling(t, f, o, func(t *testing.T, d *session.Session, read *running) {
		d.Add(session.Entry{ID: "r1"})
		read.news()
		back.Store(int64(24 * time.Hour))
		time.Sleep(time.Minute)
		if n := len(f.called("retirement")); n < 2 || n > 4 {
			t.Errorf("%d requests", n)
		}
	})
}

func TestLookUpsWaitAsLongAsTheServiceAsks(t *testing.T) {
	t.Parallel()
	var tries atomic.Int64
	f := &fake{retirement: func(_ context.Context, id string) (retirement.Request, error) {
		if tries.Add(1) == 1 {
			return retirement.Request{}, failingFor(api.RateLimited, 20*time.Second)
		}
		return retirement.Request{ID: id, Status: retirement.Complete}, nil
	}}
	polling(t, f, session.Options{}, func(t *testing.T, d *session.Session, read *running) {
		d.Add(session.Entry{ID: "r1"})
		synctest.Wait()
		d.Add(session.Entry{ID: "r2"})
		time.Sleep(time.Minute)
		if got := seconds(f.called("retirement")); got != "[0 20 20]" {
			t.Errorf("requests are made at %s", got)
		}
		for _, r := range must[session.LedgerEvent](read).Requests {
			if r.Err != nil || r.Answer == nil {
				t.Errorf("request is %+v", r)
			}
		}
	})
}

func TestRefusedKeyAnswersEveryLookUp(t *testing.T) {
	t.Parallel()
	for _, kind := range []api.Kind{api.Unauthorized, api.Forbidden} {
		f := &fake{retirement: func(context.Context, string) (retirement.Request, error) {
			time.Sleep(time.Second)
			return retirement.Request{}, failing(kind)
		}}
		polling(t, f, session.Options{}, func(t *testing.T, d *session.Session, read *running) {
			d.Add(entries(20)...)
			time.Sleep(time.Hour)
			answered := 0
			for _, r := range must[session.LedgerEvent](read).Requests {
				if r.Err != nil && !r.Fetching {
					answered++
				}
			}
			if n := len(f.called("retirement")); answered != 20 || n > 4 {
				t.Errorf("%d requests answer %d look-ups", n, answered)
			}
		})
	}
}

func TestRequestThatCannotBeReachedIsLookedUpRarer(t *testing.T) {
	t.Parallel()
	f := &fake{retirement: func(context.Context, string) (retirement.Request, error) {
		return retirement.Request{}, failing(api.Unreachable)
	}}
	polling(t, f, session.Options{}, func(t *testing.T, d *session.Session, read *running) {
		d.Add(session.Entry{ID: "r1"})
		time.Sleep(24 * time.Hour)
		if n := len(f.called("retirement")); n < 90 || n > 150 {
			t.Errorf("a day of failures makes %d requests", n)
		}
	})
}
