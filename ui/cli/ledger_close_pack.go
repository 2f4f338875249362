package cli

import (
	"bytes"
	"errors"

	"tonne/model"
	"tonne/ui/cli/evidence"
	"tonne/ui/cli/output"
)

// files are the month as a pack has it: what the command prints.
func (r *closeRun) files(m model.MonthEnd, unknown []string) ([]evidence.PackFile, error) {
	var document, rows, book bytes.Buffer
	out := output.NewRows(&rows, output.CSV, closeHeader)
	writeFilings(out, m)
	if err := errors.Join(output.Object(&document, r.newJSON(m, unknown)), out.Flush()); err != nil {
		return nil, err
	}
	workbook, err := evidence.MonthBook(document.Bytes())
	if err == nil {
		err = workbook.Write(&book)
	}
	return []evidence.PackFile{{Name: "close.json", Content: document.Bytes()}, {Name: "close.csv", Content: rows.Bytes()}, {Name: "close.xlsx", Content: book.Bytes()}}, err
}
