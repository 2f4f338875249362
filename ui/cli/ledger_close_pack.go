package cli

import (
	"bytes"
	"errors"
	"strings"

	"tonne/model"
	"tonne/ui/cli/evidence"
	"tonne/ui/cli/output"
	"tonne/ui/spreadsheet"
)

// files are the month as a pack has it: what the command prints.
func (r *closeRun) files(m model.MonthEnd, unknown []string) ([]evidence.PackFile, error) {
	var document, rows, book bytes.Buffer
	out := output.NewRows(&rows, output.CSV, closeHeader)
	writeFilings(out, m)
	err := errors.Join(output.Object(&document, r.newJSON(m, unknown)), out.Flush(), monthBook(m, unknown).Write(&book))
	return []evidence.PackFile{{Name: "close.json", Content: document.Bytes()}, {Name: "close.csv", Content: rows.Bytes()}, {Name: "close.xlsx", Content: book.Bytes()}}, err
}

// monthBook is the month as a workbook that adds up. Nothing in it is compressed:
// a pack of the same requests has the same bytes.
func monthBook(m model.MonthEnd, unknown []string) spreadsheet.Workbook {
	requests := spreadsheet.Sheet{Name: "Requests", Columns: strings.Split(closeHeader, ",")}
	requests.Columns[3] = "total_quantity_grams"
	for _, f := range m.Filings {
		requests.Rows = append(requests.Rows, []spreadsheet.Cell{
			spreadsheet.Text(f.Request.ID), spreadsheet.Text(string(f.State)), spreadsheet.Text(string(f.Request.Status)),
			gramsCell(f.Request.TotalQuantity), spreadsheet.Text(f.WaitsFor), spreadsheet.Text(failedChecks(f)), spreadsheet.Time(f.Request.RetiredAt.UTC()),
		})
	}
	if len(requests.Rows) > 0 {
		requests.Totals = []spreadsheet.Cell{spreadsheet.Text("Total"), {}, {}, spreadsheet.Sum(gramsCell(m.Requested)), {}, {}, {}}
	}
	lacks := spreadsheet.Sheet{Name: "Not known", Columns: []string{"id"}}
	for _, id := range unknown {
		lacks.Rows = append(lacks.Rows, []spreadsheet.Cell{spreadsheet.Text(id)})
	}
	notes := spreadsheet.Sheet{Name: "Notes", Columns: []string{"note"}}
	for _, note := range m.Notes {
		notes.Rows = append(notes.Rows, []spreadsheet.Cell{spreadsheet.Text(note)})
	}
	return spreadsheet.Workbook{Sheets: []spreadsheet.Sheet{requests, monthSums(m), lacks, notes}, Plain: true}
}

// monthSums are the sums that must agree with the invoices.
func monthSums(m model.MonthEnd) spreadsheet.Sheet {
	s := spreadsheet.Sheet{Name: "Sums", Columns: []string{"what", "invoice_id", "items", "grams", "dollars"}}
	amount := spreadsheet.Text("too large")
	if total, err := m.Cost.Cents(); err == nil {
		amount = spreadsheet.Decimal(int64(total), 2)
	}
	add := func(what, invoice string, items spreadsheet.Cell, g model.Grams, dollars spreadsheet.Cell) {
		s.Rows = append(s.Rows, []spreadsheet.Cell{spreadsheet.Text(what), spreadsheet.Text(invoice), items, gramsCell(g), dollars})
	}
	none := spreadsheet.Cell{}
	add("requested", "", none, m.Requested, none)
	add("retired of these so far", "", none, m.Retired, none)
	add("bought: what the invoices must amount to", "", none, m.Bought, amount)
	for _, i := range m.Invoices {
		add("items of requests", i.Invoice, spreadsheet.Decimal(int64(i.Items), 0), i.Quantity, none)
	}
	if without := withoutInvoice(m); without.Items > 0 {
		add("items without an invoice", "", spreadsheet.Decimal(int64(without.Items), 0), without.Quantity, none)
	}
	return s
}

func gramsCell(g model.Grams) spreadsheet.Cell {
	if !g.Known() {
		return spreadsheet.Cell{}
	}
	return spreadsheet.Whole(g.String())
}
