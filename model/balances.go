package model

// Balances holds what the wallets of each vintage hold together and have not
// retired, in grams.
type Balances map[VintageKey]Grams

// Balances sums up the wallets of every vintage. They are the truth only when
// inv was fetched whole. A balance that could not be read counts as nothing.
func (inv *Inventory) Balances() Balances {
	balances := make(Balances)
	for _, p := range inv.Projects {
		for _, v := range p.Vintages {
			key := VintageKey{p.ID, v.ID}
			for _, w := range v.Wallets {
				balances[key] = max(balances[key], 0).AddUpTo(w.Quantity)
			}
		}
	}
	return balances
}
