package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"tonne/model"
	"tonne/model/spreadsheet"
)

func (c *MonthCounts) of(state FilingState) *int {
	switch state {
	case Waiting:
		return &c.Waiting
	case Doubtful:
		return &c.Doubtful
	case Filed:
		return &c.Filed
	case Empty:
		return &c.Empty
	}
	return new(int)
}

// FailedChecks returns the names of the failed checks.
func (r MonthRequest) FailedChecks() (names []string) {
	for _, check := range r.Failed {
		names = append(names, check.Name)
	}
	return names
}

func (r MonthRequest) row() []string {
	return []string{r.ID, string(r.State), r.Status, string(r.Total.text()), string(r.WaitsFor), strings.Join(r.FailedChecks(), "; "), string(r.Retired)}
}

func (m Month) rows() spreadsheet.Sheet {
	return spreadsheet.Sheet{Columns: monthColumns, Each: cellsOf(m.Requests, func(r MonthRequest) []spreadsheet.Cell { return spreadsheet.Texts(r.row()) })}
}

// Files returns the files of the month for a pack. The same month always gives the same bytes.
func (m Month) Files() ([]PackFile, error) {
	var document, rows, book bytes.Buffer
	encoder := json.NewEncoder(&document)
	encoder.SetEscapeHTML(false)
	err := errors.Join(encoder.Encode(m), spreadsheet.WriteCSV(&rows, m.rows()), m.workbook().Write(&book))
	return []PackFile{{monthFile + ".json", document.Bytes()}, {monthFile + ".csv", rows.Bytes()}, {monthFile + ".xlsx", book.Bytes()}}, err
}

func (m Month) workbook() spreadsheet.Workbook {
	return spreadsheet.Workbook{Plain: true, Sheets: []spreadsheet.Sheet{
		m.requestSheet(), m.sumSheet(), listSheet("Not known", "id", m.Unknown), listSheet("Notes", "note", m.Notes),
	}}
}

func listSheet(name, column string, values []string) spreadsheet.Sheet {
	return spreadsheet.Sheet{Name: name, Columns: []string{column}, Each: cellsOf(values, func(value string) []spreadsheet.Cell {
		return []spreadsheet.Cell{spreadsheet.Text(value)}
	})}
}

func (m Month) requestSheet() spreadsheet.Sheet {
	const totalAt, retiredAt = 3, 6
	s := spreadsheet.Sheet{Name: "Requests", Columns: slices.Clone(monthColumns)}
	s.Columns[totalAt] = totalColumn
	s.Each = cellsOf(m.Requests, func(r MonthRequest) []spreadsheet.Cell {
		cells := spreadsheet.Texts(r.row())
		cells[totalAt], cells[retiredAt] = wholeOf(r.Total), spreadsheet.Time(model.ParseTimestamp(string(r.Retired)).UTC())
		return cells
	})
	if len(m.Requests) > 0 {
		s.Totals = make([]spreadsheet.Cell, retiredAt+1)
		s.Totals[0], s.Totals[totalAt] = spreadsheet.Text(totalsTitle), spreadsheet.Sum(wholeOf(m.Sums.Requested))
	}
	return s
}

func (m Month) sumSheet() spreadsheet.Sheet {
	s := spreadsheet.Sheet{Name: "Sums", Columns: []string{"what", "invoice_id", "items", "grams", "dollars"}}
	none, amount := spreadsheet.Cell{}, spreadsheet.Text("too large")
	if cents, err := strconv.ParseInt(string(m.Sums.Cents), 10, 64); err == nil {
		amount = spreadsheet.Cents(cents)
	}
	add := func(what, invoice string, items spreadsheet.Cell, grams Quantity, dollars spreadsheet.Cell) {
		s.Rows = append(s.Rows, []spreadsheet.Cell{spreadsheet.Text(what), spreadsheet.Text(invoice), items, wholeOf(grams), dollars})
	}
	count := func(items int) spreadsheet.Cell { return spreadsheet.Whole(strconv.Itoa(items)) }
	add("requested", "", none, m.Sums.Requested, none)
	add("retired of these so far", "", none, m.Sums.Retired, none)
	add("bought: what the invoices must amount to", "", none, m.Sums.Bought, amount)
	for _, i := range m.Invoices {
		add("items of requests", i.ID, count(i.Items), i.Quantity, none)
	}
	if m.Sums.UninvoicedItems > 0 {
		add("items without an invoice", "", count(m.Sums.UninvoicedItems), m.Sums.Uninvoiced, none)
	}
	return s
}

func wholeOf(q Quantity) spreadsheet.Cell { return spreadsheet.Whole(string(q.text())) }
