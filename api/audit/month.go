package audit

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"tonne/model"
	"tonne/model/spreadsheet"
)

const monthFile = "close" // and an ending

var monthColumns = []string{"id", "state", "status", totalColumn, "waits_for", "failed_checks", "retired_at"}

// monthJSON is what a month says that can be held against something.
type monthJSON struct {
	Requests []filingJSON
	Counts   map[string]int
	Sums     struct {
		Requested string `json:"requested_grams"`
		Retired   string `json:"retired_grams"`
		Bought    string `json:"bought_grams"`
		Cents     string `json:"bought_cents"`
		// What items hold that name no invoice.
		Uninvoiced      string `json:"without_invoice_grams"`
		UninvoicedItems int    `json:"without_invoice_items"`
	}
	Invoices []struct {
		ID    string `json:"invoice_id"`
		Items int
		Grams string `json:"quantity_grams"`
	}
	Unknown, Notes []string
}

// filingJSON is a request of a month.
type filingJSON struct {
	ID, State, Status string
	Total             string                  `json:"total_quantity"`
	WaitsFor          string                  `json:"waits_for"`
	Retired           string                  `json:"retired_at"`
	Failed            []struct{ Name string } `json:"failed_checks"`
}

// filingHash is a hash of what a month has of the answer of a request.
func filingHash(status, total, retired string) [sha256.Size]byte {
	return sha256.Sum256([]byte(status + "\x00" + total + "\x00" + retired))
}

func (f filingJSON) failed() (names []string) {
	for _, check := range f.Failed {
		names = append(names, check.Name)
	}
	return names
}

// row is the request as CSV has it.
func (f filingJSON) row() []string {
	return []string{f.ID, f.State, f.Status, f.Total, f.WaitsFor, strings.Join(f.failed(), "; "), f.Retired}
}

// compareMonth compares the files of a month, if there are any, with each other, the
// answers and the doubts. What was bought is in none of those.
func (a *agreement) compareMonth() error {
	// The rows are not needed any more.
	a.rows = nil
	there := 0
	for _, ending := range formats {
		if a.files[monthFile+ending] != nil {
			there++
		}
	}
	if there == 0 {
		return nil
	}
	for _, ending := range formats {
		if a.files[monthFile+ending] == nil {
			return fmt.Errorf("%s is missing", monthFile+ending)
		}
	}
	text, err := readPacked(a.files[monthFile+".json"])
	if err != nil {
		return err
	}
	var m monthJSON
	if err := json.Unmarshal(text, &m); err != nil {
		return unreadable(monthFile+".json", err)
	}
	a.compareFilings(m)
	rows := spreadsheet.Sheet{Columns: slices.Clone(monthColumns)}
	rows.Columns[3] = "total_quantity"
	for _, f := range m.Requests {
		rows.Rows = append(rows.Rows, spreadsheet.Texts(f.row()))
	}
	err = sameFile(a.files[monthFile+".csv"], func(w io.Writer) error { return spreadsheet.WriteCSV(w, rows) })
	return cmp.Or(err, sameFile(a.files[monthFile+".xlsx"], m.workbook().Write))
}

// compareFilings compares the requests of a month with their answers and doubts, and
// its sums with its requests.
func (a *agreement) compareFilings(m monthJSON) {
	var requested model.Grams
	counts, listed, leftOut := make(map[string]int), make(map[string]bool), make(map[string]bool)
	for _, l := range a.manifest.LeftOut {
		leftOut[l.ID] = true
	}
	for _, f := range m.Requests {
		counts[f.State]++
		listed[f.ID] = true
		if total, err := model.ParseGrams(f.Total); err == nil {
			requested = requested.AddUpTo(total)
		}
		answer, answered := a.answers[f.ID]
		switch {
		case !answered && !leftOut[f.ID]:
			a.differ("%s.json has %s, which is no request of the evidence", monthFile, f.ID)
		case answered && answer != filingHash(f.Status, f.Total, f.Retired):
			a.differ("%s.json and the answer differ about %s", monthFile, f.ID)
		case answered && !a.doubtedAs(f):
			a.differ("%s.json and %s differ about the doubts of %s", monthFile, manifestFile, f.ID)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(a.answers)) {
		if !listed[id] {
			a.differ("%s.json lacks %s, which the evidence has", monthFile, id)
		}
	}
	for _, state := range slices.Sorted(maps.Keys(m.Counts)) {
		if n := m.Counts[state]; counts[state] != n {
			a.differ("%s.json counts %d requests that are %s, and has %d", monthFile, n, state, counts[state])
		}
	}
	if m.Sums.Requested != requested.String() {
		a.differ("the sum of %s.json is not that of its requests", monthFile)
	}
}

// doubtedAs reports whether a request of a month fails the checks that the
// manifest names, and is complete only if it names none.
func (a *agreement) doubtedAs(f filingJSON) bool {
	var names []string
	for _, d := range a.doubts[f.ID] {
		if d.Check != "" {
			names = append(names, d.Check)
		}
	}
	if f.State == string(model.Filed) && len(names) > 0 || f.State == string(model.Doubtful) && len(names) == 0 {
		return false
	}
	return slices.Equal(names, f.failed())
}

// MonthBook is a month as a workbook that adds up, made of its JSON. Nothing in it
// is compressed: a pack of the same requests has the same bytes.
func MonthBook(document []byte) (spreadsheet.Workbook, error) {
	var m monthJSON
	err := json.Unmarshal(document, &m)
	return m.workbook(), err
}

func (m monthJSON) workbook() spreadsheet.Workbook {
	return spreadsheet.Workbook{Plain: true, Sheets: []spreadsheet.Sheet{
		m.requestSheet(), m.sumSheet(), listSheet("Not known", "id", m.Unknown), listSheet("Notes", "note", m.Notes),
	}}
}

func listSheet(name, column string, values []string) spreadsheet.Sheet {
	return spreadsheet.Sheet{Name: name, Columns: []string{column}, Each: func(yield func([]spreadsheet.Cell) bool) {
		for _, value := range values {
			if !yield([]spreadsheet.Cell{spreadsheet.Text(value)}) {
				return
			}
		}
	}}
}

func (m monthJSON) requestSheet() spreadsheet.Sheet {
	const totalAt, retiredAt = 3, 6
	s := spreadsheet.Sheet{Name: "Requests", Columns: monthColumns}
	s.Each = func(yield func([]spreadsheet.Cell) bool) {
		for _, f := range m.Requests {
			cells := spreadsheet.Texts(f.row())
			cells[totalAt], cells[retiredAt] = wholeOf(f.Total), spreadsheet.Time(model.ParseTimestamp(f.Retired).UTC())
			if !yield(cells) {
				return
			}
		}
	}
	if len(m.Requests) > 0 {
		s.Totals = make([]spreadsheet.Cell, retiredAt+1)
		s.Totals[0], s.Totals[totalAt] = spreadsheet.Text(totalsTitle), spreadsheet.Sum(wholeOf(m.Sums.Requested))
	}
	return s
}

// sumSheet has the sums that must agree with the invoices.
func (m monthJSON) sumSheet() spreadsheet.Sheet {
	s := spreadsheet.Sheet{Name: "Sums", Columns: []string{"what", "invoice_id", "items", "grams", "dollars"}}
	none, amount := spreadsheet.Cell{}, spreadsheet.Text("too large")
	if cents, err := strconv.ParseInt(m.Sums.Cents, 10, 64); err == nil {
		amount = spreadsheet.Decimal(cents, 2)
	}
	add := func(what, invoice string, items spreadsheet.Cell, grams string, dollars spreadsheet.Cell) {
		s.Rows = append(s.Rows, []spreadsheet.Cell{spreadsheet.Text(what), spreadsheet.Text(invoice), items, wholeOf(grams), dollars})
	}
	count := func(items int) spreadsheet.Cell { return spreadsheet.Decimal(int64(items), 0) }
	add("requested", "", none, m.Sums.Requested, none)
	add("retired of these so far", "", none, m.Sums.Retired, none)
	add("bought: what the invoices must amount to", "", none, m.Sums.Bought, amount)
	for _, i := range m.Invoices {
		add("items of requests", i.ID, count(i.Items), i.Grams, none)
	}
	if m.Sums.UninvoicedItems > 0 {
		add("items without an invoice", "", count(m.Sums.UninvoicedItems), m.Sums.Uninvoiced, none)
	}
	return s
}

func wholeOf(grams string) spreadsheet.Cell {
	if grams == "" {
		return spreadsheet.Cell{}
	}
	return spreadsheet.Whole(grams)
}
