package reconcile

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"tonne/api/wire"
)

// Column is what a column of a file has.
type Column string

// The columns, with the names of their flags.
const (
	IDColumn          Column = "id"
	TonnesColumn      Column = "tonnes"
	GramsColumn       Column = "grams"
	DateColumn        Column = "date"
	ReferenceColumn   Column = "reference"
	CostColumn        Column = "cost"
	BeneficiaryColumn Column = "beneficiary"
)

// Columns returns the columns in the order of the help.
func Columns() []Column {
	return []Column{IDColumn, TonnesColumn, GramsColumn, DateColumn, ReferenceColumn, CostColumn, BeneficiaryColumn}
}

// titles are the headers by which columns are recognised, the best first.
var titles = map[Column][]string{
	IDColumn:          {"id", "retirement_id", "retirement_request_id", "request_id", "retirement_request", "retirement"},
	TonnesColumn:      {"tonnes", "t", "tonnes_retired", "retired_tonnes", "quantity_tonnes", "quantity_t", "tco2e"},
	GramsColumn:       {"grams", "g", "quantity_grams", "total_quantity", "total_quantity_grams", "retired_grams"},
	DateColumn:        {"date", "created_at", "booking_date", "posting_date", "document_date", "retirement_date", "retired_at"},
	ReferenceColumn:   {"reference", "ref", "reference_number", "customer_reference", "order_reference", "po_number"},
	CostColumn:        {"cost", "cost_cents", "cost_usd", "amount", "amount_cents", "amount_usd"},
	BeneficiaryColumn: {"beneficiary", "beneficiary_name", "retiree_name", "retiree", "customer_name", "customer"},
}

// LargestFile is the maximum size of a file, in bytes.
const LargestFile = 64 << 20

// File is a file of records.
type File struct {
	Records []Record
	// Titles are the titles of the columns that were read.
	Titles map[Column]string
	// Unread are the titles of the other columns.
	Unread []string
}

// ColumnsError is the error for a table whose columns cannot be compared.
type ColumnsError struct {
	What   string
	Titles []string
}

// Error returns What.
func (e *ColumnsError) Error() string { return e.What }

// LinesError has an error for each unreadable line.
type LinesError []string

// Error joins the errors of the lines.
func (e LinesError) Error() string { return strings.Join(e, "; ") }

// ErrNotText is the error for a file in another encoding than UTF-8.
var ErrNotText = errors.New("it is not UTF-8 text; save it as CSV in UTF-8")

// table is a CSV with a header.
type table struct {
	comma rune
	// at has the position of each known column, titles all titles.
	at     map[Column]int
	titles []string
	rows   [][]string
	lines  []int
	wrong  LinesError
}

// Parse reads a table with a header, separated by commas, semicolons or tabs. The given columns
// have titles; an empty title is a column that is not read. The others are recognised by their
// titles. The error is ErrNotText, a ColumnsError or a LinesError.
func Parse(text []byte, given map[Column]string) (*File, error) {
	if !utf8.Valid(text) {
		return nil, ErrNotText
	}
	t, err := readTable(bytes.TrimPrefix(text, []byte("\ufeff")))
	if err != nil {
		return nil, err
	}
	if err := t.find(given); err != nil {
		return nil, err
	}
	file := &File{Records: t.records(), Titles: make(map[Column]string)}
	read := make(map[int]bool)
	for column, at := range t.at {
		file.Titles[column], read[at] = t.titles[at], true
	}
	for at, title := range t.titles {
		if !read[at] {
			file.Unread = append(file.Unread, title)
		}
	}
	if len(t.wrong) > 0 {
		return nil, t.wrong
	}
	return file, nil
}

// Delimiter returns the separator of the cells of a header: a comma, a semicolon or a tab.
func Delimiter(header string) rune {
	best, most := ',', 0
	for _, delimiter := range ",;\t" {
		if n := strings.Count(header, string(delimiter)); n > most {
			best, most = delimiter, n
		}
	}
	return best
}

func readTable(text []byte) (*table, error) {
	header, _, _ := bytes.Cut(bytes.TrimLeft(text, "\r\n"), []byte("\n"))
	t := &table{comma: Delimiter(string(header)), at: make(map[Column]int)}
	in := csv.NewReader(bytes.NewReader(text))
	in.Comma, in.ReuseRecord = t.comma, false
	for {
		cells, err := in.Read()
		broken, isBroken := errors.AsType[*csv.ParseError](err)
		switch {
		case errors.Is(err, io.EOF):
			return t, nil
		case isBroken:
			t.wrong = append(t.wrong, fmt.Sprintf("line %d: %v", broken.StartLine, broken.Err))
			if !errors.Is(err, csv.ErrFieldCount) {
				// After an unclosed quotation mark there are no more lines.
				return t, nil
			}
			continue
		case err != nil:
			return nil, err
		}
		for i, cell := range cells {
			cells[i] = clean(cell)
		}
		if t.titles == nil {
			t.titles = cells
			continue
		}
		line, _ := in.FieldPos(0)
		if strings.Join(cells, "") != "" {
			t.rows, t.lines = append(t.rows, cells), append(t.lines, line)
		}
	}
}

// clean removes spaces, and the quotation mark that keeps a spreadsheet from running a formula.
func clean(cell string) string {
	cell = strings.TrimSpace(cell)
	if len(cell) > 1 && cell[0] == '\'' && strings.ContainsRune("=+-@", rune(cell[1])) {
		cell = cell[1:]
	}
	return wire.Clean(cell)
}

// find finds the columns.
func (t *table) find(given map[Column]string) error {
	plain := make([]string, len(t.titles))
	for i, title := range t.titles {
		plain[i] = plainTitle(title)
	}
	for _, column := range Columns() {
		title, named := given[column]
		if named {
			if title == "" {
				continue
			}
			at := slices.IndexFunc(t.titles, func(has string) bool { return strings.EqualFold(has, title) })
			if at < 0 {
				return &ColumnsError{fmt.Sprintf("there is no column %q for --%s", title, column), t.titles}
			}
			t.at[column] = at
			continue
		}
		for _, title := range titles[column] {
			if at := slices.Index(plain, title); at >= 0 {
				t.at[column] = at
				break
			}
		}
	}
	return t.check(given)
}

// check refuses columns that cannot be compared. Of two columns with quantities, the grams
// are read, because they are exact.
func (t *table) check(given map[Column]string) error {
	if given[TonnesColumn] != "" && given[GramsColumn] != "" {
		return &ColumnsError{"--tonnes and --grams exclude each other", t.titles}
	}
	switch {
	case given[TonnesColumn] != "":
		delete(t.at, GramsColumn)
	case t.has(GramsColumn):
		delete(t.at, TonnesColumn)
	}
	switch {
	case !t.has(TonnesColumn) && !t.has(GramsColumn):
		return &ColumnsError{"no column has the quantities: name one with --tonnes or --grams", t.titles}
	case !t.has(IDColumn) && !t.has(ReferenceColumn) && !(t.has(DateColumn) && t.has(BeneficiaryColumn)):
		const what = "no column identifies a retirement: name one with --id or --reference, or both --date and --beneficiary"
		return &ColumnsError{what, t.titles}
	}
	return nil
}

func (t *table) has(c Column) bool {
	_, found := t.at[c]
	return found
}

// plainTitle returns a title in lower case, with one underscore for all between words.
func plainTitle(title string) string {
	between := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	return strings.Join(strings.FieldsFunc(strings.ToLower(title), between), "_")
}

func (t *table) cells(c Column) []string {
	at, found := t.at[c]
	cells := make([]string, len(t.rows))
	for i := range cells {
		if found {
			cells[i] = t.rows[i][at]
		}
	}
	return cells
}

// records reads the rows. Unreadable lines are added to wrong.
func (t *table) records() []Record {
	records := make([]Record, len(t.rows))
	ids, references, names := t.cells(IDColumn), t.cells(ReferenceColumn), t.cells(BeneficiaryColumn)
	grams := t.quantities()
	costs := t.costs()
	dates := t.cells(DateColumn)
	for i := range records {
		records[i] = Record{Line: t.lines[i], ID: ids[i], Reference: references[i], Beneficiary: names[i], Quantity: grams[i]}
		if costs[i] >= 0 {
			records[i].Cost, records[i].HasCost = costs[i], true
		}
		if dates[i] == "" {
			continue
		}
		day, err := parseDay(dates[i])
		if err != nil {
			t.wrongCell(i, DateColumn, dates[i], err)
		}
		records[i].Date = day
	}
	return records
}

func (t *table) wrongCell(row int, c Column, cell string, err error) {
	t.wrong = append(t.wrong, fmt.Sprintf("line %d: %s %q %v", t.lines[row], t.titles[t.at[c]], cell, err))
}

// dayLayouts are the accepted forms of dates. Days and months in numbers with slashes are ambiguous.
var dayLayouts = []string{
	time.DateOnly, time.RFC3339Nano, time.DateTime, "2006-01-02T15:04:05", "2006-01-02 15:04", "2006/1/2", "20060102",
	"02.01.2006", "2.1.2006", "2-Jan-2006", "2 Jan 2006", "2 January 2006",
}

var errDay = errors.New("is not an unambiguous date such as 2026-01-31")

func parseDay(cell string) (time.Time, error) {
	for _, layout := range dayLayouts {
		if at, err := time.Parse(layout, cell); err == nil {
			return dayOf(at), nil
		}
	}
	return time.Time{}, errDay
}
