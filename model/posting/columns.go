package posting

import (
	"iter"
	"time"

	"tonne/model"
	"tonne/model/field"
)

// Line is one side of an entry.
type Line struct {
	Entry
	Account string
	// Debited and Credited are the amounts of the sides, one of which is zero.
	Debited, Credited model.Cents
}

// Lines returns two lines of each entry, first the debit.
func Lines(entries []Entry) iter.Seq[Line] {
	return func(yield func(Line) bool) {
		for _, e := range entries {
			debit, credit := Line{e, e.Debit, e.Amount, 0}, Line{e, e.Credit, 0, e.Amount}
			if !yield(debit) || !yield(credit) {
				return
			}
		}
	}
}

// Columns are the columns of lines.
var Columns = field.Columns[Line]{
	{Name: "date", Title: "DATE", Is: "string",
		Value: func(l Line) field.Value { return field.Text(l.Date.Format(time.DateOnly)) }},
	{Name: "kind", Title: "KIND", Is: "string", Drop: 2,
		Value: func(l Line) field.Value { return field.Text(string(l.Kind)) }},
	{Name: "account", Title: "ACCOUNT", Is: "string", Shrink: 12,
		Value: func(l Line) field.Value { return field.Text(l.Account) }},
	{Name: "debit_cents", Title: "DEBIT", Right: true, Value: func(l Line) field.Value { return field.Cost(l.Debited) }},
	{Name: "credit_cents", Title: "CREDIT", Right: true,
		Value: func(l Line) field.Value { return field.Cost(l.Credited) }},
	{Name: "currency", Is: "string", Value: func(Line) field.Value { return field.Text(Currency) }},
	{Name: "vintage_id", Is: "string", Value: func(l Line) field.Value { return field.Text(l.Vintage.VintageID) }},
	{Name: "quantity_grams", Title: "QUANTITY", Right: true, Drop: 1,
		Value: func(l Line) field.Value { return field.Grams(l.Quantity) }},
	{Name: "reference", Title: "REFERENCE", Shrink: 10, Drop: 4,
		Value: func(l Line) field.Value { return field.Optional(l.Reference) }},
	{Name: "retirement_request_id", Value: func(l Line) field.Value { return field.Optional(l.RequestID) }},
	{Name: "memo", Title: "MEMO", Is: "string", Shrink: 16, Drop: 3,
		Value: func(l Line) field.Value { return field.Text(l.Memo) }},
}
