package session_test

import (
	"testing"
	"time"

	"tonne/api"
)

func TestMarketChangesAreSentOnce(t *testing.T) {
	inMemory(t, func(f *fixture) {
		f.market.answers(pages(asks{"a": 500, "b": 500}), pages(asks{"a": 700, "c": 500}))
		me := f.start(with{})
		me.expect("market live 0s #1 a=500 b=500")
		wait(5 * time.Second)
		me.expect("market live 5s #2 a=700 c=500 a:500→700 +o-c -o-b since 0s")
		me.Pause(true)
		me.expect("market paused 5s #2 a=700 c=500")
	})
}

func TestConfirmedMarketIsNoNewGeneration(t *testing.T) {
	inMemory(t, func(f *fixture) {
		f.market.answers(pages(asks{"a": 500}), same)
		me := f.start(with{})
		me.expect("market live 0s #1 a=500")
		wait(5 * time.Second)
		me.expect("market live 5s #1 a=500")
	})
}

func TestMarketChangesAddUpForSlowReader(t *testing.T) {
	inMemory(t, func(f *fixture) {
		f.market.answers(pages(asks{"a": 500, "b": 500}), pages(asks{"a": 600, "b": 500}), pages(asks{"a": 600}),
			pages(asks{"a": 500}))
		me := f.start(with{})
		me.expect("market live 0s #1 a=500 b=500")
		wait(15 * time.Second)
		me.expect("market live 15s #4 a=500 -o-b since 0s")
	})
}

func TestPagesOfFirstMarketAreShown(t *testing.T) {
	inMemory(t, func(f *fixture) {
		f.market.answers(pages(asks{"a": 1}, asks{"b": 1}, asks{"c": 1}, asks{"d": 1}, asks{"e": 1},
			asks{"f": 1}).slow(time.Second))
		me := f.start(with{})
		me.expect("market loading never fetching 0/0")
		wait(time.Second)
		me.expect("market loading never fetching 1/6 part a=1")
		wait(4 * time.Second)
		me.expect("market loading never fetching 5/6 part a=1 b=1 c=1 d=1")
		wait(time.Second)
		me.expect("market live 6s #1 a=1 b=1 c=1 d=1 e=1 f=1")
		wait(7 * time.Second)
		me.expect("market live 6s fetching 2/6 #1 a=1 b=1 c=1 d=1 e=1 f=1")
	})
}

func TestPagesStayIfFirstReadBreaks(t *testing.T) {
	inMemory(t, func(f *fixture) {
		f.market.answers(pages(asks{"a": 1}, asks{"b": 1}, asks{"c": 1}).then(api.Unreachable).slow(time.Second))
		me := f.start(with{})
		wait(3 * time.Second)
		me.expect("market loading never (unreachable) retry part a=1 b=1 c=1")
		// The next read is at its first page.
		wait(time.Second)
		me.expect("market loading never fetching 0/0 (unreachable) retry part a=1 b=1 c=1")
	})
}

func TestIncompleteMarketIsNotTheMarket(t *testing.T) {
	inMemory(t, func(f *fixture) {
		f.market.answers(pages(asks{"a": 1}).then(api.Incomplete), pages(asks{"a": 1, "b": 1, "c": 1}),
			pages(asks{"a": 1}).then(api.Incomplete))
		me := f.start(with{})
		me.expect("market loading never (incomplete) retry part a=1")
		wait(time.Second)
		me.expect("market live 0s #1 a=1 b=1 c=1")
		wait(5 * time.Second)
		me.expect("market stale 0s (incomplete) retry #1 a=1 b=1 c=1")
	})
}
