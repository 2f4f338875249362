package audit

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"tonne/model"
	"tonne/model/advice"
	"tonne/model/field"
	"tonne/model/file/spreadsheet"
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

func (m Month) writeCSV(w io.Writer) error {
	rows := field.Each(slices.Values(m.Requests), MonthColumns.Cells)
	return spreadsheet.WriteCSV(w, spreadsheet.Sheet{Columns: MonthColumns.Names(), Each: rows})
}

// Files returns the files of the month for a pack. The same month always gives the same bytes.
func (m Month) Files() ([]PackFile, error) {
	var document, rows, book bytes.Buffer
	encoder := json.NewEncoder(&document)
	encoder.SetEscapeHTML(false)
	err := errors.Join(encoder.Encode(m), m.writeCSV(&rows), m.workbook().Write(&book))
	return []PackFile{
		{monthFile + ".json", document.Bytes()},
		{monthFile + ".csv", rows.Bytes()},
		{monthFile + ".xlsx", book.Bytes()},
	}, err
}

func (m Month) workbook() spreadsheet.Workbook {
	return spreadsheet.Workbook{Plain: true, Sheets: []spreadsheet.Sheet{
		m.requestSheet(), m.sumSheet(), listSheet("Not known", "id", m.Unknown),
		listSheet("Notes", "note", advice.Strings(m.Notes)),
	}}
}

func listSheet(name, column string, values []string) spreadsheet.Sheet {
	return textSheet(
		name,
		[]string{column},
		field.Each(slices.Values(values), func(value string) []string { return []string{value} }),
	)
}

func (m Month) requestSheet() spreadsheet.Sheet {
	const totalAt, retiredAt = 3, 6
	s := spreadsheet.Sheet{Name: "Requests", Columns: MonthColumns.Names()}
	s.Columns[totalAt] = totalColumn
	s.Each = field.Each(slices.Values(m.Requests), func(r MonthRequest) []spreadsheet.Cell {
		cells := MonthColumns.Cells(r)
		cells[retiredAt] = field.UTC(r.retired()).Cell()
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
	if cents, ok := m.Sums.Cost(); ok {
		amount = spreadsheet.Cents(int64(cents))
	}
	add := func(what, invoice string, items spreadsheet.Cell, grams Quantity, dollars spreadsheet.Cell) {
		s.Rows = append(
			s.Rows,
			[]spreadsheet.Cell{spreadsheet.Text(what), spreadsheet.Text(invoice), items, wholeOf(grams), dollars},
		)
	}
	count := func(items int) spreadsheet.Cell { return spreadsheet.Integer(int64(items)) }
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

func wholeOf(q Quantity) spreadsheet.Cell { return field.Grams(model.Grams(q)).Cell() }

// monthHash hashes the values of an answer that a month has, because they may be long.
func monthHash(status, total, retired string) [sha256.Size]byte {
	return sha256.Sum256([]byte(status + "\x00" + total + "\x00" + retired))
}

func (a *packCheck) compareMonth() error {
	// The rows are no longer needed.
	a.rows = nil
	var missing []string
	for _, ending := range formats {
		if a.files[monthFile+ending] == nil {
			missing = append(missing, monthFile+ending)
		}
	}
	switch {
	case len(missing) == len(formats):
		return nil
	case len(missing) > 0:
		return fmt.Errorf("%s is missing", missing[0])
	}
	text, err := readPacked(a.files[monthFile+".json"])
	if err != nil {
		return err
	}
	var m Month
	if err := json.Unmarshal(text, &m); err != nil {
		return unreadable(monthFile + ".json")
	}
	a.compareRequests(m)
	return cmp.Or(a.sameFile(monthFile+".csv", m.writeCSV), a.sameFile(monthFile+".xlsx", m.workbook().Write))
}

func (a *packCheck) compareRequests(m Month) {
	var requested model.Grams
	var counts MonthCounts
	listed, leftOut := make(map[string]bool), make(map[string]bool)
	for _, l := range a.manifest.LeftOut {
		leftOut[l.ID] = true
	}
	for _, f := range m.Requests {
		*counts.of(f.State)++
		listed[f.ID] = true
		if total := model.Grams(f.Total); total.Known() {
			requested = requested.Plus(total)
		}
		answer, answered := a.answers[f.ID]
		switch {
		case !answered && !leftOut[f.ID]:
			a.differ("%s.json has %s, which is not in the evidence", monthFile, f.ID)
		case answered && answer != monthHash(f.Status, model.Grams(f.Total).String(), string(f.Retired)):
			a.differ("%s.json and the API response of %s differ", monthFile, f.ID)
		case answered && !a.doubtedAs(f):
			a.differ("%s.json and %s differ in the failed checks of %s", monthFile, manifestFile, f.ID)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(a.answers)) {
		if !listed[id] {
			a.differ("%s.json lacks %s, which is in the evidence", monthFile, id)
		}
	}
	for _, state := range []FilingState{Filed, Doubtful, Empty, Waiting} {
		if n, has := *m.Counts.of(state), *counts.of(state); n != has {
			a.differ("%s.json counts %d requests that are %s, but has %d", monthFile, n, state, has)
		}
	}
	if model.Grams(m.Sums.Requested) != requested {
		a.differ("the sums of %s.json do not match its requests", monthFile)
	}
}

func (a *packCheck) doubtedAs(f MonthRequest) bool {
	var names []string
	for _, d := range a.doubts[f.ID] {
		if d.Check != "" {
			names = append(names, d.Check)
		}
	}
	if f.State == Filed && len(names) > 0 || f.State == Doubtful && len(names) == 0 {
		return false
	}
	return slices.Equal(names, f.FailedChecks())
}
