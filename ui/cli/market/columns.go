package market

import (
	"cmp"
	"iter"
	"slices"
	"strconv"

	"tonne/model"
	"tonne/ui/cli/listing"
	"tonne/ui/cli/output"
)

// offer is a row of the market: a sell order, or a vintage or a project as a
// whole.
type offer struct {
	market  *model.Market
	key     model.VintageKey
	project model.Project
	vintage model.MarketVintage
	order   model.SellOrder
	paid    model.LastPaid
	bought  bool
	// vintages are those of a project.
	vintages []*offer
}

func ordersOf(offers []*offer) iter.Seq[*offer] {
	return func(yield func(*offer) bool) {
		for _, o := range offers {
			row := *o
			for i := o.vintage.First; i < o.vintage.End; i++ {
				if row.order = o.market.Order(int(i)); !yield(&row) {
					return
				}
			}
		}
	}
}

// offerColumns are the columns of sell orders, and in tables those of vintages.
var offerColumns = output.Columns[*offer]{
	{Name: "project_id", Is: "string", Value: func(o *offer) output.Value { return output.Text(o.key.ProjectID) }},
	{
		Name: "project_name", Value: func(o *offer) output.Value { return output.Optional(o.project.Name) },
		Title: "PROJECT", Shrink: 12, Cell: func(o *offer) string { return cmp.Or(o.project.Name, o.key.ProjectID) },
	},
	{Title: "TYPE", Spare: true, Value: func(o *offer) output.Value { return output.Optional(o.project.Type) }},
	{Title: "CC", Spare: true, Value: func(o *offer) output.Value { return output.Optional(o.project.Country) }},
	{Name: "vintage_id", Is: "string", Value: func(o *offer) output.Value { return output.Text(o.key.VintageID) }},
	{Name: "vintage_year", Is: "number|null", Title: "YEAR", Right: true, Value: func(o *offer) output.Value { return output.Year(o.vintage.Year) }},
	{Title: "VINTAGE ID", Drop: 2, Cell: func(o *offer) string { return o.key.VintageID }},
	{Name: "sell_order_id", Is: "string", Value: func(o *offer) output.Value { return output.Text(o.order.ID) }},
	{Name: "quantity_grams", Value: func(o *offer) output.Value { return output.Grams(o.order.Quantity) }},
	{Name: "price_cents", Value: func(o *offer) output.Value { return output.Price(o.order.Price) }},
	{Title: "BEST ASK", Right: true, Value: func(o *offer) output.Value { return output.Price(o.vintage.BestAsk) }},
	{Name: "last_paid_price_cents", Title: "LAST PAID", Right: true, Drop: 1, Value: func(o *offer) output.Value { return output.Price(o.paid.Price) }},
	{Name: "last_paid_date", Value: func(o *offer) output.Value { return output.Time(o.paid.ExecutionDate) }},
	{Title: "VS PAID", Right: true, Drop: 3, Cell: func(o *offer) string { return listing.VersusText(o.vintage.BestAsk, o.paid.Price) }},
	{Title: "AVAILABLE", Right: true, Value: func(o *offer) output.Value { return output.Grams(o.vintage.Available) }},
	{Title: "ASKS", Right: true, Drop: 4, Cell: func(o *offer) string { return strconv.Itoa(o.vintage.Asks()) }},
}

// isOfOrder reports whether a column is one of a sell order, not of its vintage.
func isOfOrder(column string) bool {
	return slices.Contains([]string{"sell_order_id", "quantity_grams", "price_cents"}, column)
}

// jsonColumns are the columns of a project of the market with its vintages.
var jsonColumns = offerColumns.Pick("project_id", "project_name").With(
	output.Array("vintages", func(o *offer) iter.Seq[*offer] { return slices.Values(o.vintages) }, offerColumns.Pick("vintage_id", "vintage_year").With(
		output.Column[*offer]{Name: "best_ask_cents", Value: func(o *offer) output.Value { return output.Price(o.vintage.BestAsk) }},
		output.Column[*offer]{Name: "available_grams", Value: func(o *offer) output.Value { return output.Grams(o.vintage.Available) }},
		output.Nested("last_paid", func(o *offer) (model.LastPaid, bool) { return o.paid, o.bought }, listing.LastPaidColumns),
		output.Array("sell_orders", func(o *offer) iter.Seq[*offer] { return ordersOf([]*offer{o}) }, offerColumns.Pick("sell_order_id", "quantity_grams", "price_cents")),
	)))

func (m *run) offer(market *model.Market, i int) *offer {
	key := market.Key(i)
	_, bought := m.Paid[key]
	return &offer{market: market, key: key, project: m.ProjectDetails.Known[key.ProjectID], vintage: market.Vintage(i), paid: m.Paid.Of(key), bought: bought}
}

func (m *run) offers(market *model.Market) (offers []*offer) {
	shown, _ := m.Passing(market, m.ProjectDetails)
	for _, i := range shown {
		offers = append(offers, m.offer(market, i))
	}
	return offers
}

func (m *run) projects(market *model.Market) iter.Seq[*offer] {
	return func(yield func(*offer) bool) {
		for i := range market.Projects() {
			of := market.Project(i)
			p := &offer{key: model.VintageKey{ProjectID: of.ID}, project: m.ProjectDetails.Known[of.ID]}
			for v := of.First; v < of.End; v++ {
				if m.Lets(market.Key(v), m.ProjectDetails) {
					p.vintages = append(p.vintages, m.offer(market, v))
				}
			}
			if (len(p.vintages) > 0 || of.First == of.End) && !yield(p) {
				return
			}
		}
	}
}
