package tabular

import (
	"errors"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"tonne/model"
	"tonne/model/fold"
)

// Records are the records of a table, checked, with the decisions that were made to read them.
type Records struct {
	// Titles are the titles of the fields that were found, Unread those of the other columns.
	Titles map[string]string
	Unread []string
	// Count is the number of records.
	Count int
	table *Table
	*header
	columns map[string]*column
	// notes are the decisions, chosen those about columns.
	notes, chosen []string
	// faulty are the lines with faults, and last the last of them if there are too many to keep.
	faulty map[int]bool
	last   int
}

// column is a field with its place, and with what decides its cells.
type column struct {
	Field
	at      int
	numbers *numbers
	dates   *dates
	// of is the kind of the quantities whose unit the column is.
	of Kind
}

// Records finds the columns of a table, and checks the cells of their kinds. The error is a
// *ColumnsError, a *FormatError for too many records or if no line can be read as titles, or a
// *FaultsError; then the records are those of the other lines.
func (t *Table) Records(s Spec) (*Records, error) {
	h, err := t.header(&s)
	if err != nil {
		return nil, err
	}
	r := &Records{table: t, header: h, Titles: make(map[string]string), columns: make(map[string]*column)}
	read := make(map[int]bool)
	for _, f := range s.Fields {
		if !h.has(f.Name) {
			continue
		}
		c := &column{Field: f, at: h.at[f.Name][0]}
		title := h.titles[c.at]
		switch {
		case f.Kind.number():
			c.numbers = newNumbers(f, title, &s)
		case f.Kind == Date:
			c.dates = &dates{title: title, said: s.Dates, order: s.Dates}
		case f.Kind == Unit:
			c.of = s.quantity(h)
		}
		r.columns[f.Name], r.Titles[f.Name], read[c.at] = c, title, true
	}
	for at, title := range h.titles {
		if !read[at] && title != "" {
			r.Unread = append(r.Unread, title)
		}
	}
	err = r.check(&s)
	r.decide(&s)
	return r, err
}

// check reads all records once.
func (r *Records) check(s *Spec) error {
	var faults FaultsError
	for row := range r.rows() {
		if r.Count++; r.Count > MaxRows {
			return formatError("it has more than %s records; split it", model.FormatNumber(MaxRows))
		}
		r.checkRow(s, row, &faults)
	}
	for _, f := range s.Fields {
		if c := r.columns[f.Name]; c != nil && c.numbers != nil {
			c.numbers.end(&faults)
		} else if c != nil && c.dates != nil {
			c.dates.end(&faults)
		}
	}
	if faults.Err() == nil {
		return nil
	}
	r.faulty = make(map[int]bool)
	for _, f := range faults.Faults {
		r.faulty[f.Line] = true
		if faults.More > 0 {
			r.last = f.Line
		}
	}
	return &faults
}

// rows yields the rows below the titles.
func (r *Records) rows() iter.Seq[row] {
	return func(yield func(row) bool) {
		for row := range r.table.all(r.comma) {
			if row.line > r.line && !yield(row) {
				return
			}
		}
	}
}

func (r *Records) checkRow(s *Spec, row row, faults *FaultsError) {
	if row.fault != "" {
		faults.Add(row.line, "%s", row.fault)
		return
	}
	for at, c := range row.cells[min(len(row.cells), len(r.titles)):] {
		if text := tidy(c.text); text != "" {
			faults.Add(row.line, "has %q in cell %d, but there are only %s", clip(text), len(r.titles)+at+1,
				model.Count(len(r.titles), "title", "titles"))
			return
		}
	}
	for _, f := range s.Fields {
		c := r.columns[f.Name]
		if c == nil || c.at >= len(row.cells) {
			continue
		}
		if err := c.look(row.line, row.cells[c.at]); err != nil {
			faults.Add(row.line, "has %s %q, which %v", clip(r.Titles[f.Name]), clip(tidy(row.cells[c.at].text)), err)
			if other, known := s.inUnit(tidy(row.cells[c.at].text)); known && c.Kind == Unit {
				faults.decide(fmt.Sprintf("%s %q", s.flag(other.Name), clip(r.quantityTitle(s))))
			}
		}
	}
}

// quantityTitle returns the title of the column of quantities.
func (r *Records) quantityTitle(s *Spec) string {
	for _, f := range s.Fields {
		if c := r.columns[f.Name]; c != nil && len(units[f.Kind]) > 0 {
			return r.Titles[f.Name]
		}
	}
	return ""
}

// longestQuote is the number of bytes of a cell that a message quotes.
const longestQuote = 80

// clip cuts a text for a message.
func clip(text string) string {
	if len(text) <= longestQuote {
		return text
	}
	at := longestQuote
	for !utf8.RuneStart(text[at]) {
		at--
	}
	return text[:at] + "…"
}

// changes are what spreadsheets make of ids: exponents such as 1.23457E+15, decimals such as 12345.0,
// and errors such as #N/A or ####.
type changes struct{ number, failed *regexp.Regexp }

var idChanges = sync.OnceValue(func() changes {
	return changes{
		number: regexp.MustCompile(`^\d+([.,]\d+)?[eE][+-]\d+$|^\d+[.,]\d+[eE]\d+$|^\d+\.0+$`),
		failed: regexp.MustCompile(`^#(N/A|NAME\?|REF!|VALUE!|DIV/0!|NUM!|NULL!|#+|SPILL!|CALC!|NV|WERT!|BEZUG!)$`),
	}
})

var (
	errChanged = errors.New("is not an id: a spreadsheet has changed this id")
	errCell    = errors.New("is an error of a spreadsheet")
)

// maxExact is the number of digits of a number that a spreadsheet keeps.
const maxExact = 15

func (c *column) look(line int, cell cell) error {
	text := tidy(cell.text)
	switch {
	case text == "":
		return nil
	case cell.kind == broken:
		return errors.New("cannot be read: the formula has no result; open the workbook in a spreadsheet and save it")
	case c.Kind != ID && idChanges().failed.MatchString(text):
		return errCell
	case c.numbers != nil:
		return c.numbers.look(line, cell)
	case c.dates != nil:
		return c.dates.look(line, cell)
	case c.Kind == ID && cell.kind == number && len(text) > maxExact:
		return errChanged
	case c.Kind == ID:
		return CheckID(text)
	case c.Kind == Reference:
		return checkHidden(text)
	case c.Kind == Unit:
		return c.of.checkUnit(text)
	}
	return nil
}

func checkHidden(text string) error {
	if hidden, found := fold.Hidden(text); found {
		return fmt.Errorf("has the hidden character %U", hidden)
	}
	return nil
}

// CheckID returns an error for an id that a spreadsheet has changed, or that has hidden characters.
func CheckID(id string) error {
	switch {
	case idChanges().failed.MatchString(id):
		return errCell
	case idChanges().number.MatchString(id):
		return errChanged
	}
	return checkHidden(id)
}

// decide notes what was decided about the table: nothing about plain CSV with the titles of the
// fields.
func (r *Records) decide(s *Spec) {
	r.notes = slices.Clone(r.table.notes)
	add := func(format string, args ...any) { r.notes = append(r.notes, fmt.Sprintf(format, args...)) }
	if !r.table.sheet && r.comma != ',' {
		add("cells are separated by %s", map[byte]string{';': "semicolons", '\t': "tabs"}[r.comma]+other(r.comma))
	}
	if r.above > 0 {
		add("%s above the titles %s skipped", model.Count(r.above, "line", "lines"), model.Plural(r.above, "is", "are"))
	}
	if r.format != "" {
		add("read as an export of %s", r.format)
	}
	for _, f := range s.Fields {
		c := r.columns[f.Name]
		if c == nil {
			continue
		}
		if title := r.Titles[f.Name]; !f.expects(title) {
			r.chosen = append(r.chosen, fmt.Sprintf("%s is %q", f.Name, title))
		}
		if c.numbers != nil {
			r.notes = append(r.notes, c.numbers.decisions()...)
		} else if c.dates != nil {
			r.notes = append(r.notes, c.dates.decisions()...)
		}
	}
}

func (f Field) expects(title string) bool {
	same := func(name string) bool { return plainTitle(name) == plainTitle(title) }
	return same(f.Name) || slices.ContainsFunc(f.Expected, same)
}

// other quotes a delimiter without a name.
func other(comma byte) string {
	if comma == ';' || comma == '\t' {
		return ""
	}
	return fmt.Sprintf("%q", string(comma))
}

// Decisions returns one sentence about what was decided, without a full stop, or an empty text. It
// names the columns, or not.
func (r *Records) Decisions(columns bool) string {
	if columns {
		return strings.Join(slices.Concat(r.notes, r.chosen), "; ")
	}
	return strings.Join(r.notes, "; ")
}

// Record is a line of a table. It is valid until the next one.
type Record struct {
	Line int
	of   *Records
	row
}

// All yields the records of the lines without faults. If there are too many faults to keep, it ends
// with them.
func (r *Records) All() iter.Seq[Record] {
	return func(yield func(Record) bool) {
		for row := range r.rows() {
			if r.last > 0 && row.line > r.last {
				return
			}
			if !r.faulty[row.line] && !yield(Record{row.line, r, row}) {
				return
			}
		}
	}
}

// Has reports whether the table has a column of a field.
func (r *Records) Has(name string) bool { return r.columns[name] != nil }

func (r Record) cell(name string) (*column, cell) {
	c := r.of.columns[name]
	if c == nil || c.at >= len(r.cells) {
		return c, cell{}
	}
	return c, r.cells[c.at]
}

// Text returns the text of a cell without surrounding blanks. It is empty if the cell or its
// column is missing. The text shares the memory of the table.
func (r Record) Text(name string) string {
	_, c := r.cell(name)
	return tidy(c.text)
}

// Texts returns the texts of all cells.
func (r Record) Texts() []string { return r.texts() }

// Number returns a number in grams or cents, without its sign, and whether the cell has one.
func (r Record) Number(name string) (n int64, negative, stated bool) {
	c, cell := r.cell(name)
	if c == nil || c.numbers == nil || tidy(cell.text) == "" {
		return 0, false, false
	}
	n, negative = c.numbers.read(cell)
	return n, negative, true
}

// Day returns a UTC day, or the zero time if the cell is empty.
func (r Record) Day(name string) time.Time {
	c, cell := r.cell(name)
	if c == nil || c.dates == nil || tidy(cell.text) == "" {
		return time.Time{}
	}
	return c.dates.read(cell)
}
