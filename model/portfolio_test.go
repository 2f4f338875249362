package model_test

import (
	"errors"
	"math"
	"math/big"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tonne/model"
	"tonne/model/market"
	"tonne/model/modeltest"
	"tonne/model/must"
	"tonne/model/portfolio"
)

func trade(kind portfolio.TradeType, date string, grams model.Grams, price model.PriceCents) portfolio.Trade {
	return portfolio.Trade{ExecutionDate: model.ParseTimestamp(date), Quantity: grams, Price: price, Type: kind}
}

func bought(date string, price model.PriceCents) portfolio.Trade {
	return trade(portfolio.Buy, date, 1e6, price)
}

func wallet(grams model.Grams, trades ...portfolio.Trade) portfolio.Wallet {
	return portfolio.Wallet{Type: portfolio.WalletCAAS, Quantity: grams, Trades: trades}
}

func TestLastPaidIsTheMostRecentPurchaseOverAllWallets(t *testing.T) {
	for _, c := range []struct {
		name    string
		wallets []portfolio.Wallet
		want    model.PriceCents
	}{
		{"no wallets", nil, model.UnknownPrice},
		{"no trades", []portfolio.Wallet{wallet(5e6)}, model.UnknownPrice},
		{"one", []portfolio.Wallet{wallet(5e6, bought("2026-01-02T00:00:00Z", 100))}, 100},
		{"an empty wallet has trades too", []portfolio.Wallet{
			wallet(5e6, bought("2026-01-01T00:00:00Z", 100)), wallet(0, bought("2026-01-02T00:00:00Z", 200)),
		}, 200},
		{"the list is not trusted to be sorted", []portfolio.Wallet{
			wallet(0, bought("2026-01-01T00:00:00Z", 100), bought("2026-01-03T00:00:00Z", 300), bought("2026-01-02T00:00:00Z", 200)),
		}, 300},
		{"zones count", []portfolio.Wallet{
			wallet(0, bought("2026-01-01T12:00:00+05:00", 100), bought("2026-01-01T08:00:00Z", 200)),
		}, 200},
		{"of two at once the first listed", []portfolio.Wallet{
			wallet(0, bought("2026-01-01T00:00:00Z", 100)), wallet(0, bought("2026-01-01T00:00:00Z", 200)),
		}, 100},
		{"of two at once in different zones the first listed", []portfolio.Wallet{
			wallet(0, bought("2026-01-01T01:00:00+01:00", 100), bought("2026-01-01T00:00:00Z", 200)),
		}, 100},
		{"only sold", []portfolio.Wallet{wallet(0, trade(portfolio.Sell, "2026-01-02T00:00:00Z", 1e6, 200))}, model.UnknownPrice},
		{"sold later", []portfolio.Wallet{
			wallet(0, trade(portfolio.Sell, "2026-01-02T00:00:00Z", 1e6, 200), bought("2026-01-01T00:00:00Z", 100)),
		}, 100},
		{"an unknown type of trade", []portfolio.Wallet{
			wallet(0, trade("TRANSFER", "2026-01-02T00:00:00Z", 1e6, 200), bought("2026-01-01T00:00:00Z", 100)),
		}, 100},
		{"an unreadable date loses", []portfolio.Wallet{wallet(0, bought("soon", 300), bought("2026-01-01T00:00:00Z", 100))}, 100},
		{"an unreadable date alone counts", []portfolio.Wallet{wallet(0, bought("soon", 300), bought("later", 400))}, 300},
		{"an unreadable price does not count", []portfolio.Wallet{
			wallet(0, bought("2026-01-02T00:00:00Z", model.UnknownPrice), bought("2026-01-01T00:00:00Z", 100)),
		}, 100},
		{"year 9999", []portfolio.Wallet{wallet(0, bought("9999-12-31T23:59:59Z", 900), bought("2026-01-01T00:00:00Z", 100))}, 900},
	} {
		last, ok := portfolio.Vintage{Wallets: c.wallets}.LastPaid()
		must.Hold(t, ok == c.want.Known() && (!ok || last.Price == c.want), c.name, last, ok, c.want)
	}
}

func TestLastPaidMarksTheVeryTradeItComesFrom(t *testing.T) {
	trades := []portfolio.Trade{bought("2026-01-03T00:00:00Z", 300), bought("2026-01-02T00:00:00Z", 300), trade(portfolio.Sell, "2026-01-03T00:00:00Z", 1e6, 300)}
	last, _ := portfolio.Vintage{Wallets: []portfolio.Wallet{wallet(0, trades...)}}.LastPaid()
	for i, want := range []bool{true, false, false} {
		must.Equal(t, last.Is(trades[i]), want, i, !want)
	}
}

func TestLastPaidPricesAreKeptByProjectAndVintage(t *testing.T) {
	vintage := func(price model.PriceCents) []portfolio.Vintage {
		return []portfolio.Vintage{{ID: "v", Wallets: []portfolio.Wallet{wallet(0, bought("2026-01-01T00:00:00Z", price))}}}
	}
	inv := &portfolio.Inventory{Projects: []portfolio.Project{
		{ID: "p", Vintages: vintage(0)}, {ID: "q", Vintages: vintage(200)}, {ID: "r", Vintages: []portfolio.Vintage{{ID: "v"}}},
	}}
	prices := inv.LastPaid()
	if len(prices) != 2 || prices.Of(model.VintageKey{ProjectID: "p", VintageID: "v"}).Price != 0 ||
		prices[model.VintageKey{ProjectID: "q", VintageID: "v"}].Price != 200 {
		t.Errorf("%+v", prices)
	}
	never := prices.Of(model.VintageKey{ProjectID: "r", VintageID: "v"})
	must.Hold(t, never == (portfolio.LastPaid{Price: model.UnknownPrice}), "never bought", never)
}

func TestPurchasesThatCannotBeReadHaveNoAverageCost(t *testing.T) {
	sum, err := wallet(0,
		trade(portfolio.Buy, "", 3e6, 600), trade(portfolio.Buy, "", 1e6, 640), trade(portfolio.Sell, "", 9e6, 1),
		trade(portfolio.Buy, "", model.UnknownGrams, 600), trade(portfolio.Buy, "", 1e6, model.UnknownPrice),
	).Purchases()
	must.Hold(t, err == nil && sum.Quantity == 4e6 && sum.Trades == 2 && sum.Unread == 2, sum, err)
	average, ok := sum.AverageCost()
	must.Hold(t, !ok, "the average is", average)
	cost, ok := sum.CostOf(1e6)
	must.Hold(t, !ok, "a tonne cost", cost)
	sum.Unread = 0
	average, ok = sum.AverageCost()
	must.Hold(t, ok && average == 610, "the average is", average)
	if _, err := wallet(0, trade(portfolio.Buy, "", math.MaxInt64, 1), trade(portfolio.Buy, "", 1, 1)).Purchases(); !errors.Is(err, model.ErrOverflow) {
		t.Errorf("more grams than fit: %v", err)
	}
	_, ok = (portfolio.Purchases{}).AverageCost()
	must.Hold(t, !ok, "there is no average of nothing")
}

func TestValueAndCostOfABalance(t *testing.T) {
	for _, c := range []struct {
		name   string
		wallet portfolio.Wallet
		ask    model.PriceCents
		value  string
		basis  string
		over   string
	}{
		{"the inventory screen", wallet(12_500_000, trade(portfolio.Buy, "", 20e6, 402)), 435, "$54.38", "$50.25", "+$4.13"},
		{"a fraction", wallet(999_980, trade(portfolio.Buy, "", 1e6, 571)), 620, "$6.20", "$5.71", "+$0.49"},
		{"a loss", wallet(250_000, trade(portfolio.Buy, "", 1e6, 119)), 115, "$0.29", "$0.30", "−$0.01"},
		{"an empty wallet", wallet(0, trade(portfolio.Buy, "", 1e6, 571)), 620, "", "", ""},
		{"not for sale", wallet(1e6, trade(portfolio.Buy, "", 1e6, 571)), model.UnknownPrice, "", "$5.71", ""},
		{"nothing was bought", wallet(1e6), 620, "$6.20", "", ""},
		{"an unreadable balance", wallet(model.UnknownGrams, trade(portfolio.Buy, "", 1e6, 571)), 620, "", "", ""},
		{"a value that does not fit", wallet(math.MaxInt64, trade(portfolio.Buy, "", 1e6, 1)), math.MaxInt64, "", "$92,233,720,368.55", ""},
	} {
		v := c.wallet.Value(c.ask)
		over, ok := v.OverCost()
		got := [3]string{money(v.Value, v.HasValue, false), money(v.Basis, v.HasBasis, false), money(over, ok, true)}
		must.Equal(t, got, [3]string{c.value, c.basis, c.over}, c.name)
	}
}

func money(c model.Cents, known, signed bool) string {
	switch {
	case !known:
		return ""
	case signed:
		return c.FormatChange()
	}
	return c.FormatDollars()
}

func TestCostOfABalanceIsRoundedOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var w portfolio.Wallet
		cost, grams := new(big.Int), new(big.Int)
		for range rapid.IntRange(1, 6).Draw(t, "trades") {
			g := model.Grams(rapid.Int64Range(1, math.MaxInt64/6).Draw(t, "grams"))
			p := modeltest.DrawPrice(t, "price")
			w.Trades = append(w.Trades, trade(portfolio.Buy, "", g, p))
			cost.Add(cost, new(big.Int).Mul(big.NewInt(int64(g)), big.NewInt(int64(p))))
			grams.Add(grams, big.NewInt(int64(g)))
		}
		sum := must.Get(w.Purchases())
		held := modeltest.DrawGrams(t, "held")
		got, ok := sum.CostOf(held)
		var err error
		if !ok {
			err = model.ErrOverflow
		}
		modeltest.SameAsExact(t, int64(got), err, cost.Mul(cost, big.NewInt(int64(held))), grams.Mul(grams, big.NewInt(model.GramsPerTonne)))
	})
}

func TestTimestampsAreReadOrKeptAsText(t *testing.T) {
	for _, c := range []struct {
		text string
		want time.Time
	}{
		{"2026-02-08T11:46:00Z", time.Date(2026, 2, 8, 11, 46, 0, 0, time.UTC)},
		{"2026-02-08T11:46:00.123Z", time.Date(2026, 2, 8, 11, 46, 0, 123e6, time.UTC)},
		{"2026-02-08T12:46:00+01:00", time.Date(2026, 2, 8, 11, 46, 0, 0, time.UTC)},
		{"2026-02-08T12:46:00.5+0100", time.Date(2026, 2, 8, 11, 46, 0, 5e8, time.UTC)},
		{"2026-02-08T11:46:00", time.Date(2026, 2, 8, 11, 46, 0, 0, time.UTC)},
		{"2026-02-08", time.Date(2026, 2, 8, 0, 0, 0, 0, time.UTC)},
		{"9999-12-31T23:59:59Z", time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)},
		{"", time.Time{}},
		{"soon", time.Time{}},
		{"2026-13-01T00:00:00Z", time.Time{}},
		{"2026-02-30", time.Time{}},
		{"1770551160", time.Time{}},
		{"10000-01-01T00:00:00Z", time.Time{}},
	} {
		got := model.ParseTimestamp(c.text)
		if !got.Time.Equal(c.want) || got.Text != c.text || got.Known() == c.want.IsZero() {
			t.Errorf("ParseTimestamp(%q) = %+v, want %v", c.text, got, c.want)
		}
	}
	at := model.At(time.Date(2026, 2, 8, 12, 46, 0, 123456789, time.FixedZone("CET", 3600)))
	must.Hold(t, at.Text == "2026-02-08T11:46:00.123Z" && at.Known(), "At =", at)
}

func TestProjectIDsStandInTheOrderOfTheService(t *testing.T) {
	inv := portfolio.Inventory{Projects: []portfolio.Project{{ID: "b"}, {ID: "a"}}}
	var page market.Page
	page.AddProject("b")
	page.AddProject("a")
	want := []string{"b", "a"}
	must.Equal(t, inv.ProjectIDs(), want)
	must.Equal(t, market.New(&page).ProjectIDs(), want)
}

func TestAnInventoryIsUnreadableIfNoPriceOrNoQuantityIsKnown(t *testing.T) {
	bad := trade(portfolio.Buy, "", model.UnknownGrams, model.UnknownPrice)
	for name, c := range map[string]struct {
		wallets []portfolio.Wallet
		want    bool
	}{
		"no wallets":         {nil, false},
		"no trades":          {[]portfolio.Wallet{wallet(0)}, false},
		"some of each":       {[]portfolio.Wallet{wallet(1, bad), wallet(model.UnknownGrams, trade(portfolio.Buy, "", 1, 1))}, false},
		"no balance":         {[]portfolio.Wallet{wallet(model.UnknownGrams, trade(portfolio.Buy, "", 1, 1))}, true},
		"no price":           {[]portfolio.Wallet{wallet(1, trade(portfolio.Buy, "", 1, model.UnknownPrice))}, true},
		"no traded quantity": {[]portfolio.Wallet{wallet(1, trade(portfolio.Buy, "", model.UnknownGrams, 1))}, true},
	} {
		inv := &portfolio.Inventory{Projects: []portfolio.Project{{ID: "p", Vintages: []portfolio.Vintage{{ID: "v", Wallets: c.wallets}}}}}
		must.Equal(t, inv.Unreadable(), c.want, name)
	}
}

func TestBalancesSumUpTheWalletsOfAVintage(t *testing.T) {
	inv := &portfolio.Inventory{Projects: []portfolio.Project{
		{ID: "p", Vintages: []portfolio.Vintage{
			{ID: "two wallets", Wallets: []portfolio.Wallet{{Quantity: 999_980}, {Quantity: 20, Type: "OTHER"}}},
			{ID: "empty", Wallets: []portfolio.Wallet{{Quantity: 0}}},
			{ID: "unread", Wallets: []portfolio.Wallet{{Quantity: model.UnknownGrams}, {Quantity: 5}}},
			{ID: "too much", Wallets: []portfolio.Wallet{{Quantity: math.MaxInt64}, {Quantity: 1}}},
			{ID: "no wallet"},
		}},
		{ID: "q", Vintages: []portfolio.Vintage{{ID: "empty", Wallets: []portfolio.Wallet{{Quantity: 7}}}}},
	}}
	want := portfolio.Balances{
		{ProjectID: "p", VintageID: "two wallets"}: 1_000_000,
		{ProjectID: "p", VintageID: "empty"}:       0,
		{ProjectID: "p", VintageID: "unread"}:      model.UnknownGrams,
		{ProjectID: "p", VintageID: "too much"}:    math.MaxInt64,
		{ProjectID: "q", VintageID: "empty"}:       7,
	}
	must.Equal(t, inv.Balances(), want)
}
