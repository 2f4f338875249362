package market

import (
	"tonne/api/session"
	"tonne/model"
	"tonne/ui/chart"
	"tonne/ui/style"
	"tonne/ui/tab"
	"tonne/ui/table"
)

func spec(l *vintages, mark func(c *style.Cell, r row)) table.Spec[row] {
	return table.Spec[row]{
		Group:    row.projectID,
		Filtered: row.filtered,
		Columns: []table.Column[row]{
			{Key: "project", Title: "PROJECT", Help: "The project's name.", Min: 20, Ideal: 28, Max: 44, Grouped: true, Marked: true,
				Cell: func(c *style.Cell, r row) { c.Put(style.Name, r.name()) }, Text: row.sortName},
			{Key: "type", Title: "TYPE", Help: "The kind of project.", Min: 10, Max: 26, Whole: true, Priority: 5, Grouped: true, Marked: true,
				Cell: func(c *style.Cell, r row) { c.Put(style.Muted, r.project().Type) },
				Text: func(r row) string { return r.sorted().Type }},
			{Key: "country", Title: "CC", Help: "The project's country.", Max: 4, Priority: 7, Grouped: true, Marked: true,
				Cell: func(c *style.Cell, r row) { c.Put(style.Muted, r.project().Country) },
				Text: func(r row) string { return r.sorted().Country }},
			{Key: "registry", Title: "REGISTRY", Help: "The registry and the project's id there.", Max: 18, Priority: 10, Hidden: true, Grouped: true, Marked: true,
				Cell: func(c *style.Cell, r row) { c.Put(style.Muted, r.project().RegistryName) },
				Text: func(r row) string { return r.sorted().RegistryName }},
			{Key: "vintage", Title: "VINTAGE", Help: "The year of the vintage.", Align: style.Right, Marked: true,
				Cell:   func(c *style.Cell, r row) { c.Put(style.Text, tab.Year(int(r.vintage().Year))) },
				Number: func(r row) (int64, bool) { return int64(r.vintage().Year), r.vintage().Year != 0 }},
			{Key: "projectid", Title: "PROJECT ID", Help: "The id of the project.", Max: 24, Middle: true, Priority: 11, Hidden: true,
				Cell: func(c *style.Cell, r row) { c.Put(style.Muted, r.projectID()) }, Text: func(r row) string { return r.projectID() }},
			{Key: "vintageid", Title: "VINTAGE ID", Help: "The id of the vintage.", Max: 24, Middle: true, Priority: 11, Hidden: true,
				Cell: func(c *style.Cell, r row) { c.Put(style.Muted, r.vintage().ID) }, Text: func(r row) string { return r.vintage().ID }},
			{Key: "watch", Picture: true, Title: "◆", Help: "Whether the vintage is watched, or a rule on it has fired.", Hidden: true, Cell: mark},
			tab.Dollars(table.Column[row]{Key: "ask", Title: "BEST ASK", Help: "The cheapest sell order of at least one whole tonne, per tonne."},
				style.Strong, func(r row) (model.PriceCents, bool) { ask := r.vintage().BestAsk; return ask, ask.Known() }),
			{Key: "delta", Title: "Δ DAY", Help: "How far the best ask moved since the start of the day, or since the moment that the heading names.", Align: style.Right, Ideal: 7, Priority: 4,
				Cell: deltaCell, Number: func(r row) (int64, bool) { d, ok := r.delta(); return int64(d), ok }},
			tab.Paid(table.Column[row]{Key: "paid", Title: "LAST PAID", Help: "What we last paid for this vintage, per tonne.", Ideal: 10, Priority: 1},
				row.lastPaid),
			{Key: "versus", Title: "VS PAID", Help: "How much dearer (▲) or cheaper (▼) the best ask is than what we last paid.", Align: style.Right, Ideal: 9, Priority: 2,
				Cell: versusCell, Number: func(r row) (int64, bool) { d, ok := r.versusPaid(); return int64(d), ok }},
			{Key: "available", Title: "AVAILABLE", Help: "The whole tonnes of all sell orders: they are what is sold.", Align: style.Right, Priority: 3,
				Cell: l.availableCell, Number: func(r row) (int64, bool) { return r.tonnes(), r.tonnes() >= 0 }},
			{Key: "asks", Title: "ASKS", Help: "How many sell orders there are.", Align: style.Right, Priority: 6,
				Cell:   func(c *style.Cell, r row) { c.PutInt(style.Muted, int64(r.vintage().Asks())) },
				Number: func(r row) (int64, bool) { return int64(r.vintage().Asks()), true }},
			{Key: "trend", Picture: true, Title: "TREND", Help: "The best ask over the last 24 hours, as far as tonne was running.", Ideal: session.TrendPoints, Max: session.TrendPoints, Priority: 8,
				Cell: func(c *style.Cell, r row) { trendCell(c, l.trends[r.key()]) }},
		},
	}
}

func (l *vintages) availableCell(c *style.Cell, r row) {
	tonnes, err := model.WholeTonnes(r.tonnes())
	if err != nil {
		tonnes = model.UnknownGrams
	}
	c.PutBytes(style.Text, l.view.AppendQuantity(c.Scratch(), tonnes))
}

func askCell(c *style.Cell, ask model.PriceCents) {
	tab.PutDollars(c, style.Strong, ask, ask.Known())
}

func deltaCell(c *style.Cell, r row) { moveCell(c, r.openedAt(), r.vintage().BestAsk) }

func moveCell(c *style.Cell, was, now model.PriceCents) {
	d := model.Cents(now - was)
	switch {
	case !was.Known() || !now.Known():
		tab.Dash(c)
	case d == 0:
		c.Put(style.Faint, "0.00")
	default:
		role, arrow := tab.Way(d)
		c.Put(role, arrow)
		c.PutBytes(role, max(d, -d).AppendDollars(c.Scratch())[1:])
	}
}

func trendCell(c *style.Cell, prices []model.PriceCents) {
	var values [session.TrendPoints]int64
	n := 0
	for n < min(len(prices), len(values)) {
		values[n] = int64(prices[n])
		n++
	}
	if n > 0 {
		c.PutBytes(style.Accent, chart.AppendSparkline(c.Scratch(), values[:n], len(values)))
	}
}

func versusCell(c *style.Cell, r row) {
	d, ok := r.versusPaid()
	putVersus(c, d, ok)
}

func putVersus(c *style.Cell, d model.PerMille, ok bool) {
	if !ok {
		tab.Dash(c)
		return
	}
	role, arrow := tab.Way(d)
	c.Put(role, arrow+d.String())
}
