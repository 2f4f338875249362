package session_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"tonne/api/session"
	"tonne/model"
	"tonne/model/alert"
	"tonne/model/store"
)

// hold locks the store for some time.
func hold(t *testing.T, s *store.Store, d time.Duration) {
	t.Helper()
	if err := s.Of(origin).Alerts.AddRule(t.Context(), rule(t, "best ask <= 1.00").On(vintage)); err != nil {
		t.Fatal(err)
	}
	go func() {
		_, _ = s.Of(origin).Alerts.Check(context.WithoutCancel(t.Context()), time.Now(), func(model.VintageKey) alert.Facts {
			time.Sleep(d)
			return alert.Facts{}
		})
	}()
	synctest.Wait()
}

// failures returns what a session that has ended says was not written.
func failures(t *testing.T, s *session.Session) (failed []session.WriteError) {
	t.Helper()
	for {
		events, err := s.Next(t.Context())
		if err != nil {
			return failed
		}
		for _, e := range events {
			if e, ok := e.(session.StoreEvent); ok {
				failed = append(failed, e.Failed...)
			}
		}
	}
}

func TestWhatWasAskedForBeforeTheEndIsWrittenWithinTenSeconds(t *testing.T) {
	t.Parallel()
	for held, written := range map[time.Duration]bool{0: true, 9 * time.Second: true, 11 * time.Second: false} {
		in(t, func(t *testing.T) {
			s := store.Open("")
			ctx, cancel := context.WithCancel(t.Context())
			r := session.New(&fake{}, session.Options{Origin: origin, Store: s})
			ended := make(chan error)
			go func() { ended <- r.Run(ctx) }()
			synctest.Wait()
			hold(t, s, held)
			there := model.VintageKey{ProjectID: "Q", VintageID: "W"}
			r.Watch(there, true)
			r.Add(session.Entry{ID: "R1", Label: "mine"})
			cancel()
			begun := time.Now()
			if err := <-ended; (err == nil) != written {
				t.Errorf("held for %s, the session ends with %v", held, err)
			}
			if waited := time.Since(begun); waited != min(held, 10*time.Second) {
				t.Errorf("held for %s, the end takes %s", held, waited)
			}
			if failed := failures(t, r); (failed == nil) != written {
				t.Errorf("locked for %s: failure reported as %v", held, failed)
			}
			time.Sleep(time.Minute)
			watched, err := s.Of(origin).Alerts.Watched(t.Context())
			if err != nil || watched[there] != written || (kept(t, s, "R1").Label == "mine") != written {
				t.Errorf("held for %s, watched are %v, %v; kept is %+v", held, watched, err, kept(t, s, "R1"))
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestEventsBeforeTheEndAreStillRead(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		s := session.New(&fake{market: offers(500)}, session.Options{Origin: origin})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- s.Run(ctx) }()
		synctest.Wait()
		s.Watch(vintage, true)
		cancel()
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		events, err := s.Next(t.Context())
		found := false
		for _, e := range events {
			if w, ok := e.(session.WatchlistEvent); ok {
				found = w.Watched[vintage]
			}
		}
		if err != nil || !found {
			t.Errorf("%v, events are %v", err, events)
		}
		if _, err := s.Next(t.Context()); !errors.Is(err, session.ErrEnded) {
			t.Errorf("Next ends with %v", err)
		}
	})
}

func TestSlowStoreKeepsNobodyWaiting(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		s := store.Open("")
		f := &fake{market: offers(500, 490, 480, 470, 460)}
		r := begin(t, f, s)
		r.Record()
		r.news()
		hold(t, s, 21*time.Second)
		for range 4 {
			pause()
			must[session.MarketEvent](r)
		}
		r.Watch(vintage, true)
		if e := must[session.WatchlistEvent](r); !e.Watched[vintage] {
			t.Errorf("the list is %+v", e)
		}
		pause()
		r.news()
		if got := pricesOf(t, s); got != "[500 490 460]" {
			t.Errorf("recorded is %s", got)
		}
	})
}

func TestCommandThatComesWithTheEndIsCarriedOut(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		s := store.Open("")
		ctx, cancel := context.WithCancel(t.Context())
		var r *session.Session
		var armed atomic.Bool
		r = session.New(&fake{}, session.Options{Origin: origin, Store: s, Now: func() time.Time {
			if armed.Swap(false) { // while a command is being carried out
				r.Watch(vintage, true)
				cancel()
			}
			return time.Now()
		}})
		ended := make(chan error, 1)
		go func() { ended <- r.Run(ctx) }()
		synctest.Wait()
		armed.Store(true)
		r.Add(session.Entry{ID: "R1"})
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if watched, err := s.Of(origin).Alerts.Watched(t.Context()); err != nil || !watched[vintage] {
			t.Errorf("watched are %v, %v", watched, err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestAnswersThatWaitForASlowStoreAreWrittenInTheEnd(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		path := file(t)
		r := open(t, &fake{}, store.Open(path))
		r.Add(session.Entry{ID: "R1"}, session.Entry{ID: "R2"})
		time.Sleep(time.Minute)
		r.news()
		hold(t, r.store, 5*time.Second)
		for _, id := range []string{"R1", "R2"} {
			r.LookUp(id)
			time.Sleep(time.Second)
			r.news()
		}
		r.end()
		again := store.Open(path)
		defer again.Close()
		for _, id := range []string{"R1", "R2"} {
			if at := kept(t, again, id).AnsweredAt; time.Since(at) > 10*time.Second {
				t.Errorf("the answer of %s is from %s", id, at)
			}
		}
	})
}
