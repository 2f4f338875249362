package market

import (
	"slices"
	"strconv"

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

// rows is one snapshot of the market, one row per vintage. It is immutable because it is sorted in the background.
type rows struct {
	market   *market.Market
	partial  bool
	projects tab.Projects
	paid     portfolio.LastPaidPrices
	held     portfolio.Balances
	facts    *attribute.Facts
	opened   map[model.VintageKey]model.PriceCents
}

func (r *rows) Len() int                            { return r.market.Vintages() }
func (r *rows) Key(i int) model.VintageKey          { return r.market.Key(i) }
func (r *rows) At(i int) row                        { return row{r, i} }
func (r *rows) Find(k model.VintageKey) (int, bool) { return r.market.Find(k) }

func (r *rows) settle() {
	if !r.partial {
		r.projects.Settle(r.market.ProjectIDs())
	}
}

type row struct {
	*rows
	i int
}

func (r row) key() model.VintageKey   { return r.market.Key(r.i) }
func (r row) vintage() market.Vintage { return r.market.Vintage(r.i) }
func (r row) named() tab.Vintage      { return tab.Vintage{Projects: &r.projects, Key: r.key()} }
func (r row) project() model.Project  { return r.named().Project() }
func (r row) year() int               { return int(r.vintage().Year) }
func (r row) tonnes() int64           { return r.market.Tonnes(r.i) }
func (r row) projectID() string       { return r.market.ProjectOf(r.i).ID }
func (r row) name() string            { return r.named().Name() }

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
	f := r.named().FilterRow(needs, int(v.Year), r.paid, r.facts)
	f.BestAsk, f.Available = v.BestAsk, v.Available
	if held, ok := r.held[r.key()]; ok {
		f.Held = held
	}
	return f
}

func spec(l *vintages, watched, marked func(c *style.Cell, r row)) table.Spec[row] {
	return table.Spec[row]{
		Group:    row.projectID,
		Filtered: row.filtered,
		Columns: slices.Concat([]table.Column[row]{
			{Key: "compare", Auto: true, Picture: true, Title: "M", Help: "The number of a vintage that is marked for comparison.", Hidden: true, Cell: marked},
		}, tab.VintageColumns(row.named, row.year), []table.Column[row]{
			{Key: "watch", Auto: true, Picture: true, Title: "◆", Help: "Whether you watch the vintage, or a rule on it has fired.", Hidden: true, Cell: watched},
			tab.Dollars(table.Column[row]{Key: "ask", Name: "best_ask_cents", Title: "BEST ASK", Help: "The cheapest sell order of at least one whole tonne, per tonne."},
				style.Strong, func(r row) (model.PriceCents, bool) { ask := r.vintage().BestAsk; return ask, ask.Known() }),
			{Key: "delta", Title: "Δ DAY", Help: "Change of the best ask since the start of the day, or since the time in the heading.", Align: style.Right, Ideal: 7, Priority: 4,
				Cell: func(c *style.Cell, r row) { moveCell(c, r.openedAt(), r.vintage().BestAsk) }, Number: func(r row) (int64, bool) { d, ok := r.delta(); return int64(d), ok }},
			tab.Paid(table.Column[row]{Key: "paid", Name: "last_paid_price_cents", Title: "LAST PAID", Help: "What we last paid for this vintage, per tonne.", Ideal: 10, Priority: 1},
				row.lastPaid),
			{Key: "versus", Name: "versus_paid_permille", Title: "VS PAID", Help: "How much higher (▲) or lower (▼) the best ask is than our last paid price.", Align: style.Right, Ideal: 9, Priority: 2,
				Cell: func(c *style.Cell, r row) { d, ok := r.versusPaid(); putVersus(c, d, ok) }, Number: func(r row) (int64, bool) { d, ok := r.versusPaid(); return int64(d), ok }},
			{Key: "available", Name: "available_grams", Title: "AVAILABLE", Help: "Whole tonnes in all sell orders. Fractions are not sold.", Align: style.Right, Priority: 3,
				Cell: func(c *style.Cell, r row) { c.Put(style.Text, l.view.Tonnes(r.tonnes())) }, Number: func(r row) (int64, bool) { return r.tonnes(), r.tonnes() >= 0 }},
			{Key: "asks", Name: "asks", Title: "ASKS", Help: "Number of sell orders.", Align: style.Right, Priority: 6,
				Cell: func(c *style.Cell, r row) {
					c.PutBytes(style.Muted, strconv.AppendInt(c.Scratch(), int64(r.vintage().Asks()), 10))
				},
				Number: func(r row) (int64, bool) { return int64(r.vintage().Asks()), true }},
			{Key: "trend", Picture: true, Title: "TREND", Help: "The best ask over the last 24 hours, while tonne was running.", Ideal: session.TrendPoints, Max: session.TrendPoints, Priority: 8,
				Cell: func(c *style.Cell, r row) {
					c.PutBytes(style.Accent, chart.AppendSparkline(c.Scratch(), l.trends[r.key()], session.TrendPoints))
				}},
		}),
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

func putVersus(c *style.Cell, d model.PerMille, ok bool) {
	if !ok {
		tab.Dash(c)
		return
	}
	role, arrow := tab.Way(d)
	c.Put(role, arrow+d.String())
}
