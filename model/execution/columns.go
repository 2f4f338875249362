package execution

import (
	"iter"
	"slices"

	"tonne/model"
	"tonne/model/field"
)

func amount(a Amount) field.Value { return field.If(a.Known, field.Cost(a.Cents)) }

func difference(a Amount) field.Value { return field.If(a.Known, field.Change(a.Cents)) }

// Columns are the columns of a row.
var Columns = field.Columns[Row]{
	{Name: "execution_date", Title: "BOUGHT", Value: func(r Row) field.Value { return field.Time(r.Trade.ExecutionDate) }},
	{Name: "project_id", Is: "string", Value: func(r Row) field.Value { return field.Text(r.Vintage.ProjectID) }},
	{Name: "project_name", Title: "PROJECT", Value: func(r Row) field.Value { return field.Optional(r.Project.Name) }},
	{Name: "vintage_id", Is: "string", Value: func(r Row) field.Value { return field.Text(r.Vintage.VintageID) }},
	{Name: "vintage_year", Is: "number|null", Title: "YEAR", Value: func(r Row) field.Value { return field.Year(r.Year) }},
	{Name: "quantity_grams", Title: "QUANTITY", Right: true,
		Value: func(r Row) field.Value { return field.Grams(r.Trade.Quantity) }},
	{Name: "price_cents", Title: "PRICE/t", Right: true,
		Value: func(r Row) field.Value { return field.Price(r.Trade.Price) }},
	{Name: "cost_cents", Title: "COST", Right: true, Value: func(r Row) field.Value { return amount(r.Cost) }},
	{Name: "external_id", Value: func(r Row) field.Value { return field.Optional(r.ExternalID) }},
	{Name: "retirement_request_id", Value: func(r Row) field.Value { return field.Optional(r.RequestID) }},
	{Name: "read_at", Value: func(r Row) field.Value {
		if r.Read == nil {
			return field.Value{}
		}
		return field.Time(model.At(r.Read.At))
	}},
	{Name: "seconds_before", Is: "number|null", Value: func(r Row) field.Value {
		if r.Read == nil {
			return field.Value{}
		}
		return field.Number(int(r.Seconds()))
	}},
	{Name: "sell_order_id", Value: func(r Row) field.Value { return field.Optional(r.BoughtOrder) }},
	{Name: "vintage_cost_cents", Value: func(r Row) field.Value { return amount(r.VintageCost) }},
	{Name: "vintage_difference_cents", Title: "OVER VINTAGE", Right: true,
		Value: func(r Row) field.Value { return difference(r.VintageDifference()) }},
	{Name: "like", Value: func(r Row) field.Value { return field.Optional(r.Like) }},
	{Name: "like_cost_cents", Value: func(r Row) field.Value { return amount(r.LikeCost) }},
	{Name: "like_difference_cents", Title: "OVER ALIKE", Right: true,
		Value: func(r Row) field.Value { return difference(r.LikeDifference()) }},
	{Name: "verdict", Is: "string", Title: "VERDICT",
		Value: func(r Row) field.Value { return field.Text(string(r.Verdict)) }},
	{Name: "why", Is: "string", Value: func(r Row) field.Value { return field.Text(r.Why) }},
	{Name: "reason", Title: "REASON", Value: func(r Row) field.Value { return field.Optional(r.Reason) }},
}

// Document are the columns of a row in JSON.
var Document = Columns.With(field.Items("like_fills", func(r Row) iter.Seq[Fill] { return slices.Values(r.LikeFills) },
	field.Columns[Fill]{
		{Name: "project_id", Is: "string", Value: func(f Fill) field.Value { return field.Text(f.Vintage.ProjectID) }},
		{Name: "vintage_id", Is: "string", Value: func(f Fill) field.Value { return field.Text(f.Vintage.VintageID) }},
		{Name: "sell_order_id", Is: "string", Value: func(f Fill) field.Value { return field.Text(f.Order.ID) }},
		{Name: "tonnes", Is: "string", Value: func(f Fill) field.Value { return field.Tonnes(f.Tonnes) }},
		{Name: "price_cents", Value: func(f Fill) field.Value { return field.Price(f.Order.Price) }},
		{Name: "cost_cents", Is: "string", Value: func(f Fill) field.Value { return field.Cost(f.Cost) }},
	}))

// BookRow is an order of the recorded book of a purchase.
type BookRow struct {
	Row
	Ask int
}

// BookRows returns the orders of the book of a purchase.
func (r Row) BookRows() iter.Seq[BookRow] {
	return func(yield func(BookRow) bool) {
		for i := range r.Book.Asks {
			if !yield(BookRow{r, i}) {
				return
			}
		}
	}
}

// Bought returns what was bought of the order.
func (b BookRow) Bought() model.Grams {
	if o := b.Book.Asks[b.Ask].Order; o.ID == b.BoughtOrder && b.Verdict != NotRecorded {
		return b.Trade.Quantity
	}
	return 0
}

// BookColumns are the columns of a recorded book.
var BookColumns = field.Columns[BookRow]{
	{Name: "project_id", Value: func(b BookRow) field.Value { return field.Text(b.Vintage.ProjectID) }},
	{Name: "vintage_id", Value: func(b BookRow) field.Value { return field.Text(b.Vintage.VintageID) }},
	{Name: "sell_order_id", Value: func(b BookRow) field.Value { return field.Text(b.Book.Asks[b.Ask].Order.ID) }},
	{Name: "price_cents", Value: func(b BookRow) field.Value { return field.Price(b.Book.Asks[b.Ask].Order.Price) }},
	{Name: "quantity_grams", Value: func(b BookRow) field.Value { return field.Grams(b.Book.Asks[b.Ask].Order.Quantity) }},
	{Name: "bought_grams", Value: func(b BookRow) field.Value { return field.Grams(b.Bought()) }},
}
