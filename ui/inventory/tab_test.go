package inventory

import (
	"strings"
	"testing"
	"time"

	"tonne/api"
	"tonne/api/session"
	"tonne/model/portfolio"
	"tonne/ui/uitest"
)

func TestAPIFiltersDoNotChangeLastPaid(t *testing.T) {
	t.Parallel()
	r := settled(t)
	paid := r.Line("Bale Mountains   ")
	for _, filter := range []struct {
		name string
		set  func()
		want api.InventoryQuery
	}{
		{"BUY only", func() { r.Press("t") }, api.InventoryQuery{Page: 1, TradeType: portfolio.Buy, WalletMinQuantity: 1}},
		{"SELL only", func() { r.Press("t") }, api.InventoryQuery{Page: 1, TradeType: portfolio.Sell, WalletMinQuantity: 1}},
		{"one trade per wallet", func() {
			r.Press("t", "n")
			if problem := r.Reply("1"); problem != "" {
				t.Error(problem)
			}
		}, api.InventoryQuery{Page: 1, TradesPerWallet: 1, WalletMinQuantity: 1}},
	} {
		filter.set()
		if r.feed.Query != filter.want {
			t.Errorf("%s requests %+v", filter.name, r.feed.Query)
		}
		r.answerWith(without(uitest.Inventory()), uitest.Inventory())
		if now := r.Line("Bale Mountains   "); now != paid {
			t.Errorf("%s: the line is %q, before it was %q", filter.name, now, paid)
		}
		r.Sees("5 wallets on this page", "+$6.05")
	}
}

func TestOldRowsStayUntilTheNextPageArrives(t *testing.T) {
	t.Parallel()
	r := settled(t)
	r.Press("[")
	if said := uitest.LastOf(r.Said); said != "This is the first page." {
		t.Errorf("[ reports %q", said)
	}
	r.Press("j", "j", "]", "]")
	if r.feed.Query.Page != 3 {
		t.Errorf("the tab requested page %d", r.feed.Query.Page)
	}
	r.Sees("reading page 3 …", "Bale Mountains")
	late := session.InventoryEvent{Status: uitest.Live(), Query: api.InventoryQuery{Page: 2, WalletMinQuantity: 1}, Inventory: &portfolio.Inventory{}}
	r.Hear(late)
	r.Sees("reading page 3 …", "Bale Mountains")
	if key, _ := r.tab.wallets.table.CurrentKey(); key.ProjectID != "003cabo" {
		t.Errorf("the cursor moved to %v during the read", key)
	}
	r.answer(strange())
	r.Sees("page 3/7 · without empty wallets · projects 41–44 of 134", "ESCROW")
	if at := r.tab.wallets.table.Position(); at != 0 {
		t.Errorf("a new page starts at row %d", at)
	}
	for range 9 {
		r.Press("]")
		r.answer(strange())
	}
	if said := uitest.LastOf(r.Said); said != "This is the last page." || r.feed.Query.Page != 7 {
		t.Errorf("] reports %q on page %d", said, r.feed.Query.Page)
	}
}

func TestPageBeyondTheLastLeadsBack(t *testing.T) {
	t.Parallel()
	r := settled(t)
	r.tab.page.query.Page = 12
	r.Press("[")
	if r.feed.Query.Page != 7 {
		t.Errorf("the tab requested page %d", r.feed.Query.Page)
	}
}

func TestCursorStaysOnItsWallet(t *testing.T) {
	t.Parallel()
	r := settled(t)
	r.Press("j", "j", "j")
	wallet := func(when string) {
		t.Helper()
		if key, _ := r.tab.wallets.table.CurrentKey(); key.VintageKey != uitest.Key("003camb", 0) {
			t.Errorf("%s: the cursor is on %v", when, key)
		}
		r.Sees("Cambodia Improved Cookstove · 2020 · CAAS  trade history")
	}
	wallet("at first")
	r.answer(strange())
	wallet("after a refresh with two more wallets")
	r.Press("l", "l", "l", "s")
	wallet("after sorting")
	r.Press("/", "c", "o", "o", "k", "enter")
	wallet("after filtering")
	r.Press("esc")
	wallet("after the filter")
	r.Hear(session.MarketEvent{Status: uitest.Live(), Generation: 2, Market: uitest.Market(10)})
	wallet("after a move of the market")
}

func TestNonEmptyWalletsAreRequestedUntilZShowsAll(t *testing.T) {
	t.Parallel()
	r := settled(t)
	r.Press("]")
	r.answer(uitest.Inventory())
	if want := (api.InventoryQuery{Page: 2, WalletMinQuantity: 1}); r.feed.Query != want {
		t.Errorf("the tab requested %+v", r.feed.Query)
	}
	r.Sees("without empty wallets")
	r.Press("z")
	if want := (api.InventoryQuery{Page: 1}); r.feed.Query != want {
		t.Errorf("the tab requested %+v", r.feed.Query)
	}
	r.answer(uitest.Inventory())
	r.SeesNot("without empty wallets")
	r.Press("z")
	if want := (api.InventoryQuery{Page: 1, WalletMinQuantity: 1}); r.feed.Query != want {
		t.Errorf("the tab requested %+v", r.feed.Query)
	}
}

func TestTradesPerWalletMustBeANumber(t *testing.T) {
	t.Parallel()
	r := settled(t)
	for _, typed := range []string{"0", "-1", "many", "1.5", "9999999"} {
		r.Press("n")
		if problem := r.Reply(typed); problem == "" {
			t.Errorf("%q is accepted", typed)
		}
	}
	r.Press("n")
	r.Reply("3")
	r.answerWith(uitest.Inventory(), uitest.Inventory())
	r.Sees("3 trades per wallet", "at most 3 per wallet")
}

func TestLastPaidTradeIsMarkedOnce(t *testing.T) {
	t.Parallel()
	r := settled(t)
	inv := uitest.Inventory()
	trades := inv.Projects[0].Vintages[0].Wallets[0].Trades
	inv.Projects[0].Vintages[0].Wallets[0].Trades = append(trades[:1:1], trades...)
	r.answer(inv)
	marked := 0
	for line := range strings.SplitSeq(r.Text(), "\n") {
		if strings.Contains(line, "1 Nov 2026") && strings.Contains(line, "★") {
			marked++
		}
	}
	if marked != 1 {
		t.Errorf("%d trades are marked:\n%s", marked, r.Text())
	}
}

func TestChangedValuesFlashOnceAndExpire(t *testing.T) {
	t.Parallel()
	r := settled(t)
	if _, any := r.tab.Expire(r.Now); any {
		t.Error("a value flashes after the first read")
	}
	before := uitest.Market(0)
	now := uitest.Market(10)
	r.Hear(session.MarketEvent{Status: uitest.Live(), Generation: 2, Market: now, Changes: now.Since(before)})
	if !strings.Contains(r.Frame(), "\x1b[0;1;4;7m$6.30") {
		t.Error("the best ask does not flash")
	}
	inv := uitest.Inventory()
	inv.Projects[2].Vintages[0].Wallets[0].Quantity = 11_000_000
	r.Now = r.Now.Add(time.Second)
	r.answer(inv)
	if !strings.Contains(r.Frame(), "\x1b[0;1;4m11 t") {
		t.Errorf("the balance does not flash: %q", r.Frame())
	}
	first, any := r.tab.Expire(r.Now)
	if want := uitest.Now.Add(1500 * time.Millisecond); !any || !first.Equal(want) {
		t.Errorf("the first mark expires at %v (%v), want %v", first, any, want)
	}
	if _, any := r.tab.Expire(r.Now.Add(2 * time.Second)); any || strings.Contains(r.Frame(), "\x1b[0;1;4;7m$6.30") {
		t.Error("a mark does not expire")
	}
}

func TestTotalsCoverTheRowsOnTheScreen(t *testing.T) {
	t.Parallel()
	r := settled(t)
	r.Sees("5 wallets on this page", "16.749980 t", "$112.62", "+$6.05")
	r.Press("/", "!", "b", "a", "l", "e")
	r.Sees("3 of 5 wallets on this page", "15.750000 t", "$106.42", "+$5.47")
	r.Press("esc")
	r.Sees("5 wallets on this page", "16.749980 t")
}

func TestOverflowingTotalsAreNotShown(t *testing.T) {
	t.Parallel()
	r := settled(t)
	inv := uitest.Inventory()
	for n := range 2 {
		inv.Projects[n].Vintages[0].Wallets[0].Quantity = 1<<63 - 1
	}
	r.answer(inv)
	if line := r.Line("on this page"); !strings.Contains(line, "?") {
		t.Errorf("the totals are %q", line)
	}
}

func TestEscLeavesTradesThenFilter(t *testing.T) {
	t.Parallel()
	r := settled(t)
	r.Press("/", "b", "a", "l", "e", "enter", "enter", "j")
	if !r.tab.trades.focused || r.tab.wallets.table.Query() != "bale" {
		t.Fatalf("focus %v, query %q", r.tab.trades.focused, r.tab.wallets.table.Query())
	}
	r.Press("esc")
	if r.tab.trades.focused || r.tab.wallets.table.Query() != "bale" {
		t.Errorf("focus %v, query %q", r.tab.trades.focused, r.tab.wallets.table.Query())
	}
	r.Press("esc")
	if r.tab.wallets.table.Query() != "" {
		t.Errorf("query %q", r.tab.wallets.table.Query())
	}
}

func TestCopyOfTradesAndRows(t *testing.T) {
	t.Parallel()
	r := settled(t)
	r.Press("enter", "j", "Y")
	if want := "18 Oct 2026 09:14 UTC\tBUY\t1\t5.80\t5.80"; uitest.LastOf(r.Copied) != want {
		t.Errorf("copied %q", uitest.LastOf(r.Copied))
	}
	r.Press("esc", "Y")
	if !strings.HasPrefix(uitest.LastOf(r.Copied), "Bale Mountains\tREDD+\tET\t2019\tCAAS\t0.999980\t5.95\t") {
		t.Errorf("copied %q", uitest.LastOf(r.Copied))
	}
}

func TestYCopiesTheVintageID(t *testing.T) {
	t.Parallel()
	r := settled(t)
	r.Sees("trade history  004bale0  ")
	for _, keys := range [][]string{{"y"}, {"enter", "j", "y"}} {
		if r.Press(keys...); uitest.LastOf(r.Copied) != "004bale0" {
			t.Errorf("%v copies %q", keys, uitest.LastOf(r.Copied))
		}
	}
	r.SeesNot("VINTAGE ID")
	r.FrameAt(200, 40)
	r.tab.wallets.table.Show("vintageid", true)
	r.tab.wallets.table.Show("projectid", true)
	r.Sees("VINTAGE ID", "PROJECT ID", "003bale")
}
