package portfolio_test

import (
	"fmt"
	"math/big"
	"testing"
	"tonne/model/must"

	"pgregory.net/rapid"

	"tonne/model"
	"tonne/model/market"
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
		if got.Valued+got.Unvalued != got.Held || got.Moved > got.Valued || got.Compared > got.Costed {
			t.Fatalf("%+v", got)
		}
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
	if len(keys) != 5 || p.Len() != 5 {
		t.Errorf("%d wallets have %d names", p.Len(), len(keys))
	}
	of := p.OfVintage(model.VintageKey{ProjectID: "p", VintageID: "a"})
	if len(of) != 3 || of[2].Wallet.Quantity != 7 || of[2].Key.Number != 1 || of[1].Key.Number != 0 {
		t.Errorf("%+v", of)
	}
	if first := of[0]; len(first.Wallet.Trades) != 0 || len(first.Purchases) != 1 || first.Bought.Trades != 1 {
		t.Errorf("what a filter left out is not in what was bought: %+v", first)
	}
	if over, ok := of[0].Value(620).OverCost(); !ok || over != 120 {
		t.Errorf("over cost by %d, %v", over, ok)
	}
	if none := p.OfVintage(model.VintageKey{ProjectID: "q", VintageID: "b"}); none != nil {
		t.Errorf("%+v", none)
	}
}

func TestAmountsInWholeDollarsAreNeverNothingByRounding(t *testing.T) {
	for cents, want := range map[model.Cents][2]string{
		0: {"$0", "$0"}, 18_422_049: {"$184,220", "+$184,220"}, 150: {"$2", "+$2"}, 149: {"$1", "+$1"}, -1250: {"−$13", "−$13"}, 49: {"$0.49", "+$0.49"}, -1: {"−$0.01", "−$0.01"},
	} {
		must.Equal(t, [2]string{cents.FormatRounded(), cents.FormatRoundedChange()}, want, cents)
	}
}
