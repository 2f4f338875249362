package market

import (
	"slices"

	"tonne/api/session"
	"tonne/model"
	"tonne/model/attribute"
	"tonne/model/field"
	"tonne/model/filter"
	"tonne/model/market"
	"tonne/model/portfolio"
	"tonne/ui/chart"
	"tonne/ui/column"
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
	// valued counts the changes of values that rows can be sorted by, except details of projects.
	valued int
}

// Basis returns what the order of the rows depends on: details that arrive do not change it.
func (r *rows) Basis() any {
	return struct {
		*market.Market
		settled, valued int
	}{r.market, r.projects.Settled(), r.valued}
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

func (r row) listing() column.Listing {
	return column.Listing{Market: r.market, At: r.i, Projects: r.projects.Known, Paid: r.paid}
}

// delta is the change of the best ask since the start of the day.
func (r row) delta() field.Value {
	was, now := r.openedAt(), r.vintage().BestAsk
	return field.If(was.Known() && now.Known(), field.Cost(model.Cents(now-was)).As(field.Sign(now-was)))
}

func (r row) openedAt() model.PriceCents {
	if was, ok := r.opened[r.key()]; ok {
		return was
	}
	return model.UnknownPrice
}

// available are the whole tonnes in all sell orders.
func (r row) available() field.Value {
	whole, err := model.WholeTonnes(r.tonnes())
	if err != nil {
		whole = model.UnknownGrams
	}
	return field.Grams(whole)
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

func spec(l *vintages, marks func(c *style.Cell, r row)) table.Spec[row] {
	columns := table.Place(column.Listings, row.listing, []table.Column[row]{
		{Key: "ask", Name: "best_ask_cents"},
		{
			Key: "delta", Title: "Δ DAY",
			Help:  "Change of the best ask since midnight, or in the time of the heading.",
			Align: style.Right, Ideal: 7, Priority: 4, Value: row.delta, Cell: putDelta,
		},
		{Key: "paid", Name: "last_paid_price_cents", Ideal: 10, Priority: 1},
		{Key: "versus", Name: "versus_paid_permille", Ideal: 9, Priority: 2},
		{
			Key: "available", Name: "available_grams", Help: "Whole tonnes in all sell orders. Fractions are not sold.",
			Priority: 3, Value: row.available, Order: row.available,
		},
		{Key: "asks", Name: "asks", Style: style.Muted, Priority: 6},
		{
			Key: "trend", Picture: true, Title: "TREND", Help: "The best ask over the last 24 hours, while tonne was running.",
			Ideal: session.TrendPoints, Max: session.TrendPoints, Priority: 8,
			Cell: func(c *style.Cell, r row) {
				c.PutBytes(style.Accent, chart.AppendSparkline(c.Scratch(), l.trends[r.key()], session.TrendPoints))
			},
		},
	}...)
	named := tab.VintageColumns(row.named, row.year)
	vintage := &named[slices.IndexFunc(named, func(c table.Column[row]) bool { return c.Key == "vintage" })]
	vintage.Cell = func(c *style.Cell, r row) {
		// Marks are left of the year, where the title leaves room: they do not change the width of the column.
		if marks(c, r); !c.Empty() && c.Width() < 3 {
			c.Put(style.Text, " ")
		}
		table.Put(c, vintage.Value(r), vintage.Style, l.view.Units())
	}
	return table.Spec[row]{
		Group: row.projectID, Filtered: row.filtered, Units: l.view.Units,
		Columns: append(named, columns...),
	}
}

// putDelta writes the amount of a change without a sign, after the arrow.
func putDelta(c *style.Cell, r row) {
	d, known := r.delta().Amount()
	switch {
	case !known:
		tab.Dash(c)
	case d == 0:
		c.Put(style.Faint, "0.00")
	default:
		role, arrow := tab.Way(model.Cents(d))
		c.Put(role, arrow)
		c.PutBytes(role, model.Cents(max(d, -d)).AppendDollars(c.Scratch())[1:])
	}
}
