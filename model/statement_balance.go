package model

// reckon finds the balance at the end of the statement, and what the ledger
// does not account for: what was bought is in a wallet, was sold, or is in a
// request.
func (b *statementBuilder) reckon() {
	b.balance = UnknownGrams
	wallets := b.wallets()
	requested, after, datedItems := b.requested()
	if !b.exact || b.err != nil {
		b.note("What is owned now cannot be told exactly: a wallet or a trade cannot be read.")
		return
	}
	complete := b.account(wallets, requested)
	switch {
	case !b.To.Before(b.Now):
		b.balance = wallets
	case complete && datedItems && wallets+b.soldAfter+after >= b.boughtAfter:
		b.balance = wallets + b.soldAfter + after - b.boughtAfter
	default:
		b.note("The balance at the end of this time is not known: the ledger lacks requests, or dates of their items.")
	}
}

// account notes what was bought and is nowhere, or is somewhere and was not
// bought, and reports whether neither is so.
func (b *statementBuilder) account(wallets, requested Grams) bool {
	bought, there := b.bought, wallets
	b.grams(&there, requested)
	b.grams(&there, b.sold)
	switch {
	case b.err != nil:
		return false
	case bought > there:
		b.note("%s were bought that are neither in a wallet nor in a request of the ledger: look up the requests that it lacks with `tonne retirement`. Until then \"retired\" may be too low.", (bought - there).FormatTonnes())
	case bought < there:
		b.note("%s are in wallets and requests that no trade has bought.", (there - bought).FormatTonnes())
	}
	return bought == there
}

func (b *statementBuilder) wallets() (sum Grams) {
	for _, w := range b.Inventory.wallets() {
		b.exact = b.exact && w.Quantity.Known()
		b.grams(&sum, w.Quantity)
	}
	return sum
}

// requested returns the grams in all requests, and those of the items that came
// after the statement. The latter is known only if all items are.
func (b *statementBuilder) requested() (all, after Grams, known bool) {
	known = true
	for _, r := range b.Requests {
		if !r.TotalQuantity.Known() {
			known = false
			continue
		}
		b.grams(&all, r.TotalQuantity)
		if sum, err := r.ItemsTotal(); err != nil || sum != r.TotalQuantity {
			known = known && r.TotalQuantity == 0
			continue
		}
		for _, item := range r.Items {
			known = known && item.CreatedAt.Known()
			if !item.CreatedAt.Time.Before(b.To) {
				b.grams(&after, item.Quantity)
			}
		}
	}
	return all, after, known
}
