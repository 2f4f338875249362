package session_test

import (
	"fmt"
	"testing"
	"time"

	"tonne/api"
	"tonne/api/session"
	must "tonne/model/musttest"
	"tonne/model/retirement"
)

func TestRequestsAreFollowedToFinalState(t *testing.T) {
	inMemory(t, func(f *fixture) {
		f.retirement.answers(status(retirement.Open), status(retirement.Complete).from(10*time.Minute))
		me := f.start(with{ledger: true})
		me.Add(session.Entry{ID: "R1", Label: "first"}, session.Entry{ID: "R2"})
		me.expect(`ledger [R2 OPEN next] [R1 "first" OPEN next] answered R1 answered R2`)
		wait(time.Hour)
		me.expect(`ledger [R2 COMPLETE was OPEN] [R1 "first" COMPLETE was OPEN] ` +
			`answered R1 answered R2 changed R1:OPEN→COMPLETE changed R2:OPEN→COMPLETE`)
		f.expectStored(`requests [R2 "" COMPLETE at … ] [R1 "first" COMPLETE at … ]`)
		f.retirement.answers(status(retirement.Open))
		wait(time.Hour)
		me.expect("no ledger")
		me.Refresh()
		wait(time.Hour)
		me.expect("no ledger")
	})
}

func TestLookUpsAreRepeatedUntilAnAnswerIsFinal(t *testing.T) {
	for _, c := range []struct {
		name        string
		answers     []answer
		after       time.Duration
		least, most int
		event       string
	}{
		{
			name:    "changes add up",
			answers: []answer{status(retirement.Open), status(retirement.InProgress), status(retirement.Complete)},
			after:   time.Hour, least: 3, most: 3,
			event: "ledger [R1 COMPLETE was OPEN] answered R1 changed R1:OPEN→COMPLETE",
		},
		{
			name: "unknown", answers: []answer{fails(api.NotFound)}, after: 6 * time.Hour, least: 1, most: 1,
			event: "ledger [R1 (unknown)] answered R1",
		},
		{
			name: "invalid", answers: []answer{fails(api.Invalid)}, after: 6 * time.Hour, least: 1, most: 1,
			event: "ledger [R1 (invalid)] answered R1",
		},
		{
			name: "unreachable and unknown", answers: []answer{fails(api.Unreachable), fails(api.NotFound)},
			after: 6 * time.Hour, least: 2, most: 2, event: "ledger [R1 (unknown)] answered R1",
		},
		{
			name:    "unreachable and final",
			answers: []answer{fails(api.Unreachable), fails(api.Unreachable), status(retirement.Complete)},
			after:   time.Hour, least: 3, most: 3, event: "ledger [R1 COMPLETE] answered R1",
		},
		{
			name: "unreachable for a day", answers: []answer{fails(api.Unreachable)},
			after: 24 * time.Hour, least: 90, most: 150, event: "ledger [R1 (unreachable) next] answered R1",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			inMemory(t, func(f *fixture) {
				f.retirement.answers(c.answers...)
				me := f.start(with{ledger: true})
				me.add("R1")
				wait(c.after)
				f.retirement.expectBetween(f.t, c.least, c.most)
				me.expect(c.event)
			})
		})
	}
}

func TestFailedLookUpKeepsTheAnswer(t *testing.T) {
	inMemory(t, func(f *fixture) {
		f.retirement.answers(status(retirement.Open), fails(api.Unreachable), status(retirement.Open))
		me := f.start(with{ledger: true})
		me.add("R1")
		me.expect("ledger [R1 OPEN next] answered R1")
		wait(40 * time.Second)
		me.expect("ledger [R1 OPEN (unreachable) next] answered R1")
		f.retirement.expectCount(f.t, 2)
		wait(time.Hour)
		me.expect("ledger [R1 OPEN next] answered R1")
	})
}

func TestFailedLookUpOfFinalRequest(t *testing.T) {
	inMemory(t, func(f *fixture) {
		f.retirement.answers(status(retirement.Complete), fails(api.NotFound))
		me := f.start(with{ledger: true})
		me.add("R1")
		me.expect("ledger [R1 COMPLETE] answered R1")
		me.LookUp("R1")
		me.expect("ledger [R1 COMPLETE (unknown)] answered R1")
	})
}

func TestLedgerEditsAreKept(t *testing.T) {
	onDisk(t, func(f *fixture) {
		f.retirement.answers(status(retirement.Open))
		me := f.start(with{ledger: true})
		me.add("R1", "R2", "R3")
		me.read()
		me.Remove("R2")
		me.expect("ledger [R3 OPEN next] [R1 OPEN next]")
		me.Restore(me.requests["R2"], me.requests["R2"])
		me.SetLabel("R2", " two\x1b ")
		me.Remove("R1")
		// These edits are still unread at the end.
		me.end()
		next := f.start(with{ledger: true})
		next.expect(`ledger [R3 OPEN next] [R2 "two" OPEN next]`)
		next.Remove("R2", "R3")
		next.expect("ledger")
		next.Restore(next.requests["R2"], next.requests["R2"])
		next.expect(`ledger [R2 "two" OPEN next]`)
		next.SetLabel("R9", "not in the ledger")
		next.expect("no ledger")
	})
}

func TestRemovedRequestIsNotLookedUp(t *testing.T) {
	inMemory(t, func(f *fixture) {
		f.retirement.answers(status(retirement.Open))
		me := f.start(with{ledger: true})
		me.add("R1")
		me.read()
		me.Remove("R1")
		wait(2 * time.Hour)
		f.retirement.expectCount(f.t, 1)
	})
}

func TestRequestIsLookedUpAgainOnlyIfItMayHaveChanged(t *testing.T) {
	inMemory(t, func(f *fixture) {
		f.retirement.of("R1").answers(status(retirement.Complete))
		f.retirement.of("R2").answers(status(retirement.Open))
		me := f.start(with{ledger: true})
		me.add("R1", "R2")
		me.read()
		me.add("R1", "R2")
		me.read()
		f.retirement.of("R1").expectCount(f.t, 1)
		f.retirement.of("R2").expectCount(f.t, 2)
		me.LookUp("R1")
		me.expect("ledger [R2 OPEN next] [R1 COMPLETE]")
		f.retirement.of("R1").expectCount(f.t, 2)
		me.LookUp("R9")
		wait(time.Second)
		f.retirement.of("R9").expectCount(f.t, 0)
	})
}

func TestRequestIsNotLookedUpTwiceAtOnce(t *testing.T) {
	inMemory(t, func(f *fixture) {
		f.retirement.answers(status(retirement.Complete).slow(time.Second))
		me := f.start(with{ledger: true})
		me.add("R1")
		me.LookUp("R1")
		me.expect("ledger [R1 fetching]")
		wait(time.Second)
		me.expect("ledger [R1 COMPLETE] answered R1")
		f.retirement.expectCount(f.t, 1)
	})
}

func TestRequestsAreNotFollowedWhilePaused(t *testing.T) {
	inMemory(t, func(f *fixture) {
		f.retirement.answers(status(retirement.Open))
		me := f.start(with{ledger: true})
		me.Pause(true)
		me.add("R1")
		me.expect("ledger [R1 OPEN next] answered R1")
		wait(time.Hour)
		f.retirement.expectCount(f.t, 1)
	})
}

func TestFewLookUpsAtATime(t *testing.T) {
	inMemory(t, func(f *fixture) {
		f.retirement.answers(status(retirement.Complete).slow(time.Second))
		me := f.start(with{ledger: true})
		me.add(numbered("R", 40)...)
		wait(10 * time.Second)
		f.retirement.expectCount(f.t, 40)
		me.expect("ledger 40 requests, 40 answered")
		must.Equal(f.t, f.retirement.most, 4)
	})
}

func TestRefreshLooksUpPendingRequests(t *testing.T) {
	inMemory(t, func(f *fixture) {
		f.retirement.answers(status(retirement.Open))
		me := f.start(with{ledger: true})
		me.add("R1")
		wait(10 * time.Second)
		me.Refresh()
		wait(100 * time.Millisecond)
		me.Refresh()
		wait(100 * time.Millisecond)
		must.Equal(f.t, f.retirement.calls(), "0s 10s")
	})
}

func TestRequestsAreFollowedIfTheClockGoesBack(t *testing.T) {
	inMemory(t, func(f *fixture) {
		f.retirement.answers(status(retirement.Open))
		me := f.start(with{ledger: true})
		me.add("R1")
		me.read()
		f.setClock(-24 * time.Hour)
		wait(time.Minute)
		f.retirement.expectBetween(f.t, 2, 4)
	})
}

func TestLookUpsWaitIfTheServiceAsks(t *testing.T) {
	inMemory(t, func(f *fixture) {
		f.retirement.answers(limited(20*time.Second), status(retirement.Complete))
		me := f.start(with{ledger: true})
		me.add("R1")
		me.expect("ledger [R1 (limited) next]")
		f.expectStored(`requests [R1 ""  at never ]`)
		me.add("R2")
		wait(time.Minute)
		must.Equal(f.t, f.retirement.calls(), "0s 20s 20s")
		me.expect("ledger [R1 COMPLETE] [R2 COMPLETE] answered R1 answered R2")
	})
}

func TestRefusedKeyFailsAllLookUps(t *testing.T) {
	onDisk(t, func(f *fixture) {
		f.retirement.answers(fails(api.Unauthorized).slow(time.Second))
		me := f.start(with{ledger: true})
		me.add("R1", "R2", "R3", "R4", "R5", "R6")
		wait(time.Hour)
		f.retirement.expectCount(f.t, 4)
		me.expect(
			failedLedger("R", 6, "unauthorized"),
			"market refused 0s (unauthorized) #1",
		)
		f.retirement.answers(fails(api.Forbidden).slow(time.Second))
		f.wallets.answers()
		other := f.start(with{ledger: true, store: "other.db"})
		other.add("S1", "S2", "S3", "S4", "S5", "S6")
		wait(time.Hour)
		f.retirement.expectCount(f.t, 8)
		other.expect(
			failedLedger("S", 6, "forbidden"),
			"market live 2h0m0s #721",
		)
	})
}

func TestNextRunFollowsRequests(t *testing.T) {
	onDisk(t, func(f *fixture) {
		f.retirement.answers(status(retirement.Open))
		me := f.start(with{ledger: true})
		me.add("R1")
		me.expect("ledger [R1 OPEN next] answered R1")
		me.end()
		wait(2 * time.Hour)
		f.retirement.answers(status(retirement.Complete))
		next := f.start(with{ledger: true})
		next.expect("ledger [R1 COMPLETE was OPEN] answered R1 changed R1:OPEN→COMPLETE")
		next.end()
		last := f.start(with{ledger: true})
		wait(time.Hour)
		last.expect("ledger [R1 COMPLETE was OPEN]")
		f.retirement.expectCount(f.t, 2)
	})
}

func TestNextRunLooksUpRequestsWithoutAnswer(t *testing.T) {
	onDisk(t, func(f *fixture) {
		f.retirement.answers(fails(api.Unreachable))
		me := f.start(with{ledger: true})
		me.add("R1")
		me.expect("ledger [R1 (unreachable) next] answered R1")
		me.end()
		f.retirement.answers()
		next := f.start(with{ledger: true})
		next.expect("ledger [R1 COMPLETE] answered R1")
	})
}

func TestEndIsNoAnswer(t *testing.T) {
	onDisk(t, func(f *fixture) {
		f.retirement.answers(status(retirement.Complete).slow(time.Hour))
		me := f.start(with{ledger: true})
		me.add("R1")
		me.expect("ledger [R1 fetching]")
		me.end()
		f.expectStored(`requests [R1 ""  at never ]`)
	})
}

func TestLedgerChangedByAnotherProgram(t *testing.T) {
	onDisk(t, func(f *fixture) {
		here := f.start(with{ledger: true})
		here.add("R1", "R2")
		here.read()
		there := f.start(with{ledger: true})
		there.read()
		wait(time.Second)
		there.Remove("R2")
		there.SetLabel("R1", "by another")
		there.add("R3")
		there.expect(`ledger [R1 "by another" COMPLETE] [R3 COMPLETE] answered R3`)
		wait(time.Minute)
		here.expect(`ledger [R1 "by another" COMPLETE] [R3 COMPLETE]`)
		wait(time.Minute)
		here.expect("no ledger")
	})
}

func TestRequestNamedWhileAnotherProgramRemovesIt(t *testing.T) {
	onDisk(t, func(f *fixture) {
		here := f.start(with{ledger: true})
		here.add("R1")
		here.read()
		there := f.start(with{ledger: true})
		there.read()
		here.Remove("R1")
		here.expect("ledger")
		there.SetLabel("R1", "mine")
		wait(2 * time.Minute)
		there.expect(`ledger [R1 "mine" COMPLETE]`)
		here.expect(`ledger [R1 "mine" COMPLETE]`)
	})
}

func TestLedgerOfAnotherService(t *testing.T) {
	onDisk(t, func(f *fixture) {
		here := f.start(with{ledger: true})
		here.add("R1")
		here.end()
		f.sql("UPDATE origin SET url = 'https://other.example'")
		next := f.start(with{ledger: true})
		next.expect("ledger")
	})
}

func TestLedgerThatCannotBeRead(t *testing.T) {
	onDisk(t, func(f *fixture) {
		me := f.start(with{ledger: true})
		me.add("R1")
		me.expect("ledger [R1 COMPLETE] answered R1")
		f.sql("ALTER TABLE retirement RENAME TO elsewhere")
		me.OpenLedger()
		me.expect("ledger [R1 COMPLETE] (sqlite: step: SQL logic error: no such table: retirement)")
		me.OpenLedger()
		me.expect("no ledger")
		f.sql("ALTER TABLE elsewhere RENAME TO retirement")
		me.OpenLedger()
		me.expect("no ledger")
		f.sql("ALTER TABLE retirement RENAME TO elsewhere")
		me.OpenLedger()
		me.expect("ledger [R1 COMPLETE] (sqlite: step: SQL logic error: no such table: retirement)")
	})
}

func TestLedgerEditsSurviveRead(t *testing.T) {
	inMemory(t, func(f *fixture) {
		me := f.start(with{ledger: true})
		me.OpenLedger()
		me.add("R1")
		me.OpenLedger()
		me.expect("ledger [R1 COMPLETE] answered R1")
		me.add("R2")
		me.OpenLedger()
		me.add("R3")
		me.OpenLedger()
		me.expect("ledger [R1 COMPLETE] [R2 COMPLETE] [R3 COMPLETE] answered R2 answered R3")
	})
}

func TestChangesAreMarkedUntilLookedAt(t *testing.T) {
	onDisk(t, func(f *fixture) {
		f.retirement.answers(status(retirement.Open), status(retirement.Complete).from(10*time.Minute))
		me := f.start(with{ledger: true})
		me.add("R1")
		me.expect("ledger [R1 OPEN next] answered R1")
		wait(time.Hour)
		me.expect("ledger [R1 COMPLETE was OPEN] answered R1 changed R1:OPEN→COMPLETE")
		me.end()
		next := f.start(with{ledger: true})
		next.expect("ledger [R1 COMPLETE was OPEN]")
		next.Look("R1")
		next.Look("R9")
		next.expect("ledger [R1 COMPLETE]")
		next.end()
		last := f.start(with{ledger: true})
		last.expect("ledger [R1 COMPLETE]")
	})
}

func TestLostStoreIsReportedOnce(t *testing.T) {
	onDisk(t, func(f *fixture) {
		f.write("store.db", "")
		me := f.start(with{})
		me.expect("no store")
		me.OpenLedger()
		wait(2 * time.Minute)
		me.expect("store lost")
		wait(2 * time.Minute)
		me.expect("no store")
	})
}

func TestLookUpsAreRarerTheLongerARequestWaits(t *testing.T) {
	inMemory(t, func(f *fixture) {
		f.retirement.answers(status(retirement.Open))
		me := f.start(with{ledger: true, every: time.Hour})
		me.add("R1")
		wait(10 * time.Minute)
		f.retirement.expectBetween(f.t, 17, 26)
		wait(290 * time.Minute)
		f.retirement.expectBetween(f.t, 75, 110)
		wait(19 * time.Hour)
		f.retirement.expectBetween(f.t, 145, 195)
		me.expect("ledger [R1 OPEN next] answered R1")
	})
}

func TestLedgerIsNotReadAgainIfNoOtherProgramChangedIt(t *testing.T) {
	onDisk(t, func(f *fixture) {
		me := f.start(with{ledger: true})
		me.read()
		ledger := me.options.Store.Of(origin).Ledger
		must.Succeed(f.t, ledger.Remember(f.t.Context(), f.now(), "R1"))
		wait(5 * time.Minute)
		me.expect("no ledger")
		other := f.start(with{ledger: true})
		other.add("R2")
		wait(time.Minute)
		me.expect("ledger [R1 COMPLETE] [R2 COMPLETE]")
	})
}

// failedLedger is the event of a ledger whose look-ups have all failed.
func failedLedger(prefix string, requests int, cause string) string {
	text, answered := "ledger", ""
	for n := range requests {
		text += fmt.Sprintf(" [%s%d (%s) next]", prefix, requests-n, cause)
		answered += fmt.Sprintf(" answered %s%d", prefix, n+1)
	}
	return text + answered
}

func numbered(prefix string, requests int) (ids []string) {
	for n := range requests {
		ids = append(ids, fmt.Sprint(prefix, n))
	}
	return ids
}
