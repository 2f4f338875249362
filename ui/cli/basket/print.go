package basket

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	"tonne/model"
	"tonne/model/basket"
	"tonne/ui/cli/command"
	"tonne/ui/cli/listing"
	"tonne/ui/cli/output"
)

// row is what a basket takes of a sell order.
type row struct {
	basket.Line
	project model.Project
	paid    model.PriceCents
	share   string
}

var lineColumns = output.Columns[row]{
	{Name: "project_id", Is: "string", Value: func(l row) output.Value { return output.Text(l.Vintage.ProjectID) }},
	{
		Name: "project_name", Value: func(l row) output.Value { return output.Optional(l.project.Name) },
		Title: "PROJECT", Shrink: 12, Cell: func(l row) string { return cmp.Or(l.project.Name, l.Vintage.ProjectID) },
	},
	{Title: "TYPE", Spare: true, Value: func(l row) output.Value { return output.Optional(l.project.Type) }},
	{Title: "CC", Spare: true, Value: func(l row) output.Value { return output.Optional(l.project.Country) }},
	{Name: "vintage_id", Is: "string", Value: func(l row) output.Value { return output.Text(l.Vintage.VintageID) }},
	{Name: "vintage_year", Title: "YEAR", Right: true, Value: func(l row) output.Value { return output.Year(l.Year) }},
	{Name: "sell_order_id", Is: "string", Value: func(l row) output.Value { return output.Text(l.Order.ID) }},
	{Name: "tonnes", Is: "string", Title: "TONNES", Right: true, Value: func(l row) output.Value { return output.Tonnes(l.Tonnes) }},
	{Name: "price_cents", Title: "PRICE/t", Right: true, Value: func(l row) output.Value { return output.Price(l.Order.Price) }},
	{Name: "cost_cents", Is: "string", Title: "COST", Right: true, Value: func(l row) output.Value { return output.Cost(l.Cost) }},
	{Title: "SHARE", Right: true, Drop: 1, Cell: func(l row) string { return l.share }},
	{Name: "last_paid_price_cents", Value: func(l row) output.Value { return output.Price(l.paid) }},
	{Title: "VS PAID", Right: true, Drop: 2, Cell: func(l row) string { return listing.VersusText(l.Order.Price, l.paid) }},
	{Title: "SELL ORDER", Drop: 3, Cell: func(l row) string { return l.Order.ID }},
	{Title: "VINTAGE ID", Spare: true, Cell: func(l row) string { return l.Vintage.VintageID }},
}

var jsonColumns = output.Columns[basket.Basket]{
	{Name: "tonnes", Is: "string", Value: func(b basket.Basket) output.Value { return output.Tonnes(b.Tonnes) }},
	{Name: "cost_cents", Is: "string", Value: func(b basket.Basket) output.Value { return output.Cost(b.Cost) }},
	{Name: "average_price_cents", Value: func(b basket.Basket) output.Value { return output.Price(b.Average()) }},
	{Name: "short_tonnes", Is: "string", Value: func(b basket.Basket) output.Value { return output.Tonnes(b.Short) }},
	output.Array("lines", bareLines, lineColumns.Pick("project_id", "vintage_id", "sell_order_id", "tonnes", "price_cents", "cost_cents")),
	output.Array("limits", func(b basket.Basket) iter.Seq[basket.Limit] { return slices.Values(b.Limits) }, output.Columns[basket.Limit]{
		{Name: "limit", Is: "string", Value: func(l basket.Limit) output.Value { return output.Text(l.String()) }},
		{Name: "binds", Is: "boolean", Value: func(l basket.Limit) output.Value { return output.Flag(l.Binds) }},
		// There is no cost if the basket without the limit would have more tonnes.
		{Name: "costs_cents", Value: func(l basket.Limit) output.Value { return output.If(l.Fills == 0, output.Cost(l.Costs)) }},
		{Name: "fills_tonnes", Is: "string|absent", Value: func(l basket.Limit) output.Value { return output.If(l.Fills > 0, output.Tonnes(l.Fills)) }},
	}),
}

func bareLines(b basket.Basket) iter.Seq[row] {
	return func(yield func(row) bool) {
		for _, line := range b.Lines {
			if !yield(row{Line: line}) {
				return
			}
		}
	}
}

func (b *run) printBasket(found basket.Basket) error {
	var lines []row
	shares := found.Shares()
	for i, line := range found.Lines {
		lines = append(lines, row{line, b.ProjectDetails.Known[line.Vintage.ProjectID], b.Paid.Of(line.Vintage).Price, basket.ShareText(shares[i])})
	}
	in := listing.NewFormats(b.App, lineColumns, slices.Values(lines))
	in.Document = func() error { return output.Object(b.Data(), jsonColumns.JSON(found)) }
	in.Tables = func() []*output.Grid {
		return []*output.Grid{lineColumns.Grid(slices.Values(lines)), b.sums(found)}
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
	words := basket.Wording{Tonnes: listing.TonnesText, Of: found}
	for _, l := range found.Limits {
		if does := words.Does(l); does != "" {
			sum.Add(b.limitName(l), does, b.limitAt(l))
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

func (b *run) limitAt(l basket.Limit) string {
	if !l.Binds || len(l.At) == 0 {
		return ""
	}
	name := l.At[0]
	if l.Kind == basket.ProjectCap {
		name = b.ProjectDetails.Known.Name(name)
	}
	if len(l.At) > 1 {
		return fmt.Sprintf("%s and %d more", name, len(l.At)-1)
	}
	return name
}
