package store

import (
	"errors"
	"testing"
	"time"

	"tonne/model/retirement"
)

func TestTheStateThatAPersonLookedAtLastIsKept(t *testing.T) {
	t.Parallel()
	s, path := fresh(t)
	record := func(at time.Duration, status retirement.Status) {
		must(t, s.Of(production).Ledger.Record(t.Context(), LookUp{ID: "00m1", At: noon.Add(at), Answer: &retirement.Request{ID: "00m1", Status: status}}))
	}
	must(t, s.Of(production).Ledger.Remember(t.Context(), noon, "00m1"))
	must(t, s.Of(production).Ledger.Look(t.Context(), "00m1", ""))
	if got := onlyEntry(t, s).Looked; got != "" {
		t.Errorf("a request without a response was seen as %q", got)
	}
	record(1, retirement.Closed)
	record(2, retirement.InProgress)
	must(t, s.Close())
	s = opened(t, path)
	if got := onlyEntry(t, s).Looked; got != retirement.Closed {
		t.Errorf("looked at %q, want that of the first answer", got)
	}
	must(t, s.Of(production).Ledger.Look(t.Context(), "00m1", retirement.InProgress))
	must(t, s.Of(production).Ledger.Look(t.Context(), "nobody", retirement.InProgress))
	if got := onlyEntry(t, s).Looked; got != retirement.InProgress {
		t.Errorf("looked at %q", got)
	}
	must(t, s.Of(production).Ledger.Remove(t.Context(), "00m1"))
	must(t, s.Of(production).Ledger.Remember(t.Context(), noon, "00m1"))
	if got := onlyEntry(t, s).Looked; got != "" {
		t.Errorf("what was removed was looked at: %q", got)
	}
}

func TestWhatAPersonLookedAtOutlivesAFileThatFails(t *testing.T) {
	t.Parallel()
	s, _ := fresh(t)
	must(t, s.Of(production).Ledger.Remember(t.Context(), noon, "00m1"))
	must(t, s.Of(production).Ledger.Record(t.Context(), LookUp{ID: "00m1", At: noon, Answer: &retirement.Request{ID: "00m1", Status: retirement.Closed}}))
	s.turn <- struct{}{}
	must(t, s.continueInMemory(errors.New("the disk is full")))
	<-s.turn
	if got := onlyEntry(t, s).Looked; got != retirement.Closed {
		t.Errorf("looked at %q", got)
	}
}
