package portfolio

import "tonne/model"

// Balances maps each vintage to the unretired grams in its wallets.
type Balances map[model.VintageKey]model.Grams

// Balances sums up the wallets of an inventory that was fetched whole. The balance of a
// vintage is UnknownGrams if one of its wallets could not be read.
func (inv *Inventory) Balances() Balances {
	balances := make(Balances)
	for of, w := range inv.AllWallets() {
		balances[of.VintageKey] = balances[of.VintageKey].AddUpTo(w.Quantity)
	}
	return balances
}
