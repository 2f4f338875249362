package basket

import (
	"iter"
	"slices"

	"tonne/model"
	"tonne/model/basket"
	"tonne/ui/cli/command"
	"tonne/ui/cli/listing"
	"tonne/ui/column"
	"tonne/ui/output"
)

var jsonColumns = output.Columns[basket.Basket]{
	{Name: "tonnes", Is: "string", Value: func(b basket.Basket) output.Value { return output.Tonnes(b.Tonnes) }},
	{Name: "cost_cents", Is: "string", Value: func(b basket.Basket) output.Value { return output.Cost(b.Cost) }},
	{Name: "average_price_cents", Value: func(b basket.Basket) output.Value { return output.Price(b.Average()) }},
	{Name: "short_tonnes", Is: "string", Value: func(b basket.Basket) output.Value { return output.Tonnes(b.Short) }},
	output.Array("lines", func(b basket.Basket) iter.Seq[*column.BasketLine] {
		return slices.Values(column.NewBasketLines(b, nil, nil))
	},
		column.Basket.Pick("project_id", "vintage_id", "sell_order_id", "tonnes", "price_cents", "cost_cents")),
	output.Array("limits", func(b basket.Basket) iter.Seq[basket.Limit] { return slices.Values(b.Limits) }, output.Columns[basket.Limit]{
		{Name: "limit", Is: "string", Value: func(l basket.Limit) output.Value { return output.Text(l.String()) }},
		{Name: "binds", Is: "boolean", Value: func(l basket.Limit) output.Value { return output.Flag(l.Binds) }},
		// There is no cost if the basket without the limit would have more tonnes.
		{Name: "costs_cents", Value: func(l basket.Limit) output.Value { return output.If(l.Fills == 0, output.Cost(l.Costs)) }},
		{Name: "fills_tonnes", Is: "string|absent", Value: func(l basket.Limit) output.Value { return output.If(l.Fills > 0, output.Tonnes(l.Fills)) }},
	}),
}

func (b *run) printBasket(found basket.Basket) error {
	lines := slices.Values(column.NewBasketLines(found, b.ProjectDetails.Known, b.Paid))
	in := listing.NewFormats(b.app, column.Basket, lines)
	in.Document = func() error { return output.Object(b.app.Data(), jsonColumns.JSON(found)) }
	in.Tables = func(lines iter.Seq[*column.BasketLine]) []*output.Grid {
		return []*output.Grid{column.Basket.Grid(lines), b.sums(found)}
	}
	return in.Print(b.format)
}

func (b *run) sums(found basket.Basket) *output.Grid {
	sum := output.NewGrid(output.Heading{}, output.Heading{Right: true}, output.Heading{Drop: 1})
	sum.Add("tonnes", listing.TonnesText(found.Tonnes), model.Count(len(found.Lines), "sell order", "sell orders")+" of "+model.Count(found.Projects(), "project", "projects"))
	if found.Short > 0 {
		sum.Add("not filled", listing.TonnesText(found.Short), "")
	}
	sum.Add("cost", found.Cost.FormatDollars(), "")
	sum.Add("average price", command.Dollars(found.Average()), "")
	if v, ok := found.Versus(b.Paid); ok {
		if d, ok := v.Difference(); ok {
			sum.Add("against last paid", d.String(), "where you bought before: "+listing.TonnesText(v.Tonnes))
		}
	}
	words := basket.Wording{Tonnes: listing.TonnesText, Project: b.ProjectDetails.Known.Name, Of: found}
	for _, l := range found.Limits {
		if does := words.Does(l); does != "" {
			sum.Add(b.limitName(l), does, words.At(l))
		}
	}
	return sum
}

// limitName names a limit: the price as well in dollars, so that cents that were
// meant as dollars are seen, and that it is the filter's.
func (b *run) limitName(l basket.Limit) string {
	switch {
	case l.Kind != basket.MaxPrice:
		return l.String()
	case b.priced:
		return l.String() + " (" + l.Price.FormatDollars() + " by the filter)"
	}
	return l.String() + " (" + l.Price.FormatDollars() + ")"
}
