package session_test

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"tonne/api"
	"tonne/api/session"
	"tonne/model"
	"tonne/model/market"
	must "tonne/model/musttest"
	"tonne/model/retirement"
)

func TestWhoJoinsDeskReceivesEverything(t *testing.T) {
	inMemory(t, func(f *fixture) {
		f.market.answers(price(500))
		f.wallets.answers(pages(lots{"P": {price: 400, grams: 1}}))
		f.desk(with{portfolio: true})
		ada := f.sit("Ada")
		wait(2 * time.Second)
		everything := []string{
			"alerts",
			"choices map[]",
			"history 0s=0/0",
			"ledger",
			"market live 0s #1 P=500",
			"page live 0s query 1 [page1]",
			"portfolio live 0s P=400x1 1 wallets",
			"projects",
			"trends at 0s opened P=500 at 0s",
			"value at 0s: 0, over cost 0, today 0 of 1",
		}
		ada.expectOnly(append(everything, "presence Ada")...)
		f.sit("Ben").expectOnly(append(everything, "presence Ada Ben")...)
		f.market.expectCount(f.t, 1)
	})
}

func TestDeskRecordsPricesOnce(t *testing.T) {
	inMemory(t, func(f *fixture) {
		f.market.answers(price(500), price(490))
		f.desk(with{})
		f.sit("Ada")
		ben := f.sit("Ben")
		wait(12 * time.Second)
		f.expectStored("prices 500 490")
		ben.expect("trends at 5s P=[500 500 500 500 500 500 500 490] opened P=500 at 0s")
		ben.LoadPrices(key("P"))
		ben.expect("prices P 500 490")
	})
}

func TestLedgerRulesAndWatchlistArePrivateAtDesk(t *testing.T) {
	inMemory(t, func(f *fixture) {
		f.market.answers(price(500))
		f.desk(with{})
		ada := f.sit("Ada")
		ben := f.sit("Ben")
		ben.read()
		ada.read()
		ada.Add(session.Entry{ID: "R1", Label: "mine"})
		ada.AddRule(rule("best ask <= 9.00"))
		wait(6 * time.Second)
		ada.expect(
			`alerts [1 "best ask ≤ $9.00" P:-1→500 already] fired 1`,
			`ledger [R1 "mine" COMPLETE] answered R1`,
			`watchlist P "best ask ≤ $9.00" edits 1`,
		)
		ben.expect("no ledger", "no alerts", "no watchlist")
	})
}

func TestTwoAtDeskFollowOneRequest(t *testing.T) {
	inMemory(t, func(f *fixture) {
		f.retirement.answers(status(retirement.Open), status(retirement.Complete).from(time.Minute))
		f.desk(with{})
		ada := f.sit("Ada")
		ben := f.sit("Ben")
		ben.add("R1")
		wait(time.Second)
		ada.add("R1")
		wait(2 * time.Minute)
		f.retirement.expectBetween(f.t, 3, 6)
		ada.expect("ledger [R1 COMPLETE was OPEN] answered R1 changed R1:OPEN→COMPLETE")
		ben.expect("ledger [R1 COMPLETE was OPEN] answered R1 changed R1:OPEN→COMPLETE")
	})
}

func TestDeskFollowsRequestUntilTheLastLeaves(t *testing.T) {
	inMemory(t, func(f *fixture) {
		f.retirement.answers(status(retirement.Open))
		f.desk(with{})
		ada := f.sit("Ada")
		ada.add("R1")
		ben := f.sit("Ben")
		ben.add("R1")
		wait(time.Second)
		ada.end()
		wait(2 * time.Minute)
		f.retirement.expectBetween(f.t, 4, 8)
		ben.end()
		f.retirement.answers(status(retirement.Complete))
		wait(10 * time.Minute)
		f.retirement.expectBetween(f.t, 4, 8)
	})
}

func TestPauseOfOneAtDesk(t *testing.T) {
	inMemory(t, func(f *fixture) {
		f.market.answers(price(500), price(490), price(480), price(470), price(460))
		f.desk(with{portfolio: true})
		ada := f.sit("Ada")
		ben := f.sit("Ben")
		wait(time.Second)
		ben.read()
		ada.read()
		ada.Pause(true)
		ada.expect("market paused 0s #1 P=500")
		wait(10 * time.Second)
		ada.expect("no market", "no portfolio", "no page", "no value")
		ben.expect("market live 10s #3 P=480 P:500→480 since 0s")
		ada.Refresh()
		wait(time.Second)
		ada.expect("market paused 10s #3 P=480 P:500→480 since 0s")
		ada.Pause(false)
		ada.expect("market live 11s #4 P=470 P:480→470 since 10s")
	})
}

func TestEachAtDeskHasAPage(t *testing.T) {
	inMemory(t, func(f *fixture) {
		f.desk(with{})
		ada := f.sit("Ada")
		ben := f.sit("Ben")
		wait(time.Second)
		ben.ShowInventory(api.InventoryQuery{Page: 2})
		ben.expect("page live 1s query 2 [page2]")
		ada.expect("page live 0s query 1 [page1]")
		wait(20 * time.Second)
		ada.expect("page live 15s query 1 [page1]")
		ben.HideInventory()
		ada.end()
		wait(time.Minute)
		must.Equal(f.t, f.page.calls(), "0s 1s 15s 16s")
		must.Equal(f.t, f.page.of("1").calls(), "0s 15s")
		must.Equal(f.t, f.page.of("2").calls(), "1s 16s")
	})
}

func TestDeskPollsLessOftenWithoutViewers(t *testing.T) {
	inMemory(t, func(f *fixture) {
		f.desk(with{})
		ada := f.sit("Ada")
		ben := f.sit("Ben")
		ben.Focus(false)
		wait(2 * time.Minute)
		f.market.expectBetween(f.t, 24, 26)
		ada.Focus(false)
		wait(2 * time.Minute)
		f.market.expectBetween(f.t, 29, 34)
		ada.Focus(true)
		wait(2 * time.Minute)
		f.market.expectBetween(f.t, 53, 58)
		ada.end()
		ben.end()
		wait(2 * time.Minute)
		f.market.expectBetween(f.t, 58, 66)
	})
}

func TestDeskTellsWhoIsThere(t *testing.T) {
	inMemory(t, func(f *fixture) {
		f.desk(with{})
		ben := f.sit("Ben")
		ben.expect("presence Ben")
		ada := f.sit("Ada")
		again := f.sit("Ben")
		again.expect("presence Ada Ben Ben")
		again.end()
		ada.expect("presence Ada Ben")
	})
}

func TestDeskSavesNoFiles(t *testing.T) {
	inMemory(t, func(f *fixture) {
		f.certificate.answers(pages("first"))
		f.desk(with{})
		ada := f.sit("Ada")
		ada.add("R1")
		ada.read()
		ada.save("R1")
		ada.expectOnly("certificate R1 0/0 (a shared desk saves no files)")
		ada.VerifyCertificate("R1")
		ada.expectOnly()
		f.certificate.expectCount(f.t, 0)
	})
}

func TestReaderThatStallsAtDesk(t *testing.T) {
	inMemory(t, func(f *fixture) {
		f.market.answers(price(500), price(490), price(480), price(470), price(460))
		f.desk(with{})
		ada := f.sit("Ada")
		ada.expect("market live 0s #1 P=500")
		ben := f.sit("Ben")
		ben.expect("market live 0s #1 P=500")
		wait(5 * time.Second)
		ben.expect("market live 5s #2 P=490 P:500→490 since 0s")
		wait(15 * time.Second)
		ben.expect("market live 20s #5 P=460 P:490→460 since 5s")
		ada.expect("market live 20s #5 P=460 P:500→460 since 0s")
	})
}

func TestRefusedKeyFailsAllLookUpsAtDesk(t *testing.T) {
	inMemory(t, func(f *fixture) {
		f.retirement.answers(fails(api.Forbidden))
		f.desk(with{})
		ada := f.sit("Ada")
		ada.add("R1", "R2", "R3", "R4", "R5", "R6")
		wait(time.Minute)
		f.retirement.expectBetween(f.t, 1, 4)
		ada.expect(failedLedger("R", 6, "forbidden"))
	})
}

func TestDeskShowsEarlierRun(t *testing.T) {
	onDisk(t, func(f *fixture) {
		f.market.answers(price(500))
		f.wallets.answers(pages(lots{"P": {price: 300, grams: 2_000_000}}))
		me := f.start(with{portfolio: true, record: true, key: "k"})
		wait(5 * time.Second)
		me.end()
		wait(24 * time.Hour)
		f.market.answers(fails(api.Unreachable))
		f.wallets.answers(fails(api.Unreachable))
		f.desk(with{portfolio: true, key: "k"})
		wait(time.Minute)
		ada := f.sit("Ada")
		ada.AddRule(rule("best ask < 10"))
		wait(10 * time.Second)
		ada.expect(
			"alerts",
			"market stale 5s earlier (unreachable) retry P=500",
			"portfolio stale 0s earlier (unreachable) retry P=300x2000000 1 wallets",
			"trends at 5s P=[500 500 500 500 500 500 500 500] opened P=500 at 0s",
		)
	})
}

func TestPanicEndsDeskAndItsUsers(t *testing.T) {
	inMemory(t, func(f *fixture) {
		f.market.answers(answer{panics: true})
		f.desk(with{})
		ada := f.sit("Ada")
		wait(time.Second)
		_, err := ada.stop()
		must.Equal(f.t, fmt.Sprint(err), "the session broke: it broke")
	})
}

func TestThousandsOfLookUpsDoNotDelayOthersAtDesk(t *testing.T) {
	inMemory(t, func(f *fixture) {
		f.retirement.answers(status(retirement.Complete).slow(time.Second))
		f.desk(with{})
		ada := f.sit("Ada")
		ada.add(numbered("A", 1000)...)
		ben := f.sit("Ben")
		ben.add("B")
		wait(5 * time.Second)
		f.retirement.of("B").expectCount(f.t, 1)
		ada.end()
		wait(time.Minute)
		f.retirement.expectBetween(f.t, 12, 40)
	})
}

func TestDeskReportsTroubleOnce(t *testing.T) {
	inMemory(t, func(f *fixture) {
		f.market.answers(price(100), fails(api.Unreachable).from(time.Second), fails(api.ServerError).from(10*time.Minute),
			price(100).from(20*time.Minute), fails(api.Unauthorized).from(30*time.Minute))
		f.desk(with{})
		wait(40 * time.Minute)
		must.Equal(f.t, f.trouble, []string{"unreachable", "broken"})
	})
}

func TestDeskSendsSameRequestsForOneAndMany(t *testing.T) {
	for _, users := range []int{1, 20} {
		t.Run(strconv.Itoa(users), func(t *testing.T) {
			inMemory(t, func(f *fixture) {
				f.market.answers(price(500), price(490), price(480), price(470))
				f.desk(with{})
				for n := range users {
					f.sit(fmt.Sprint("guest", n))
				}
				wait(59 * time.Second)
				must.Equal(f.t, f.market.calls(), "0s 5s 10s 15s 20s 25s 30s 35s 40s 45s 50s 55s")
				must.Equal(f.t, f.page.calls(), "0s 15s 30s 45s")
				must.Equal(f.t, f.wallets.calls(), "0s 15s 30s 45s")
			})
		})
	}
}

func TestDeskComparesMarketsOnceForAllReaders(t *testing.T) {
	inMemory(t, func(f *fixture) {
		f.market.answers(price(500), price(490), price(480))
		f.desk(with{})
		ada, ben, cleo := f.sit("Ada"), f.sit("Ben"), f.sit("Cleo")
		for _, u := range []*user{ada, ben, cleo} {
			u.read()
		}
		wait(5 * time.Second)
		must.Hold(f.t, ada.change() == ben.change(), "the changes are computed twice")
		wait(5 * time.Second)
		// Cleo missed a market.
		first, two, second := ada.change(), cleo.change(), ben.change()
		must.Equal(f.t, []model.PriceCents{first.Was, two.Was, second.Was}, []model.PriceCents{490, 500, 490})
		must.Equal(f.t, []model.PriceCents{first.Now, two.Now, second.Now}, []model.PriceCents{480, 480, 480})
	})
}

// change returns the only change of an ask in the pending events.
func (u *user) change() *market.AskChange {
	u.f.t.Helper()
	u.read()
	var asks []market.AskChange
	for _, e := range u.sent {
		if e, ok := e.(session.MarketEvent); ok {
			asks = e.Changes.Asks
		}
	}
	must.Need(u.f.t, len(asks) == 1, asks)
	return &asks[0]
}
