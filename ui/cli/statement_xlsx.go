package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"tonne/model"
	"tonne/ui/cli/evidence"
	"tonne/ui/spreadsheet"
)

// checkXLSX refuses a workbook that could not be written, before anything is
// asked of the service.
func (r *statementRun) checkXLSX() error {
	if r.xlsx == "" {
		return nil
	}
	if !strings.HasSuffix(strings.ToLower(r.xlsx), ".xlsx") {
		return usage("name a file that ends in .xlsx", "--xlsx: %q does not end in .xlsx", r.xlsx)
	}
	if _, err := os.Lstat(r.xlsx); !errors.Is(err, fs.ErrNotExist) {
		return failed("move the file away, or name another", "%s is there already", r.xlsx)
	}
	return evidence.CheckPlace(r.xlsx)
}

// writeXLSX writes the statement as a workbook that adds up.
func (r *statementRun) writeXLSX(s model.Statement) error {
	if r.xlsx == "" {
		return nil
	}
	book := spreadsheet.Workbook{Sheets: []spreadsheet.Sheet{r.statementSheet(s), shareSheet(s), noteSheet(r, s)}}
	if err := book.Save(r.xlsx); err != nil {
		return fmt.Errorf("the statement was not written: %w", err)
	}
	return nil
}

// The digits of tonnes and of dollars behind the point.
const (
	tonneDigits  = 6
	dollarDigits = 2
)

func tonnesCell(g model.Grams) spreadsheet.Cell { return spreadsheet.Decimal(int64(g), tonneDigits) }

func dollarsCell(c model.Cost) spreadsheet.Cell {
	amount, err := c.Cents()
	if err != nil {
		return spreadsheet.Text("too large")
	}
	return spreadsheet.Decimal(int64(amount), dollarDigits)
}

func (r *statementRun) statementSheet(s model.Statement) spreadsheet.Sheet {
	sheet := spreadsheet.Sheet{Name: "Statement", Columns: []string{r.by, "bought_tonnes", "bought_dollars", "retired_tonnes"}}
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

// noteSheet says what the statement is of, and what its figures leave out.
func noteSheet(r *statementRun, s model.Statement) spreadsheet.Sheet {
	sheet := spreadsheet.Sheet{Name: "Notes", Columns: []string{"what", "value"}}
	add := func(what string, value spreadsheet.Cell) {
		sheet.Rows = append(sheet.Rows, []spreadsheet.Cell{spreadsheet.Text(what), value})
	}
	add("from", spreadsheet.Time(rfc3339(r.begin)))
	add("to (not part of it)", spreadsheet.Time(rfc3339(r.end)))
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
