package portfolio

import (
	"iter"
	"maps"
	"time"

	"tonne/model"
	"tonne/model/market"
)

// WalletKey identifies a wallet. Number counts the wallets of one type and vintage from 0.
type WalletKey struct {
	model.VintageKey
	Type   string
	Number int
}

// Position is a wallet with its purchases.
type Position struct {
	Key    WalletKey
	Wallet Wallet
	// Purchases has all trades of the wallet, even if a filter removed some from Wallet.
	// Bought is the sum of the BUY trades, or empty on overflow.
	Purchases  []Trade
	Bought     Purchases
	basis      model.Cents
	hasBasis   bool
	lastBought time.Time
}

// Value values the balance at a best ask. An empty wallet has no value.
func (p *Position) Value(bestAsk model.PriceCents) Valuation {
	v := Value(p.Wallet.Quantity, bestAsk, Purchases{})
	v.Basis, v.HasBasis = p.basis, p.hasBasis
	return v
}

// Positions are the wallets of an inventory. They are immutable.
type Positions struct {
	list     []Position
	first    map[model.VintageKey]int
	paid     LastPaidPrices
	balances Balances
	inv      *Inventory
}

// NewPositions returns the wallets of an inventory, with the trades of purchases: the same
// inventory without filters.
func NewPositions(inv, purchases *Inventory) *Positions {
	p := &Positions{first: make(map[model.VintageKey]int), paid: purchases.LastPaid(), balances: inv.Balances(), inv: inv}
	for key, w := range inv.AllWallets() {
		if _, known := p.first[key.VintageKey]; !known {
			p.first[key.VintageKey] = len(p.list)
		}
		p.list = append(p.list, Position{Key: key, Wallet: w})
	}
	if purchases == inv {
		for i := range p.list {
			p.list[i].buy(p.list[i].Wallet)
		}
		return p
	}
	whole := maps.Collect(purchases.AllWallets())
	for i := range p.list {
		p.list[i].buy(whole[p.list[i].Key])
	}
	return p
}

func (p *Position) buy(whole Wallet) {
	p.Purchases = whole.Trades
	if bought, err := whole.Purchases(); err == nil {
		p.Bought = bought
	}
	for _, t := range whole.Trades {
		if t.Type == Buy && t.ExecutionDate.Time.After(p.lastBought) {
			p.lastBought = t.ExecutionDate.Time
		}
	}
	if p.Wallet.Quantity > 0 {
		p.basis, p.hasBasis = p.Bought.CostOf(p.Wallet.Quantity)
	}
}

// AllWallets returns the wallets of all vintages with their keys, in the order of the service.
func (inv *Inventory) AllWallets() iter.Seq2[WalletKey, Wallet] {
	return func(yield func(WalletKey, Wallet) bool) {
		for _, p := range inv.Projects {
			for _, v := range p.Vintages {
				count := make(map[string]int, 1)
				for _, w := range v.Wallets {
					key := WalletKey{model.VintageKey{ProjectID: p.ID, VintageID: v.ID}, w.Type, count[w.Type]}
					count[w.Type]++
					if !yield(key, w) {
						return
					}
				}
			}
		}
	}
}

// Len returns the number of wallets.
func (p *Positions) Len() int { return len(p.list) }

// At returns wallet i, counted from 0. The caller must not change it.
func (p *Positions) At(i int) *Position { return &p.list[i] }

// ProjectIDs returns the ids of the projects, in the order of the service.
func (p *Positions) ProjectIDs() []string { return p.inv.ProjectIDs() }

// Inventory returns the inventory of the wallets.
func (p *Positions) Inventory() *Inventory { return p.inv }

// LastPaid returns the last price paid for each vintage, over all its wallets.
func (p *Positions) LastPaid() LastPaidPrices { return p.paid }

// Unusable returns the wallets of each vintage that a retirement is not known to use.
func (p *Positions) Unusable() map[model.VintageKey][]Wallet { return p.inv.Unusable() }

// Balances returns the balance of each vintage.
func (p *Positions) Balances() Balances { return p.balances }

// Find returns the wallet with a key, or nil. It looks at the index guess first.
func (p *Positions) Find(key WalletKey, guess int) *Position {
	if guess < len(p.list) && p.list[guess].Key == key {
		return &p.list[guess]
	}
	of := p.OfVintage(key.VintageKey)
	for i := range of {
		if of[i].Key == key {
			return &of[i]
		}
	}
	return nil
}

// OfVintage returns the wallets of a vintage. The caller must not change them.
func (p *Positions) OfVintage(key model.VintageKey) []Position {
	first, known := p.first[key]
	if !known {
		return nil
	}
	end := first
	for end < len(p.list) && p.list[end].Key.VintageKey == key {
		end++
	}
	return p.list[first:end]
}

// BookValue returns the total of all wallets at the best asks of a market, with the change
// since the beginning of the day. The error is ErrOverflow or ErrUnknown.
func (p *Positions) BookValue(m *market.Market, began Opening) (BookValue, error) {
	var book BookValue
	var of model.VintageKey
	ask, start := model.UnknownPrice, Start{}
	for i := range p.list {
		wallet := &p.list[i]
		if key := wallet.Key.VintageKey; i == 0 || key != of {
			of, start = key, began.Of(key)
			ask, _ = m.Offer(key)
		}
		if err := book.AddPosition(wallet, ask, start); err != nil {
			return BookValue{}, err
		}
	}
	return book, nil
}
