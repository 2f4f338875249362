package model_test

import (
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"tonne/model"
)

func TestTheBookIsWorthWhatItsWalletsAreWorth(t *testing.T) {
	t.Parallel()
	m := oneVintage(order{"a", 2_500_000, 620}, order{"b", 1e6, 700})
	bought := func(grams model.Grams, price model.PriceCents) []model.Trade {
		return []model.Trade{{Quantity: grams, Price: price, Type: model.Buy}}
	}
	inv := &model.Inventory{Projects: []model.InventoryProject{
		{ID: "p", Vintages: []model.InventoryVintage{
			{ID: "v", Wallets: []model.Wallet{
				{Quantity: 1_500_000, Trades: bought(2_000_000, 500)}, {Quantity: 500_000}, {Quantity: 0, Trades: bought(1e6, 1)}, {Quantity: model.UnknownGrams},
			}},
			{ID: "sold out", Wallets: []model.Wallet{{Quantity: 3_000_000, Trades: bought(3_000_000, 100)}}},
		}},
	}}
	key := model.VintageKey{ProjectID: "p", VintageID: "v"}
	got, err := model.NewPositions(inv, inv).BookValue(m, map[model.VintageKey]model.PriceCents{key: 600, {ProjectID: "p", VintageID: "sold out"}: 90})
	want := model.BookValue{
		Wallets: 5, Unread: 1, Held: 5_000_000, Value: 930 + 310, Valued: 2_000_000, Unvalued: 3_000_000,
		Cost: 750 + 300, Costed: 4_500_000, OverCost: 180, Compared: 1_500_000, Today: 30 + 10, Moved: 2_000_000,
	}
	if err != nil || got != want {
		t.Errorf("%v\n%+v\nwant\n%+v", err, got, want)
	}
	if got, err := model.NewPositions(inv, inv).BookValue(m, nil); err != nil || got.Today != 0 || got.Moved != 0 {
		t.Errorf("without a beginning of the day: %+v, %v", got, err)
	}
}

func TestABookThatIsWorthMoreThanAnyAmountIsAnErrorAndStaysAsItWas(t *testing.T) {
	t.Parallel()
	most := model.Holding{Quantity: model.GramsPerTonne, BestAsk: math.MaxInt64, Before: model.UnknownPrice}
	for name, h := range map[string]model.Holding{
		"a wallet":   {Quantity: 2 * model.GramsPerTonne, BestAsk: math.MaxInt64, Before: model.UnknownPrice},
		"the sum":    most,
		"quantities": {Quantity: math.MaxInt64, BestAsk: model.UnknownPrice, Before: model.UnknownPrice},
	} {
		var b model.BookValue
		if err := b.Add(most); err != nil {
			t.Fatal(err)
		}
		before := b
		if err := b.Add(h); !errors.Is(err, model.ErrOverflow) || b != before {
			t.Errorf("%s: %v, %+v", name, err, b)
		}
	}
}

func TestABookIsTheSameInAnyOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		holdings := rapid.SliceOf(rapid.Custom(func(t *rapid.T) model.Holding {
			price := rapid.Int64Range(-1, 40_000)
			w := model.Wallet{Trades: []model.Trade{{
				Quantity: model.Grams(rapid.Int64Range(0, 1e12).Draw(t, "bought")), Price: model.PriceCents(price.Draw(t, "paid")), Type: model.Buy,
			}}}
			bought, _ := w.Purchases()
			return model.Holding{
				Quantity: model.Grams(rapid.Int64Range(-1, 1e12).Draw(t, "held")), Bought: bought,
				BestAsk: model.PriceCents(price.Draw(t, "ask")), Before: model.PriceCents(price.Draw(t, "before")),
			}
		})).Draw(t, "holdings")
		var b, turned model.BookValue
		var over model.Cents
		for i, h := range holdings {
			if errors.Join(b.Add(h), turned.Add(holdings[len(holdings)-1-i])) != nil {
				t.Fatal("an amount of trillions is beyond any")
			}
			if v, ok := model.Value(h.Quantity, h.BestAsk, h.Bought).OverCost(); ok {
				over += v
			}
		}
		if b != turned || b.OverCost != over || b.Valued+b.Unvalued != b.Held || b.Moved > b.Valued || b.Compared > b.Costed || b.Wallets != len(holdings) {
			t.Fatalf("%+v\n%+v", b, turned)
		}
	})
}
