package portfolio_test

import (
	"maps"
	"math"
	"testing"

	"tonne/model"
	"tonne/model/portfolio"
)

func TestBalancesSumUpTheWalletsOfAVintage(t *testing.T) {
	t.Parallel()
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
	if got := inv.Balances(); !maps.Equal(got, want) {
		t.Errorf("balances are %v, want %v", got, want)
	}
}
