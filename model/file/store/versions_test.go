package store

import (
	"testing"
	"time"

	"tonne/model"
	"tonne/model/attribute"
	must "tonne/model/musttest"
	"tonne/model/retirement"
)

// opensOld runs a test with a file of an old version, which is converted, and with one that cannot be written and
// continues in memory.
func opensOld(t *testing.T, version int, test func(f *fixture, inMemory bool)) {
	for name, inMemory := range map[string]bool{"file": false, "memory": true} {
		t.Run(name, func(t *testing.T) {
			f := fresh(t)
			old(t, f.path, version)
			if inMemory {
				f.fail()
			}
			test(f, inMemory)
		})
	}
}

func TestFileOfTheFirstVersion(t *testing.T) {
	opensOld(t, 1, func(f *fixture, inMemory bool) {
		ctx := f.Context()
		must.Equal(f, must.Get(f.Cache.Projects(ctx)), model.Projects{"003a": {ID: "003a", Name: "Bale Mountains"}})
		must.Equal(f, each(must.Get(f.History.Prices(ctx, bale, time.Time{})), show), []string{
			"{Vintage:{ProjectID:003a VintageID:004a} At:2026-02-08T12:00:00Z BestAsk:620 Available:5000000}",
		})
		must.Equal(f, f.watched(), []string{"004a"})
		must.Equal(f, f.rules(), []string{"004a best ask ≤ $6.00"})
		entry := LedgerEntry{
			ID: "00m1", Label: "Q3 flights", FirstSeen: noon, AnsweredAt: noon, Status: retirement.Closed,
			Answer: &retirement.Request{ID: "00m1", Status: retirement.Closed}, Looked: retirement.Closed,
		}
		if inMemory {
			entry.Looked = ""
		}
		must.Equal(f, f.onlyEntry(), entry)
		first := "1 004a best ask ≤ $6.00: ? → 590"
		if inMemory {
			must.Equal(f, f.checked(0, askOf(590)), []string{first + " already"})
			return
		}
		must.Equal(f, f.checked(0, askOf(590)), []string{first})
		f.addRules(onRequest("00m1", "CLOSED"))
		second := "2 00m1 becomes CLOSED:  → CLOSED already"
		must.Equal(f, f.checked(0, nil), []string{second})
		must.Equal(f, f.facts(), nil)
		f.ok(f.Annotations.PutFacts(ctx, []attribute.Fact{labelled}))
		f.reopen()
		must.Equal(f, f.facts(), []string{show(labelled)})
		must.Equal(f, f.alerts(0), []string{second, first})
		must.Equal(f, f.onlyEntry(), entry)
	})
}

func TestFileWithSeparateRules(t *testing.T) {
	opensOld(t, 10, func(f *fixture, _ bool) {
		must.Equal(f, f.rules(),
			[]string{"004a best ask ≤ $5.00", "004a best ask ≤ $6.00", " changes state", "00m1 becomes CLOSED"})
		must.Equal(f, f.checked(0, askOf(490)), []string{"1 004a best ask ≤ $5.00: 590 → 490"})
		f.answer("00m1", retirement.Complete, time.Minute)
		must.Equal(f, f.checked(minutes(2), nil), []string{"2 00m1 changes state: CLOSED → COMPLETE"})
	})
}
