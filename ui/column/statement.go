package column

import (
	"time"

	"tonne/api/audit"
	"tonne/model"
	"tonne/model/spreadsheet"
	"tonne/model/statement"
	"tonne/ui/output"
)

// Statement are the columns of the rows of a statement.
var Statement = output.Columns[statement.Row]{
	{Name: "key", Is: "string", Value: func(r statement.Row) output.Value { return output.Text(r.Key) }},
	{Name: "bought_grams", Title: "BOUGHT", Right: true, Value: func(r statement.Row) output.Value { return output.Grams(r.Bought) }},
	{Name: "bought_cents", Title: "COST", Right: true, Value: func(r statement.Row) output.Value {
		cost, err := r.Cost.Cents()
		return output.If(err == nil, output.Cost(cost))
	}},
	{Name: "retired_grams", Title: "RETIRED", Right: true, Value: func(r statement.Row) output.Value { return output.Grams(r.Retired) }},
}

// StatementSheets returns the sheets of a workbook: the rows, the shares, and notes on the figures.
func StatementSheets(of statement.Source, s statement.Statement) []spreadsheet.Sheet {
	rows := spreadsheet.Sheet{Name: "Statement"}
	if len(s.Rows) > 0 {
		total := s.Total
		total.Key = "Total"
		for _, cell := range Statement.Cells(total) {
			rows.Totals = append(rows.Totals, spreadsheet.Sum(cell))
		}
	}
	shares := spreadsheet.Sheet{Name: "Shares", Columns: []string{"share", "value", "retired_grams"}}
	audit.EachShare(s, func(share, value string, g model.Grams) {
		shares.Rows = append(shares.Rows, []spreadsheet.Cell{spreadsheet.Text(share), spreadsheet.Text(value), spreadsheet.Whole(g.String())})
	})
	balance := spreadsheet.Text("not known")
	if s.Balance.Known() {
		balance = spreadsheet.Whole(s.Balance.String())
	}
	notes := spreadsheet.Sheet{Name: "Notes", Columns: []string{"what", "value"}, Rows: [][]spreadsheet.Cell{
		{spreadsheet.Text("from"), spreadsheet.Time(of.From.Format(time.RFC3339))},
		{spreadsheet.Text("to (not part of it)"), spreadsheet.Time(of.To.Format(time.RFC3339))},
		{spreadsheet.Text("balance_grams"), balance},
		{spreadsheet.Text("cost of one retirement"), spreadsheet.Text("not stated: the service does not say which trade paid for it")},
	}}
	for _, note := range s.Notes {
		notes.Rows = append(notes.Rows, spreadsheet.Texts([]string{"left out", note}))
	}
	return []spreadsheet.Sheet{rows, shares, notes}
}
