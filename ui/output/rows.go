package output

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"io"
	"iter"
	"path/filepath"
	"slices"
	"strings"

	"tonne/model/spreadsheet"
)

// Rows writes items as records: CSV with a header, or JSON lines.
type Rows[T any] struct {
	columns Columns[T]
	csv     *csv.Writer
	lines   *bufio.Writer
	cells   []string
	line    []byte
}

// Rows returns a writer of records in CSV or JSON lines.
func (c Columns[T]) Rows(w io.Writer, f Format) *Rows[T] {
	lines := bufio.NewWriterSize(w, 64<<10)
	if f == JSONL {
		return &Rows[T]{columns: c, lines: lines}
	}
	rows := &Rows[T]{csv: csv.NewWriter(lines)}
	rows.columns = slices.DeleteFunc(slices.Clone(c), func(of Column[T]) bool { return !of.inRows() })
	rows.cells = c.names()
	_ = rows.csv.Write(rows.cells)
	return rows
}

// Write writes one record. After a failed write it does nothing.
func (r *Rows[T]) Write(item T) {
	if r.lines != nil {
		r.line = append(r.columns.appendJSON(r.line[:0], item), '\n')
		_, _ = r.lines.Write(r.line)
		return
	}
	for i := range r.columns {
		r.cells[i] = r.columns[i].Value(item).csv()
	}
	_ = r.csv.Write(r.cells)
}

// Flush writes the buffer. The error is that of the first failed write.
func (r *Rows[T]) Flush() error {
	if r.lines != nil {
		return r.lines.Flush()
	}
	r.csv.Flush()
	return r.csv.Error()
}

// Write writes items as CSV, JSON lines or a JSON array.
func (c Columns[T]) Write(w io.Writer, f Format, items iter.Seq[T]) error {
	if f == JSON {
		return List(w, c.Objects(items))
	}
	rows := c.Rows(w, f)
	for item := range items {
		rows.Write(item)
	}
	return rows.Flush()
}

// Encode returns a file with items in the format of the extension of its path: .csv, .json or
// .xlsx. A workbook has them in its first sheet. The error is one of spreadsheet.
func (c Columns[T]) Encode(path string, items iter.Seq[T], sheets ...spreadsheet.Sheet) ([]byte, error) {
	var file bytes.Buffer
	var err error
	switch strings.ToLower(filepath.Ext(path)) {
	case ".csv":
		err = c.Write(&file, CSV, items)
	case ".json":
		err = c.Write(&file, JSON, items)
	case ".xlsx":
		rows := slices.Clone(sheets)
		rows[0].Columns, rows[0].Each = c.names(), Each(items, c.Cells)
		err = spreadsheet.Workbook{Sheets: rows}.Write(&file)
	}
	return file.Bytes(), err
}

// Cells returns an item as a row of a sheet.
func (c Columns[T]) Cells(item T) (cells []spreadsheet.Cell) {
	for _, of := range c {
		if of.inRows() {
			cells = append(cells, of.Value(item).sheet())
		}
	}
	return cells
}

// Format is a form of output.
type Format string

// The formats.
const (
	Table Format = "table"
	JSON  Format = "json"
	JSONL Format = "jsonl"
	CSV   Format = "csv"
)
