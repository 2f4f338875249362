package market

import (
	"tonne/api/session"
	"tonne/model"
	"tonne/model/attribute"
	"tonne/model/filter"
	"tonne/model/market"
	"tonne/model/portfolio"
	"tonne/ui/chart"
	"tonne/ui/style"
	"tonne/ui/tab"
	"tonne/ui/table"
)

// rows is one state of the market, a row a vintage. It never changes: it is sorted in the background.
type rows struct {
	market   *market.Market
	partial  bool
	projects model.Projects
	// order is what rows are sorted by. Newer details wait in projects, so that no row moves while one reads.
	order  model.Projects
	paid   portfolio.LastPaidPrices
	held   portfolio.Balances
	facts  *attribute.Facts
	opened map[model.VintageKey]model.PriceCents
}

func (r *rows) Len() int                            { return r.market.Vintages() }
func (r *rows) Key(i int) model.VintageKey          { return r.market.Key(i) }
func (r *rows) At(i int) row                        { return row{r, i} }
func (r *rows) Find(k model.VintageKey) (int, bool) { return r.market.Find(k) }

// settleOrder sorts by the details as they are now, if it may or none is missing.
func (r *rows) settleOrder(now bool) {
	for _, id := range r.market.ProjectIDs() {
		if _, known := r.projects[id]; !now && (!known || r.partial) {
			return
		}
	}
	r.order = r.projects
}

type row struct {
	*rows
	i int
}

func (r row) key() model.VintageKey   { return r.market.Key(r.i) }
func (r row) vintage() market.Vintage { return r.market.Vintage(r.i) }
func (r row) project() model.Project  { return r.projects[r.market.ProjectOf(r.i).ID] }
func (r row) sorted() model.Project   { return r.order[r.market.ProjectOf(r.i).ID] }
func (r row) tonnes() int64           { return r.market.Tonnes(r.i) }
func (r row) projectID() string       { return r.market.ProjectOf(r.i).ID }
func (r row) name() string            { return r.projects.Name(r.projectID()) }

func (r row) sortName() string {
	if _, known := r.order[r.projectID()]; !known {
		return ""
	}
	return r.order.Name(r.projectID())
}

func (r row) lastPaid() (portfolio.LastPaid, bool) {
	paid, ok := r.paid[r.key()]
	return paid, ok
}

func (r row) delta() (model.Cents, bool) {
	was, now := r.openedAt(), r.vintage().BestAsk
	return model.Cents(now - was), was.Known() && now.Known()
}

func (r row) openedAt() model.PriceCents {
	if was, ok := r.opened[r.key()]; ok {
		return was
	}
	return model.UnknownPrice
}

func (r row) versusPaid() (model.PerMille, bool) {
	paid, ok := r.lastPaid()
	if !ok {
		return 0, false
	}
	return model.Difference(r.vintage().BestAsk, paid.Price)
}

func (r row) filtered(needs filter.Needs) filter.Row {
	v := r.vintage()
	f := filter.Row{Year: int(v.Year), BestAsk: v.BestAsk, Available: v.Available, LastPaid: model.UnknownPrice, Held: model.UnknownGrams}
	if needs.Details {
		p := r.project()
		f.Name, f.ProjectID, f.VintageID = p.Name, r.projectID(), v.ID
		f.Type, f.Country, f.Registry, f.RegistryID = p.Type, p.Country, p.RegistryName, p.RegistryID
	}
	if needs.Paid {
		f.LastPaid = r.paid.Of(r.key()).Price
	}
	if needs.Held {
		if held, ok := r.held[r.key()]; ok {
			f.Held = held
		}
	}
	if needs.Labels {
		f.Labels = func() []string { return r.facts.Labels(r.key()) }
	}
	return f
}

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
				Cell: func(c *style.Cell, r row) { moveCell(c, r.openedAt(), r.vintage().BestAsk) }, Number: func(r row) (int64, bool) { d, ok := r.delta(); return int64(d), ok }},
			tab.Paid(table.Column[row]{Key: "paid", Title: "LAST PAID", Help: "What we last paid for this vintage, per tonne.", Ideal: 10, Priority: 1},
				row.lastPaid),
			{Key: "versus", Title: "VS PAID", Help: "How much dearer (▲) or cheaper (▼) the best ask is than what we last paid.", Align: style.Right, Ideal: 9, Priority: 2,
				Cell: versusCell, Number: func(r row) (int64, bool) { d, ok := r.versusPaid(); return int64(d), ok }},
			{Key: "available", Title: "AVAILABLE", Help: "The whole tonnes of all sell orders: they are what is sold.", Align: style.Right, Priority: 3,
				Cell: func(c *style.Cell, r row) { c.Put(style.Text, l.view.Tonnes(r.tonnes())) }, Number: func(r row) (int64, bool) { return r.tonnes(), r.tonnes() >= 0 }},
			{Key: "asks", Title: "ASKS", Help: "How many sell orders there are.", Align: style.Right, Priority: 6,
				Cell:   func(c *style.Cell, r row) { c.PutInt(style.Muted, int64(r.vintage().Asks())) },
				Number: func(r row) (int64, bool) { return int64(r.vintage().Asks()), true }},
			{Key: "trend", Picture: true, Title: "TREND", Help: "The best ask over the last 24 hours, as far as tonne was running.", Ideal: session.TrendPoints, Max: session.TrendPoints, Priority: 8,
				Cell: func(c *style.Cell, r row) {
					c.PutBytes(style.Accent, chart.AppendSparkline(c.Scratch(), l.trends[r.key()], session.TrendPoints))
				}},
		},
	}
}

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
