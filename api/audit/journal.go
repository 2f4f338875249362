package audit

import (
	"bytes"
	"encoding/json"

	"tonne/model/retirement"
	"tonne/model/spreadsheet"
)

func callsOf(requests []Request) (calls []retirement.JournalEntry) {
	for _, r := range requests {
		calls = append(calls, r.Calls...)
	}
	return calls
}

func callRows(calls []retirement.JournalEntry, showTaxIDs bool) (rows [][]string) {
	for _, c := range calls {
		if !showTaxIDs {
			c.Call.Retiree.TaxID = retirement.MaskTaxID(c.Call.Retiree.TaxID)
		}
		rows = append(rows, valuesOf(callColumns, c))
	}
	return rows
}

func journalArray(calls []retirement.JournalEntry, showTaxIDs bool) json.RawMessage {
	var array bytes.Buffer
	_ = writeRows(&array, namesOf(callColumns), callRows(calls, showTaxIDs))
	return array.Bytes()
}

const journalName = "Journal"

func journalSheet(rows [][]string) spreadsheet.Sheet {
	s := textSheet(namesOf(callColumns), rows)
	s.Name = journalName
	return s
}

func (m manifestJSON) journalSheet() (spreadsheet.Sheet, error) {
	s := spreadsheet.Sheet{Name: journalName}
	err := eachRow(bytes.NewReader(m.Journal), func(titles, _ []string) bool {
		s.Columns = titles
		return false
	})
	if err != nil {
		return s, unreadable(manifestFile)
	}
	s.Each = func(yield func([]spreadsheet.Cell) bool) {
		// Unreadable rows are missing, so the workbook differs.
		_ = eachRow(bytes.NewReader(m.Journal), func(_, row []string) bool { return yield(spreadsheet.Texts(row)) })
	}
	return s, nil
}
