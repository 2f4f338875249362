package model_test

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tonne/model"
	"tonne/model/market"
	"tonne/model/must"
	"tonne/model/portfolio"
)

// held is a wallet of a random book.
type held struct {
	key            model.VintageKey
	quantity       model.Grams
	ask, was, paid model.PriceCents
	bought         model.Grams
}

// books generates wallets of different vintages, and their market.
func books(t *rapid.T) []held {
	n := rapid.IntRange(0, 40).Draw(t, "wallets")
	price := rapid.Int64Range(-1, 40_000)
	all := make([]held, n)
	for i := range all {
		all[i] = held{
			key:      model.VintageKey{ProjectID: fmt.Sprintf("p%d", rapid.IntRange(0, 12).Draw(t, "project")), VintageID: fmt.Sprintf("v%d", i)},
			quantity: model.Grams(rapid.Int64Range(0, 1e13).Draw(t, "held")),
			ask:      model.PriceCents(price.Draw(t, "ask")), was: model.PriceCents(price.Draw(t, "was")),
			paid: model.PriceCents(price.Draw(t, "paid")), bought: model.Grams(rapid.Int64Range(1, 1e13).Draw(t, "bought")),
		}
	}
	return all
}

// pagesOf puts each vintage on one page, and some on a second one too: they
// moved while the pages were read.
func pagesOf(t *rapid.T, all []held) []*portfolio.Inventory {
	pages := make([]*portfolio.Inventory, rapid.IntRange(1, 5).Draw(t, "pages"))
	for i := range pages {
		pages[i] = &portfolio.Inventory{}
	}
	put := func(h held) {
		w := portfolio.Wallet{Type: portfolio.WalletCAAS, Quantity: h.quantity, Trades: []portfolio.Trade{{Quantity: h.bought, Price: h.paid, Type: portfolio.Buy}}}
		page := pages[rapid.IntRange(0, len(pages)-1).Draw(t, "page")]
		page.Projects = append(page.Projects, portfolio.Project{
			ID: h.key.ProjectID, Vintages: []portfolio.Vintage{{ID: h.key.VintageID, Wallets: []portfolio.Wallet{w}}},
		})
	}
	for _, h := range all {
		put(h)
		if rapid.Bool().Draw(t, "moved") {
			put(h)
		}
	}
	return rapid.Permutation(pages).Draw(t, "order")
}

// rounded is a part of an amount, rounded half up.
func rounded(part *big.Int, by int64) *big.Int {
	twice := new(big.Int).Lsh(part, 1)
	return twice.Add(twice, big.NewInt(by)).Quo(twice, big.NewInt(2*by))
}

// worth is what a quantity costs at a price.
func worth(g model.Grams, p model.PriceCents) *big.Int {
	return rounded(new(big.Int).Mul(big.NewInt(int64(g)), big.NewInt(int64(p))), model.GramsPerTonne)
}

func TestTotalsAreTheSumOfAllWalletsHoweverThePagesCome(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := books(t)
		inv := portfolio.JoinInventory(pagesOf(t, all)...)
		var part market.Page
		opened := make(map[model.VintageKey]model.PriceCents)
		value, cost, over, today := new(big.Int), new(big.Int), new(big.Int), new(big.Int)
		var sum model.Grams
		unread := false
		for _, h := range all {
			unread = unread || !h.paid.Known()
			part.AddProject(h.key.ProjectID)
			part.AddVintage(h.key.VintageID, 2020)
			if h.ask.Known() {
				part.AddOrder("o-"+h.key.VintageID, model.GramsPerTonne, h.ask)
			}
			if h.was.Known() {
				opened[h.key] = h.was
			}
			if h.quantity <= 0 {
				continue
			}
			sum += h.quantity
			now, basis := worth(h.quantity, h.ask), worth(h.quantity, h.paid)
			if h.ask.Known() {
				value.Add(value, now)
			}
			if h.paid.Known() {
				cost.Add(cost, basis)
			}
			if h.ask.Known() && h.paid.Known() {
				over.Add(over, now).Sub(over, basis)
			}
			if h.ask.Known() && h.was.Known() {
				// Rounded once, from how far the price moved.
				if h.ask >= h.was {
					today.Add(today, worth(h.quantity, h.ask-h.was))
				} else {
					today.Sub(today, worth(h.quantity, h.was-h.ask))
				}
			}
		}
		if unread {
			cost, over, today = new(big.Int), new(big.Int), new(big.Int)
		}
		got, err := portfolio.NewPositions(inv, inv).BookValue(market.New(&part), portfolio.Opening{At: morning, Asks: opened})
		want := [...]int64{int64(len(all)), int64(sum), value.Int64(), cost.Int64(), over.Int64(), today.Int64()}
		if is := [...]int64{int64(got.Wallets), int64(got.Held), int64(got.Value), int64(got.Cost), int64(got.OverCost), int64(got.Today)}; err != nil || is != want {
			t.Fatalf("%v, %v, want %v", is, err, want)
		}
		must.Hold(t, got.Valued+got.Unvalued == got.Held && got.Moved <= got.Valued && got.Compared <= got.Costed, got)
	})
}

func TestWalletsAreFoundByTheirVintageAndNamedEachByItself(t *testing.T) {
	w := func(kind string, g model.Grams, trades ...portfolio.Trade) portfolio.Wallet {
		return portfolio.Wallet{Type: kind, Quantity: g, Trades: trades}
	}
	bought := portfolio.Trade{Quantity: 2_000_000, Price: 500, Type: portfolio.Buy}
	inventory := func(trades ...portfolio.Trade) *portfolio.Inventory {
		return &portfolio.Inventory{Projects: []portfolio.Project{
			{ID: "p", Vintages: []portfolio.Vintage{
				{ID: "a", Wallets: []portfolio.Wallet{w("CAAS", 1e6, trades...), w("ESCROW", 5), w("CAAS", 7)}},
				{ID: "b", Wallets: []portfolio.Wallet{w("CAAS", 9)}},
			}},
			{ID: "q", Vintages: []portfolio.Vintage{{ID: "a", Wallets: []portfolio.Wallet{w("CAAS", 11)}}}},
		}}
	}
	p := portfolio.NewPositions(inventory(), inventory(bought))
	keys := make(map[portfolio.WalletKey]bool)
	for i := range p.Len() {
		keys[p.At(i).Key] = true
	}
	must.Hold(t, len(keys) == 5 && p.Len() == 5, p.Len(), len(keys))
	of := p.OfVintage(model.VintageKey{ProjectID: "p", VintageID: "a"})
	must.Hold(t, len(of) == 3 && of[2].Wallet.Quantity == 7 && of[2].Key.Number == 1 && of[1].Key.Number == 0, of)
	if first := of[0]; len(first.Wallet.Trades) != 0 || len(first.Purchases) != 1 || first.Bought.Trades != 1 {
		t.Errorf("what a filter left out is not in what was bought: %+v", first)
	}
	over, ok := of[0].Value(620).OverCost()
	must.Hold(t, ok && over == 120, "over cost by", over, ok)
	none := p.OfVintage(model.VintageKey{ProjectID: "q", VintageID: "b"})
	must.Hold(t, none == nil, none)
}

func TestAmountsInWholeDollarsAreNeverNothingByRounding(t *testing.T) {
	for cents, want := range map[model.Cents][2]string{
		0: {"$0", "$0"}, 18_422_049: {"$184,220", "+$184,220"}, 150: {"$2", "+$2"}, 149: {"$1", "+$1"}, -1250: {"−$13", "−$13"}, 49: {"$0.49", "+$0.49"}, -1: {"−$0.01", "−$0.01"},
	} {
		must.Equal(t, [2]string{cents.FormatRounded(), cents.FormatRoundedChange()}, want, cents)
	}
}

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
	must.Hold(t, err == nil && got == want, err, got, want)
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
	err := (holding{quantity: model.UnknownGrams, ask: 620}).addTo(&b)
	must.Hold(t, errors.Is(err, model.ErrUnknown) && b == before, "a balance", b, err)
	part := whole
	part.trades = append(part.trades, portfolio.Trade{Quantity: 1, Price: model.UnknownPrice, Type: portfolio.Buy})
	for _, next := range []holding{part, whole} {
		if err := next.addTo(&b); err != nil || !b.CostUnread || b.Cost != 0 || b.Costed != 0 || b.OverCost != 0 || b.Compared != 0 || b.Today != 0 || b.Moved != 0 {
			t.Errorf("a purchase: %+v, %v", b, err)
		}
	}
	must.Hold(t, b.Held == 6_000_000 && b.Value == 3*1240, "what is known of it", b)
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
		err := h.addTo(&b)
		must.Hold(t, errors.Is(err, model.ErrOverflow) && b == before, name, err, b)
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
		more, of, known := p.Since(portfolio.Start{At: day, BestAsk: c.was}, c.now)
		must.Hold(t, more == c.want && of == c.held && known, c.held, c.was, c.now, more, of, known, c.want)
	}
}
