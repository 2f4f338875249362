package session_test

import (
	"testing"
	"time"

	"tonne/api"
	must "tonne/model/musttest"
	"tonne/model/portfolio"
)

func TestInventoryIsNotPolledUntilShown(t *testing.T) {
	inMemory(t, func(f *fixture) {
		me := f.start(with{})
		wait(time.Minute)
		f.page.expectCount(f.t, 0)
		me.expect("no page")
	})
}

func TestPagesInTheWrongOrder(t *testing.T) {
	inMemory(t, func(f *fixture) {
		// The first answer does not end when its request is cancelled.
		f.page.of("1").answers(answer{takes: 9 * time.Second, deaf: true})
		f.page.of("8").answers(answer{takes: 2 * time.Second, deaf: true})
		me := f.start(with{})
		me.ShowInventory(api.InventoryQuery{Page: 1})
		wait(time.Second)
		me.ShowInventory(api.InventoryQuery{Page: 8})
		me.expect("page loading never fetching 0/0 query 8")
		wait(2 * time.Second)
		me.expect("page live 3s query 8 [page8]")
		wait(8 * time.Second)
		me.expect("no page")
	})
}

func TestHiddenInventoryCancelsItsRequest(t *testing.T) {
	inMemory(t, func(f *fixture) {
		f.page.answers(answer{}.slow(time.Hour))
		me := f.start(with{})
		me.ShowInventory(api.InventoryQuery{Page: 1})
		me.expect("page loading never fetching 0/0 query 1")
		me.HideInventory()
		wait(time.Minute)
		me.expect("no page")
		must.Equal(f.t, f.page.calls(), "0s")
		f.page.expectCount(f.t, 1)
	})
}

func TestInventoryIsShownWhilePaused(t *testing.T) {
	inMemory(t, func(f *fixture) {
		me := f.start(with{})
		me.Pause(true)
		me.ShowInventory(api.InventoryQuery{Page: 1})
		me.expect("page paused 0s query 1 [page1]")
		me.ShowInventory(api.InventoryQuery{Page: 2})
		me.expect("page paused 0s query 2 [page2]")
		wait(time.Hour)
		must.Equal(f.t, f.page.calls(), "0s 0s")
	})
}

func TestSamePageIsNotRequestedAgainAtOnce(t *testing.T) {
	inMemory(t, func(f *fixture) {
		me := f.start(with{})
		me.ShowInventory(api.InventoryQuery{Page: 1})
		me.expect("page live 0s query 1 [page1]")
		me.ShowInventory(api.InventoryQuery{Page: 1})
		me.ShowInventory(api.InventoryQuery{Page: 1})
		wait(100 * time.Millisecond)
		me.expect("no page")
		me.ShowInventory(api.InventoryQuery{Page: 1})
		wait(4 * time.Second)
		must.Equal(f.t, f.page.calls(), "0s 1s")
	})
}

func TestFiltersDoNotHidePurchases(t *testing.T) {
	inMemory(t, func(f *fixture) {
		me := f.start(with{})
		me.ShowInventory(api.InventoryQuery{Page: 2})
		me.expect("page live 0s query 2 [page2]")
		me.ShowInventory(api.InventoryQuery{Page: 2, TradeType: portfolio.Buy})
		me.expect("page live 0s query 2BUY [page2 BUY]")
		me.ShowInventory(api.InventoryQuery{Page: 2, WalletMinQuantity: 1})
		me.expect("page live 0s query 2 [page2]")
		me.ShowInventory(api.InventoryQuery{Page: 2, TradeType: portfolio.Sell})
		me.expect("page live 0s query 2SELL [page2 SELL] purchases [page2 BUY]")
		me.ShowInventory(api.InventoryQuery{Page: 2, TradesPerWallet: 3})
		me.expect("page live 0s query 2 [page2] purchases [page2]")
	})
}

func TestBalancesAndLastPaidPrices(t *testing.T) {
	inMemory(t, func(f *fixture) {
		f.wallets.answers(pages(lots{"p": {price: 595, grams: 20}}))
		me := f.start(with{})
		me.expect("portfolio live 0s p=595x20")
	})
}
