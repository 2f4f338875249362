package portfolio_test

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tonne/model"
	"tonne/model/market"
	"tonne/model/modeltest"
	must "tonne/model/musttest"
	"tonne/model/portfolio"
	"tonne/model/texttest"
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
	texttest.Table(t, "last_paid", func(text string) string {
		var v portfolio.Vintage
		for trades := range strings.SplitSeq(text, "|") {
			w := wallet(0)
			for word := range strings.FieldsSeq(trades) {
				kind, rest, _ := strings.Cut(word, ":")
				price, date, _ := strings.Cut(rest, "@")
				w.Trades = append(w.Trades, trade(portfolio.TradeType(kind), date, 1e6, modeltest.Price(price)))
			}
			v.Wallets = append(v.Wallets, w)
		}
		if last, ok := v.LastPaid(); ok {
			return last.Price.String()
		}
		return "never"
	})
}

func TestLastPaidMarksTheVeryTradeItComesFrom(t *testing.T) {
	trades := []portfolio.Trade{bought("2026-01-03T00:00:00Z", 300), bought("2026-01-02T00:00:00Z", 300),
		trade(portfolio.Sell, "2026-01-03T00:00:00Z", 1e6, 300)}
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
		{ID: "p", Vintages: vintage(0)}, {ID: "q", Vintages: vintage(200)},
		{ID: "r", Vintages: []portfolio.Vintage{{ID: "v"}}},
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
	if _, err := wallet(0, trade(portfolio.Buy, "", math.MaxInt64, 1),
		trade(portfolio.Buy, "", 1, 1)).Purchases(); !errors.Is(err, model.ErrOverflow) {
		t.Errorf("more grams than fit: %v", err)
	}
	_, ok = (portfolio.Purchases{}).AverageCost()
	must.Hold(t, !ok, "there is no average of nothing")
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
		modeltest.SameAsExact(t, int64(got), err, cost.Mul(cost, big.NewInt(int64(held))),
			grams.Mul(grams, big.NewInt(model.GramsPerTonne)))
	})
}

func TestAnInventoryIsUnreadableIfNoPriceOrNoQuantityIsKnown(t *testing.T) {
	bad := trade(portfolio.Buy, "", model.UnknownGrams, model.UnknownPrice)
	for name, c := range map[string]struct {
		wallets []portfolio.Wallet
		want    bool
	}{
		"no wallets": {nil, false},
		"no trades":  {[]portfolio.Wallet{wallet(0)}, false},
		"some of each": {[]portfolio.Wallet{wallet(1, bad), wallet(model.UnknownGrams, trade(portfolio.Buy, "", 1, 1))},
			false},
		"no balance":         {[]portfolio.Wallet{wallet(model.UnknownGrams, trade(portfolio.Buy, "", 1, 1))}, true},
		"no price":           {[]portfolio.Wallet{wallet(1, trade(portfolio.Buy, "", 1, model.UnknownPrice))}, true},
		"no traded quantity": {[]portfolio.Wallet{wallet(1, trade(portfolio.Buy, "", model.UnknownGrams, 1))}, true},
	} {
		inv := &portfolio.Inventory{Projects: []portfolio.Project{{ID: "p",
			Vintages: []portfolio.Vintage{{ID: "v", Wallets: c.wallets}}}}}
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
		{ProjectID: "p", VintageID: "too much"}:    model.UnknownGrams,
		{ProjectID: "q", VintageID: "empty"}:       7,
	}
	must.Equal(t, inv.Balances(), want)
}

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
	paid := price
	if rapid.Bool().Draw(t, "all purchases are read") {
		paid = rapid.Int64Range(0, 40_000)
	}
	all := make([]held, n)
	for i := range all {
		all[i] = held{
			key: model.VintageKey{ProjectID: fmt.Sprintf("p%d", rapid.IntRange(0, 12).Draw(t, "project")),
				VintageID: fmt.Sprintf("v%d", i)},
			quantity: model.Grams(rapid.Int64Range(0, 1e13).Draw(t, "held")),
			ask:      model.PriceCents(price.Draw(t, "ask")), was: model.PriceCents(price.Draw(t, "was")),
			paid: model.PriceCents(paid.Draw(t, "paid")), bought: model.Grams(rapid.Int64Range(1, 1e13).Draw(t, "bought")),
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
		w := portfolio.Wallet{Type: portfolio.WalletCAAS, Quantity: h.quantity,
			Trades: []portfolio.Trade{{Quantity: h.bought, Price: h.paid, Type: portfolio.Buy}}}
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

// worth is rounded once, half away from zero.
func worth(g model.Grams, p model.PriceCents) model.Cents {
	if p < 0 {
		return -worth(g, -p)
	}
	return (2*model.Cents(g)*model.Cents(p) + model.GramsPerTonne) / (2 * model.GramsPerTonne)
}

func TestTotalsAreTheSumOfAllWalletsHoweverThePagesCome(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := books(t)
		inv := portfolio.JoinInventory(pagesOf(t, all)...)
		var part market.Page
		opened := make(map[model.VintageKey]model.PriceCents)
		want := portfolio.BookValue{Wallets: len(all)}
		for _, h := range all {
			part.AddProject(h.key.ProjectID)
			part.AddVintage(h.key.VintageID, 2020)
			if h.ask.Known() {
				part.AddOrder("o-"+h.key.VintageID, model.GramsPerTonne, h.ask)
			}
			if h.was.Known() {
				opened[h.key] = h.was
			}
			value, cost := worth(h.quantity, h.ask), worth(h.quantity, h.paid)
			want.Held += h.quantity
			if h.ask.Known() {
				want.Value, want.Valued = want.Value+value, want.Valued+h.quantity
			}
			if h.paid.Known() {
				want.Cost, want.Costed = want.Cost+cost, want.Costed+h.quantity
			}
			if h.ask.Known() && h.paid.Known() {
				want.OverCost, want.Compared = want.OverCost+value-cost, want.Compared+h.quantity
			}
			if h.ask.Known() && h.was.Known() {
				want.Today, want.Moved = want.Today+worth(h.quantity, h.ask-h.was), want.Moved+h.quantity
			}
			want.CostUnread = want.CostUnread || !h.paid.Known()
		}
		if want.Unvalued = want.Held - want.Valued; want.CostUnread {
			want.Cost, want.Costed, want.OverCost, want.Compared, want.Today, want.Moved = 0, 0, 0, 0, 0, 0
		}
		p := portfolio.NewPositions(inv, inv)
		m := market.New(&part)
		must.Equal(t, must.Get(p.BookValue(m, portfolio.Opening{At: morning, Asks: opened})), want)
		want.Today, want.Moved = 0, 0
		must.Equal(t, must.Get(p.BookValue(m, portfolio.Opening{Asks: opened})), want, "without a beginning of the day")
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

var morning = time.Date(2025, 12, 6, 0, 0, 0, 0, time.UTC)

// holding is a wallet of a book with what it is valued by.
type holding struct {
	quantity    model.Grams
	trades      []portfolio.Trade
	ask, before model.PriceCents
}

func (h holding) addTo(b *portfolio.BookValue) error {
	inv := &portfolio.Inventory{Projects: []portfolio.Project{{ID: "p", Vintages: []portfolio.Vintage{
		{ID: "v", Wallets: []portfolio.Wallet{{Quantity: h.quantity, Trades: h.trades}}},
	}}}}
	return b.AddPosition(portfolio.NewPositions(inv, inv).At(0), h.ask, portfolio.Start{At: morning, BestAsk: h.before})
}

// A sum without what could not be read would be wrong.
func TestTheWorthOfABookThatCannotBeReadIsUnknown(t *testing.T) {
	whole := holding{quantity: 2_000_000,
		trades: []portfolio.Trade{{Quantity: 2_000_000, Price: 500, Type: portfolio.Buy}}, ask: 620, before: 600}
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
		if err := next.addTo(&b); err != nil || !b.CostUnread || b.Cost != 0 || b.Costed != 0 || b.OverCost != 0 ||
			b.Compared != 0 || b.Today != 0 || b.Moved != 0 {
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
		"held all day": {2 * tonne, []portfolio.Trade{buy(-30, 2, 500)}, opened, 620, 40,
			2 * tonne, true},
		"bought today": {2 * tonne, []portfolio.Trade{buy(1, 2, 630)}, opened, 620, -20,
			2 * tonne, true},
		"bought as the day began": {2 * tonne, []portfolio.Trade{buy(0, 2, 630)}, opened, 620, -20,
			2 * tonne, true},
		"held and bought": {5 * tonne, []portfolio.Trade{buy(2, 3, 610), buy(-30, 2, 500)}, opened,
			620, 40 + 30, 5 * tonne, true},
		"bought twice today": {3 * tonne, []portfolio.Trade{buy(3, 1, 640), buy(2, 2, 610)}, opened,
			620, 0, 3 * tonne, true},
		"what was held is retired before": {1 * tonne, []portfolio.Trade{buy(2, 3, 610), buy(-30, 2, 500)}, opened,
			620, 10, 1 * tonne, true},
		"sold is not bought": {2 * tonne,
			[]portfolio.Trade{{ExecutionDate: at(1), Quantity: tonne, Price: 1, Type: portfolio.Sell}}, opened, 620, 40,
			2 * tonne, true},
		"not for sale in the morning": {2 * tonne, nil, noAsk, 620, 0, 0, false},
		"held without a price, bought at one": {5 * tonne, []portfolio.Trade{buy(2, 3, 610)}, noAsk, 620, 30,
			3 * tonne, true},
		"not for sale now": {2 * tonne, []portfolio.Trade{buy(2, 2, 610)}, opened,
			model.UnknownPrice, 0, 2 * tonne, false},
		"a purchase without a date was before": {2 * tonne, []portfolio.Trade{undated}, opened, 620, 40, 2 * tonne,
			true},
		"a purchase of today that cannot be read": {5 * tonne, []portfolio.Trade{buy(1, 3, model.UnknownPrice)}, opened,
			620, 0, 0, false},
		"a purchase of long ago that cannot be read": {5 * tonne, []portfolio.Trade{buy(-99, 3, model.UnknownPrice)}, opened,
			620, 100, 5 * tonne, true},
		"nothing left": {0, []portfolio.Trade{buy(1, 3, 610)}, opened, 620, 0, 0, false},
		"no beginning": {2 * tonne, []portfolio.Trade{buy(1, 2, 610)}, portfolio.Start{BestAsk: 600}, 620, 0, 0, false},
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

func TestTradesAreInTheOrderOfTheirExecution(t *testing.T) {
	t.Parallel()
	const first, second = "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"
	inventory := &portfolio.Inventory{Projects: []portfolio.Project{{ID: "p", Vintages: []portfolio.Vintage{
		{ID: "none", Wallets: []portfolio.Wallet{wallet(0)}},
		{ID: "v", Wallets: []portfolio.Wallet{
			wallet(0), wallet(0, bought(second, 3), bought(second, 2)), wallet(0, bought(first, 1)),
		}},
	}}}}
	prices := make(map[string][]model.PriceCents)
	for of, trades := range inventory.Executed() {
		prices[of.VintageID] = nil
		for _, t := range trades {
			prices[of.VintageID] = append(prices[of.VintageID], t.Price)
		}
	}
	must.Equal(t, prices, map[string][]model.PriceCents{"none": nil, "v": {1, 2, 3}})
}
