package audit

import (
	"bytes"
	"iter"
	"slices"

	"tonne/model"
	"tonne/model/execution"
	"tonne/model/field"
	"tonne/model/file/spreadsheet"
)

// ExecutionFiles returns the files of a pack about purchases that were compared with the recorded market: a
// table of them, and the recorded book of each. There are none if none was recorded.
func ExecutionFiles(rows []execution.Row) (files []PackFile, err error) {
	recorded := func(row execution.Row) bool { return row.Verdict != execution.NotRecorded }
	if !slices.ContainsFunc(rows, recorded) {
		return nil, nil
	}
	table, err := csvOf(execution.Columns, slices.Values(rows))
	files = append(files, PackFile{"execution.csv", table})
	for _, row := range rows {
		if err == nil && recorded(row) && row.ExternalID != "" {
			table, err = csvOf(execution.BookColumns, row.BookRows())
			files = append(files, PackFile{"books/" + model.FileName(row.ExternalID) + ".csv", table})
		}
	}
	return files, err
}

func csvOf[T any](columns field.Columns[T], rows iter.Seq[T]) ([]byte, error) {
	var file bytes.Buffer
	err := spreadsheet.WriteCSV(&file, spreadsheet.Sheet{Columns: columns.Names(), Each: field.Each(rows, columns.Cells)})
	return file.Bytes(), err
}
