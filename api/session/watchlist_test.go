package session_test

import (
	"testing"
	"time"
)

func TestWatchlistEditsAreKept(t *testing.T) {
	onDisk(t, func(f *fixture) {
		me := f.start(with{})
		me.Watch(key("Q"), true)
		me.AddRule(rule("best ask <= 1.00"))
		me.AddRule(rule("best ask <= 1.00"))
		me.AddRule(requestRule("", "changes"))
		me.AddRule(requestRule("", "COMPLETE"))
		me.expect(`watchlist P Q "best ask ≤ $1.00" "changes state" "becomes COMPLETE" edits 5`)
		me.RemoveRule(requestRule("", "COMPLETE"))
		me.RemoveRule(rule("best ask <= 1.00"))
		me.Watch(key("Q"), false)
		// These edits are still unread at the end.
		me.end()
		next := f.start(with{record: true})
		next.expect(`watchlist P "changes state" edits 0`)
		next.Watch(key("P"), false)
		next.expect(`watchlist "changes state" edits 1`)
		wait(10 * time.Second)
		next.expect("no watchlist")
	})
}

func TestRulesOfVintageGoWithIt(t *testing.T) {
	inMemory(t, func(f *fixture) {
		me := f.start(with{record: true})
		me.AddRule(rule("best ask <= 1.00"))
		me.expect(`watchlist P "best ask ≤ $1.00" edits 1`)
		me.Watch(key("P"), false)
		me.expect("watchlist edits 2")
		f.expectStored("watched")
	})
}

func TestWatchlistEditsOfAnotherProgram(t *testing.T) {
	onDisk(t, func(f *fixture) {
		f.market.answers(price(500))
		me := f.start(with{record: true})
		me.Watch(key("P"), true)
		me.read()
		other := f.start(with{store: "store.db"})
		other.Watch(key("Q"), true)
		other.AddRule(rule("best ask <= 1.00"))
		wait(5 * time.Second)
		me.expect(`watchlist P Q "best ask ≤ $1.00" edits 1`)
	})
}

func TestWatchlistEditsWinOverWhatIsBeingRead(t *testing.T) {
	inMemory(t, func(f *fixture) {
		f.market.answers(price(500), price(490))
		me := f.start(with{record: true})
		me.read()
		me.lock(8 * time.Second)
		// A poll waits for the store.
		wait(6 * time.Second)
		me.Watch(key("P"), true)
		me.AddRule(rule("best ask <= 1.00"))
		me.Watch(key("Q"), true)
		me.expect(`watchlist P Q "best ask ≤ $1.00" edits 3`)
		wait(time.Second)
		me.Watch(key("R"), true)
		me.expect(`watchlist P Q R "best ask ≤ $1.00" edits 4`)
		wait(10 * time.Second)
		me.expect(`watchlist P Q R "best ask < $0.01" "best ask ≤ $1.00" edits 4`)
	})
}
