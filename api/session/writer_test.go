package session_test

import (
	"context"
	"testing"
	"time"

	"tonne/api/session"
	must "tonne/model/musttest"
	"tonne/model/retirement"
)

func TestEditsAreWrittenBeforeTheEnd(t *testing.T) {
	onDisk(t, func(f *fixture) {
		me := f.start(with{ledger: true})
		me.lock(9 * time.Second)
		me.Watch(key("Q"), true)
		me.Add(session.Entry{ID: "R1", Label: "mine"})
		must.Equal(f.t, must.Get(me.stop()), 9*time.Second)
		f.expectStored("watched P Q", `requests [R1 "mine"  at never ]`)
	})
}

func TestEndWaitsForTenSecondsOnly(t *testing.T) {
	onDisk(t, func(f *fixture) {
		me := f.start(with{ledger: true})
		me.lock(11 * time.Second)
		me.Watch(key("Q"), true)
		me.Add(session.Entry{ID: "R1", Label: "mine"})
		took, err := me.stop()
		must.Fail(f.t, err, context.Canceled)
		must.Equal(f.t, took, 10*time.Second)
		f.expectStored("watched P", "requests")
		me.expect("store watch list not saved ledger not saved ledger not saved")
	})
}

func TestEventsBeforeTheEndAreRead(t *testing.T) {
	inMemory(t, func(f *fixture) {
		me := f.start(with{})
		me.Watch(key("P"), true)
		me.end()
		me.expect("watchlist P edits 1")
		me.expectOnly()
		must.Fail(f.t, me.over, session.ErrEnded)
	})
}

func TestSlowStoreDelaysNoPoll(t *testing.T) {
	inMemory(t, func(f *fixture) {
		f.market.answers(price(500), price(490), price(480), price(470), price(460))
		me := f.start(with{record: true})
		me.read()
		me.lock(21 * time.Second)
		wait(5 * time.Second)
		me.expect("market live 5s #2 P=490 P:500→490 since 0s")
		wait(5 * time.Second)
		me.expect("market live 10s #3 P=480 P:490→480 since 5s")
		wait(10 * time.Second)
		me.expect("market live 20s #5 P=460 P:480→460 since 10s")
		me.Watch(key("P"), true)
		me.expect("watchlist P edits 1")
		wait(5 * time.Second)
		f.expectStored("prices 500 490 460")
	})
}

func TestAnswersWaitForSlowStore(t *testing.T) {
	onDisk(t, func(f *fixture) {
		f.retirement.answers(status(retirement.Open))
		me := f.start(with{ledger: true})
		me.add("R1", "R2")
		wait(10 * time.Second)
		me.read()
		me.lock(5 * time.Second)
		me.LookUp("R1")
		wait(time.Second)
		me.LookUp("R2")
		wait(time.Second)
		must.Equal(f.t, must.Get(me.stop()), 3*time.Second)
		f.expectStored(`requests [R2 "" OPEN at 11s ] [R1 "" OPEN at 10s ]`)
	})
}
