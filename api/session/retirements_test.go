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
	"tonne/model"
)

func TestLookUpTellsThatItFetchesAndWhatItFound(t *testing.T) {
	t.Parallel()
	f := &pollFake{retirement: func(_ context.Context, id string) (model.Retirement, error) {
		time.Sleep(time.Second)
		return model.Retirement{ID: id, Status: model.Open}, nil
	}}
	polling(t, f, session.Options{}, func(t *testing.T, d *session.Session, read reader) {
		d.LookUp("r1")
		d.LookUp("r1")
		if e := mustRead[session.RetirementEvent](read); e.ID != "r1" || !e.Fetching || e.Retirement != nil {
			t.Errorf("event is %+v", e)
		}
		time.Sleep(time.Second)
		if e := mustRead[session.RetirementEvent](read); e.Fetching || e.Retirement.ID != "r1" || !e.At.Equal(time.Now()) || !e.NextAt.IsZero() {
			t.Errorf("event is %+v", e)
		}
		time.Sleep(time.Hour)
		if n := len(f.called("retirement")); n != 1 {
			t.Errorf("%d requests", n)
		}
	})
}

func TestLookUpThatFailsKeepsWhatWasFound(t *testing.T) {
	t.Parallel()
	var broken atomic.Bool
	f := &pollFake{retirement: func(_ context.Context, id string) (model.Retirement, error) {
		if broken.Load() {
			return model.Retirement{}, failingFor(api.NotFound, 0)
		}
		return model.Retirement{ID: id}, nil
	}}
	polling(t, f, session.Options{}, func(t *testing.T, d *session.Session, read reader) {
		d.LookUp("r1")
		first := mustRead[session.RetirementEvent](read)
		broken.Store(true)
		time.Sleep(time.Minute)
		d.LookUp("r1")
		if e := mustRead[session.RetirementEvent](read); e.Retirement != first.Retirement || e.At != first.At || api.KindOf(e.Err) != api.NotFound {
			t.Errorf("event is %+v", e)
		}
	})
}

func TestLookUpsWorkWhilePaused(t *testing.T) {
	t.Parallel()
	polling(t, &pollFake{}, session.Options{}, func(t *testing.T, d *session.Session, read reader) {
		d.Pause(true)
		read.news()
		d.LookUp("r1")
		if e := mustRead[session.RetirementEvent](read); e.Retirement == nil {
			t.Errorf("event is %+v", e)
		}
	})
}

func TestManyLookUpsGoAFewAtATime(t *testing.T) {
	t.Parallel()
	now, most := 0, 0
	f := &pollFake{}
	f.retirement = func(_ context.Context, id string) (model.Retirement, error) {
		f.mu.Lock()
		now++
		most = max(most, now)
		f.mu.Unlock()
		time.Sleep(time.Second)
		f.mu.Lock()
		now--
		f.mu.Unlock()
		return model.Retirement{ID: id}, nil
	}
	polling(t, f, session.Options{}, func(t *testing.T, d *session.Session, read reader) {
		for n := range 40 {
			d.LookUp(fmt.Sprintf("r%d", n))
		}
		time.Sleep(10*time.Second + time.Millisecond)
		synctest.Wait()
		if n := len(f.called("retirement")); n != 40 || most != 4 {
			t.Errorf("%d requests, %d at once", n, most)
		}
	})
}

func TestFollowedRequestIsPolledRarerTheLongerItWaits(t *testing.T) {
	t.Parallel()
	f := &pollFake{}
	rarely := session.Options{MarketEvery: time.Hour, InventoryEvery: time.Hour}
	polling(t, f, rarely, func(t *testing.T, d *session.Session, read reader) {
		d.Follow("r1", time.Now())
		d.Follow("r1", time.Now())
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
		if e := mustRead[session.RetirementEvent](read); e.NextAt.Before(time.Now()) || e.NextAt.After(time.Now().Add(18*time.Minute)) {
			t.Errorf("event is %+v", e)
		}
		d.Unfollow("r1")
		if e := mustRead[session.RetirementEvent](read); !e.NextAt.IsZero() || e.Retirement == nil {
			t.Errorf("event is %+v", e)
		}
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
	for _, final := range []model.RetirementStatus{model.Complete, model.NothingToProcess} {
		var done atomic.Bool
		f := &pollFake{retirement: func(_ context.Context, id string) (model.Retirement, error) {
			if done.Load() {
				return model.Retirement{ID: id, Status: final}, nil
			}
			return model.Retirement{ID: id, Status: model.InProgress}, nil
		}}
		polling(t, f, session.Options{}, func(t *testing.T, d *session.Session, read reader) {
			d.Follow("r1", time.Time{})
			read.news()
			done.Store(true)
			time.Sleep(time.Hour)
			e := mustRead[session.RetirementEvent](read)
			if n := len(f.called("retirement")); n != 2 || e.Retirement.Status != final || !e.NextAt.IsZero() {
				t.Errorf("%d requests end in %+v", n, e)
			}
			d.Follow("r1", time.Time{})
			d.Refresh()
			time.Sleep(time.Hour)
			if n := len(f.called("retirement")); n != 2 {
				t.Errorf("%d requests for a final request", n)
			}
		})
	}
}

func TestLookUpsWaitAsLongAsTheServiceAsks(t *testing.T) {
	t.Parallel()
	var tries atomic.Int64
	f := &pollFake{retirement: func(_ context.Context, id string) (model.Retirement, error) {
		if tries.Add(1) == 1 {
			return model.Retirement{}, failingFor(api.RateLimited, 20*time.Second)
		}
		return model.Retirement{ID: id}, nil
	}}
	polling(t, f, session.Options{}, func(t *testing.T, d *session.Session, read reader) {
		d.LookUp("r1")
		synctest.Wait()
		d.LookUp("r2")
		time.Sleep(time.Minute)
		if got := seconds(f.called("retirement")); got != "[0 20 20]" {
			t.Errorf("requests are made at %s", got)
		}
		for _, e := range read.news() {
			if e, ok := e.(session.RetirementEvent); ok && (e.Err != nil || e.Retirement == nil) {
				t.Errorf("event is %+v", e)
			}
		}
	})
}

func TestRefusedKeyAnswersEveryLookUp(t *testing.T) {
	t.Parallel()
	for _, kind := range []api.Kind{api.Unauthorized, api.Forbidden} {
		f := &pollFake{retirement: func(context.Context, string) (model.Retirement, error) {
			time.Sleep(time.Second)
			return model.Retirement{}, failingFor(kind, 0)
		}}
		polling(t, f, session.Options{}, func(t *testing.T, d *session.Session, read reader) {
			for n := range 10 {
				d.Follow(fmt.Sprintf("f%d", n), time.Time{})
				d.LookUp(fmt.Sprintf("r%d", n))
			}
			time.Sleep(time.Hour)
			answered := 0
			for _, e := range read.news() {
				if e, ok := e.(session.RetirementEvent); ok && e.Err != nil && e.ID[0] == 'r' && !e.Fetching {
					answered++
				}
			}
			if n := len(f.called("retirement")); answered != 10 || n > 8 {
				t.Errorf("%d requests answer %d look-ups", n, answered)
			}
		})
	}
}

func TestFollowedRequestThatFailsIsPolledOn(t *testing.T) {
	t.Parallel()
	f := &pollFake{retirement: func(context.Context, string) (model.Retirement, error) {
		return model.Retirement{}, failingFor(api.NotFound, 0)
	}}
	polling(t, f, session.Options{}, func(t *testing.T, d *session.Session, read reader) {
		d.Follow("r1", time.Time{})
		time.Sleep(24 * time.Hour)
		if n := len(f.called("retirement")); n < 90 || n > 150 {
			t.Errorf("a day of failures makes %d requests", n)
		}
	})
}
