package session_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"tonne/api/session"
	"tonne/model/retirement"
	"tonne/model/store"
)

func TestWhatChangedIsMarkedUntilSomebodyLooksAlsoAfterARestart(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "store.db")
		f := &fake{retirement: stateAfter(10 * time.Minute)}
		r := open(t, f, store.Open(path))
		r.Add(session.Entry{ID: "R1"})
		if e := must[session.LedgerEvent](r); e.Requests[0].Looked != retirement.Open || e.Requests[0].Changed() {
			t.Errorf("a first answer is %+v", e.Requests[0])
		}
		time.Sleep(time.Hour)
		if e := must[session.LedgerEvent](r); !e.Requests[0].Changed() {
			t.Errorf("what changed is %+v", e.Requests[0])
		}
		r.end()

		r = open(t, f, store.Open(path))
		if e := must[session.LedgerEvent](r); !e.Requests[0].Changed() || e.Requests[0].Looked != retirement.Open {
			t.Errorf("after a restart it is %+v", e.Requests[0])
		}
		r.Look("R1")
		r.Look("nobody")
		if e := must[session.LedgerEvent](r); e.Requests[0].Changed() {
			t.Errorf("after a look it is %+v", e.Requests[0])
		}
		time.Sleep(time.Hour)
		r.end()

		r = open(t, f, store.Open(path))
		if e := must[session.LedgerEvent](r); e.Requests[0].Changed() {
			t.Errorf("it is marked again: %+v", e.Requests[0])
		}
	})
}

func TestUserNotesAreSavedAndReported(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		r := open(t, &fake{}, store.Open(""))
		if e, ok := latest[session.AnnotationsEvent](r); ok {
			t.Errorf("no event: %+v", e)
		}
		at := time.Now().UTC().Truncate(time.Second)
		seen := retirement.Observation{Subject: "R1", At: at, Who: "Ada", URL: "https://registry.example/1"}
		r.See(seen)
		e := must[session.AnnotationsEvent](r)
		if len(e.Observations) != 1 || e.Observations[0] != seen {
			t.Errorf("seen was %+v", e.Observations)
		}
		time.Sleep(time.Hour)
		if e, ok := latest[session.AnnotationsEvent](r); ok {
			t.Errorf("the same event again: %+v", e)
		}
	})
}

func TestTheJournalIsReadAgainWithTheLedger(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		var again atomic.Bool
		r := beginWith(t, &fake{}, session.Options{Origin: origin, Store: store.Open(""), Journal: func(context.Context) ([]retirement.JournalEntry, error) {
			calls := []retirement.JournalEntry{{RequestID: "R1", Reference: "PO-1"}}
			if again.Load() {
				calls = append(calls, retirement.JournalEntry{RequestID: "R1", Reference: "PO-2"})
			}
			return calls, nil
		}})
		r.OpenLedger()
		if e := must[session.AnnotationsEvent](r); e.Journal["R1"].Reference() != "PO-1" {
			t.Errorf("told was %+v", e)
		}
		again.Store(true)
		time.Sleep(2 * time.Minute)
		if e := must[session.AnnotationsEvent](r); e.Journal["R1"].Reference() != "PO-1, PO-2" {
			t.Errorf("told was %+v", e)
		}
	})
}

// The journal is read whole. Answers come by the thousand, and most say nothing
// new.
func TestReadsOfTheJournalThatWaitAreOne(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		var reads atomic.Int64
		answer := func(_ context.Context, id string) (retirement.Request, error) {
			return retirement.Request{ID: id, Status: retirement.Open, Type: retirement.Fractionalised, Items: []retirement.Item{{ID: "I", Quantity: 20}}}, nil
		}
		r := beginWith(t, &fake{retirement: answer}, session.Options{Origin: origin, Store: store.Open(""), Journal: func(context.Context) ([]retirement.JournalEntry, error) {
			reads.Add(1)
			time.Sleep(10 * time.Second)
			return nil, nil
		}})
		r.OpenLedger()
		time.Sleep(time.Minute)
		reads.Store(0)
		for n := range 100 {
			r.Add(session.Entry{ID: fmt.Sprint("R", n)})
			time.Sleep(10 * time.Millisecond)
		}
		time.Sleep(30 * time.Second)
		if n := reads.Load(); n == 0 || n > 3 {
			t.Errorf("100 requests were answered, and the journal was read %d times", n)
		}
		reads.Store(0)
		time.Sleep(time.Hour)
		if n := reads.Load(); n > 61 {
			t.Errorf("in an hour in which nothing changed, the journal was read %d times", n)
		}
	})
}

// Between the service's answer and the ledger a program may be killed: the call
// is only in the journal then.
func TestTheLedgerGetsFromTheJournalWhatAKilledProgramDidNotEnter(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T) {
		path := file(t)
		calls := func(context.Context) ([]retirement.JournalEntry, error) {
			return []retirement.JournalEntry{{RequestID: "R1", Reference: "PO-1"}, {RequestID: "R2"}}, nil
		}
		start := func() *running {
			r := beginWith(t, &fake{retirement: stateAfter(time.Hour)}, session.Options{Origin: origin, Store: store.Open(path), Journal: calls})
			r.OpenLedger()
			return r
		}
		r := start()
		if e := must[session.LedgerEvent](r); len(e.Requests) != 2 || e.Requests[0].Answer == nil {
			t.Fatalf("the ledger has %d requests: %+v", len(e.Requests), e.Requests)
		}
		r.Remove("R1")
		time.Sleep(5 * time.Minute)
		if e := must[session.LedgerEvent](r); len(e.Requests) != 1 {
			t.Errorf("what a person removed came back: %+v", e.Requests)
		}
		r.end()
		r = start()
		if e := must[session.LedgerEvent](r); len(e.Requests) != 1 || e.Requests[0].ID != "R2" {
			t.Errorf("at the next start it came back: %+v", e.Requests)
		}
	})
}

func TestTheLossOfTheStoresContentIsToldOnce(t *testing.T) {
	t.Parallel()
	path := file(t)
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	in(t, func(t *testing.T) {
		r := begin(t, &fake{}, store.Open(path))
		told := 0
		for range 3 {
			for _, e := range r.news() {
				if e, ok := e.(session.StoreEvent); ok && e.Lost != nil {
					told++
				}
			}
			r.OpenLedger()
			time.Sleep(time.Minute)
		}
		if told != 1 {
			t.Errorf("it is sent %d times", told)
		}
	})
}
