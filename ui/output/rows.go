// Package output writes records by their columns (package field): as tables for users, as JSON, JSON lines and CSV for
// programs, and as workbooks. Numbers are exact in every format.
package output

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"hash/maphash"
	"io"
	"iter"
	"path/filepath"
	"slices"
	"strings"

	"tonne/model/field"
	"tonne/model/file/spreadsheet"
)

// Rows writes items as records: CSV with a header, or JSON lines.
type Rows[T any] struct {
	columns field.Columns[T]
	csv     *csv.Writer
	lines   *bufio.Writer
	cells   []string
	line    []byte
	// all and own are the places of all columns and of those in which items of a group may differ, and
	// next are those whose cells the next item replaces.
	all, own, next []int
}

// NewRows returns a writer of records in CSV or JSON lines.
func NewRows[T any](w io.Writer, f Format, c field.Columns[T]) *Rows[T] {
	lines := bufio.NewWriterSize(w, 64<<10)
	if f == JSONL {
		return &Rows[T]{columns: c, lines: lines}
	}
	rows := &Rows[T]{columns: c.Rows(), csv: csv.NewWriter(lines), cells: c.Names()}
	for i := range rows.columns {
		rows.all = append(rows.all, i)
	}
	rows.own, rows.next = slices.Clone(rows.all), rows.all
	_ = rows.csv.Write(rows.cells)
	return rows
}

// Group begins a group of items that differ only in the columns with these names, until the next group.
func (r *Rows[T]) Group(own []string) {
	r.own, r.next = r.own[:0], r.all
	for i := range r.all {
		if slices.Contains(own, r.columns[i].Name) {
			r.own = append(r.own, i)
		}
	}
}

// Write writes one record. After a failed write it does nothing.
func (r *Rows[T]) Write(item T) {
	r.render(item)
	if r.lines != nil {
		_, _ = r.lines.Write(r.line)
	} else {
		_ = r.csv.Write(r.cells)
	}
}

func (r *Rows[T]) render(item T) {
	if r.lines != nil {
		r.line = append(r.columns.JSON(item).AppendJSON(r.line[:0]), '\n')
		return
	}
	for _, i := range r.next {
		r.cells[i] = r.columns[i].Value(item).CSV()
	}
	r.next = r.own
}

var seed = maphash.MakeSeed()

// Sum returns a hash of the record of an item, which is not written. Records with the same text
// have the same hash in one process.
func (r *Rows[T]) Sum(item T) uint64 {
	r.render(item)
	return r.sum()
}

// WriteSum writes one record and returns its hash, as Sum does.
func (r *Rows[T]) WriteSum(item T) uint64 {
	r.Write(item)
	return r.sum()
}

func (r *Rows[T]) sum() uint64 {
	if r.lines != nil {
		return maphash.Bytes(seed, r.line)
	}
	var h maphash.Hash
	h.SetSeed(seed)
	for _, cell := range r.cells {
		_, _ = h.WriteString(cell)
		_ = h.WriteByte(0)
	}
	return h.Sum64()
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
func Write[T any](w io.Writer, f Format, c field.Columns[T], items iter.Seq[T]) error {
	if f == JSON {
		return List(w, c.Objects(items))
	}
	rows := NewRows(w, f, c)
	for item := range items {
		rows.Write(item)
	}
	return rows.Flush()
}

// Encode returns a file with items in the format of the extension of its path: .csv, .json or
// .xlsx. A workbook has them in its first sheet. The error is one of spreadsheet.
func Encode[T any](path string, c field.Columns[T], items iter.Seq[T], sheets ...spreadsheet.Sheet) ([]byte, error) {
	var file bytes.Buffer
	var err error
	switch strings.ToLower(filepath.Ext(path)) {
	case ".csv":
		err = Write(&file, CSV, c, items)
	case ".json":
		err = Write(&file, JSON, c, items)
	case ".xlsx":
		rows := slices.Clone(sheets)
		rows[0].Columns, rows[0].Each = c.Names(), field.Each(items, c.Cells)
		err = spreadsheet.Workbook{Sheets: rows}.Write(&file)
	}
	return file.Bytes(), err
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
