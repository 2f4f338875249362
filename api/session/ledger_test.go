package session_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"tonne/api"
	"tonne/api/session"
	"tonne/model/retirement"
	"tonne/model/store"
)

// stateAfter answers that a request is open for some time, and complete then.
func stateAfter(open time.Duration) func(context.Context, string) (retirement.Request, error) {
	begun := time.Now()
	return func(_ context.Context, id string) (retirement.Request, error) {
		status := retirement.Open
		if time.Since(begun) >= open {
			status = retirement.Complete
		}
		return retirement.Request{ID: id, Status: status}, nil
	}
}

// kept returns what a store has of a request, the zero value for nothing.
func kept(t *testing.T, s *store.Store, id string) store.LedgerEntry {
	t.Helper()
	entries, err := s.Of(origin).Ledger.Entries(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.ID == id {
			return e
		}
	}
	return store.LedgerEntry{}
}

func ids(e session.LedgerEvent) string {
	var all []string
	for _, r := range e.Requests {
		all = append(all, r.ID)
	}
	return fmt.Sprint(all)
}

// open begins a session with its ledger.
func open(t *testing.T, f session.Client, s *store.Store) *running {
	t.Helper()
	r := begin(t, f, s)
	r.OpenLedger()
	return r
}

func TestRequestsAreLookedUpAndFollowedToAFinalState(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		f := &fake{retirement: stateAfter(10 * time.Minute)}
		r := open(t, f, store.Open(""))
		r.Add(session.Entry{ID: "R1", Label: "first\x1b half"}, session.Entry{ID: "R2"})
		e := must[session.LedgerEvent](r)
		if ids(e) != "[R2 R1]" || len(e.Answered) != 2 || len(e.Changed) != 0 {
			t.Fatalf("the ledger is %+v", e)
		}
		first := e.Requests[1]
		if first.Label != "first half" || first.Answer.Status != retirement.Open || first.NextAt.IsZero() || !first.Pending() {
			t.Errorf("the request is %+v", first)
		}
		time.Sleep(time.Hour)
		e = must[session.LedgerEvent](r)
		if len(e.Changed) != 2 || e.Changed[0].Was != retirement.Open || e.Changed[0].Is != retirement.Complete {
			t.Errorf("changed are %+v", e.Changed)
		}
		if done := e.Requests[1]; done.Pending() || !done.NextAt.IsZero() || done.Fetching {
			t.Errorf("the request is %+v", done)
		}
		if first.Answer.Status != retirement.Open {
			t.Error("what was sent before has changed")
		}
		asked := f.count("retirement R1")
		time.Sleep(time.Hour)
		if now := f.count("retirement R1"); now != asked {
			t.Errorf("a final request is looked up %d times more", now-asked)
		}
		if e := kept(t, r.store, "R1"); e.Label != "first half" || e.Status != retirement.Complete || e.Error != "" {
			t.Errorf("kept is %+v", e)
		}
	})
}

func TestChangesOfStateAddUpUntilTheyAreRead(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		statuses := []retirement.Status{retirement.Open, retirement.InProgress, retirement.Complete}
		next := 0
		f := &fake{retirement: func(_ context.Context, id string) (retirement.Request, error) {
			s := statuses[min(next, len(statuses)-1)]
			next++
			return retirement.Request{ID: id, Status: s}, nil
		}}
		r := open(t, f, store.Open(""))
		r.Add(session.Entry{ID: "R1"})
		time.Sleep(time.Hour)
		e := must[session.LedgerEvent](r)
		if len(e.Changed) != 1 || e.Changed[0] != (session.Change{ID: "R1", Was: retirement.Open, Is: retirement.Complete}) {
			t.Errorf("changed are %+v", e.Changed)
		}
		if len(e.Answered) != 1 || e.Answered[0].ID != "R1" {
			t.Errorf("answered are %+v", e.Answered)
		}
	})
}

func TestIDThatTheServiceDoesNotKnowIsNotFollowed(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		for _, kind := range []api.Kind{api.NotFound, api.Invalid} {
			f := &fake{retirement: func(context.Context, string) (retirement.Request, error) {
				return retirement.Request{}, failing(kind)
			}}
			r := open(t, f, store.Open(""))
			r.Add(session.Entry{ID: "R1"})
			time.Sleep(2 * time.Hour)
			e := must[session.LedgerEvent](r)
			if n := f.count("retirement R1"); n != 1 || !e.Requests[0].NextAt.IsZero() || api.KindOf(e.Requests[0].Err) != kind {
				t.Errorf("%v: %d look-ups, %+v", kind, n, e.Requests[0])
			}
			r.end()
		}
	})
}

func TestIDThatTurnsOutToBeUnknownIsNotFollowedOn(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		calls := 0
		f := &fake{retirement: func(context.Context, string) (retirement.Request, error) {
			if calls++; calls == 1 {
				return retirement.Request{}, failing(api.Unreachable)
			}
			return retirement.Request{}, failing(api.NotFound)
		}}
		r := open(t, f, store.Open(""))
		r.Add(session.Entry{ID: "R1"})
		time.Sleep(6 * time.Hour)
		e := must[session.LedgerEvent](r)
		if n := f.count("retirement R1"); n != 2 || !e.Requests[0].NextAt.IsZero() {
			t.Errorf("%d look-ups, %+v", n, e.Requests[0])
		}
	})
}

func TestRequestThatWasNotReachedIsFollowed(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		calls := 0
		f := &fake{retirement: func(_ context.Context, id string) (retirement.Request, error) {
			if calls++; calls < 3 {
				return retirement.Request{}, failing(api.Unreachable)
			}
			return retirement.Request{ID: id, Status: retirement.Complete}, nil
		}}
		r := open(t, f, store.Open(""))
		r.Add(session.Entry{ID: "R1"})
		time.Sleep(time.Hour)
		if e := must[session.LedgerEvent](r); e.Requests[0].Answer == nil || e.Requests[0].Err != nil {
			t.Errorf("the request is %+v", e.Requests[0])
		}
	})
}

func TestLabelsRemovalsAndWhatWasBroughtBackOutliveTheSession(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		path := file(t)
		r := open(t, &fake{retirement: stateAfter(time.Hour)}, store.Open(path))
		r.Add(session.Entry{ID: "R1"}, session.Entry{ID: "R2"}, session.Entry{ID: "R3"})
		r.SetLabel("R2", "  two ")
		e := must[session.LedgerEvent](r)
		removed := e.Requests[1]
		if removed.ID != "R2" || removed.Label != "two" {
			t.Fatalf("the ledger is %+v", e)
		}
		r.Remove("R1", "R2")
		if e := must[session.LedgerEvent](r); ids(e) != "[R3]" {
			t.Errorf("after removing, the ledger is %s", ids(e))
		}
		r.Restore(removed, removed)
		r.end() // before any of it was read
		next := open(t, &fake{retirement: stateAfter(time.Hour)}, store.Open(path))
		e = must[session.LedgerEvent](next)
		if len(e.Requests) != 2 {
			t.Fatalf("the ledger is %s", ids(e))
		}
		for _, q := range e.Requests {
			if q.ID == "R2" && (q.Label != "two" || q.Answer == nil) {
				t.Errorf("brought back is %+v", q)
			}
		}
	})
}

func TestKnownRequestIsLookedUpAgainOnlyIfItMayHaveChanged(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		f := &fake{retirement: func(_ context.Context, id string) (retirement.Request, error) {
			return retirement.Request{ID: id, Status: map[string]retirement.Status{"R1": retirement.Complete, "R2": retirement.Open}[id]}, nil
		}}
		r := open(t, f, store.Open(""))
		for range 2 {
			r.Add(session.Entry{ID: "R1"}, session.Entry{ID: "R2"})
			r.news()
		}
		if final, pending := f.count("retirement R1"), f.count("retirement R2"); final != 1 || pending != 2 {
			t.Errorf("what is final was looked up %d times, what may change %d times", final, pending)
		}
		r.LookUp("R1")
		r.news()
		if n := f.count("retirement R1"); n != 2 {
			t.Errorf("asked for by itself, it was looked up %d times", n)
		}
	})
}

func TestLedgerOfAnotherServiceStaysThere(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		path := file(t)
		other := store.Open(path)
		if err := other.Of("https://other.example").Ledger.Remember(t.Context(), time.Now(), "R1"); err != nil {
			t.Fatal(err)
		}
		if err := other.Close(); err != nil {
			t.Fatal(err)
		}
		r := open(t, &fake{}, store.Open(path))
		if e := must[session.LedgerEvent](r); len(e.Requests) != 0 {
			t.Errorf("the ledger is %s", ids(e))
		}
	})
}

// damage runs a statement on the file of a store.
func damage(t *testing.T, path, statement string) {
	t.Helper()
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := sqlitex.ExecuteTransient(conn, statement, nil); err != nil {
		t.Fatal(err)
	}
}

func TestLedgerThatCannotBeReadIsToldOnceUntilItCan(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		path := file(t)
		r := open(t, &fake{}, store.Open(path))
		r.Add(session.Entry{ID: "R1"})
		if e := must[session.LedgerEvent](r); e.Err != nil {
			t.Fatal(e.Err)
		}
		for range 2 {
			damage(t, path, "ALTER TABLE retirement RENAME TO elsewhere")
			r.OpenLedger()
			if e := must[session.LedgerEvent](r); e.Err == nil || ids(e) != "[R1]" {
				t.Errorf("the ledger is %s, %v", ids(e), e.Err)
			}
			r.OpenLedger()
			if e, again := latest[session.LedgerEvent](r); again {
				t.Errorf("it is sent again: %+v", e)
			}
			damage(t, path, "ALTER TABLE elsewhere RENAME TO retirement")
			r.OpenLedger()
			r.news()
		}
	})
}

func TestThousandOutcomesAreKept(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		const many = 1000
		f := &fake{retirement: func(_ context.Context, id string) (retirement.Request, error) {
			if strings.HasSuffix(id, "00") {
				return retirement.Request{}, failing(api.NotFound)
			}
			return retirement.Request{ID: id, Status: retirement.Complete}, nil
		}}
		r := open(t, f, store.Open(""))
		entries := make([]session.Entry, many)
		for i := range entries {
			entries[i].ID = fmt.Sprintf("R%03d", i)
		}
		r.Add(entries...)
		e := must[session.LedgerEvent](r)
		if len(e.Answered) != many || len(e.Requests) != many || e.Requests[many-1].ID != "R000" {
			t.Errorf("%d outcomes of %d requests", len(e.Answered), len(e.Requests))
		}
		all, err := r.store.Of(origin).Ledger.Entries(t.Context())
		answered := 0
		for _, k := range all {
			if k.Answer != nil {
				answered++
			}
		}
		if err != nil || len(all) != many || answered != many-10 || all[many-1].Error == "" {
			t.Errorf("the store has %d requests and %d answers, %v", len(all), answered, err)
		}
	})
}

func TestServiceThatAsksToWaitIsAskedAgainAndNothingIsRemembered(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		calls := 0
		f := &fake{retirement: func(_ context.Context, id string) (retirement.Request, error) {
			if calls++; calls == 1 {
				return retirement.Request{}, failing(api.RateLimited)
			}
			return retirement.Request{ID: id, Status: retirement.Complete}, nil
		}}
		r := open(t, f, store.Open(""))
		r.Add(session.Entry{ID: "R1"})
		if e := must[session.LedgerEvent](r); len(e.Answered) != 0 || kept(t, r.store, "R1").Error != "" {
			t.Errorf("outcomes are %+v", e.Answered)
		}
		time.Sleep(time.Hour)
		if e := must[session.LedgerEvent](r); len(e.Answered) != 1 || e.Requests[0].Answer == nil || f.count("retirement R1") != 2 {
			t.Errorf("outcomes are %+v", e.Answered)
		}
	})
}

// What is worked out of the answers of a ledger knows them by their addresses.
func TestUnchangedLookUpUpdatesOnlyItsTime(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		f := &fake{retirement: func(_ context.Context, id string) (retirement.Request, error) {
			return retirement.Request{ID: id, Status: retirement.Open, Items: []retirement.Item{{ID: "I1"}}}, nil
		}}
		s := open(t, f, store.Open(""))
		s.Add(session.Entry{ID: "R1"})
		time.Sleep(time.Second)
		before := must[session.LedgerEvent](s).Requests[0]
		time.Sleep(2 * time.Hour)
		after := must[session.LedgerEvent](s).Requests[0]
		if !after.AnsweredAt.After(before.AnsweredAt) {
			t.Fatal("it was not looked up again")
		}
		if after.Answer != before.Answer {
			t.Error("the same answer is another")
		}
	})
}

func TestFailureKeepsTheLastAnswerAndTheRequestIsFollowedOn(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		calls := 0
		f := &fake{retirement: func(_ context.Context, id string) (retirement.Request, error) {
			if calls++; calls == 2 {
				return retirement.Request{}, failing(api.Unreachable)
			}
			return retirement.Request{ID: id, Status: retirement.Open}, nil
		}}
		r := open(t, f, store.Open(""))
		r.Add(session.Entry{ID: "R1"})
		r.news()
		for f.count("retirement R1") < 2 {
			time.Sleep(time.Second)
		}
		e := must[session.LedgerEvent](r)
		if q := e.Requests[0]; q.Answer == nil || q.Err == nil || q.NextAt.IsZero() {
			t.Errorf("the request is %+v", q)
		}
		time.Sleep(time.Hour)
		if e := must[session.LedgerEvent](r); e.Requests[0].Err != nil {
			t.Errorf("the request is %+v", e.Requests[0])
		}
	})
}

func TestRemovedRequestIsNotLookedUpAnyMore(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		f := &fake{retirement: stateAfter(24 * time.Hour)}
		r := open(t, f, store.Open(""))
		r.Add(session.Entry{ID: "R1"})
		r.news()
		r.Remove("R1")
		asked := f.count("retirement R1")
		time.Sleep(2 * time.Hour)
		if now := f.count("retirement R1"); now != asked {
			t.Errorf("it is looked up %d times more", now-asked)
		}
	})
}

func TestRestartLooksUpWhatWasNeverAnswered(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		s := store.Open("")
		if err := s.Of(origin).Ledger.Remember(t.Context(), time.Now(), "R1"); err != nil {
			t.Fatal(err)
		}
		if e := must[session.LedgerEvent](open(t, &fake{}, s)); e.Requests[0].Answer == nil {
			t.Errorf("the request is %+v", e.Requests[0])
		}
	})
}

func TestCertificateOfAnotherProcessIsProvedAnew(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		path := file(t)
		here := open(t, &fake{}, store.Open(path))
		here.Add(session.Entry{ID: "R1"})
		here.news()
		other := store.Open(path)
		defer other.Close()
		missing := retirement.Certificate{Path: filepath.Join(t.TempDir(), "gone.pdf"), FetchedAt: time.Now()}
		if err := other.Of(origin).Ledger.SetCertificate(t.Context(), "R1", missing); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if e := must[session.LedgerEvent](here); e.Requests[0].FileStatus != session.Gone {
			t.Errorf("the request is %+v", e.Requests[0])
		}
	})
}

func TestRestartResumesWhatIsNotFinal(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		path := file(t)
		r := open(t, &fake{retirement: stateAfter(time.Hour)}, store.Open(path))
		r.Add(session.Entry{ID: "R1"})
		r.news()
		r.end()
		time.Sleep(2 * time.Hour)
		f := &fake{}
		next := open(t, f, store.Open(path))
		e := must[session.LedgerEvent](next)
		if len(e.Requests) != 1 || e.Requests[0].Answer.Status != retirement.Complete || f.count("retirement R1") != 1 {
			t.Errorf("the ledger is %+v after %d look-ups", e.Requests, f.count("retirement R1"))
		}
		if len(e.Changed) != 1 {
			t.Errorf("changed are %+v", e.Changed)
		}
		next.end()
		last := &fake{}
		must[session.LedgerEvent](open(t, last, store.Open(path)))
		time.Sleep(time.Hour)
		if n := last.count("retirement R1"); n != 0 {
			t.Errorf("a final request is looked up %d times", n)
		}
	})
}

func TestChangesByAnotherProcessAreRead(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		path := file(t)
		here := open(t, &fake{}, store.Open(path))
		here.Add(session.Entry{ID: "R1"}, session.Entry{ID: "R2"})
		here.news()
		there := open(t, &fake{}, store.Open(path))
		must[session.LedgerEvent](there)
		time.Sleep(time.Second)
		there.Remove("R2")
		there.SetLabel("R1", "by another")
		there.Add(session.Entry{ID: "R3"})
		there.news()
		time.Sleep(time.Minute)
		e := must[session.LedgerEvent](here)
		if ids(e) != "[R1 R3]" || e.Requests[0].Label != "by another" || e.Requests[1].Answer == nil {
			t.Errorf("the ledger is %s: %+v", ids(e), e.Requests[0])
		}
		time.Sleep(time.Minute)
		if e, again := latest[session.LedgerEvent](here); again {
			t.Errorf("the ledger comes again: %+v", e)
		}
	})
}

func TestALedgerThatNobodyElseChangedIsNotReadAgainByItself(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		path := file(t)
		r := begin(t, &fake{}, store.Open(path))
		r.OpenLedger()
		r.news()
		// Its own store changes nothing that the session does not know.
		if err := r.store.Of(origin).Ledger.Remember(t.Context(), time.Now(), "R1"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Minute)
		if e, read := latest[session.LedgerEvent](r); read {
			t.Errorf("the ledger is read: %+v", e)
		}
		other := store.Open(path)
		defer other.Close()
		if err := other.Of(origin).Ledger.Remember(t.Context(), time.Now(), "R2"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if e := must[session.LedgerEvent](r); len(e.Requests) != 2 {
			t.Errorf("the ledger is %+v", e)
		}
	})
}

func TestReadingTheLedgerUndoesNothingThatIsNotWrittenYet(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		r := open(t, &fake{}, store.Open(file(t)))
		for n := range 30 {
			r.OpenLedger()
			r.Add(session.Entry{ID: fmt.Sprint("R", n)})
			r.OpenLedger()
			if e := must[session.LedgerEvent](r); len(e.Requests) != n+1 {
				t.Fatalf("after %d requests the ledger is %s", n+1, ids(e))
			}
		}
	})
}

func TestEndOfTheSessionIsNotTakenForAnAnswer(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		path := file(t)
		r := open(t, new(hanging), store.Open(path))
		r.Add(session.Entry{ID: "R1"})
		r.news()
		r.end()
		again := store.Open(path)
		defer again.Close()
		if e := kept(t, again, "R1"); e.ID != "R1" || e.Error != "" {
			t.Errorf("kept is %+v", e)
		}
	})
}

// hanging never answers for a request until the call is given up.
type hanging struct{ fake }

func (h *hanging) Retirement(ctx context.Context, _ string) (retirement.Request, error) {
	<-ctx.Done()
	return retirement.Request{}, ctx.Err()
}
