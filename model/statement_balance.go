package model

// vintageBooks are the sums of a vintage, ever and since the end of the statement.
type vintageBooks struct {
	bought, sold, wallets, requested                  Grams
	boughtAfter, soldAfter, requestedAfter, accounted Grams
}

func (b *statementBuilder) reckon() {
	b.balance = UnknownGrams
	wallets := b.wallets()
	datedItems := b.requested()
	if !b.exact || b.err != nil {
		b.note("What is owned now cannot be told exactly: a wallet or a trade cannot be read.")
		return
	}
	complete := b.account()
	switch then, ok := b.reckonBack(); {
	case !b.To.Before(b.Now):
		b.balance = wallets
	case complete && datedItems && ok:
		b.balance = then
	default:
		b.note("The balance at the end of this time is not known: the ledger lacks requests, or dates of their items.")
	}
}

// account notes what was bought by the end of the statement and is nowhere, or was never
// bought, and reports whether neither is so.
func (b *statementBuilder) account() bool {
	var missing, atMost, unbought Grams
	for _, v := range b.books {
		b.grams(&v.accounted, v.wallets)
		b.grams(&v.accounted, v.requested)
		b.grams(&v.accounted, v.sold)
		gap := v.bought - v.accounted
		b.grams(&missing, max(gap, 0))
		b.grams(&atMost, max(min(gap, v.bought-v.boughtAfter), 0))
		b.grams(&unbought, max(-gap, 0))
	}
	const lacks = " neither in a wallet nor in a request of the ledger: look up the requests that it lacks with `tonne retirement`. Until then \"retired\" may be too low."
	switch {
	case b.err != nil:
		return false
	case atMost > 0 && atMost == missing:
		b.lack("%s were bought that are"+lacks, missing.FormatTonnes())
	case atMost > 0:
		b.lack("Up to %s that were bought by the end of this time are"+lacks, atMost.FormatTonnes())
	}
	if unbought > 0 {
		b.lack("%s are in wallets and requests that no trade has bought.", unbought.FormatTonnes())
	}
	return atMost == 0 && unbought == 0
}

func (b *statementBuilder) reckonBack() (then Grams, ok bool) {
	for _, v := range b.books {
		if v.bought > v.accounted {
			continue // All of it was bought later.
		}
		owned := v.wallets
		b.grams(&owned, v.soldAfter)
		b.grams(&owned, v.requestedAfter)
		if owned < v.boughtAfter {
			return 0, false
		}
		b.grams(&then, owned-v.boughtAfter)
	}
	return then, b.err == nil
}

func (b *statementBuilder) wallets() (sum Grams) {
	for of, w := range b.Inventory.wallets() {
		b.exact = b.exact && w.Quantity.Known()
		b.grams(&b.of(of.VintageKey).wallets, w.Quantity)
		b.grams(&sum, w.Quantity)
	}
	return sum
}

func (b *statementBuilder) requested() (known bool) {
	known = true
	for _, r := range b.Requests {
		if !r.TotalQuantity.Known() {
			known = false
			continue
		}
		of := b.of(VintageKey{r.ProjectID, r.VintageID})
		b.grams(&of.requested, r.TotalQuantity)
		if sum, err := r.ItemsTotal(); err != nil || sum != r.TotalQuantity {
			known = known && r.TotalQuantity == 0
			continue
		}
		for _, item := range r.Items {
			known = known && item.CreatedAt.Known()
			if !item.CreatedAt.Time.Before(b.To) {
				b.grams(&of.requestedAfter, item.Quantity)
			}
		}
	}
	return known
}
