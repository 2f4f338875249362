package statement

import (
	"cmp"

	"tonne/model"
	"tonne/model/attribute"
	"tonne/model/retirement"
)

// spend adds the cost of the part of a request that counts in a row, if it is known.
func (b *statementBuilder) spend(r *retirement.Request, key string, part model.Grams) {
	items, why := b.costs.Items(r)
	if why != "" {
		return
	}
	spent := Spent{Of: part}
	for i, item := range r.Items {
		name := cmp.Or(item.RetireeName, attribute.NotSupplied)
		if of, ok := b.keyOf(name, r.ProjectID, r.RetiredAt.Time); ok && of == key {
			b.Cents(&spent.Cents, items[i].Cost)
		}
	}
	for _, row := range []*Row{b.row(key), &b.total} {
		b.Cents(&row.Spent.Cents, spent.Cents)
		b.Grams(&row.Spent.Of, spent.Of)
	}
}

// noteCosts notes how much of the total has a known cost, and why the rest has none.
func (b *statementBuilder) noteCosts() {
	if _, known := b.total.RetiredCost(); known || !b.total.Retired.Known() {
		return
	}
	var words []string
	for _, u := range b.costs.UnknownOf(b.retired) {
		words = append(words, "of vintage "+u.Vintage.VintageID+", "+u.Why)
	}
	why := ""
	if len(words) > 0 {
		why = " Unknown: " + SomeOf(words, mostNamed, "; ") + "."
	}
	if b.total.Spent.Of == 0 {
		b.note("The cost of what was retired is unknown.%s", why)
		return
	}
	spent := b.total.Spent
	b.note("Of %s retired, the cost of %s is known: %s.%s", b.total.Retired.FormatTonnes(), spent.Of.FormatTonnes(),
		spent.Cents.FormatDollars(), why)
}
