package model

// Balances holds what the wallets of each vintage hold together and have not
// retired, in grams.
type Balances map[VintageKey]Grams

// Balances sums up the wallets of every vintage. They are the truth only when
// inv was fetched whole. The balance of a vintage is UnknownGrams if one of its
// wallets could not be read.
func (inv *Inventory) Balances() Balances {
	balances := make(Balances)
	for of, w := range inv.wallets() {
		balances[of.VintageKey] = balances[of.VintageKey].AddUpTo(w.Quantity)
	}
	return balances
}
