package audit

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"time"

	"tonne/model"
	"tonne/model/spreadsheet"
)

// StatementRows returns a statement as texts: the key, what was bought, its cost and
// what was retired, with a row of totals and one of the balance at the end.
func StatementRows(of model.StatementSource, s model.Statement, quantity func(model.Grams) string) (rows [][]string) {
	for _, row := range append(slices.Clip(s.Rows), s.Total) {
		key, cost := row.Key, "too large"
		if of.By == model.PerProject {
			key = of.Projects.Name(key)
		}
		if amount, err := row.Cost.Cents(); err == nil {
			cost = amount.FormatDollars()
		}
		rows = append(rows, []string{cmp.Or(key, "TOTAL"), quantity(row.Bought), cost, quantity(row.Retired)})
	}
	balance := "not known"
	if s.Balance.Known() {
		balance = quantity(s.Balance)
	}
	return append(rows, []string{"BALANCE", balance, "", ""})
}

// ShareRows returns the shares of a statement as texts: the share, a value of it, what
// was retired and how much of the whole that is.
func ShareRows(s model.Statement, quantity func(model.Grams) string) (rows [][]string) {
	eachShare(s, func(share, value string, g model.Grams) {
		rows = append(rows, []string{shareNames[share], value, quantity(g), partOf(g, s.Total.Retired)})
	})
	return rows
}

var shareNames = map[string]string{
	"standard": "Standard", "country_group": "Country group", "removal": "Removal or reduction", "ccp": "CCP label", "article6": "Article 6",
}

func eachShare(s model.Statement, do func(share, value string, g model.Grams)) {
	for _, share := range s.Shares {
		for _, part := range share.Parts {
			do(share.Name, part.Value, part.Grams)
		}
		if share.Unclassified > 0 {
			do(share.Name, "not classified", share.Unclassified)
		}
	}
}

// partOf is a part of a whole in tenths of a per cent, rounded half up: a part is
// never 100 %, and more than nothing never 0 %.
func partOf(g, whole model.Grams) string {
	if g < 0 || whole <= 0 || g > whole {
		return ""
	}
	high, low := bits.Mul64(uint64(g), 1000)
	permille, rest := bits.Div64(high, low, uint64(whole))
	if rest >= uint64(whole)-rest {
		permille++
	}
	switch {
	case permille == 0 && g > 0:
		return "< 0.1 %"
	case permille == 1000 && g < whole:
		return "> 99.9 %"
	}
	return fmt.Sprintf("%d.%d %%", permille/10, permille%10)
}

// StatementWorkbook returns a statement as a workbook that adds up: a sheet of its
// rows, one of the shares, and one of its period and what its figures leave out.
func StatementWorkbook(of model.StatementSource, s model.Statement) spreadsheet.Workbook {
	rows := spreadsheet.Sheet{Name: "Statement", Columns: []string{string(of.By), "bought_tonnes", "bought_dollars", "retired_tonnes"}}
	for _, row := range s.Rows {
		rows.Rows = append(rows.Rows, []spreadsheet.Cell{spreadsheet.Text(row.Key), tonnesCell(row.Bought), dollarsCell(row.Cost), tonnesCell(row.Retired)})
	}
	if len(s.Rows) > 0 {
		rows.Totals = []spreadsheet.Cell{
			spreadsheet.Text("Total"), spreadsheet.Sum(tonnesCell(s.Total.Bought)),
			spreadsheet.Sum(dollarsCell(s.Total.Cost)), spreadsheet.Sum(tonnesCell(s.Total.Retired)),
		}
	}
	shares := spreadsheet.Sheet{Name: "Shares", Columns: []string{"share", "value", "retired_tonnes"}}
	eachShare(s, func(share, value string, g model.Grams) {
		shares.Rows = append(shares.Rows, []spreadsheet.Cell{spreadsheet.Text(share), spreadsheet.Text(value), tonnesCell(g)})
	})
	balance := spreadsheet.Text("not known")
	if s.Balance.Known() {
		balance = tonnesCell(s.Balance)
	}
	notes := spreadsheet.Sheet{Name: "Notes", Columns: []string{"what", "value"}, Rows: [][]spreadsheet.Cell{
		{spreadsheet.Text("from"), spreadsheet.Time(of.From.Format(time.RFC3339))},
		{spreadsheet.Text("to (not part of it)"), spreadsheet.Time(of.To.Format(time.RFC3339))},
		{spreadsheet.Text("balance_tonnes"), balance},
		{spreadsheet.Text("cost of one retirement"), spreadsheet.Text("not stated: the service does not say which trade paid for it")},
	}}
	for _, note := range s.Notes {
		notes.Rows = append(notes.Rows, []spreadsheet.Cell{spreadsheet.Text("left out"), spreadsheet.Text(note)})
	}
	return spreadsheet.Workbook{Sheets: []spreadsheet.Sheet{rows, shares, notes}}
}

func tonnesCell(g model.Grams) spreadsheet.Cell {
	const digits = 6
	return spreadsheet.Decimal(int64(g), digits)
}

func dollarsCell(c model.Cost) spreadsheet.Cell {
	const digits = 2
	amount, err := c.Cents()
	if err != nil {
		return spreadsheet.Text("too large")
	}
	return spreadsheet.Decimal(int64(amount), digits)
}
