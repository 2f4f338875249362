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
	"strconv"
	"strings"

	"tonne/model/field"
	"tonne/model/file/spreadsheet"
)

// Rows writes items as records: CSV with a header, or JSON lines.
type Rows[T any] struct {
	columns field.Columns[T]
	out     *bufio.Writer
	json    bool
	line    []byte
	// own are the columns in which the items of a group may differ, and around the text before, between and
	// after their cells. Started reports that the text is that of the group.
	own     field.Columns[T]
	around  [][]byte
	started bool
	// csv writes a cell that may need quotes to quoted.
	csv    *csv.Writer
	quoted bytes.Buffer
}

// NewRows returns a writer of records in CSV or JSON lines.
func NewRows[T any](w io.Writer, f Format, c field.Columns[T]) *Rows[T] {
	r := &Rows[T]{columns: c, out: bufio.NewWriterSize(w, 64<<10), json: f == JSONL}
	if r.json {
		return r
	}
	r.columns, r.csv = c.Rows(), csv.NewWriter(&r.quoted)
	_, _ = r.out.WriteString(strings.Join(r.columns.Names(), ",") + "\n")
	r.Group(r.columns.Names())
	return r
}

// Group begins a group of items that differ only in the columns with these names, until the next group.
func (r *Rows[T]) Group(own []string) {
	r.started, r.own = false, r.own[:0]
	for _, of := range r.columns {
		if slices.Contains(own, of.Name) {
			r.own = append(r.own, of)
		}
	}
}

// Write writes one record. After a failed write it does nothing.
func (r *Rows[T]) Write(item T) {
	r.render(item)
	_, _ = r.out.Write(r.line)
}

func (r *Rows[T]) render(item T) {
	if r.json {
		r.line = append(r.columns.JSON(item).AppendJSON(r.line[:0]), '\n')
		return
	}
	if !r.started {
		r.start(item)
	}
	r.line = append(r.line[:0], r.around[0]...)
	for i := range r.own {
		r.line = append(r.appendCell(r.line, r.own[i].Value(item)), r.around[i+1]...)
	}
}

// start renders the cells that the items of a group share.
func (r *Rows[T]) start(item T) {
	r.started, r.around = true, r.around[:0]
	var text []byte
	for i, of := range r.columns {
		if i > 0 {
			text = append(text, ',')
		}
		if n := len(r.around); n < len(r.own) && of.Name == r.own[n].Name {
			r.around, text = append(r.around, text), nil
		} else {
			text = r.appendCell(text, of.Value(item))
		}
	}
	r.around = append(r.around, append(text, '\n'))
}

// appendCell appends a value as encoding/csv writes it, which has the rules for quotes.
func (r *Rows[T]) appendCell(b []byte, v field.Value) []byte {
	if n, ok := v.Amount(); ok {
		return strconv.AppendInt(b, n, 10)
	}
	text := v.CSV()
	if isAlphanumeric(text) {
		return append(b, text...)
	}
	r.quoted.Reset()
	_ = r.csv.Write([]string{text})
	r.csv.Flush()
	return append(b, bytes.TrimSuffix(r.quoted.Bytes(), []byte("\n"))...)
}

func isAlphanumeric(s string) bool {
	for i := range len(s) {
		if c := s[i] | 0x20; (c < 'a' || c > 'z') && (s[i] < '0' || s[i] > '9') {
			return false
		}
	}
	return true
}

var seed = maphash.MakeSeed()

// Sum returns a hash of the record of an item, which is not written. Records with the same text
// have the same hash in one process.
func (r *Rows[T]) Sum(item T) uint64 {
	r.render(item)
	return maphash.Bytes(seed, r.line)
}

// WriteSum writes one record and returns its hash, as Sum does.
func (r *Rows[T]) WriteSum(item T) uint64 {
	r.Write(item)
	return maphash.Bytes(seed, r.line)
}

// Flush writes the buffer. The error is that of the first failed write.
func (r *Rows[T]) Flush() error { return r.out.Flush() }

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
