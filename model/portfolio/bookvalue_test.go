package portfolio_test

import (
	"errors"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tonne/model"
	"tonne/model/market"
	"tonne/model/portfolio"
)

// morning is when the day of the tests began.
var morning = time.Date(2025, 12, 6, 0, 0, 0, 0, time.UTC)

// holding is a wallet of a book with what it is valued by.
type holding struct {
	quantity    model.Grams
	trades      []portfolio.Trade
	ask, before model.PriceCents
}

// addTo adds the wallet to a book.
func (h holding) addTo(b *portfolio.BookValue) error {
	inv := &portfolio.Inventory{Projects: []portfolio.Project{{ID: "p", Vintages: []portfolio.Vintage{
		{ID: "v", Wallets: []portfolio.Wallet{{Quantity: h.quantity, Trades: h.trades}}},
	}}}}
	return b.AddPosition(portfolio.NewPositions(inv, inv).At(0), h.ask, portfolio.Start{At: morning, BestAsk: h.before})
}

func TestTheBookIsWorthWhatItsWalletsAreWorth(t *testing.T) {
	t.Parallel()
	page := new(market.Page)
	page.AddProject("p")
	page.AddVintage("v", 2019)
	page.AddOrder("a", 2_500_000, 620)
	page.AddOrder("b", 1e6, 700)
	m := market.New(page)
	bought := func(grams model.Grams, price model.PriceCents) []portfolio.Trade {
		return []portfolio.Trade{{Quantity: grams, Price: price, Type: portfolio.Buy}}
	}
	inv := &portfolio.Inventory{Projects: []portfolio.Project{
		{ID: "p", Vintages: []portfolio.Vintage{
			{ID: "v", Wallets: []portfolio.Wallet{
				{Quantity: 1_500_000, Trades: bought(2_000_000, 500)}, {Quantity: 500_000}, {Quantity: 0, Trades: bought(1e6, 1)},
			}},
			{ID: "sold out", Wallets: []portfolio.Wallet{{Quantity: 3_000_000, Trades: bought(3_000_000, 100)}}},
		}},
	}}
	key := model.VintageKey{ProjectID: "p", VintageID: "v"}
	got, err := portfolio.NewPositions(inv, inv).BookValue(m, portfolio.Opening{At: morning, Asks: map[model.VintageKey]model.PriceCents{key: 600, {ProjectID: "p", VintageID: "sold out"}: 90}})
	want := portfolio.BookValue{
		Wallets: 4, Held: 5_000_000, Value: 930 + 310, Valued: 2_000_000, Unvalued: 3_000_000,
		Cost: 750 + 300, Costed: 4_500_000, OverCost: 180, Compared: 1_500_000, Today: 30 + 10, Moved: 2_000_000,
	}
	if err != nil || got != want {
		t.Errorf("%v\n%+v\nwant\n%+v", err, got, want)
	}
	if got, err := portfolio.NewPositions(inv, inv).BookValue(m, portfolio.Opening{}); err != nil || got.Today != 0 || got.Moved != 0 {
		t.Errorf("without a beginning of the day: %+v, %v", got, err)
	}
}

// A sum without what could not be read would be wrong.
func TestTheWorthOfABookThatCannotBeReadIsUnknown(t *testing.T) {
	t.Parallel()
	whole := holding{quantity: 2_000_000, trades: []portfolio.Trade{{Quantity: 2_000_000, Price: 500, Type: portfolio.Buy}}, ask: 620, before: 600}
	var b portfolio.BookValue
	if err := whole.addTo(&b); err != nil || b.Cost != 1000 || b.Moved == 0 {
		t.Fatalf("%+v, %v", b, err)
	}
	before := b
	if err := (holding{quantity: model.UnknownGrams, ask: 620}).addTo(&b); !errors.Is(err, model.ErrUnknown) || b != before {
		t.Errorf("a balance: %+v, %v", b, err)
	}
	part := whole
	part.trades = append(part.trades, portfolio.Trade{Quantity: 1, Price: model.UnknownPrice, Type: portfolio.Buy})
	for _, next := range []holding{part, whole} {
		if err := next.addTo(&b); err != nil || !b.CostUnread || b.Cost != 0 || b.Costed != 0 || b.OverCost != 0 || b.Compared != 0 || b.Today != 0 || b.Moved != 0 {
			t.Errorf("a purchase: %+v, %v", b, err)
		}
	}
	if b.Held != 6_000_000 || b.Value != 3*1240 {
		t.Errorf("what is known of it: %+v", b)
	}
}

func TestABookThatIsWorthMoreThanAnyAmountIsAnErrorAndStaysAsItWas(t *testing.T) {
	t.Parallel()
	most := holding{quantity: model.GramsPerTonne, ask: math.MaxInt64, before: model.UnknownPrice}
	for name, h := range map[string]holding{
		"a wallet":   {quantity: 2 * model.GramsPerTonne, ask: math.MaxInt64, before: model.UnknownPrice},
		"the sum":    most,
		"quantities": {quantity: math.MaxInt64, ask: model.UnknownPrice, before: model.UnknownPrice},
	} {
		var b portfolio.BookValue
		if err := most.addTo(&b); err != nil {
			t.Fatal(err)
		}
		before := b
		if err := h.addTo(&b); !errors.Is(err, model.ErrOverflow) || b != before {
			t.Errorf("%s: %v, %+v", name, err, b)
		}
	}
}

func TestABookIsTheSameInAnyOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		holdings := rapid.SliceOf(rapid.Custom(func(t *rapid.T) holding {
			price := rapid.Int64Range(-1, 40_000)
			return holding{
				quantity: model.Grams(rapid.Int64Range(0, 1e12).Draw(t, "held")),
				trades: []portfolio.Trade{{
					ExecutionDate: model.At(morning.Add(time.Duration(rapid.IntRange(-1, 1).Draw(t, "hour")) * time.Hour)),
					Quantity:      model.Grams(rapid.Int64Range(0, 1e12).Draw(t, "bought")), Price: model.PriceCents(price.Draw(t, "paid")), Type: portfolio.Buy,
				}},
				ask: model.PriceCents(price.Draw(t, "ask")), before: model.PriceCents(price.Draw(t, "before")),
			}
		})).Draw(t, "holdings")
		var b, turned portfolio.BookValue
		var over model.Cents
		for i, h := range holdings {
			if errors.Join(h.addTo(&b), holdings[len(holdings)-1-i].addTo(&turned)) != nil {
				t.Fatal("an amount of trillions is beyond any")
			}
			bought, _ := portfolio.Wallet{Trades: h.trades}.Purchases()
			if v, ok := portfolio.Value(h.quantity, h.ask, bought).OverCost(); ok {
				over += v
			}
		}
		if b.CostUnread {
			over = 0
		}
		if b != turned || b.OverCost != over || b.Valued+b.Unvalued != b.Held || b.Moved > b.Valued || b.Compared > b.Costed || b.Wallets != len(holdings) {
			t.Fatalf("%+v\n%+v", b, turned)
		}
	})
}
