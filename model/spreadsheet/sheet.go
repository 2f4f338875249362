// Package spreadsheet writes CSV and XLSX for accountants, with text that is never a
// formula, and JSON for programs.
package spreadsheet

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"tonne/model/atomicfile"
)

// Sheet is a table with a name, which has no marks in it, and a line of titles.
type Sheet struct {
	Name    string
	Columns []string
	Rows    [][]Cell
	// Each yields the rows instead of Rows, if it is not nil. A sheet with many rows
	// is then never in memory as a whole. A workbook calls it twice.
	Each iter.Seq[[]Cell]
	// Totals stands below the rows of a workbook, a cell for each column; nil
	// for none. CSV has no such line: whoever sums it up would count twice.
	Totals []Cell
	// Part marks each saved row as incomplete data.
	Part bool
}

// Cell is text, a number or a time. The zero value is an empty text.
type Cell struct {
	text   string
	number bool
	// A sum is a formula over its column, with the text as its value.
	style style
	sum   bool
}

// Text is a cell of text: names, ids, dates.
func Text(s string) Cell { return Cell{text: s} }

// Decimal is a number with so many decimals: 620 cents with two are 6.2.
func Decimal(value int64, digits int) Cell {
	sign := ""
	if value < 0 {
		sign = "-"
	}
	text := strings.TrimPrefix(strconv.FormatInt(value, 10), "-")
	if short := digits + 1 - len(text); short > 0 {
		text = strings.Repeat("0", short) + text
	}
	whole, part := text[:len(text)-digits], strings.TrimRight(text[len(text)-digits:], "0")
	if part != "" {
		part = "." + part
	}
	return Cell{text: sign + whole + part, number: true}
}

// mostDigits is how many digits of a number a spreadsheet keeps.
const mostDigits = 15

// Whole is a whole number. What a spreadsheet would round, or is no number, stays text.
func Whole(digits string) Cell {
	if _, err := strconv.ParseInt(digits, 10, 64); err != nil || len(digits) > mostDigits {
		return Text(digits)
	}
	return Cell{text: digits, number: true, style: plainStyle}
}

// Sum is a total of its column, which a spreadsheet recomputes for filtered rows.
func Sum(value Cell) Cell {
	value.sum = value.number
	return value
}

// Time is a time by RFC 3339. Any other, or one before 1900, is text.
func Time(text string) Cell {
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil || at.Year() < 1900 || at.Year() > 9999 {
		return Text(text)
	}
	return Cell{text: text, style: timeStyle}
}

// Texts makes a row of text.
func Texts(texts []string) []Cell {
	row := make([]Cell, len(texts))
	for i, s := range texts {
		row[i] = Text(s)
	}
	return row
}

func (s Sheet) rows() iter.Seq[[]Cell] {
	if s.Each != nil {
		return s.Each
	}
	return slices.Values(s.Rows)
}

func (s Sheet) heading() []Cell { return Texts(s.Columns) }

// Guard returns a text that a spreadsheet does not take for a formula.
func Guard(s string) string {
	if s != "" && strings.ContainsRune("=+-@\t\r", rune(s[0])) {
		return "'" + s
	}
	return s
}

// WriteCSV writes a sheet as CSV. The error is one of the writer.
func WriteCSV(w io.Writer, s Sheet) error {
	out := csv.NewWriter(w)
	write := func(row []Cell) error {
		texts := make([]string, len(row))
		for i, cell := range row {
			if texts[i] = cell.text; !cell.number {
				texts[i] = Guard(cell.text)
			}
		}
		return out.Write(texts)
	}
	if err := write(s.heading()); err != nil {
		return err
	}
	for row := range s.rows() {
		if err := write(row); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

func (s Sheet) marked() Sheet {
	s.Columns = append(slices.Clip(s.Columns), "incomplete")
	s.Rows = slices.Clone(s.Rows)
	for i, row := range s.Rows {
		s.Rows[i] = append(slices.Clip(row), Text("yes"))
	}
	if s.Totals != nil {
		s.Totals = append(slices.Clip(s.Totals), Text("yes"))
	}
	return s
}

// CheckPath refuses a path that ends neither in .csv nor in .xlsx nor in .json.
func CheckPath(path string) error {
	switch ending(path) {
	case ".csv", ".xlsx", ".json":
		return nil
	}
	return fmt.Errorf("%q does not end in .csv, .xlsx or .json", path)
}

func ending(path string) string { return strings.ToLower(filepath.Ext(path)) }

// Save writes a sheet to a new private file in the format of its ending. The error is
// fs.ErrExist if there is a file, or one of CheckPath, of Workbook.Write or of the file
// system; then nothing is left.
func Save(path string, s Sheet) error {
	if err := CheckPath(path); err != nil {
		return err
	}
	write := WriteCSV
	switch ending(path) {
	case ".xlsx":
		write = writeXLSX
	case ".json":
		write = writeJSON
	}
	if s.Part {
		s = s.marked()
	}
	var file bytes.Buffer
	if err := write(&file, s); err != nil {
		return err
	}
	return create(path, file.Bytes())
}

// Save writes the workbook to a new file, as Save does a sheet.
func (b Workbook) Save(path string) error {
	var file bytes.Buffer
	if err := b.Write(&file); err != nil {
		return err
	}
	return create(path, file.Bytes())
}

func create(path string, content []byte) error {
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer root.Close()
	return atomicfile.Create(root, filepath.Base(path), content)
}
