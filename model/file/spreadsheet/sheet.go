// Package spreadsheet writes CSV and XLSX files in which text is never a formula. It does not read
// files. Start reading at Sheet.
package spreadsheet

import (
	"encoding/csv"
	"io"
	"iter"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Sheet is a table with a name, which has no marks in it, and a line of titles.
type Sheet struct {
	Name    string
	Columns []string
	Rows    [][]Cell
	// Each, unless nil, yields the rows instead of Rows, without all in memory. A workbook calls it twice.
	Each iter.Seq[[]Cell]
	// Totals stands below the rows of a workbook, unless nil. CSV has none: it would count twice.
	Totals []Cell
}

// Cell is text, a number or a time. The zero value is an empty text.
type Cell struct {
	text   string
	number bool
	// at is the time of a cell in timeStyle.
	at time.Time
	// A sum is a formula over its column, with the text as its value.
	style style
	sum   bool
}

// Text is a cell of text: names, ids, dates.
func Text(s string) Cell { return Cell{text: s} }

// Cents is an amount in dollars: 620 is 6.2.
func Cents(value int64) Cell {
	text := big.NewRat(value, 100).FloatString(2)
	return Cell{text: strings.TrimSuffix(strings.TrimRight(text, "0"), "."), number: true}
}

// mostDigits is how many digits of a number a spreadsheet keeps.
const mostDigits = 15

// Integer is a whole number. What a spreadsheet would round is text.
func Integer(n int64) Cell {
	digits := strconv.FormatInt(n, 10)
	if len(digits) > mostDigits {
		return Text(digits)
	}
	return Cell{text: digits, number: true, style: plainStyle}
}

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
	if err != nil {
		return Text(text)
	}
	return moment(text, at)
}

// At is a time in seconds, as Time.
func At(at time.Time) Cell { return moment(at.Format(time.RFC3339), at) }

func moment(text string, at time.Time) Cell {
	if at.Year() < 1900 || at.Year() > 9999 {
		return Text(text)
	}
	return Cell{text: text, at: at, style: timeStyle}
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
