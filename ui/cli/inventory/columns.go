package inventory

import (
	"iter"
	"slices"

	"tonne/model"
	"tonne/model/portfolio"
	"tonne/ui/column"
	"tonne/ui/output"
)

// project and vintage are the levels of the JSON document.
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

// jsonColumns are the columns of a project with its vintages, wallets and trades.
var jsonColumns = column.Vintages(func(p project) *column.Vintage { return &p.Vintage }).Pick("project_id", "project_name").With(
	output.Array("vintages", func(p project) iter.Seq[vintage] { return slices.Values(p.vintages) },
		column.Vintages(func(v vintage) *column.Vintage { return &v.Vintage }).Pick("vintage_id").With(
			output.Nested("last_paid", func(v vintage) (portfolio.LastPaid, bool) { return v.paid, v.bought }, column.LastPaid),
			output.Array("wallets", func(v vintage) iter.Seq[portfolio.Wallet] { return slices.Values(v.wallets) }, output.Columns[portfolio.Wallet]{
				{Name: "type", Is: "string", Value: func(w portfolio.Wallet) output.Value { return output.Text(w.Type) }},
				{Name: "quantity_grams", Value: func(w portfolio.Wallet) output.Value { return output.Grams(w.Quantity) }},
				output.Array("trades", func(w portfolio.Wallet) iter.Seq[column.Trade] { return (&column.Wallet{Trades: w.Trades}).All() },
					column.Trades.Pick("execution_date", "quantity_grams", "price_cents", "type")),
			}),
		)))

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
	return column.Vintage{Key: key, Project: r.ProjectDetails.Known[key.ProjectID], Year: r.ProjectDetails.Year(key.ProjectID, key.VintageID)}
}
