package inventory

import (
	"tonne/model"
	"tonne/ui/style"
	"tonne/ui/tab"
	"tonne/ui/table"
)

// spec lists the columns of the wallets.
func spec(v *tab.View) table.Spec[row] {
	return table.Spec[row]{
		Group:  func(r row) string { return r.key.ProjectID },
		Search: func(dst []byte, r row) []byte { return r.search(dst) },
		Columns: []table.Column[row]{
			{Key: "project", Title: "PROJECT", Help: "The project's name.", Min: 20, Ideal: 28, Max: 44, Grouped: true,
				Cell: func(c *style.Cell, r row) { c.Put(style.Name, r.name) }, Text: func(r row) string { return r.name }},
			{Key: "vintage", Title: "VINTAGE", Help: "The year of the vintage.", Align: style.Right,
				Cell:   func(c *style.Cell, r row) { c.Put(style.Text, tab.Year(r.year)) },
				Number: func(r row) (int64, bool) { return int64(r.year), r.year != 0 }},
			{Key: "wallet", Title: "WALLET", Help: "The type of the wallet.", Max: 12, Priority: 5,
				Cell: walletCell, Text: func(r row) string { return r.key.kind }},
			{Key: "balance", Title: "BALANCE", Help: "What we own and have not retired.", Align: style.Right, Ideal: 14,
				Cell: func(c *style.Cell, r row) {
					c.PutBytes(style.Text, v.AppendQuantity(c.Scratch(), r.wallet.Quantity))
				},
				Number: func(r row) (int64, bool) { return int64(r.wallet.Quantity), r.wallet.Quantity.Known() }},
			{Key: "paid", Title: "LAST PAID", Help: "What we last paid for this vintage, over all its wallets, per tonne.", Align: style.Right, Ideal: 10,
				Cell: paidCell, Number: func(r row) (int64, bool) { return int64(r.lastPaid.Price), r.paid }},
			{Key: "average", Title: "AVG COST", Help: "The average of what was bought into the wallet, per tonne.", Align: style.Right, Priority: 3, Ideal: 9,
				Cell:   averageCell,
				Number: func(r row) (int64, bool) { p, ok := r.average(); return int64(p), ok }},
			{Key: "ask", Title: "BEST ASK", Help: "The cheapest sell order of at least one whole tonne, per tonne.", Align: style.Right, Priority: 2, Ideal: 9,
				Cell: askCell, Number: func(r row) (int64, bool) { return int64(r.bestAsk), r.bestAsk.Known() }},
			{Key: "value", Title: "TO REPLACE", Help: "What buying the balance again would cost, at the best ask.", Align: style.Right, Priority: 1, Ideal: 11,
				Cell: valueCell, Number: func(r row) (int64, bool) { return int64(r.value.Value), r.value.HasValue }},
			{Key: "over", Title: "VS COST", Help: "How much more (▲) or less (▼) replacing the balance would cost than it cost on average. Nothing can be sold here: it is no gain.", Align: style.Right, Priority: 4, Ideal: 11,
				Cell: overCell, Number: func(r row) (int64, bool) { over, ok := r.value.OverCost(); return int64(over), ok }},
		},
	}
}

func dash(c *style.Cell) { c.Put(style.Faint, "—") }

func walletCell(c *style.Cell, r row) { c.Put(style.Muted, r.key.kind) }

func paidCell(c *style.Cell, r row) {
	if !r.paid {
		dash(c)
		return
	}
	c.Put(style.Paid, "★ ")
	c.PutBytes(style.Paid, r.lastPaid.Price.AppendDollars(c.Scratch()))
}

func averageCell(c *style.Cell, r row) {
	if average, ok := r.average(); ok {
		c.PutBytes(style.Muted, average.AppendDollars(c.Scratch()))
		return
	}
	dash(c)
}

func askCell(c *style.Cell, r row) {
	if !r.bestAsk.Known() {
		dash(c)
		return
	}
	c.PutBytes(style.Strong, r.bestAsk.AppendDollars(c.Scratch()))
}

func valueCell(c *style.Cell, r row) {
	if !r.value.HasValue {
		dash(c)
		return
	}
	c.PutBytes(style.Text, r.value.Value.AppendDollars(c.Scratch()))
}

func overCell(c *style.Cell, r row) {
	over, ok := r.value.OverCost()
	if !ok {
		dash(c)
		return
	}
	putOver(c, over)
}

// putOver writes a difference of cost with its sign, dearer and cheaper as
// everywhere.
func putOver(c *style.Cell, over model.Cents) {
	switch {
	case over > 0:
		c.Put(style.Warning, "▲ ")
		c.Put(style.Warning, over.FormatChange())
	case over < 0:
		c.Put(style.Cheaper, "▼ ")
		c.Put(style.Cheaper, over.FormatChange())
	default:
		c.Put(style.Muted, over.FormatChange())
	}
}
