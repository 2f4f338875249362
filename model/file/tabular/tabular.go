// Package tabular reads the tables that people bring: CSV in its dialects, and XLSX workbooks. It
// decides encoding, delimiter, line of titles, decimal mark and order of dates from the file,
// reports what it decided, and refuses what stays ambiguous. It performs no I/O except reading.
// Start reading at Read; Table.Records finds the columns and checks the cells.
package tabular

import (
	"cmp"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
)

const (
	// Largest is the maximum size of a file, and of the unpacked parts of a workbook, in bytes.
	Largest = 64 << 20
	// MaxRows is the maximum number of records.
	MaxRows = 1_000_000
	// maxCells is the maximum number of cells of a record, as in a spreadsheet.
	maxCells = 1 << 14
	// maxRecord limits the length of one record in bytes, such as one with an open quotation mark.
	maxRecord = 1 << 20
)

// Options select what is read.
type Options struct {
	// Sheet is the name of a sheet of a workbook, or empty for the first.
	Sheet string
	// Largest limits the size of the file, and of its unpacked parts, in bytes; 0 is the constant Largest.
	Largest int64
	// Size is the expected size in bytes, or 0.
	Size int64
}

// Table is a file that was read. It keeps the text of the file, and no copy of its cells.
type Table struct {
	// text is the text of a CSV, without its byte order mark and sep= line.
	text string
	// first is the number of the first line of text.
	first int
	// comma is the delimiter, or 0 if the header decides it.
	comma byte
	// book has the rows of a workbook.
	book  []row
	sheet bool
	notes []string
}

// kind is what a cell of a workbook is. The zero value is plain text, as all cells of a CSV.
type kind byte

const (
	// number is exact, with a point as decimal mark.
	number kind = iota + 1
	// date is a day such as 2026-01-31.
	date
	// broken is a cell without a value; its text is the reason.
	broken
)

type cell struct {
	text string
	kind kind
}

type row struct {
	line  int
	cells []cell
	// fault is why the record cannot be read.
	fault string
}

func (r row) blank() bool {
	for _, c := range r.cells {
		if tidy(c.text) != "" {
			return false
		}
	}
	return r.fault == ""
}

// Read reads a file to its end. The error is a *FormatError, or one of the reader.
func Read(r io.Reader, o Options) (*Table, error) {
	raw, err := readAll(r, o)
	if err != nil {
		return nil, err
	}
	return parse(raw, o.Sheet, cmp.Or(o.Largest, Largest))
}

// Parse reads the contents of a file. The error is a *FormatError.
func Parse(raw, sheet string) (*Table, error) { return parse(raw, sheet, Largest) }

func parse(raw, sheet string, limit int64) (*Table, error) {
	if isArchive(raw) {
		return readWorkbook(raw, sheet, limit)
	}
	if sheet != "" {
		return nil, formatError("it is not a workbook, and has no sheet %q", sheet)
	}
	text, encoding, err := decode(raw)
	if err != nil {
		return nil, err
	}
	t := &Table{text: text, first: 1}
	if encoding != "" {
		t.notes = append(t.notes, encoding)
	}
	return t, t.cutSeparator()
}

// Text returns the decoded text, which is empty for a workbook.
func (t *Table) Text() string { return t.text }

// Fixed reports whether the file itself says that it is a table: a workbook, or a sep= line.
func (t *Table) Fixed() bool { return t.sheet || t.comma != 0 }

// cutSeparator removes a first line such as sep=; which names the delimiter.
func (t *Table) cutSeparator() error {
	end := strings.IndexAny(t.text, "\r\n")
	if end < 0 {
		end = len(t.text)
	}
	line := strings.Trim(strings.TrimSpace(strings.Trim(t.text[:end], " ")), `"`)
	name, comma, found := strings.Cut(line, "=")
	if !found || !strings.EqualFold(name, "sep") {
		return nil
	}
	if strings.Contains(t.text[:end], "=\t") || comma == `\t` {
		comma = "\t"
	}
	if len(comma) != 1 || strings.ContainsAny(comma, "\"'0123456789") {
		return formatError("its first line %q does not name a delimiter of one character", line)
	}
	t.comma, t.text = comma[0], t.text[end:]
	return nil
}

// all yields the rows that are not blank. The cells are valid until the next row.
func (t *Table) all(comma byte) iter.Seq[row] {
	return func(yield func(row) bool) {
		if t.sheet {
			for _, r := range t.book {
				if !yield(r) {
					return
				}
			}
			return
		}
		s := scanner{text: t.text, line: t.first, comma: comma}
		for s.next() {
			if !s.row.blank() && !yield(s.row) {
				return
			}
		}
	}
}

// Rows yields the cells of all lines that are not blank with the number of their line, without a
// header. The cells are nil if the line cannot be read. The delimiter does not apply to a workbook.
func (t *Table) Rows(comma byte) iter.Seq2[int, []string] {
	return func(yield func(int, []string) bool) {
		for r := range t.all(comma) {
			var cells []string
			if r.fault == "" {
				cells = r.texts()
			}
			if !yield(r.line, cells) {
				return
			}
		}
	}
}

// WithoutComments returns the table without the text of lines that begin with #.
func (t *Table) WithoutComments() *Table {
	if !strings.Contains(t.text, "#") {
		return t
	}
	var text strings.Builder
	for _, line := range t.Lines() {
		if !strings.HasPrefix(strings.TrimLeft(line, " \t"), "#") {
			text.WriteString(line)
		}
		text.WriteString("\n")
	}
	without := *t
	without.text = text.String()
	return &without
}

// Lines yields the lines of a file as text, with their numbers.
func (t *Table) Lines() iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		s := scanner{text: t.text, line: t.first}
		for s.at < len(s.text) {
			line, from := s.line, s.at
			s.at += lineEnd(s.text[from:])
			text := s.text[from:s.at]
			if s.endLine(); !yield(line, text) {
				return
			}
		}
	}
}

func (r row) texts() []string {
	texts := make([]string, len(r.cells))
	for i, c := range r.cells {
		texts[i] = tidy(c.text)
	}
	return texts
}

// FormatError is the error for a file that is not a table that can be read.
type FormatError struct{ Why string }

// Error returns the reason, a clause that follows the name of the file.
func (e *FormatError) Error() string { return e.Why }

func formatError(format string, args ...any) *FormatError {
	return &FormatError{fmt.Sprintf(format, args...)}
}

// ColumnsError is the error for a table without the columns that are needed, or with several that
// could be meant.
type ColumnsError struct {
	What string
	// Titles are the titles of the line that was taken for the header.
	Titles []string
	// Flag names the column if several could be meant, and Lacks the first one that is missing.
	Flag, Lacks string
}

// Error returns What.
func (e *ColumnsError) Error() string { return e.What }

// Fault is what is wrong with a line.
type Fault struct {
	Line int
	Why  string
}

// String returns the line and what is wrong with it.
func (f Fault) String() string {
	if strings.HasPrefix(f.Why, "has ") || strings.HasPrefix(f.Why, "exceeds ") {
		return fmt.Sprintf("line %d %s", f.Line, f.Why)
	}
	return fmt.Sprintf("line %d: %s", f.Line, f.Why)
}

// maxFaults limits the faults that are kept.
const maxFaults = 1000

// FaultsError has the faults of the lines of a file, in their order.
type FaultsError struct {
	Faults []Fault
	// More is the number of further faults.
	More int
	// Flags decide what is ambiguous.
	Flags []string
}

// The flags of commands that decide what is ambiguous.
const (
	DateFlag    = "--date-format"
	DecimalFlag = "--decimal-mark"
)

func (e *FaultsError) decide(flag string) {
	if !slices.Contains(e.Flags, flag) {
		e.Flags = append(e.Flags, flag)
	}
}

// Error joins the faults.
func (e *FaultsError) Error() string { return strings.Join(e.Lines(), "; ") }

// Lines returns the faults as text, such as "line 3: …".
func (e *FaultsError) Lines() []string {
	lines := make([]string, 0, len(e.Faults)+1)
	for _, f := range e.Faults {
		lines = append(lines, f.String())
	}
	if e.More > 0 {
		lines = append(lines, fmt.Sprintf("%d further lines", e.More))
	}
	return lines
}

// Err returns e with its faults in the order of their lines, or nil if it has none.
func (e *FaultsError) Err() error {
	if e == nil || len(e.Faults) == 0 {
		return nil
	}
	slices.SortStableFunc(e.Faults, func(a, b Fault) int { return a.Line - b.Line })
	return e
}

// Add adds what is wrong with a line.
func (e *FaultsError) Add(line int, format string, args ...any) {
	if len(e.Faults) == maxFaults {
		e.More++
		return
	}
	e.Faults = append(e.Faults, Fault{line, fmt.Sprintf(format, args...)})
}
