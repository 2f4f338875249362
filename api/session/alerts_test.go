package session_test

import (
	"testing"
	"time"

	"tonne/model/retirement"
)

func TestRuleFiresOnceWhenItBecomesTrue(t *testing.T) {
	inMemory(t, func(f *fixture) {
		f.market.answers(price(500), price(450), price(450), price(500), price(450))
		me := f.start(with{record: true})
		me.AddRule(rule("best ask <= 4.60"))
		me.expect("alerts", `watchlist P "best ask ≤ $4.60" edits 1`)
		wait(5 * time.Second)
		me.expect(`alerts [1 "best ask ≤ $4.60" P:500→450] fired 1`)
		wait(5 * time.Second)
		me.expect("no alerts")
		wait(5 * time.Second)
		me.expect("no alerts")
		wait(5 * time.Second)
		me.expect(`alerts [2 "best ask ≤ $4.60" P:500→450] [1 "best ask ≤ $4.60" P:500→450] fired 2`)
	})
}

func TestRuleThatHoldsAlreadyFiresAtOnce(t *testing.T) {
	inMemory(t, func(f *fixture) {
		f.market.answers(price(450))
		me := f.start(with{record: true})
		me.read()
		me.AddRule(rule("best ask <= 4.60"))
		me.expect(`alerts [1 "best ask ≤ $4.60" P:-1→450 already] fired 1`)
	})
}

func TestRuleOnLastPaidPrice(t *testing.T) {
	inMemory(t, func(f *fixture) {
		f.market.answers(price(450))
		f.wallets.answers(pages(lots{"P": {price: 600, grams: 1}}))
		me := f.start(with{record: true})
		me.AddRule(rule("5% under last paid"))
		me.expect(`alerts [1 "≥ 5.0% under last paid" P:-1→450 already] fired 1`)
	})
}

func TestUnreadAlertsAddUp(t *testing.T) {
	inMemory(t, func(f *fixture) {
		f.market.answers(price(500), price(450), price(400))
		me := f.start(with{record: true})
		me.AddRule(rule("best ask <= 4.60"))
		me.AddRule(rule("best ask <= 4.10"))
		me.read()
		wait(25 * time.Second)
		me.expect(`alerts [2 "best ask ≤ $4.10" P:450→400] [1 "best ask ≤ $4.60" P:500→450] fired 1 2`)
	})
}

func TestSeenAlertsAreKept(t *testing.T) {
	onDisk(t, func(f *fixture) {
		f.market.answers(price(500), price(450))
		me := f.start(with{record: true})
		me.AddRule(rule("best ask <= 4.60"))
		wait(5 * time.Second)
		me.expect(`alerts [1 "best ask ≤ $4.60" P:500→450] fired 1`)
		me.SeeAlerts(1, false)
		me.expect(`alerts [1 "best ask ≤ $4.60" P:500→450 seen]`)
		me.end()
		next := f.start(with{record: true})
		next.expect(`alerts [1 "best ask ≤ $4.60" P:500→450 seen]`)
	})
}

func TestAlertsOnRequestsAreSeenSeparately(t *testing.T) {
	inMemory(t, func(f *fixture) {
		f.market.answers(price(450))
		f.retirement.answers(status(retirement.Open), status(retirement.Complete).from(time.Hour))
		me := f.start(with{record: true, ledger: true})
		me.AddRule(rule("best ask <= 4.60"))
		me.AddRule(requestRule("", "changes"))
		me.add("R1")
		wait(30 * time.Minute)
		me.expect(`alerts [1 "best ask ≤ $4.60" P:-1→450 already] fired 1`)
		wait(2 * time.Hour)
		me.expect(`alerts [2 "changes state" R1:OPEN→COMPLETE] [1 "best ask ≤ $4.60" P:-1→450 already] fired 2`)
		me.SeeAlerts(2, true)
		me.expect(`alerts [2 "changes state" R1:OPEN→COMPLETE seen] [1 "best ask ≤ $4.60" P:-1→450 already]`)
		f.expectStored(`alerts [2 "changes state" R1:OPEN→COMPLETE seen] [1 "best ask ≤ $4.60" P:-1→450 already]`)
	})
}

func TestRuleOnStateThatLasts(t *testing.T) {
	inMemory(t, func(f *fixture) {
		f.retirement.answers(status(retirement.Open))
		me := f.start(with{record: true, ledger: true})
		me.add("R1")
		me.AddRule(requestRule("", "OPEN for 5 hours"))
		wait(4*time.Hour + 59*time.Minute)
		me.expect("alerts")
		wait(3 * time.Minute)
		me.expect(`alerts [1 "OPEN for 5 hours" R1:OPEN→OPEN] fired 1`)
	})
}

func TestNoAlertWithoutRecordOrRule(t *testing.T) {
	onDisk(t, func(f *fixture) {
		me := f.start(with{ledger: true})
		me.AddRule(requestRule("R1", "COMPLETE"))
		wait(time.Second)
		me.add("R1")
		wait(5 * time.Minute)
		me.expect("no alerts")
		me.end()
		next := f.start(with{ledger: true, record: true, store: "other.db"})
		next.AddRule(requestRule("R1", "COMPLETE"))
		next.RemoveRule(requestRule("R1", "COMPLETE"))
		wait(time.Second)
		next.add("R1")
		wait(5 * time.Minute)
		next.expect("alerts", "watchlist edits 2")
		next.AddRule(requestRule("R1", "COMPLETE"))
		wait(5 * time.Minute)
		next.expect(`alerts [1 "becomes COMPLETE" R1:→COMPLETE already] fired 1`)
	})
}

func TestAlertsOfAnotherProgram(t *testing.T) {
	onDisk(t, func(f *fixture) {
		f.market.answers(price(500))
		me := f.start(with{record: true})
		me.AddRule(rule("best ask <= 4.60"))
		me.read()
		f.market.answers(price(500), price(450))
		f.start(with{record: true})
		wait(5 * time.Second)
		f.market.answers(price(500))
		wait(2 * time.Minute)
		me.expect(`alerts [1 "best ask ≤ $4.60" P:500→450] fired 1`)
	})
}

func TestCheckReportsRulesThatHold(t *testing.T) {
	inMemory(t, func(f *fixture) {
		f.market.answers(price(450))
		me := f.start(with{record: true, ledger: true})
		me.AddRule(rule("best ask <= 4.60"))
		me.AddRule(rule("best ask <= 4.00"))
		wait(5 * time.Second)
		me.read()
		me.CheckRules()
		me.expect(`holding [0 "best ask ≤ $4.60" P:0→450]`)
	})
}
