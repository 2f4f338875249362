package inventory

import (
	"tonne/model"
	"tonne/ui/style"
	"tonne/ui/tab"
	"tonne/ui/table"
)

// inline is the number of wallets up to which they are sorted, filtered and
// summed up at once: a millisecond of work.
const inline = 1024

// spec lists the columns of the wallets. Those with the highest priority number
// are the first to fall away where there is no room: what a desk looks at all day
// is what the book is worth and how that moved today.
func spec(v *tab.View) table.Spec[row] {
	return table.Spec[row]{
		Group:    func(r row) string { return r.Key.ProjectID },
		Filtered: row.filtered,
		Inline:   inline,
		Columns: []table.Column[row]{
			{Key: "project", Title: "PROJECT", Help: "The project's name.", Min: 20, Ideal: 28, Max: 44, Grouped: true, Marked: true,
				Cell: func(c *style.Cell, r row) { c.Put(style.Name, r.name()) }, Text: row.sortName},
			{Key: "type", Title: "TYPE", Help: "The kind of project.", Min: 9, Max: 26, Whole: true, Spare: true, Priority: 8, Grouped: true, Marked: true,
				Cell: func(c *style.Cell, r row) { c.Put(style.Muted, r.project().Type) },
				Text: func(r row) string { return r.sorted().Type }},
			{Key: "country", Title: "CC", Help: "The project's country.", Max: 4, Spare: true, Priority: 7, Grouped: true, Marked: true,
				Cell: func(c *style.Cell, r row) { c.Put(style.Muted, r.project().Country) },
				Text: func(r row) string { return r.sorted().Country }},
			{Key: "vintage", Title: "VINTAGE", Help: "The year of the vintage.", Align: style.Right, Marked: true,
				Cell:   func(c *style.Cell, r row) { c.Put(style.Text, tab.Year(r.year())) },
				Number: func(r row) (int64, bool) { y := r.year(); return int64(y), y != 0 }},
			{Key: "projectid", Title: "PROJECT ID", Help: "The id of the project.", Max: 24, Middle: true, Priority: 11, Hidden: true,
				Cell: func(c *style.Cell, r row) { c.Put(style.Muted, r.Key.ProjectID) }, Text: func(r row) string { return r.Key.ProjectID }},
			{Key: "vintageid", Title: "VINTAGE ID", Help: "The id of the vintage.", Max: 24, Middle: true, Priority: 11, Hidden: true,
				Cell: func(c *style.Cell, r row) { c.Put(style.Muted, r.Key.VintageID) }, Text: func(r row) string { return r.Key.VintageID }},
			{Key: "wallet", Title: "WALLET", Help: "The type of the wallet.", Max: 12, Priority: 6, Marked: true,
				Cell: func(c *style.Cell, r row) { c.Put(style.Muted, r.Key.Type) }, Text: func(r row) string { return r.Key.Type }},
			{Key: "balance", Title: "BALANCE", Help: "What we own and have not retired.", Align: style.Right, Ideal: 14,
				Cell: func(c *style.Cell, r row) {
					c.PutBytes(style.Text, v.AppendQuantity(c.Scratch(), r.Wallet.Quantity))
				},
				Number: func(r row) (int64, bool) { return int64(r.Wallet.Quantity), r.Wallet.Quantity.Known() }},
			tab.Paid(table.Column[row]{Key: "paid", Title: "LAST PAID", Help: "What we last paid for this vintage, over all its wallets, per tonne.", Ideal: 10},
				row.lastPaid),
			tab.Dollars(table.Column[row]{Key: "average", Title: "AVG COST", Help: "The average of what was bought into the wallet, per tonne.", Priority: 5, Ideal: 9},
				style.Muted, func(r row) (model.PriceCents, bool) { return r.Bought.AverageCost() }),
			tab.Dollars(table.Column[row]{Key: "ask", Title: "BEST ASK", Help: "The cheapest sell order of at least one whole tonne, per tonne.", Priority: 3, Ideal: 9},
				style.Strong, func(r row) (model.PriceCents, bool) { ask := r.bestAsk(); return ask, ask.Known() }),
			tab.Dollars(table.Column[row]{Key: "value", Title: "TO REPLACE", Help: "What buying the balance again would cost, at the best ask, rounded to cents: the totals are the sums of what the rows show.", Priority: 1, Ideal: 11},
				style.Text, func(r row) (model.Cents, bool) { v := r.value(); return v.Value, v.HasValue }),
			changes(table.Column[row]{Key: "over", Title: "VS COST", Help: "How much more (▲) or less (▼) replacing the balance would cost than it cost on average. Nothing can be sold here: it is no gain.", Priority: 4, Ideal: 11},
				func(r row) (model.Cents, bool) { return r.value().OverCost() }),
			changes(table.Column[row]{Key: "today", Title: "TODAY", Help: "How much more (▲) or less (▼) replacing the balance would cost than at the start of the day, or at the moment that the heading names. What was bought since counts from what it cost.", Quiet: true, Priority: 2, Ideal: 9},
				row.today),
		},
	}
}

func changes(c table.Column[row], of func(row) (model.Cents, bool)) table.Column[row] {
	c.Cell = func(cell *style.Cell, r row) {
		change, known := of(r)
		putOver(cell, change, known)
	}
	return tab.Sorted(c, of)
}

func putOver(c *style.Cell, over model.Cents, known bool) {
	if !known {
		tab.Dash(c)
		return
	}
	role, arrow := tab.Way(over)
	c.Put(role, arrow)
	c.Put(role, over.FormatChange())
}
