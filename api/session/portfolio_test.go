package session_test

import (
	"slices"
	"testing"
	"time"

	"tonne/api"
	"tonne/model"
	"tonne/model/file/store"
	must "tonne/model/musttest"
	"tonne/model/portfolio"
)

func TestPagesOfFirstPortfolioAreShown(t *testing.T) {
	inMemory(t, func(f *fixture) {
		f.wallets.answers(pages(wallet("a", 1), wallet("b", 2), wallet("c", 3), wallet("d", 4),
			wallet("e", 5)).slow(time.Second))
		me := f.start(with{portfolio: true})
		me.expect("portfolio loading never fetching 0/0")
		wait(time.Second)
		me.expect("portfolio loading never fetching 1/5 part 1 wallets")
		wait(3 * time.Second)
		me.expect("portfolio loading never fetching 4/5 part 4 wallets")
		wait(time.Second)
		me.expect("portfolio live 5s a=1x1 b=2x2 c=3x3 d=4x4 e=5x5 5 wallets")
	})
}

func TestPortfolioIsWholeWhileReadAgain(t *testing.T) {
	inMemory(t, func(f *fixture) {
		f.wallets.answers(pages(wallet("a", 1), wallet("b", 2), wallet("c", 3)).slow(time.Second),
			pages(lots{"a": {price: 9, grams: 1}}, lots{"b": {price: 9, grams: 2}}).then(api.Unreachable).slow(time.Second))
		me := f.start(with{portfolio: true})
		wait(3 * time.Second)
		me.expect("portfolio live 3s a=1x1 b=2x2 c=3x3 3 wallets")
		wait(16 * time.Second)
		me.expect("portfolio live 3s fetching 1/2 a=1x1 b=2x2 c=3x3 3 wallets")
		wait(time.Second)
		me.expect("portfolio stale 3s (unreachable) retry a=1x1 b=2x2 c=3x3 3 wallets")
	})
}

func TestWalletsStayIfFirstReadBreaks(t *testing.T) {
	inMemory(t, func(f *fixture) {
		f.wallets.answers(pages(wallet("a", 1), wallet("b", 2), wallet("c", 3)).then(api.Unreachable).slow(time.Second),
			pages(wallet("a", 1), wallet("b", 2), wallet("c", 3), wallet("d", 4)).slow(time.Second))
		me := f.start(with{portfolio: true})
		wait(3 * time.Second)
		me.expect("portfolio loading never (unreachable) retry part 3 wallets")
		wait(6 * time.Second)
		me.expect("portfolio live … a=1x1 b=2x2 c=3x3 d=4x4 4 wallets")
	})
}

func TestIncompletePortfolioIsNotThePortfolio(t *testing.T) {
	inMemory(t, func(f *fixture) {
		f.wallets.answers(pages(wallet("a", 1)).then(api.Incomplete),
			pages(lots{"a": {price: 1, grams: 1}, "b": {price: 2, grams: 2}}), pages(wallet("a", 1)).then(api.Incomplete))
		me := f.start(with{portfolio: true})
		me.expect("portfolio loading never (incomplete) retry part 1 wallets")
		wait(time.Second)
		me.expect("portfolio live 0s a=1x1 b=2x2 2 wallets")
		wait(15 * time.Second)
		me.expect("portfolio stale 0s (incomplete) retry a=1x1 b=2x2 2 wallets")
	})
}

func TestOneReadForWalletsAndLastPaidPrices(t *testing.T) {
	inMemory(t, func(f *fixture) {
		f.start(with{portfolio: true})
		wait(65 * time.Second)
		must.Equal(f.t, f.wallets.calls(), "0s 15s 30s 45s 1m0s")
		f.page.expectCount(f.t, 0)
		must.Equal(f.t, f.wallets.subjects, slices.Repeat([]string{"all trades"}, 5))
	})
}

func TestOnlyLastPaidPricesWithoutPortfolio(t *testing.T) {
	inMemory(t, func(f *fixture) {
		f.wallets.answers(pages(lots{"P": {price: 450, grams: 2_000_000}}))
		me := f.start(with{})
		wait(time.Minute)
		me.expect("portfolio live 1m0s P=450x2000000", "no value", "no history")
		must.Equal(f.t, f.wallets.subjects, slices.Repeat([]string{"last paid"}, 5))
	})
}

func TestPortfolioIsValuedWithEachMarket(t *testing.T) {
	inMemory(t, func(f *fixture) {
		f.market.answers(price(500), price(620))
		f.wallets.answers(pages(lots{"P": {price: 450, grams: 2_000_000}}))
		me := f.start(with{portfolio: true, record: true})
		me.expect("value at 0s: 1000, over cost 100, today 0 of 2000000")
		wait(5 * time.Second)
		me.expect("value at 0s: 1240, over cost 340, today 240 of 2000000")
	})
}

func TestPartOfPortfolioIsNotValued(t *testing.T) {
	inMemory(t, func(f *fixture) {
		f.market.answers(price(500))
		f.wallets.answers(pages(lots{"P": {price: 450, grams: 2_000_000}},
			lots{"Q": {price: 1, grams: 1}}).then(api.Unreachable))
		me := f.start(with{portfolio: true})
		wait(5 * time.Second)
		me.expect("no value")
		f.expectStored("values")
	})
}

func TestPortfolioValueIsKept(t *testing.T) {
	onDisk(t, func(f *fixture) {
		f.market.answers(price(500))
		f.wallets.answers(pages(lots{"P": {price: 450, grams: 2_000_000}}))
		me := f.start(with{portfolio: true})
		me.expect("history 0s=1000/900")
		wait(150 * time.Minute)
		me.expect("history 59m0s=1000/900 1h59m0s=1000/900 2h30m0s=1000/900")
		me.end()
		next := f.start(with{portfolio: true})
		next.expect("history 59m0s=1000/900 1h59m0s=1000/900 2h30m0s=1000/900")
	})
}

func TestPortfolioValueThatCannotBeWritten(t *testing.T) {
	onDisk(t, func(f *fixture) {
		f.market.answers(price(500))
		f.wallets.answers(pages(lots{"P": {price: 450, grams: 2_000_000}}))
		me := f.start(with{portfolio: true})
		me.expect("history 0s=1000/900")
		f.sql("CREATE TRIGGER full BEFORE INSERT ON book_value BEGIN SELECT RAISE(ABORT, 'the disk is full'); END")
		wait(90 * time.Minute)
		me.expect("history 0s=1000/900 not written")
	})
}

func TestPortfolioValueOfTheFutureIsLeftOut(t *testing.T) {
	onDisk(t, func(f *fixture) {
		f.worth(-time.Hour)
		f.worth(30 * time.Minute)
		f.worth(8760 * time.Hour)
		me := f.start(with{portfolio: true})
		me.expect("history -1h0m0s=1/0 30m0s=1/0")
	})
}

func TestPortfolioValuesOfTwoTenants(t *testing.T) {
	onDisk(t, func(f *fixture) {
		f.market.answers(price(500))
		f.wallets.answers(pages(lots{"P": {price: 1, grams: 2_000_000}}), pages(lots{"P": {price: 2, grams: 2_000_000}}))
		me := f.start(with{portfolio: true})
		me.expect("history 0s=1000/2")
		me.end()
		other := f.start(with{portfolio: true, account: "acme"})
		other.expect("history 0s=1000/4")
		other.end()
		f.expectStored("values 0s=1000/2", "values@acme 0s=1000/4")
	})
}

func TestPortfolioValueThatOverflows(t *testing.T) {
	inMemory(t, func(f *fixture) {
		f.market.answers(price(9_223_372_036_854_775_807))
		f.wallets.answers(pages(lots{"P": {price: 450, grams: 2_000_000}}))
		me := f.start(with{portfolio: true})
		me.expect("value at 0s: 0, over cost 0, today 0 of 0 no moves (amount is too large)")
		f.expectStored("values")
	})
}

// wallet is a page of n grams that were bought at n cents.
func wallet(project string, n int64) lots {
	return lots{project: {price: model.PriceCents(n), grams: model.Grams(n)}}
}

// worth enters a value of the portfolio that an earlier run computed.
func (f *fixture) worth(ahead time.Duration) {
	f.t.Helper()
	f.stored(func(o *store.Store) error {
		return o.Of(origin).History.KeepValues(f.t.Context(),
			store.ValuePoint{At: f.now().Add(ahead), Value: portfolio.BookValue{Value: 1}})
	})
}
