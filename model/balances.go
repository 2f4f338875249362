package model

// Balances holds what the wallets of each vintage hold together and have not
// retired, in grams.
type Balances map[VintageKey]Grams

// Balances sums up the wallets of every vintage. They are the truth only when
// inv was fetched whole. A balance that could not be read counts as nothing.
func (inv *Inventory) Balances() Balances {
	balances := make(Balances)
	for of, w := range inv.wallets() {
		balances[of.VintageKey] = max(balances[of.VintageKey], 0).AddUpTo(w.Quantity)
	}
	return balances
}
