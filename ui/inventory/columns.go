package inventory

import (
	"slices"

	"tonne/api"
	"tonne/model"
	"tonne/model/attribute"
	"tonne/model/field"
	"tonne/model/filter"
	"tonne/model/portfolio"
	"tonne/ui/column"
	"tonne/ui/effect"
	"tonne/ui/style"
	"tonne/ui/tab"
	"tonne/ui/table"
)

// rows is an immutable snapshot of the wallets, because it is sorted in the background.
type rows struct {
	positions *portfolio.Positions
	extent    string
	// listed are the indexes of the shown wallets. Nil means all.
	listed []int32
	// known has the market prices at the time of the snapshot.
	known    tab.View
	projects tab.Projects
	// divided reports that a balance has a fraction of a tonne.
	divided bool
	// paid has the last price paid for each vintage, over all wallets, filtered or not.
	paid   portfolio.LastPaidPrices
	facts  *attribute.Facts
	opened portfolio.Opening
	// holdings has these for the columns.
	holdings *column.Holdings
}

func (r *rows) ask(key model.VintageKey) model.PriceCents { return r.known.BestAsk(key) }
func (r *rows) year(key model.VintageKey) int32           { return int32(r.known.Year(key)) }

func (r *rows) number(i int) int {
	if r.listed != nil {
		return int(r.listed[i])
	}
	return i
}

func (r *rows) Key(i int) portfolio.WalletKey { return r.positions.At(r.number(i)).Key }
func (r *rows) At(i int) row                  { return row{r.positions.At(r.number(i)), r} }

func (r *rows) Len() int {
	if r.listed != nil {
		return len(r.listed)
	}
	return r.positions.Len()
}

type row struct {
	*portfolio.Position
	of *rows
}

func (r row) vintage() model.VintageKey { return r.Key.VintageKey }
func (r row) named() tab.Vintage        { return tab.Vintage{Projects: &r.of.projects, Key: r.vintage()} }
func (r row) year() int                 { return r.of.known.Year(r.vintage()) }
func (r row) bestAsk() model.PriceCents { return r.of.known.BestAsk(r.vintage()) }

// wallet returns the row for the columns of wallets.
func (r row) wallet() column.Wallet {
	return column.Wallet{Holdings: r.of.holdings, Position: r.Position}
}

func (r row) start() portfolio.Start { return r.of.opened.Of(r.vintage()) }

func (r row) overCost() field.Value {
	over, known := r.Position.Value(r.bestAsk()).OverCost()
	return field.If(known, field.Change(over))
}

// today is the change of the balance's value since the start of the day, or since a later purchase.
func (r row) today() field.Value {
	more, _, known := r.Position.Since(r.start(), r.bestAsk())
	return field.If(known, field.Change(more))
}

func (r row) lastPaid() (portfolio.LastPaid, bool) {
	paid, ok := r.of.paid[r.vintage()]
	return paid, ok
}

func (r row) trades(q api.InventoryQuery) []portfolio.Trade {
	list := r.Wallet.Trades
	if q.TradeType != "" {
		list = slices.DeleteFunc(slices.Clone(list), func(t portfolio.Trade) bool { return t.Type != q.TradeType })
	}
	if q.TradesPerWallet > 0 {
		list = list[:min(q.TradesPerWallet, len(list))]
	}
	return list
}

// filtered returns the row for a filter. As in commands, held counts all wallets of the vintage.
func (r row) filtered(needs filter.Needs) filter.Row {
	f := r.named().FilterRow(needs, r.year(), r.of.paid, r.of.facts)
	f.Wallet = r.Key.Type
	if m := r.of.known.Market.Market; m != nil {
		f.BestAsk, f.Available = m.Offer(r.vintage())
	}
	if needs.Held {
		f.Held = 0
		for _, w := range r.of.positions.OfVintage(r.vintage()) {
			f.Held = f.Held.Plus(w.Wallet.Quantity)
		}
	}
	return f
}

// inline is the number of wallets that are sorted, filtered and totalled without a background task,
// about a millisecond of work.
const inline = 1024

// spec lists the columns. Narrow screens drop the highest priority numbers first, so the value and its change stay.
func spec(v *tab.View) table.Spec[row] {
	columns := tab.VintageColumns(row.named, row.year)
	kind, country := &columns[1], &columns[2]
	kind.Min, kind.Priority, kind.Spare, country.Spare = 9, 8, true, true
	return table.Spec[row]{
		Group:    func(r row) string { return r.Key.ProjectID },
		Filtered: row.filtered,
		Inline:   inline,
		Units:    v.Units,
		Columns: append(columns, table.Place(column.Wallets, row.wallet, []table.Column[row]{
			{Key: "wallet", Name: "wallet_type", Style: style.Muted, Max: 12, Priority: 6, Marked: true},
			{Key: "balance", Name: "quantity_grams", Ideal: 14, Cell: func(c *style.Cell, r row) {
				c.Put(style.Text, balance(v, r.Wallet.Quantity, r.of))
			}},
			{Key: "paid", Name: "last_paid_price_cents", Ideal: 10},
			{
				Key:      "average",
				Name:     "average_cost_cents",
				Title:    "AVG COST",
				Style:    style.Muted,
				Align:    style.Right,
				Priority: 5,
				Ideal:    9,
			},
			{Key: "ask", Name: "best_ask_cents", Priority: 3, Ideal: 9},
			{Key: "value", Name: "value_cents", Title: "TO REPLACE", Priority: 1, Ideal: 11},
			{
				Key:      "over",
				Name:     "over_cost_cents",
				Title:    "VS COST",
				Align:    style.Right,
				Priority: 4,
				Ideal:    11,
				Value:    row.overCost,
			},
			{
				Key: "today", Title: "TODAY", Align: style.Right, Quiet: true, Priority: 2, Ideal: 9, Value: row.today,
				Help: "The change of TO REPLACE since the start of the day, or since the time in the heading: more (▲) or " +
					"less (▼). " +
					"Later purchases count from their cost.",
			},
		}...)...),
	}
}

func (t *Tab) export() effect.Effect {
	filters := t.listing().filters
	if r, ok := t.wallets.table.Current(); ok && t.trades.focused {
		of, shown := r.exported(filters), t.trades.table.Rows()
		return tab.Export[column.Trade]{
			What:    "the trades on the screen",
			Name:    "Trades",
			Columns: column.Trades,
			Rows: func(yield func(column.Trade) bool) {
				for _, x := range shown {
					if !yield(column.Trade{Wallet: of, Trade: x.Trade}) {
						return
					}
				}
			},
		}.Ask(
			t.view,
		)
	}
	shown := t.wallets.table.Rows()
	return tab.Export[column.Wallet]{
		What: "the rows on the screen", Name: "Inventory", Columns: column.Wallets,
		Part: t.view.Market.Market == nil || t.view.Market.Partial || !t.paging && t.book.Partial,
		Rows: func(yield func(column.Wallet) bool) {
			for _, r := range shown {
				if !yield(r.exported(filters)) {
					return
				}
			}
		},
	}.Ask(t.view)
}

func (r row) exported(q api.InventoryQuery) column.Wallet {
	w := r.wallet()
	w.Trades = r.trades(q)
	return w
}
