package session_test

import (
	"errors"
	"testing"
	"time"

	"tonne/api"
	"tonne/model/file/store"
)

func TestEarlierRunIsShownWithoutTheService(t *testing.T) {
	onDisk(t, func(f *fixture) {
		f.market.answers(price(400), price(500))
		f.wallets.answers(pages(lots{"P": {price: 300, grams: 2_000_000}}))
		me := f.start(with{portfolio: true, record: true, key: "k"})
		wait(5 * time.Second)
		me.expect("market live 5s #2 P=500")
		me.end()
		wait(24 * time.Hour)
		f.market.answers(fails(api.Unreachable))
		f.wallets.answers(fails(api.Unreachable))
		next := f.start(with{portfolio: true, record: true, key: "k"})
		next.AddRule(rule("best ask < 10"))
		wait(10 * time.Second)
		next.expectOnly(
			"alerts",
			"choices map[]",
			"history 0s=800/600",
			"market stale 5s earlier (unreachable) retry P=500",
			"portfolio stale 0s earlier (unreachable) retry P=300x2000000 1 wallets",
			"projects",
			"trends at 5s P=[400 400 400 400 400 400 400 500] opened P=400 at 0s",
			"value at 0s: 1000, over cost 400, today 200 of 2000000",
			`watchlist P "best ask < $10.00" edits 1`,
		)
		f.expectStored("prices 400 500", "values 0s=800/600")
		next.end()
		wait(24 * time.Hour)
		last := f.start(with{portfolio: true, key: "k"})
		wait(time.Second)
		last.expect("market stale 5s earlier (unreachable) retry P=500")
		f.market.answers(price(600))
		f.wallets.answers(pages(lots{"P": {price: 300, grams: 7}}))
		wait(time.Minute)
		last.expect("market live … … P=600", "portfolio live … P=300x7 1 wallets")
	})
}

func TestEarlierRunIsNotShownToAnotherKeyOrAccount(t *testing.T) {
	onDisk(t, func(f *fixture) {
		f.market.answers(price(500))
		f.wallets.answers(pages(lots{"P": {price: 300, grams: 2_000_000}}))
		me := f.start(with{portfolio: true, key: "k", account: "acme"})
		me.expect("market live 0s #1 P=500")
		me.end()
		f.market.answers(fails(api.Unreachable))
		f.wallets.answers(fails(api.Unreachable))
		for _, other := range []with{
			{portfolio: true, key: "k", account: "other"},
			{portfolio: true, key: "k2", account: "acme"},
			{portfolio: true, account: "acme"},
		} {
			next := f.start(other)
			wait(10 * time.Second)
			next.expect("market loading never (unreachable) retry", "portfolio loading never (unreachable) retry")
			next.end()
		}
	})
}

func TestEarlierRunIsShownUntilReadIsComplete(t *testing.T) {
	onDisk(t, func(f *fixture) {
		f.market.answers(pages(asks{"a": 500, "b": 500}))
		me := f.start(with{key: "k"})
		me.expect("market live 0s #1 a=500 b=500")
		me.end()
		f.market.answers(pages(asks{"a": 1}, asks{"b": 1}, asks{"c": 1}, asks{"d": 1}).slow(time.Second))
		next := f.start(with{key: "k"})
		wait(300 * time.Millisecond)
		next.expect("market stale 0s earlier fetching 0/0 a=500 b=500")
		wait(3 * time.Second)
		next.expect("market stale 0s earlier fetching 3/4 a=500 b=500")
		wait(time.Second)
		next.expect("market live 4s #1 a=1 b=1 c=1 d=1")
	})
}

func TestEarlierRunDoesNotReplacePages(t *testing.T) {
	onDisk(t, func(f *fixture) {
		f.market.answers(pages(asks{"a": 500}))
		me := f.start(with{key: "k"})
		me.expect("market live 0s #1 a=500")
		me.end()
		f.market.answers(pages(asks{"a": 1}, asks{"b": 1}, asks{"c": 1}, asks{"d": 1}, asks{"e": 1}).slow(time.Second))
		next := f.start(with{key: "k"})
		next.lock(2 * time.Second)
		wait(4 * time.Second)
		next.expect("market loading never fetching 4/5 part a=1 b=1 c=1 d=1")
	})
}

func TestEarlierRunIsShownToRefusedKey(t *testing.T) {
	onDisk(t, func(f *fixture) {
		f.market.answers(pages(asks{"a": 500}))
		me := f.start(with{key: "k"})
		me.expect("market live 0s #1 a=500")
		me.end()
		wait(24 * time.Hour)
		f.market.answers(fails(api.Unauthorized))
		next := f.start(with{key: "k"})
		wait(time.Second)
		next.expect("market refused 0s earlier (unauthorized) a=500")
	})
}

func TestUnreadableEarlierRunIsLeftOut(t *testing.T) {
	onDisk(t, func(f *fixture) {
		f.market.answers(fails(api.Unreachable))
		f.snapshot(`{"projects":[`)
		me := f.start(with{key: "k"})
		wait(time.Second)
		me.expect("market loading never (unreachable) retry")
	})
}

func TestEarlierRunOfTheFutureIsLeftOut(t *testing.T) {
	onDisk(t, func(f *fixture) {
		f.market.answers(pages(asks{"a": 500}))
		me := f.start(with{key: "k"})
		me.expect("market live 0s #1 a=500")
		me.end()
		f.market.answers(fails(api.Unreachable))
		f.setClock(-48 * time.Hour)
		next := f.start(with{key: "k"})
		wait(time.Second)
		next.expect("market loading never (unreachable) retry")
	})
}

func TestSnapshotIsWrittenNowAndThenAndAtTheEnd(t *testing.T) {
	onDisk(t, func(f *fixture) {
		f.market.answers(price(500), price(600))
		me := f.start(with{key: "k"})
		wait(4 * time.Minute)
		f.expectStored("snapshot")
		wait(2 * time.Minute)
		f.expectStored("snapshot 289 bytes of 4m55s")
		me.end()
		f.expectStored("snapshot 289 bytes of 6m0s")
	})
}

// snapshot enters the market and the inventory that an earlier run received.
func (f *fixture) snapshot(body string) {
	f.t.Helper()
	f.stored(func(o *store.Store) error {
		cache := o.Of(origin).Cache
		return errors.Join(cache.PutSnapshot(f.t.Context(), "market", "k", f.now(), []byte(body)),
			cache.PutSnapshot(f.t.Context(), "inventory", "k", f.now(), []byte(body)))
	})
}
