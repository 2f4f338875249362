package audit

import (
	"iter"
	"slices"

	"tonne/model"
	"tonne/model/spreadsheet"
)

// How the columns of the evidence stand in a workbook. All others are text, ids
// and serial numbers among them.
var (
	numberColumns = []string{"vintage_year", totalColumn, tonnesColumn}
	timeColumns   = []string{"created_at", "retired_at", "certificate_fetched_at"}
)

const (
	idColumn = "retirement_request_id"
	// totalColumn is of the whole request: it stands in its first row alone, so
	// that the column adds up.
	totalColumn  = "total_quantity_grams"
	tonnesColumn = "serial_tonnes"
	doubtsColumn = "doubts"
	// totalsTitle begins the row of totals.
	totalsTitle = "Total"
)

func workbook(retirements []model.EvidenceSource, rows []model.EvidenceRow, showTaxIDs bool) []spreadsheet.Sheet {
	sheets := []spreadsheet.Sheet{evidenceSheet(model.EvidenceColumns(), rows), checkSheet(retirements), leftOutSheet(retirements)}
	if calls := callsOf(retirements); len(calls) > 0 {
		sheets = append(sheets, journalSheet(calls, showTaxIDs))
	}
	return sheets
}

func evidenceSheet(columns []string, rows []model.EvidenceRow) spreadsheet.Sheet {
	s := spreadsheet.Sheet{Name: "Evidence", Columns: columns, Each: evidenceCells(columns, rows)}
	if len(rows) == 0 {
		return s
	}
	s.Totals = make([]spreadsheet.Cell, len(columns))
	s.Totals[0] = spreadsheet.Text(totalsTitle)
	for c, name := range columns {
		switch name {
		case totalColumn, tonnesColumn:
			s.Totals[c] = spreadsheet.Sum(spreadsheet.Whole(sum(rows, c, name == totalColumn).String()))
		case doubtsColumn:
			s.Totals[c] = spreadsheet.Text(addedTwice(columns, rows))
		}
	}
	return s
}

// evidenceCells yields the rows as cells, which are valid until the next row.
func evidenceCells(columns []string, rows []model.EvidenceRow) iter.Seq[[]spreadsheet.Cell] {
	kinds := make([]func(string) spreadsheet.Cell, len(columns))
	for c, name := range columns {
		switch kinds[c] = spreadsheet.Text; {
		case slices.Contains(numberColumns, name):
			kinds[c] = spreadsheet.Whole
		case slices.Contains(timeColumns, name):
			kinds[c] = spreadsheet.Time
		}
	}
	once := slices.Index(columns, totalColumn)
	return func(yield func([]spreadsheet.Cell) bool) {
		cells := make([]spreadsheet.Cell, len(columns))
		for i, row := range rows {
			for c, value := range row {
				cells[c] = kinds[c](value)
			}
			if once >= 0 && repeated(rows, i) {
				cells[once] = spreadsheet.Cell{}
			}
			if !yield(cells) {
				return
			}
		}
	}
}

func repeated(rows []model.EvidenceRow, i int) bool { return i > 0 && rows[i-1][0] == rows[i][0] }

func sum(rows []model.EvidenceRow, c int, once bool) (sum model.Grams) {
	for i, row := range rows {
		if n, err := model.ParseGrams(row[c]); err == nil && !(once && repeated(rows, i)) {
			sum = sum.AddUpTo(n)
		}
	}
	return sum
}

// addedTwice says which credits the total of the tonnes has more than once, empty
// for none.
func addedTwice(columns []string, rows []model.EvidenceRow) string {
	const mostNamed = 3
	at := slices.Index(columns, "serial_number")
	if at < 0 {
		return ""
	}
	var serials []model.OwnedSerial
	for i, row := range rows {
		if serial, ok := model.ParseSerial(row[at]); ok {
			serials = append(serials, model.OwnedSerial{Serial: serial, Owner: i})
		}
	}
	var words []string
	for _, o := range model.RetiredTwice(serials) {
		words = append(words, o.String())
	}
	if len(words) == 0 {
		return ""
	}
	return "the total of " + tonnesColumn + " has credits more than once that stand in more than one row: " + model.SomeOf(words, mostNamed, ", ")
}

func checkSheet(retirements []model.EvidenceSource) spreadsheet.Sheet {
	s := spreadsheet.Sheet{Name: "Checks", Columns: []string{idColumn, "check", "result", "detail"}}
	for _, r := range retirements {
		if r.LeftOut != "" {
			continue
		}
		for _, c := range r.AllChecks() {
			s.Rows = append(s.Rows, spreadsheet.Texts([]string{r.Retirement.ID, c.Name, string(c.Result), c.Detail}))
		}
	}
	return s
}

func leftOutSheet(retirements []model.EvidenceSource) spreadsheet.Sheet {
	s := spreadsheet.Sheet{Name: "Left out", Columns: []string{idColumn, "reason"}}
	for _, r := range retirements {
		if r.LeftOut != "" {
			s.Rows = append(s.Rows, spreadsheet.Texts([]string{r.Retirement.ID, r.LeftOut}))
		}
	}
	return s
}
