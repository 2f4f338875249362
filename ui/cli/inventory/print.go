package inventory

import (
	"context"
	"errors"
	"iter"
	"slices"

	"tonne/api/worker"
	"tonne/model"
	"tonne/model/field"
	"tonne/model/portfolio"
	"tonne/ui/cli/listing"
	"tonne/ui/column"
	"tonne/ui/output"
)

type project struct {
	column.Vintage
	vintages []vintage
}

type vintage struct {
	column.Vintage
	paid    portfolio.LastPaid
	bought  bool
	wallets []portfolio.Wallet
}

func (p project) named() column.Vintage { return p.Vintage }
func (v vintage) named() column.Vintage { return v.Vintage }

var jsonColumns = column.Vintages(project.named).Pick("project_id", "project_name").With(
	field.Items("vintages", func(p project) iter.Seq[vintage] { return slices.Values(p.vintages) },
		column.Vintages(vintage.named).Pick("vintage_id").With(
			field.Nested("last_paid", func(v vintage) (portfolio.LastPaid, bool) { return v.paid, v.bought }, column.LastPaid),
			field.Items("wallets", func(v vintage) iter.Seq[portfolio.Wallet] { return slices.Values(v.wallets) },
				walletColumns),
		),
	))

var walletColumns = field.Columns[portfolio.Wallet]{
	{Name: "type", Is: "string", Value: func(w portfolio.Wallet) field.Value { return field.Text(w.Type) }},
	{Name: "quantity_grams", Value: func(w portfolio.Wallet) field.Value { return field.Grams(w.Quantity) }},
	field.Items("trades", func(w portfolio.Wallet) iter.Seq[column.Trade] { return column.Wallet{Trades: w.Trades}.All() },
		column.Trades.Pick("execution_date", "quantity_grams", "price_cents", "type")),
}

func (r *reading) projects(inv *portfolio.Inventory) iter.Seq[project] {
	return func(yield func(project) bool) {
		for _, of := range inv.Projects {
			p := project{Vintage: r.named(model.VintageKey{ProjectID: of.ID})}
			for _, v := range of.Vintages {
				row := vintage{Vintage: r.named(model.VintageKey{ProjectID: of.ID, VintageID: v.ID}), wallets: v.Wallets}
				row.paid, row.bought = r.filter.Paid[row.Key]
				p.vintages = append(p.vintages, row)
			}
			if !yield(p) {
				return
			}
		}
	}
}

func (r *reading) named(key model.VintageKey) column.Vintage {
	return column.Vintage{Key: key, Projects: r.ProjectDetails.Known, Year: r.year(key)}
}

func (r *reading) year(key model.VintageKey) int32 {
	return r.ProjectDetails.Year(key.ProjectID, key.VintageID)
}

func (r *reading) ask(key model.VintageKey) model.PriceCents {
	if r.filter.Market == nil {
		return model.UnknownPrice
	}
	ask, _ := r.filter.Market.Offer(key)
	return ask
}

// startAsks reads the market in parallel with the inventory, if the filter, a selected column or
// the table needs it. Missing values in the table are not an error.
func (r *reading) startAsks(ctx context.Context) (wait func() error) {
	selected := func(name string) bool { return slices.Contains(r.app.Selection.Names(), name) }
	needed := r.filter.Expr.Market() || slices.ContainsFunc(column.WalletsOfMarket, selected)
	if !needed && (r.paging.Format != output.Table || r.trades) {
		return func() error { return nil }
	}
	asked := worker.Start(func() (err error) {
		r.filter.Market, err = r.Client.Market(ctx, 0, nil)
		return err
	})
	return func() error {
		err := asked()
		if err != nil && !needed && ctx.Err() == nil {
			r.app.Warn("what this is worth is not known: %v", err)
			r.filter.Market, err = nil, nil
		}
		return err
	}
}

func (r *reading) wallets(inv *portfolio.Inventory) (rows []column.Wallet, sum portfolio.BookValue, err error) {
	purchases := inv
	if r.tradeType != "" || r.tradesPerWallet > 0 {
		purchases = new(portfolio.Inventory)
	}
	positions := portfolio.NewPositions(inv, purchases)
	holdings := &column.Holdings{Projects: r.ProjectDetails.Known, Paid: r.filter.Paid, Ask: r.ask, Year: r.year}
	for i := range positions.Len() {
		p := positions.At(i)
		rows = append(rows, column.Wallet{Holdings: holdings, Position: p, Trades: p.Wallet.Trades})
		err = errors.Join(err, sum.AddPosition(p, r.ask(p.Key.VintageKey), portfolio.Start{}))
	}
	return rows, sum, err
}

func (r *reading) printRows(inv *portfolio.Inventory, document func() error, none string) error {
	wallets, sum, err := r.wallets(inv)
	rows := slices.Values(wallets)
	if r.trades {
		in := listing.NewFormats(r.app, column.Trades, trades(wallets))
		in.Document, in.None = document, none
		return in.Print(r.paging.Format)
	}
	in := listing.NewFormats(r.app, column.Wallets, rows)
	in.Document, in.None = document, none
	in.Tables = func(rows iter.Seq[column.Wallet]) []*output.Grid {
		g := output.GridOf(column.Wallets, rows)
		switch {
		case errors.Is(err, model.ErrOverflow):
			r.app.Warn("the totals are beyond any amount")
		case err != nil || len(r.Missing) > 0:
			total(g, model.UnknownGrams, field.Value{}, field.Value{})
		case !g.Empty():
			total(g, sum.Held, field.If(sum.Valued > 0, field.Cost(sum.Value)), field.If(sum.Costed > 0, field.Cost(sum.Cost)))
		}
		return []*output.Grid{g}
	}
	return in.Print(r.paging.Format)
}

func total(g *output.Grid, held model.Grams, value, cost field.Value) {
	none := field.Words("")
	g.AddValues(field.Words("TOTAL"), none, none, none, none, none, field.Grams(held), none, none, none, none, value, cost)
}

func trades(wallets []column.Wallet) iter.Seq[column.Trade] {
	return func(yield func(column.Trade) bool) {
		for _, w := range wallets {
			for t := range w.All() {
				if !yield(t) {
					return
				}
			}
		}
	}
}
