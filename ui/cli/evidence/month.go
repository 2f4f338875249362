package evidence

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"tonne/model"
	"tonne/ui/spreadsheet"
)

const monthFile = "close" // and an ending

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
}

// filingJSON is a request of a month.
type filingJSON struct {
	ID, State, Status string
	Total             string                  `json:"total_quantity"`
	WaitsFor          string                  `json:"waits_for"`
	Retired           string                  `json:"retired_at"`
	Failed            []struct{ Name string } `json:"failed_checks"`
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

// holdMonth holds the files of a month, if there are any, against each other,
// against the answers and against the doubts. What was bought stands in none of
// those.
func (a *agreement) holdMonth() error {
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
	text, err := readPacked(a.files[monthFile+".json"], maxPackFile)
	var m monthJSON
	if err != nil || json.Unmarshal(text, &m) != nil {
		return fmt.Errorf("%s.json cannot be read", monthFile)
	}
	a.holdFilings(m)
	if err := a.holdMonthCSV(m); err != nil {
		return err
	}
	return a.holdMonthBook(m)
}

// holdFilings holds the requests of a month against their answers and doubts, and
// its sums against its requests.
func (a *agreement) holdFilings(m monthJSON) {
	var requested model.Grams
	counts, listed := make(map[string]int), make(map[string]bool)
	for _, f := range m.Requests {
		counts[f.State]++
		listed[f.ID] = true
		if total, err := model.ParseGrams(f.Total); err == nil {
			requested = requested.AddUpTo(total)
		}
		answer, answered := a.answers[f.ID]
		if !answered {
			if !slices.ContainsFunc(a.manifest.LeftOut, func(l leftOutJSON) bool { return l.ID == f.ID }) {
				a.wrong = append(a.wrong, fmt.Sprintf("%s.json has %s, which is no request of the evidence", monthFile, f.ID))
			}
			continue
		}
		if f.Status != string(answer.Status) || f.Total != answer.TotalQuantity.String() || f.Retired != answer.RetiredAt.Text {
			a.wrong = append(a.wrong, fmt.Sprintf("%s.json and the answer differ about %s", monthFile, f.ID))
		}
		if !a.doubtedAs(f) {
			a.wrong = append(a.wrong, fmt.Sprintf("%s.json and %s differ about the doubts of %s", monthFile, manifestFile, f.ID))
		}
	}
	for id := range a.answers {
		if !listed[id] {
			a.wrong = append(a.wrong, fmt.Sprintf("%s.json lacks %s, which the evidence has", monthFile, id))
		}
	}
	for state, n := range m.Counts {
		if counts[state] != n {
			a.wrong = append(a.wrong, fmt.Sprintf("%s.json counts %d requests that are %s, and has %d", monthFile, n, state, counts[state]))
		}
	}
	if m.Sums.Requested != requested.String() {
		a.wrong = append(a.wrong, fmt.Sprintf("the sum of %s.json is not that of its requests", monthFile))
	}
	slices.Sort(a.wrong)
}

// doubtedAs reports whether a request of a month fails the checks that the
// manifest names, and is complete only if it names none.
func (a *agreement) doubtedAs(f filingJSON) bool {
	var names []string
	for _, d := range a.manifest.Doubts {
		if d.ID == f.ID && d.Check != "" {
			names = append(names, d.Check)
		}
	}
	if f.State == string(model.Filed) && len(names) > 0 || f.State == string(model.Doubtful) && len(names) == 0 {
		return false
	}
	return slices.Equal(names, f.failed())
}

func (a *agreement) holdMonthCSV(m monthJSON) error {
	differ := fmt.Errorf("%s.csv and %s.json differ", monthFile, monthFile)
	file, err := a.files[monthFile+".csv"].Open()
	if err != nil {
		return differ
	}
	defer file.Close()
	next, err := csvCells(file)
	if err == nil {
		_, err = next()
	}
	if err != nil {
		return differ
	}
	for _, f := range m.Requests {
		row, err := next()
		if err != nil || !slices.EqualFunc(row, f.row(), sameInCSV) {
			return differ
		}
	}
	if _, err := next(); err != io.EOF {
		return differ
	}
	return nil
}

// holdMonthBook holds the first two sheets of a month's workbook against the month:
// its requests, cell by cell, and its sums, whatever they are called.
func (a *agreement) holdMonthBook(m monthJSON) error {
	differ := fmt.Errorf("%s.xlsx and %s.json differ", monthFile, monthFile)
	file, err := a.files[monthFile+".xlsx"].Open()
	if err != nil {
		return differ
	}
	defer file.Close()
	packed, err := openBook(file)
	if err != nil {
		return differ
	}
	made, err := remadeBook(spreadsheet.Sheet{Rows: m.requestCells()}, spreadsheet.Sheet{Rows: m.sumCells()})
	if err != nil {
		return differ
	}
	for i, skip := range [...]int{0, 1} {
		found, err := packed.all(sheetName(i))
		want, madeErr := made.all(sheetName(i))
		if err != nil || madeErr != nil || len(found) != len(want) {
			return differ
		}
		for n := 1; n < len(found); n++ {
			if len(found[n]) < skip || !slices.Equal(found[n][skip:], want[n]) {
				return differ
			}
		}
	}
	return nil
}

func (m monthJSON) requestCells() (rows [][]spreadsheet.Cell) {
	const totalAt, retiredAt = 3, 6
	var sum model.Grams
	for _, f := range m.Requests {
		cells := spreadsheet.Texts(f.row())
		cells[totalAt], cells[retiredAt] = wholeOf(f.Total), spreadsheet.Time(model.ParseTimestamp(f.Retired).UTC())
		if total, err := model.ParseGrams(f.Total); err == nil {
			sum = sum.AddUpTo(total)
		}
		rows = append(rows, cells)
	}
	if len(rows) > 0 {
		totals := make([]spreadsheet.Cell, retiredAt+1)
		totals[0], totals[totalAt] = spreadsheet.Text(totalsTitle), spreadsheet.Sum(wholeOf(sum.String()))
		rows = append(rows, totals)
	}
	return rows
}

// sumCells are the sums without their names: invoice, items, grams, dollars.
func (m monthJSON) sumCells() [][]spreadsheet.Cell {
	none := spreadsheet.Cell{}
	amount := spreadsheet.Text("too large")
	if cents, err := strconv.ParseInt(m.Sums.Cents, 10, 64); err == nil {
		amount = spreadsheet.Decimal(cents, 2)
	}
	rows := [][]spreadsheet.Cell{
		{none, none, wholeOf(m.Sums.Requested), none}, {none, none, wholeOf(m.Sums.Retired), none}, {none, none, wholeOf(m.Sums.Bought), amount},
	}
	for _, i := range m.Invoices {
		rows = append(rows, []spreadsheet.Cell{spreadsheet.Text(i.ID), spreadsheet.Decimal(int64(i.Items), 0), wholeOf(i.Grams), none})
	}
	if m.Sums.UninvoicedItems > 0 {
		rows = append(rows, []spreadsheet.Cell{none, spreadsheet.Decimal(int64(m.Sums.UninvoicedItems), 0), wholeOf(m.Sums.Uninvoiced), none})
	}
	return rows
}

func wholeOf(grams string) spreadsheet.Cell {
	if grams == "" {
		return spreadsheet.Cell{}
	}
	return spreadsheet.Whole(grams)
}
