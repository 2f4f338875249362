package session_test

import (
	"testing"
	"time"

	"tonne/model/attribute"
	"tonne/model/file/store"
	"tonne/model/retirement"
)

func TestObservationsAreShown(t *testing.T) {
	inMemory(t, func(f *fixture) {
		me := f.start(with{ledger: true})
		me.expect("no annotations")
		me.See(retirement.Observation{
			Subject: "R1", At: start, Who: "Ada", URL: "https://registry.example/1",
		})
		me.expect("annotations R1 seen by Ada")
		wait(time.Hour)
		me.expect("no annotations")
	})
}

func TestRequestsOfTheJournalAreFollowed(t *testing.T) {
	onDisk(t, func(f *fixture) {
		f.retirement.answers(status(retirement.Open))
		f.journal.answers(pages(retirement.JournalEntry{RequestID: "R1", Reference: "PO-1"},
			retirement.JournalEntry{RequestID: "R1", Reference: "PO-2"}, retirement.JournalEntry{RequestID: "R2"}))
		me := f.start(with{ledger: true, journal: true})
		me.expect(
			"annotations R1 made as PO-1, PO-2 R2 made as ",
			"ledger [R1 OPEN next] [R2 OPEN next] answered R1 answered R2",
		)
		me.Remove("R1")
		wait(5 * time.Minute)
		me.expect("ledger [R2 OPEN next] answered R2")
		me.end()
		f.journal.answers(pages(retirement.JournalEntry{RequestID: "R1", Reference: "PO-1"},
			retirement.JournalEntry{RequestID: "R2"}))
		next := f.start(with{ledger: true, journal: true})
		next.expect("ledger [R2 OPEN next] answered R2")
	})
}

func TestJournalReadsThatWaitAreOne(t *testing.T) {
	inMemory(t, func(f *fixture) {
		f.retirement.answers(status(retirement.Open))
		f.journal.answers(answer{}.slow(10 * time.Second))
		me := f.start(with{ledger: true, journal: true})
		wait(time.Minute)
		f.journal.expectBetween(f.t, 1, 3)
		me.add(numbered("R", 40)...)
		wait(40 * time.Second)
		f.journal.expectBetween(f.t, 3, 7)
		wait(time.Hour)
		f.journal.expectBetween(f.t, 60, 70)
	})
}

func TestFactsAreReadAgain(t *testing.T) {
	onDisk(t, func(f *fixture) {
		f.fact(attribute.Labelled)
		me := f.start(with{})
		me.expect("annotations [ccp]")
		wait(2 * time.Minute)
		me.expect("no annotations")
		f.fact(attribute.NotLabelled)
		wait(2 * time.Minute)
		me.expect("annotations []")
		f.fact("")
		wait(2 * time.Minute)
		me.expect("annotations []")
	})
}

// fact is a fact about the vintage of P that another program enters.
func (f *fixture) fact(value string) {
	f.t.Helper()
	fact := attribute.Fact{
		Scope: attribute.OfVintage, ID: key("P").VintageID, Attribute: attribute.CCP, Value: value,
		Source: "https://icvcm.org/a", Checked: f.now().UTC().Truncate(24 * time.Hour),
	}
	f.stored(func(o *store.Store) error {
		return o.Of(origin).Annotations.PutFacts(f.t.Context(), []attribute.Fact{fact})
	})
}
