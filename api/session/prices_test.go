package session_test

import (
	"os"
	"testing"
	"time"

	"tonne/api"
	must "tonne/model/musttest"
)

func TestCompletePollsAreRecorded(t *testing.T) {
	for _, c := range []struct {
		name    string
		with    with
		answers []answer
		after   time.Duration
		stored  string
	}{
		{
			name: "changes", with: with{record: true}, answers: []answer{price(500), price(500), price(480)},
			after: 15 * time.Second, stored: "prices 500 480",
		},
		{name: "without record", answers: []answer{price(500)}, after: 5 * time.Second, stored: "prices"},
		{
			name: "a part", with: with{record: true},
			answers: []answer{pages(asks{"P": 700}, asks{"Q": 500}).slow(time.Second)},
			after:   1500 * time.Millisecond, stored: "prices",
		},
		{
			name: "all parts", with: with{record: true},
			answers: []answer{pages(asks{"P": 700}, asks{"Q": 500}).slow(time.Second)},
			after:   2500 * time.Millisecond, stored: "prices 700",
		},
		{
			name: "a failure", with: with{record: true},
			answers: []answer{price(501), fails(api.ServerError), price(503)},
			after:   12 * time.Second, stored: "prices 501 503",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			inMemory(t, func(f *fixture) {
				f.market.answers(c.answers...)
				f.start(c.with)
				wait(c.after)
				f.expectStored(c.stored)
			})
		})
	}
}

func TestTrends(t *testing.T) {
	inMemory(t, func(f *fixture) {
		f.market.answers(price(500), price(500), price(480))
		me := f.start(with{record: true})
		me.expect("trends at 0s opened P=500 at 0s")
		wait(5 * time.Second)
		me.expect("no trends")
		wait(5 * time.Second)
		me.expect("trends at 10s P=[500 500 500 500 500 500 500 480] opened P=500 at 0s")
		wait(55 * time.Second)
		me.expect("no trends")
		wait(5 * time.Second)
		me.expect("trends at 1m10s P=[500 480 480 480 480 480 480 480] opened P=500 at 0s")
	})
}

func TestTrendsOfConfirmedMarket(t *testing.T) {
	inMemory(t, func(f *fixture) {
		f.market.answers(price(500), same)
		me := f.start(with{record: true})
		me.expect("trends at 0s opened P=500 at 0s")
		wait(55 * time.Second)
		me.expect("no trends")
		wait(5 * time.Second)
		me.expect("trends at 1m0s P=[500 500 500 500 500 500 500 500] opened P=500 at 0s")
		wait(55 * time.Second)
		me.expect("no trends")
		wait(5 * time.Second)
		me.expect("trends at 2m0s P=[500 500 500 500 500 500 500 500] opened P=500 at 0s")
		f.expectStored("prices 500")
	})
}

func TestPricesOfTheVintageChosenLast(t *testing.T) {
	inMemory(t, func(f *fixture) {
		f.market.answers(price(500), price(480))
		me := f.start(with{record: true})
		me.read()
		me.LoadPrices(key("Q"))
		me.LoadPrices(key("R"))
		me.LoadPrices(key("P"))
		me.expect("prices P 500")
		wait(5 * time.Second)
		me.expect("prices P 500 480")
	})
}

func TestBrokenStoreStopsNoPoll(t *testing.T) {
	onDisk(t, func(f *fixture) {
		must.Succeed(f.t, os.Mkdir(f.path("store.db"), 0o700))
		f.market.answers(price(500), price(490), price(480))
		me := f.start(with{record: true})
		me.expect("store problem")
		me.Watch(key("P"), true)
		wait(25 * time.Second)
		me.expect("watchlist P edits 1", "no store")
		f.market.expectCount(f.t, 6)
		me.LoadPrices(key("P"))
		me.expect("prices P 500 490 480")
	})
}

func TestMovesWhileNoSessionRan(t *testing.T) {
	onDisk(t, func(f *fixture) {
		f.market.answers(price(500))
		me := f.start(with{record: true})
		me.expect("no missed")
		wait(3 * time.Minute)
		me.end()
		wait(3 * time.Minute)
		f.market.answers(price(480))
		next := f.start(with{record: true})
		next.LoadPrices(key("P"))
		next.expect("missed 3m0s–6m0s P:500→480", "prices P 500 480 gap 3m0s–6m0s")
		next.end()
		wait(10 * time.Second)
		f.market.answers(price(470))
		soon := f.start(with{record: true})
		soon.expect("no missed")
	})
}

func TestMovesWhileTheServiceWasAway(t *testing.T) {
	inMemory(t, func(f *fixture) {
		f.market.answers(price(500), same, fails(api.ServerError).from(12*time.Second), price(480).from(5*time.Minute))
		me := f.start(with{record: true})
		me.AddRule(rule("price < 4.90"))
		me.read()
		wait(5 * time.Second)
		me.read()
		wait(5 * time.Second)
		me.read()
		wait(8 * time.Minute)
		me.expect(
			`alerts [1 "best ask < $4.90" P:500→480 since …] fired 1`,
			"market live … … P=480 P:500→480 since …",
		)
		f.expectStored("prices 500 480 gap …–…")
	})
}

func TestPricesOfSeveralVintages(t *testing.T) {
	inMemory(t, func(f *fixture) {
		f.market.answers(pages(asks{"P": 500, "Q": 600}), pages(asks{"P": 500, "Q": 610}))
		me := f.start(with{record: true})
		me.read()
		me.LoadPrices(key("P"), key("Q"))
		me.expect("prices P 500 Q 600")
		wait(5 * time.Second)
		me.expect("prices P 500 Q 600 610")
	})
}

func TestPricesThatCannotBeRecorded(t *testing.T) {
	onDisk(t, func(f *fixture) {
		f.market.answers(price(500))
		me := f.start(with{record: true})
		me.AddRule(rule("price < 9"))
		wait(time.Second)
		me.read()
		f.sql("CREATE TRIGGER full BEFORE INSERT ON observation BEGIN SELECT RAISE(ABORT, 'the disk is full'); END")
		f.market.answers(price(400))
		wait(5 * time.Second)
		me.CheckRules()
		me.expect(`holding [0 "best ask < $9.00" P:0→500] (sqlite: step: constraint failed: the disk is full)`)
	})
}
