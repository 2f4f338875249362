package statement

import "tonne/model"

// vintageBooks are the sums of a vintage, ever and since the end of the statement.
type vintageBooks struct {
	bought, sold, wallets, requested                  model.Grams
	boughtAfter, soldAfter, requestedAfter, accounted model.Grams
}

func (b *statementBuilder) reckon() {
	b.balance = model.UnknownGrams
	wallets := b.wallets()
	datedItems := b.requested()
	if !b.exact || b.Err != nil {
		b.note("The current balance is not exact: a wallet or a trade is unreadable.")
		return
	}
	complete := b.account()
	switch then, ok := b.reckonBack(); {
	case !b.To.Before(b.Now):
		b.balance = wallets
	case complete && datedItems && ok:
		b.balance = then
	default:
		b.note("The balance at the end of the period is unknown: the ledger lacks requests, or dates of their items.")
	}
}

// account notes what was bought by the end of the statement and is nowhere, or was never
// bought, and reports whether neither is so.
func (b *statementBuilder) account() bool {
	var missing, atMost, unbought model.Grams
	for _, v := range b.books {
		b.Grams(&v.accounted, v.wallets)
		b.Grams(&v.accounted, v.requested)
		b.Grams(&v.accounted, v.sold)
		gap := v.bought - v.accounted
		b.Grams(&missing, max(gap, 0))
		b.Grams(&atMost, max(min(gap, v.bought-v.boughtAfter), 0))
		b.Grams(&unbought, max(-gap, 0))
	}
	const lacks = " neither in a wallet nor in a request of the ledger: look up the requests that it lacks with `tonne retirement`. Until then \"retired\" may be too low."
	switch {
	case b.Err != nil:
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

func (b *statementBuilder) reckonBack() (then model.Grams, ok bool) {
	for _, v := range b.books {
		if v.bought > v.accounted {
			continue // All of it was bought later.
		}
		owned := v.wallets
		b.Grams(&owned, v.soldAfter)
		b.Grams(&owned, v.requestedAfter)
		if owned < v.boughtAfter {
			return 0, false
		}
		b.Grams(&then, owned-v.boughtAfter)
	}
	return then, b.Err == nil
}

func (b *statementBuilder) wallets() (sum model.Grams) {
	for of, w := range b.Inventory.AllWallets() {
		b.exact = b.exact && w.Quantity.Known()
		b.Grams(&b.of(of.VintageKey).wallets, w.Quantity)
		b.Grams(&sum, w.Quantity)
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
		of := b.of(model.VintageKey{ProjectID: r.ProjectID, VintageID: r.VintageID})
		b.Grams(&of.requested, r.TotalQuantity)
		if sum, err := r.ItemsTotal(); err != nil || sum != r.TotalQuantity {
			known = known && r.TotalQuantity == 0
			continue
		}
		for _, item := range r.Items {
			known = known && item.CreatedAt.Known()
			if !item.CreatedAt.Time.Before(b.To) {
				b.Grams(&of.requestedAfter, item.Quantity)
			}
		}
	}
	return known
}
