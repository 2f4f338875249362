package model_test

import (
	"maps"
	"math"
	"testing"

	"tonne/model"
)

func TestBalancesSumUpTheWalletsOfAVintage(t *testing.T) {
	t.Parallel()
	inv := &model.Inventory{Projects: []model.InventoryProject{
		{ID: "p", Vintages: []model.InventoryVintage{
			{ID: "two wallets", Wallets: []model.Wallet{{Quantity: 999_980}, {Quantity: 20, Type: "OTHER"}}},
			{ID: "empty", Wallets: []model.Wallet{{Quantity: 0}}},
			{ID: "unread", Wallets: []model.Wallet{{Quantity: model.UnknownGrams}, {Quantity: 5}}},
			{ID: "too much", Wallets: []model.Wallet{{Quantity: math.MaxInt64}, {Quantity: 1}}},
			{ID: "no wallet"},
		}},
		{ID: "q", Vintages: []model.InventoryVintage{{ID: "empty", Wallets: []model.Wallet{{Quantity: 7}}}}},
	}}
	want := model.Balances{
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
