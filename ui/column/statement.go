package column

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tonne/api/audit"
	"tonne/model"
	"tonne/model/field"
	"tonne/model/file/spreadsheet"
	"tonne/model/statement"
	"tonne/ui/output"
)

// StatementOf are the columns of the rows, with the period and the account of a statement.
func StatementOf(of statement.Source) field.Columns[statement.Row] {
	text := func(name string, value field.Value) field.Column[statement.Row] {
		return field.Column[statement.Row]{Name: name, Value: func(statement.Row) field.Value { return value }}
	}
	account := field.Columns[statement.Row]{
		text("from", field.Text(of.From.Format(time.DateOnly))),
		text("to", field.Text(of.To.Format(time.DateOnly))),
	}
	for _, c := range statement.AccountColumns {
		account = append(account, text(c.Name, c.Value(of.Account)))
	}
	return statement.Columns.With(account...)
}

// StatementSheets returns the sheets of a workbook: the rows, the shares, and notes on the figures.
func StatementSheets(of statement.Source, s statement.Statement) []spreadsheet.Sheet {
	rows := spreadsheet.Sheet{Name: "Statement"}
	if len(s.Rows) > 0 {
		total := s.Total
		total.Key = "Total"
		for _, cell := range statement.Columns.Cells(total) {
			rows.Totals = append(rows.Totals, spreadsheet.Sum(cell))
		}
	}
	shares := spreadsheet.Sheet{Name: "Shares", Columns: []string{"share", "value", "retired_grams"}}
	audit.EachShare(s, func(share, value string, g model.Grams) {
		shares.Rows = append(
			shares.Rows,
			[]spreadsheet.Cell{spreadsheet.Text(share), spreadsheet.Text(value), spreadsheet.Integer(int64(g))},
		)
	})
	balance := spreadsheet.Text("unknown")
	if s.Balance.Known() {
		balance = spreadsheet.Integer(int64(s.Balance))
	}
	notes := spreadsheet.Sheet{Name: "Notes", Columns: []string{"what", "value"}, Rows: [][]spreadsheet.Cell{
		{spreadsheet.Text("from"), spreadsheet.At(of.From)},
		{spreadsheet.Text("to (not part of it)"), spreadsheet.At(of.To)},
		{spreadsheet.Text("balance_grams"), balance},
		spreadsheet.Texts([]string{"an empty quantity or amount", "unknown"}),
		{
			spreadsheet.Text("retired_cost_cents"),
			spreadsheet.Text("first in, first out per vintage, of the purchases of the inventory"),
		},
	}}
	for _, row := range audit.AccountRows(of)[1:] {
		notes.Rows = append(notes.Rows, spreadsheet.Texts([]string{strings.ToLower(row[0]), row[1]}))
	}
	for _, note := range s.Notes {
		notes.Rows = append(notes.Rows, spreadsheet.Texts([]string{"left out", note.String()}))
	}
	return []spreadsheet.Sheet{rows, shares, notes}
}

// EncodeStatement returns a file with a statement in the format of the extension of its path:
// that of a table, or .pdf, which calls step as audit.StatementPDF does.
func EncodeStatement(path string, of statement.Source, s statement.Statement,
	step func(printed, all int) error) ([]byte, error) {
	if strings.EqualFold(filepath.Ext(path), ".pdf") {
		return audit.StatementPDF(of, s, step)
	}
	return output.Encode(path, StatementOf(of), slices.Values(s.Rows), StatementSheets(of, s)...)
}
