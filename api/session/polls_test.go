package session_test

import (
	"fmt"
	"testing"
	"time"

	"tonne/api"
	must "tonne/model/musttest"
)

func TestPollsHaveTheirPace(t *testing.T) {
	inMemory(t, func(f *fixture) {
		me := f.start(with{})
		me.ShowInventory(api.InventoryQuery{Page: 1})
		wait(31 * time.Second)
		must.Equal(f.t, f.market.calls(), "0s 5s 10s 15s 20s 25s 30s")
		must.Equal(f.t, f.wallets.calls(), "0s 15s 30s")
		must.Equal(f.t, f.page.calls(), "0s 15s 30s")
	})
}

func TestOneRequestInFlight(t *testing.T) {
	inMemory(t, func(f *fixture) {
		f.market.answers(price(500).slow(8 * time.Second))
		me := f.start(with{})
		for range 200 {
			me.Refresh()
			wait(100 * time.Millisecond)
		}
		must.Equal(f.t, f.market.calls(), "0s 8s 16s")
	})
}

func TestRefreshKeyHeldDown(t *testing.T) {
	inMemory(t, func(f *fixture) {
		me := f.start(with{})
		for range 300 {
			me.Refresh()
			wait(33 * time.Millisecond)
		}
		f.market.expectBetween(f.t, 9, 11)
	})
}

func TestRefreshWhilePaused(t *testing.T) {
	inMemory(t, func(f *fixture) {
		me := f.start(with{})
		wait(6 * time.Second)
		me.read()
		me.Pause(true)
		me.expect("market paused 5s #2")
		wait(time.Hour)
		me.Refresh()
		wait(time.Hour)
		me.Pause(false)
		wait(time.Second)
		must.Equal(f.t, f.market.calls(), "0s 5s 1h0m6s 2h0m6s")
		me.expect("market live 2h0m6s #4 since 5s")
	})
}

func TestPollsAreRarerWithoutViewers(t *testing.T) {
	inMemory(t, func(f *fixture) {
		me := f.start(with{})
		me.Focus(false)
		wait(58 * time.Second)
		// The next poll is overdue.
		me.Focus(true)
		wait(6 * time.Second)
		must.Equal(f.t, f.market.calls(), "0s 20s 40s 58s 1m3s")
	})
}

func TestFailedPollsKeepTheValue(t *testing.T) {
	inMemory(t, func(f *fixture) {
		f.market.answers(price(500), fails(api.Unreachable))
		me := f.start(with{})
		me.expect("market live 0s #1 P=500")
		wait(9*time.Minute + 50*time.Second)
		me.expect("market stale 0s (unreachable) retry #1 P=500")
		f.market.expectBetween(f.t, 20, 100)
		f.market.answers(price(600))
		wait(time.Minute)
		me.expect("market live … … P=600 P:500→600 since …")
	})
}

func TestFirstFailedPollShowsNothing(t *testing.T) {
	inMemory(t, func(f *fixture) {
		f.wallets.answers(fails(api.ServerError))
		me := f.start(with{})
		me.expect("portfolio loading never (broken) retry")
	})
}

func TestPollsWaitIfTheServiceAsks(t *testing.T) {
	inMemory(t, func(f *fixture) {
		f.market.answers(limited(24 * time.Hour))
		me := f.start(with{})
		wait(70 * time.Minute)
		me.expect("market loading never (limited) retry at 2h0m0s")
		me.Refresh()
		wait(time.Second)
		must.Equal(f.t, f.market.calls(), "0s 1h0m0s 1h10m0s")
		me.expect("market loading never (limited) retry at 2h10m0s")
	})
}

func TestRefusedKeyStopsPolls(t *testing.T) {
	inMemory(t, func(f *fixture) {
		f.market.answers(fails(api.Unauthorized))
		f.wallets.answers(fails(api.Unauthorized))
		me := f.start(with{})
		me.expect(
			"market refused never (unauthorized)",
			"portfolio refused never (unauthorized)",
		)
		wait(time.Hour)
		// It is reported once.
		me.expectOnly()
		me.ShowInventory(api.InventoryQuery{Page: 2})
		me.expect("page refused never (unauthorized) query 2")
		f.market.answers()
		f.wallets.answers()
		me.Refresh()
		me.expect("market live 1h0m0s #1")
		f.market.answers(fails(api.Unauthorized))
		wait(5 * time.Second)
		me.expect(
			"market refused 1h0m0s (unauthorized) #1",
			"portfolio refused 1h0m0s (unauthorized) empty",
		)
	})
}

func TestMissingRoleStopsOnePoll(t *testing.T) {
	inMemory(t, func(f *fixture) {
		f.wallets.answers(fails(api.Forbidden))
		me := f.start(with{})
		wait(16 * time.Second)
		must.Equal(f.t, f.market.calls(), "0s 5s 10s 15s")
		must.Equal(f.t, f.wallets.calls(), "0s")
		me.expect("portfolio refused never (forbidden)")
	})
}

func TestPollAfterTwoHoursOfSleep(t *testing.T) {
	inMemory(t, func(f *fixture) {
		me := f.start(with{})
		wait(6 * time.Second)
		me.expect("market live 5s #2")
		f.setClock(2 * time.Hour)
		wait(8 * time.Second)
		must.Equal(f.t, f.market.calls(), "0s 5s 10s")
		me.expect("market live 2h0m10s #3 since 5s")
	})
}

func TestRarePollAfterSleep(t *testing.T) {
	inMemory(t, func(f *fixture) {
		f.start(with{every: time.Hour})
		wait(time.Minute)
		f.setClock(2 * time.Hour)
		wait(31 * time.Second)
		f.market.expectCount(f.t, 2)
	})
}

func TestPollsIfTheClockGoesBack(t *testing.T) {
	inMemory(t, func(f *fixture) {
		me := f.start(with{})
		wait(6 * time.Second)
		me.expect("market live 5s #2")
		f.setClock(-24 * time.Hour)
		wait(21 * time.Second)
		f.market.expectBetween(f.t, 5, 6)
		me.expect("market live -23h59m35s #5 since 5s")
	})
}

func TestPanicInRequestEndsSession(t *testing.T) {
	inMemory(t, func(f *fixture) {
		f.market.answers(answer{panics: true})
		me := f.start(with{})
		wait(time.Second)
		_, err := me.stop()
		must.Equal(f.t, fmt.Sprint(err), "the session broke: it broke")
		me.expect("market loading never fetching 0/0")
	})
}
