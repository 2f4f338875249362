package portfolio_test

import (
	"errors"
	"math"
	"testing"
	"time"

	"tonne/model"
	"tonne/model/market"
	"tonne/model/must"
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
	most := holding{quantity: model.GramsPerTonne, ask: math.MaxInt64, before: model.UnknownPrice}
	for name, h := range map[string]holding{
		"a wallet":   {quantity: 2 * model.GramsPerTonne, ask: math.MaxInt64, before: model.UnknownPrice},
		"the sum":    most,
		"quantities": {quantity: math.MaxInt64, ask: model.UnknownPrice, before: model.UnknownPrice},
	} {
		var b portfolio.BookValue
		must.Succeed(t, most.addTo(&b))
		before := b
		if err := h.addTo(&b); !errors.Is(err, model.ErrOverflow) || b != before {
			t.Errorf("%s: %v, %+v", name, err, b)
		}
	}
}

func TestWhatWasBoughtSinceTheBeginningCountsFromItsCost(t *testing.T) {
	const tonne = model.GramsPerTonne
	at := func(hour int) model.Timestamp { return model.At(morning.Add(time.Duration(hour) * time.Hour)) }
	buy := func(hour int, tonnes model.Grams, price model.PriceCents) portfolio.Trade {
		return portfolio.Trade{ExecutionDate: at(hour), Quantity: tonnes * tonne, Price: price, Type: portfolio.Buy}
	}
	undated := portfolio.Trade{Quantity: 2 * tonne, Price: 500, Type: portfolio.Buy}
	opened := portfolio.Start{At: morning, BestAsk: 600}
	noAsk := portfolio.Start{At: morning, BestAsk: model.UnknownPrice}
	for name, c := range map[string]struct {
		held   model.Grams
		trades []portfolio.Trade
		start  portfolio.Start
		ask    model.PriceCents
		more   model.Cents
		of     model.Grams
		known  bool
	}{
		"held all day":                               {2 * tonne, []portfolio.Trade{buy(-30, 2, 500)}, opened, 620, 40, 2 * tonne, true},
		"bought today":                               {2 * tonne, []portfolio.Trade{buy(1, 2, 630)}, opened, 620, -20, 2 * tonne, true},
		"bought as the day began":                    {2 * tonne, []portfolio.Trade{buy(0, 2, 630)}, opened, 620, -20, 2 * tonne, true},
		"held and bought":                            {5 * tonne, []portfolio.Trade{buy(2, 3, 610), buy(-30, 2, 500)}, opened, 620, 40 + 30, 5 * tonne, true},
		"bought twice today":                         {3 * tonne, []portfolio.Trade{buy(3, 1, 640), buy(2, 2, 610)}, opened, 620, 0, 3 * tonne, true},
		"what was held is retired before":            {1 * tonne, []portfolio.Trade{buy(2, 3, 610), buy(-30, 2, 500)}, opened, 620, 10, 1 * tonne, true},
		"sold is not bought":                         {2 * tonne, []portfolio.Trade{{ExecutionDate: at(1), Quantity: tonne, Price: 1, Type: portfolio.Sell}}, opened, 620, 40, 2 * tonne, true},
		"not for sale in the morning":                {2 * tonne, nil, noAsk, 620, 0, 0, false},
		"held without a price, bought at one":        {5 * tonne, []portfolio.Trade{buy(2, 3, 610)}, noAsk, 620, 30, 3 * tonne, true},
		"not for sale now":                           {2 * tonne, []portfolio.Trade{buy(2, 2, 610)}, opened, model.UnknownPrice, 0, 2 * tonne, false},
		"a purchase without a date was before":       {2 * tonne, []portfolio.Trade{undated}, opened, 620, 40, 2 * tonne, true},
		"a purchase of today that cannot be read":    {5 * tonne, []portfolio.Trade{buy(1, 3, model.UnknownPrice)}, opened, 620, 0, 0, false},
		"a purchase of long ago that cannot be read": {5 * tonne, []portfolio.Trade{buy(-99, 3, model.UnknownPrice)}, opened, 620, 100, 5 * tonne, true},
		"nothing left":                               {0, []portfolio.Trade{buy(1, 3, 610)}, opened, 620, 0, 0, false},
		"no beginning":                               {2 * tonne, []portfolio.Trade{buy(1, 2, 610)}, portfolio.Start{BestAsk: 600}, 620, 0, 0, false},
	} {
		inv := &portfolio.Inventory{Projects: []portfolio.Project{{ID: "p", Vintages: []portfolio.Vintage{
			{ID: "v", Wallets: []portfolio.Wallet{{Quantity: c.held, Trades: c.trades}}},
		}}}}
		p := portfolio.NewPositions(inv, inv).At(0)
		more, of, known := p.Since(c.start, c.ask)
		if known != c.known || known && (more != c.more || of != c.of) {
			t.Errorf("%s: %d of %d, %v; want %d of %d, %v", name, more, of, known, c.more, c.of, c.known)
		}
	}
}

// 0.735923 t a cent dearer are 0.7 cents, and read $0.00 as the difference of two
// values that were rounded.
func TestAMoveIsRoundedOnceFromTheExactAmount(t *testing.T) {
	day := time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		held     model.Grams
		was, now model.PriceCents
		want     model.Cents
	}{
		{735_923, 620, 621, 1}, {650_000, 615, 600, -10}, {23_770_000, 412, 415, 71}, {23_770_000, 415, 412, -71}, {500_000, 100, 101, 1}, {1, 100, 101, 0},
	} {
		p := portfolio.Position{Wallet: portfolio.Wallet{Quantity: c.held}}
		if more, of, known := p.Since(portfolio.Start{day, c.was}, c.now); more != c.want || of != c.held || !known {
			t.Errorf("%d g from %d to %d: %d of %d, %t; want %d", c.held, c.was, c.now, more, of, known, c.want)
		}
	}
}
