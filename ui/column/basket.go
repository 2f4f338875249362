package column

import (
	"tonne/model"
	"tonne/model/basket"
	"tonne/model/field"
	"tonne/model/portfolio"
)

// BasketLine is a line of a basket: the part of one sell order.
type BasketLine struct {
	Vintage
	Line  basket.Line
	Paid  model.PriceCents
	Share model.PerMille
}

// NewBasketLines returns the lines of a basket.
func NewBasketLines(found basket.Basket, projects model.Projects, paid portfolio.LastPaidPrices) []*BasketLine {
	shares := found.Shares()
	lines := make([]*BasketLine, len(found.Lines))
	for i, l := range found.Lines {
		lines[i] = &BasketLine{Vintage{l.Vintage, projects, l.Year}, l, paid.Of(l.Vintage).Price, shares[i]}
	}
	return lines
}

// Basket are the columns of the lines of a basket.
var Basket = Vintages(
	func(l *BasketLine) Vintage { return l.Vintage },
).Pick("project_id", "project_name", "type", "country", "vintage_id", "vintage_year").
	With(field.Columns[*BasketLine]{
		{Name: "sell_order_id", Is: "string", Value: func(l *BasketLine) field.Value { return field.Text(l.Line.Order.ID) }},
		{
			Name:  "tonnes",
			Is:    "string",
			Title: "TONNES",
			Right: true,
			Value: func(l *BasketLine) field.Value { return field.Tonnes(l.Line.Tonnes) },
		},
		{
			Name:  "price_cents",
			Title: "PRICE/t",
			Right: true,
			Value: func(l *BasketLine) field.Value { return field.Price(l.Line.Order.Price) },
		},
		{
			Name:  "cost_cents",
			Is:    "string",
			Title: "COST",
			Right: true,
			Value: func(l *BasketLine) field.Value { return field.Cost(l.Line.Cost) },
		},
		{
			Title: "SHARE",
			Right: true,
			Drop:  1,
			Value: func(l *BasketLine) field.Value { return field.Words(l.Share.FormatShare()) },
		},
		{Name: "last_paid_price_cents", Value: func(l *BasketLine) field.Value { return field.Price(l.Paid) }},
		{
			Title: "VS PAID",
			Right: true,
			Drop:  2,
			Value: func(l *BasketLine) field.Value { return versus(l.Line.Order.Price, l.Paid) },
		},
		{Title: "SELL ORDER", Drop: 3, Value: func(l *BasketLine) field.Value { return field.Text(l.Line.Order.ID) }},
		{Title: "VINTAGE ID", Spare: true, Value: func(l *BasketLine) field.Value { return field.Text(l.Key.VintageID) }},
	}...)
