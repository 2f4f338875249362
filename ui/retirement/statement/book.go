// Package statement shows what was bought and retired in a time, with totals
// and the shares that disclosures ask for, and makes a workbook of it.
package statement

import (
	"time"

	"tonne/model"
	"tonne/model/spreadsheet"
)

// The digits of tonnes and of dollars behind the point.
const (
	tonneDigits  = 6
	dollarDigits = 2
)

// Book returns a statement as a workbook that adds up: a sheet of its rows, one
// of the shares, and one that says what it is of and what its figures leave
// out.
func Book(of model.StatementSource, s model.Statement) spreadsheet.Workbook {
	return spreadsheet.Workbook{Sheets: []spreadsheet.Sheet{rowSheet(of.By, s), shareSheet(s), noteSheet(of, s)}}
}

func tonnesCell(g model.Grams) spreadsheet.Cell { return spreadsheet.Decimal(int64(g), tonneDigits) }

func dollarsCell(c model.Cost) spreadsheet.Cell {
	amount, err := c.Cents()
	if err != nil {
		return spreadsheet.Text("too large")
	}
	return spreadsheet.Decimal(int64(amount), dollarDigits)
}

func rowSheet(by model.Grouping, s model.Statement) spreadsheet.Sheet {
	sheet := spreadsheet.Sheet{Name: "Statement", Columns: []string{string(by), "bought_tonnes", "bought_dollars", "retired_tonnes"}}
	for _, row := range s.Rows {
		sheet.Rows = append(sheet.Rows, []spreadsheet.Cell{spreadsheet.Text(row.Key), tonnesCell(row.Bought), dollarsCell(row.Cost), tonnesCell(row.Retired)})
	}
	if len(s.Rows) > 0 {
		sheet.Totals = []spreadsheet.Cell{
			spreadsheet.Text("Total"), spreadsheet.Sum(tonnesCell(s.Total.Bought)),
			spreadsheet.Sum(dollarsCell(s.Total.Cost)), spreadsheet.Sum(tonnesCell(s.Total.Retired)),
		}
	}
	return sheet
}

func shareSheet(s model.Statement) spreadsheet.Sheet {
	sheet := spreadsheet.Sheet{Name: "Shares", Columns: []string{"share", "value", "retired_tonnes"}}
	for _, share := range s.Shares {
		for _, part := range share.Parts {
			sheet.Rows = append(sheet.Rows, []spreadsheet.Cell{spreadsheet.Text(share.Name), spreadsheet.Text(part.Value), tonnesCell(part.Grams)})
		}
		if share.Unclassified > 0 {
			sheet.Rows = append(sheet.Rows, []spreadsheet.Cell{spreadsheet.Text(share.Name), spreadsheet.Text("not classified"), tonnesCell(share.Unclassified)})
		}
	}
	return sheet
}

func noteSheet(of model.StatementSource, s model.Statement) spreadsheet.Sheet {
	sheet := spreadsheet.Sheet{Name: "Notes", Columns: []string{"what", "value"}}
	add := func(what string, value spreadsheet.Cell) {
		sheet.Rows = append(sheet.Rows, []spreadsheet.Cell{spreadsheet.Text(what), value})
	}
	add("from", spreadsheet.Time(of.From.Format(time.RFC3339)))
	add("to (not part of it)", spreadsheet.Time(of.To.Format(time.RFC3339)))
	balance := spreadsheet.Text("not known")
	if s.Balance.Known() {
		balance = tonnesCell(s.Balance)
	}
	add("balance_tonnes", balance)
	add("cost of one retirement", spreadsheet.Text("not stated: the service does not say which trade paid for it"))
	for _, note := range s.Notes {
		add("left out", spreadsheet.Text(note))
	}
	return sheet
}

// shareNames are how people call the shares.
var shareNames = map[string]string{
	"standard": "Standard", "country_group": "Country group", "removal": "Removal or reduction", "ccp": "CCP label", "article6": "Article 6",
}

// ShareName is how people call a share.
func ShareName(share model.DisclosureShare) string { return shareNames[share.Name] }
