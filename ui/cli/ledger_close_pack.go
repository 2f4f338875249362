package cli

import (
	"bytes"
	"errors"

	"tonne/api/audit"
	"tonne/model"
	"tonne/ui/cli/output"
)

// files are the month as a pack has it: what the command prints.
func (r *closeRun) files(m model.MonthEnd, unknown []string) ([]audit.PackFile, error) {
	var document, rows, book bytes.Buffer
	out := output.NewRows(&rows, output.CSV, closeHeader)
	writeFilings(out, m)
	if err := errors.Join(output.Object(&document, r.newJSON(m, unknown)), out.Flush()); err != nil {
		return nil, err
	}
	workbook, err := audit.MonthBook(document.Bytes())
	if err == nil {
		err = workbook.Write(&book)
	}
	return []audit.PackFile{{Name: "close.json", Content: document.Bytes()}, {Name: "close.csv", Content: rows.Bytes()}, {Name: "close.xlsx", Content: book.Bytes()}}, err
}
