package inventory

import (
	"cmp"
	"errors"
	"iter"
	"slices"

	"tonne/model"
	"tonne/ui/cli/command"
	"tonne/ui/cli/listing"
	"tonne/ui/cli/output"
)

// holding is a row of the inventory: a trade of a wallet, or a wallet, a vintage
// or a project as a whole.
type holding struct {
	key     model.VintageKey
	project model.Project
	year    int32
	paid    model.LastPaid
	bought  bool
	wallet  model.Wallet
	trade   model.Trade
	ask     model.PriceCents
	worth   model.Valuation
	// below are the vintages of a project, or the wallets of a vintage.
	below []*holding
}

func (h *holding) trades() iter.Seq[*holding] {
	return func(yield func(*holding) bool) {
		row := *h
		for _, row.trade = range h.wallet.Trades {
			if !yield(&row) {
				return
			}
		}
	}
}

var walletColumns = output.Columns[*holding]{
	{Name: "project_id", Is: "string", Value: func(h *holding) output.Value { return output.Text(h.key.ProjectID) }},
	{
		Name: "project_name", Value: func(h *holding) output.Value { return output.Optional(h.project.Name) },
		Title: "PROJECT", Shrink: 12, Cell: func(h *holding) string { return cmp.Or(h.project.Name, h.key.ProjectID) },
	},
	{Title: "TYPE", Spare: true, Value: func(h *holding) output.Value { return output.Optional(h.project.Type) }},
	{Title: "CC", Spare: true, Value: func(h *holding) output.Value { return output.Optional(h.project.Country) }},
	{Title: "YEAR", Right: true, Cell: func(h *holding) string { return command.YearText(h.year) }},
	{Name: "vintage_id", Is: "string", Title: "VINTAGE ID", Drop: 3, Value: func(h *holding) output.Value { return output.Text(h.key.VintageID) }},
	{Name: "wallet_type", Title: "WALLET", Value: func(h *holding) output.Value { return output.Text(h.wallet.Type) }},
	{Name: "quantity_grams", Title: "BALANCE", Right: true, Value: func(h *holding) output.Value { return output.Grams(h.wallet.Quantity) }},
	{Name: "last_paid_price_cents", Title: "LAST PAID", Right: true, Drop: 1, Value: func(h *holding) output.Value { return output.Price(h.paid.Price) }},
	{Name: "last_paid_date", Title: "PAID ON", Drop: 5, Value: func(h *holding) output.Value { return output.Time(h.paid.ExecutionDate) }},
	{Name: "trades", Title: "TRADES", Right: true, Drop: 4, Value: func(h *holding) output.Value { return output.Number(len(h.wallet.Trades)) }},
	{Title: "BEST ASK", Right: true, Drop: 2, Value: func(h *holding) output.Value { return output.Price(h.ask) }},
	{Title: "VALUE", Right: true, Cell: func(h *holding) string { return money(h.worth.Value, h.worth.HasValue) }},
	{Title: "COST", Right: true, Cell: func(h *holding) string { return money(h.worth.Basis, h.worth.HasBasis) }},
}

var tradeColumns = walletColumns.Pick("project_id", "project_name", "YEAR", "vintage_id").With(output.Columns[*holding]{
	{Name: "wallet_type", Title: "WALLET", Drop: 1, Value: func(h *holding) output.Value { return output.Text(h.wallet.Type) }},
	{Name: "execution_date", Title: "DATE", Value: func(h *holding) output.Value { return output.Time(h.trade.ExecutionDate) }},
	{Name: "type", Is: "string", Title: "TYPE", Value: func(h *holding) output.Value { return output.Text(string(h.trade.Type)) }},
	{Name: "quantity_grams", Title: "QUANTITY", Right: true, Value: func(h *holding) output.Value { return output.Grams(h.trade.Quantity) }},
	{Name: "price_cents", Title: "PRICE", Right: true, Value: func(h *holding) output.Value { return output.Price(h.trade.Price) }},
}...)

// jsonColumns are the columns of a project with its vintages, wallets and
// trades.
var jsonColumns = walletColumns.Pick("project_id", "project_name").With(
	output.Array("vintages", (*holding).inner, walletColumns.Pick("vintage_id").With(
		output.Nested("last_paid", func(h *holding) (model.LastPaid, bool) { return h.paid, h.bought }, listing.LastPaidColumns),
		output.Array("wallets", (*holding).inner, output.Columns[*holding]{
			{Name: "type", Is: "string", Value: func(h *holding) output.Value { return output.Text(h.wallet.Type) }},
		}.With(walletColumns.Pick("quantity_grams")...).With(
			output.Array("trades", (*holding).trades, tradeColumns.Pick("execution_date", "quantity_grams", "price_cents", "type")),
		)),
	)))

func (h *holding) inner() iter.Seq[*holding] { return slices.Values(h.below) }

func (r *run) projects(inv *model.Inventory) iter.Seq[*holding] {
	return func(yield func(*holding) bool) {
		for _, of := range inv.Projects {
			p := &holding{key: model.VintageKey{ProjectID: of.ID}, project: r.ProjectDetails.Known[of.ID]}
			for _, v := range of.Vintages {
				row := r.holding(model.VintageKey{ProjectID: of.ID, VintageID: v.ID})
				for _, w := range v.Wallets {
					row.below = append(row.below, &holding{key: row.key, wallet: w})
				}
				p.below = append(p.below, row)
			}
			if !yield(p) {
				return
			}
		}
	}
}

func (r *run) holding(key model.VintageKey) *holding {
	paid, bought := r.Paid[key]
	if !bought {
		paid.Price = model.UnknownPrice
	}
	return &holding{key: key, project: r.ProjectDetails.Known[key.ProjectID], year: r.ProjectDetails.Year(key.ProjectID, key.VintageID), paid: paid, bought: bought}
}

// wallets are the rows of the wallets of an inventory, and what they come to. The
// error is model.ErrOverflow if that is beyond any amount.
func (r *run) wallets(inv *model.Inventory) (rows []*holding, sum model.BookValue, err error) {
	positions := r.positions(inv)
	for i := range positions.Len() {
		p := positions.At(i)
		row := r.holding(p.Key.VintageKey)
		row.wallet, row.ask = p.Wallet, r.bestAsk(p.Key.VintageKey)
		row.wallet.Type, row.worth = p.Key.Type, p.Value(row.ask)
		rows, err = append(rows, row), errors.Join(err, sum.AddPosition(p, row.ask, model.Start{}))
	}
	return rows, sum, err
}
