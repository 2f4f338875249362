package statement

import (
	"fmt"
	"strings"

	"tonne/model"
	"tonne/model/advice"
	"tonne/model/retirement"
)

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
	const lacks = " neither in a wallet nor in a request of the ledger: look up the requests that it lacks with %s. " +
		"Until then \"retired\" may be too low."
	lookUp := advice.Tonne("retirement")
	switch {
	case b.Err != nil:
		return false
	case atMost > 0 && atMost == missing:
		b.lack("%s were bought that are"+lacks, missing.FormatTonnes(), lookUp)
	case atMost > 0:
		b.lack("Up to %s that were bought by the end of this time are"+lacks, atMost.FormatTonnes(), lookUp)
	}
	b.short = atMost > 0
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
		of := b.of(r.Vintage())
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

func (b *statementBuilder) doubt() {
	counted := make(map[string]bool, len(b.retired))
	var failed []string
	for _, r := range b.retired {
		counted[r.ID] = true
		project, known := b.Projects[r.ProjectID]
		var names []string
		for _, c := range r.Checks(project, known) {
			if r.FailedBy(c) {
				names = append(names, c.Name)
			}
		}
		if len(names) > 0 {
			failed = append(failed, r.ID+" ("+strings.Join(names, ", ")+")")
		}
	}
	b.doubtTwice(counted)
	if len(failed) > 0 {
		b.note("Of %s counted as retired %s doubts in the answers of the service: %s. No certificate was looked at for "+
			"this: their evidence may say more.", model.Count(len(b.retired), "request", "requests"),
			model.Count(len(failed), "has", "have"), SomeOf(failed, mostNamed, ", "))
	}
}

// doubtTwice notes the credits that a counted request and another one claim.
func (b *statementBuilder) doubtTwice(counted map[string]bool) {
	var words []string
	for _, o := range retirement.RetiredTwice(retirement.Claims(b.Requests...)) {
		if one, other := b.Requests[o.A.Owner].ID, b.Requests[o.B.Owner].ID; counted[one] || counted[other] {
			words = append(words, fmt.Sprintf("%s by %s and %s", o, one, other))
		}
	}
	if len(words) > 0 {
		b.note("Credits counted as retired are claimed by more than one request: %s.", SomeOf(words, mostNamed, ", "))
	}
}

const mostNamed = 3

// SomeOf lists at most so many of some words, and says how many more there are.
func SomeOf(words []string, most int, separator string) string {
	text := strings.Join(words[:min(len(words), most)], separator)
	if more := len(words) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
