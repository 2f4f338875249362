package audit

import (
	"iter"
	"slices"

	"tonne/model"
	"tonne/model/retirement"
	"tonne/model/spreadsheet"
	"tonne/model/statement"
)

const totalsTitle = "Total"

func (e evidence) sheets() []spreadsheet.Sheet {
	sheets := []spreadsheet.Sheet{evidenceSheet(namesOf(columns), e.rows), checkSheet(e.requests), leftOutSheet(leftOutOf(e.requests))}
	if calls := callRows(callsOf(e.requests), e.from.ShowTaxIDs); len(calls) > 0 {
		sheets = append(sheets, journalSheet(calls))
	}
	return sheets
}

// evidenceSheet accepts column names of other versions.
func evidenceSheet(names []string, rows [][]string) spreadsheet.Sheet {
	s := spreadsheet.Sheet{Name: "Evidence", Columns: names, Each: evidenceCells(names, rows)}
	if len(rows) == 0 {
		return s
	}
	s.Totals = make([]spreadsheet.Cell, len(names))
	s.Totals[0] = spreadsheet.Text(totalsTitle)
	for c, name := range names {
		switch name {
		case totalColumn, tonnesColumn:
			s.Totals[c] = spreadsheet.Sum(spreadsheet.Whole(sum(rows, c, name == totalColumn).String()))
		case doubtsColumn:
			s.Totals[c] = spreadsheet.Text(addedTwice(names, rows))
		}
	}
	return s
}

func evidenceCells(names []string, rows [][]string) iter.Seq[[]spreadsheet.Cell] {
	kinds := make([]func(string) spreadsheet.Cell, len(names))
	for i, name := range names {
		kinds[i] = spreadsheet.Text
		if c := slices.IndexFunc(columns, func(c column[*requestRow]) bool { return c.name == name }); c >= 0 && columns[c].cell != nil {
			kinds[i] = columns[c].cell
		}
	}
	once := slices.Index(names, totalColumn)
	return func(yield func([]spreadsheet.Cell) bool) {
		cells := make([]spreadsheet.Cell, len(names))
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

func repeated(rows [][]string, i int) bool { return i > 0 && rows[i-1][0] == rows[i][0] }

func sum(rows [][]string, c int, once bool) (sum model.Grams) {
	for i, row := range rows {
		if n, err := model.ParseGrams(row[c]); err == nil && !(once && repeated(rows, i)) {
			sum = sum.AddUpTo(n)
		}
	}
	return sum
}

func addedTwice(names []string, rows [][]string) string {
	const mostNamed = 3
	at := slices.Index(names, "serial_number")
	if at < 0 {
		return ""
	}
	var serials []retirement.OwnedSerial
	for i, row := range rows {
		if serial, ok := retirement.ParseSerial(row[at]); ok {
			serials = append(serials, retirement.OwnedSerial{Serial: serial, Owner: i})
		}
	}
	var words []string
	for _, o := range retirement.RetiredTwice(serials) {
		words = append(words, o.String())
	}
	if len(words) == 0 {
		return ""
	}
	return "the total of " + tonnesColumn + " counts credits twice that are in several rows: " + statement.SomeOf(words, mostNamed, ", ")
}

func checkSheet(requests []Request) spreadsheet.Sheet {
	s := spreadsheet.Sheet{Name: "Checks", Columns: []string{idColumn, "check", "result", "detail"}}
	for _, r := range requests {
		if r.LeftOut != "" {
			continue
		}
		for _, c := range r.AllChecks() {
			s.Rows = append(s.Rows, spreadsheet.Texts([]string{r.Retirement.ID, c.Name, string(c.Result), c.Detail}))
		}
	}
	return s
}

func leftOutSheet(leftOut []leftOutJSON) spreadsheet.Sheet {
	return spreadsheet.Sheet{Name: "Left out", Columns: []string{idColumn, "reason"}, Each: cellsOf(leftOut, func(l leftOutJSON) []spreadsheet.Cell {
		return spreadsheet.Texts([]string{l.ID, l.Reason})
	})}
}
