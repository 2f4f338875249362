package portfolio_test

import (
	"testing"
	"time"

	"tonne/model"
	"tonne/model/portfolio"
)

func TestWhatWasBoughtSinceTheBeginningCountsFromItsCost(t *testing.T) {
	t.Parallel()
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
	t.Parallel()
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
