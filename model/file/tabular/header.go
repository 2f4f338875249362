package tabular

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"tonne/model"
	"tonne/model/fold"
)

// Kind is what the cells of a column are.
type Kind int

// The kinds. Grams, Kilograms, Tonnes, Money and Cents are read as whole numbers of grams or cents.
const (
	Text Kind = iota
	// ID is an identifier. One that a spreadsheet has changed is refused.
	ID
	// Reference is a text of the user. Hidden characters inside it are refused.
	Reference
	Grams
	// Kilograms have up to three decimals.
	Kilograms
	// Tonnes have up to six decimals.
	Tonnes
	// Money is in dollars or cents, as its title or its cells say.
	Money
	Cents
	Date
	// Unit is the unit of the quantities: another unit is refused.
	Unit
)

// Field is a column that a command reads.
type Field struct {
	// Name is the name in messages and for the caller.
	Name string
	Kind Kind
	// Known is the entry of titles.txt with its titles, unless it is Name.
	Known string
	// Optional columns need not be there.
	Optional bool
	// Expected are further titles that need no mention.
	Expected []string
	// Unless are fields instead of which this one is not read.
	Unless []string
}

// Spec describes the table that a command needs.
type Spec struct {
	Fields []Field
	// Missing returns what is wrong with the columns of a line of titles, or an empty text. If it is
	// nil, all fields that are not optional are needed.
	Missing func(has func(name string) bool) string
	// Given has the titles of the columns that the user named.
	Given map[string]string
	// Flag returns the flag that names a column; nil is --NAME.
	Flag func(name string) string
	// Ignored are fields that are not read.
	Ignored []string
	// Strict refuses columns that are not fields.
	Strict bool
	// Reversals accepts quantities and amounts below zero.
	Reversals bool
	Formats
}

// Formats are what the user says of ambiguous cells.
type Formats struct {
	// Dates is dmy, mdy or ymd, or empty if the column decides.
	Dates string
	// Decimal is "." or ",", or empty if the column decides.
	Decimal string
}

// maxAbove is the number of lines in which the titles are searched.
const maxAbove = 100

// longestTitle is the number of bytes of a title that can be known or named.
const longestTitle = 1000

// plainTitle returns a title without case, accents, punctuation and blanks.
func plainTitle(title string) string {
	if len(title) > longestTitle {
		return ""
	}
	return strings.Map(func(r rune) rune {
		if fold.IsHidden(r) || fold.IsBlank(r) || strings.ContainsRune(" _-./\\()[]{}<>:;,*#'\"’`´&+|?!°", r) {
			return -1
		}
		return r
	}, fold.String(title))
}

// header is a line of titles.
type header struct {
	row
	comma  byte
	titles []string
	// at has the columns of each field, format the export whose titles these are.
	at     map[string][]int
	format string
	// above is the number of lines above it that have text.
	above int
}

// listed returns the titles for a message.
func (h *header) listed() []string {
	all := make([]string, len(h.titles))
	for i, title := range h.titles {
		all[i] = clip(title)
	}
	return all
}

func (h *header) has(name string) bool { return len(h.at[name]) > 0 }

func (s *Spec) flag(name string) string {
	if s.Flag != nil {
		return s.Flag(name)
	}
	return "--" + name
}

func (s *Spec) missing(h *header) string {
	for _, f := range s.Fields {
		if title, given := s.Given[f.Name]; given && !h.has(f.Name) {
			return fmt.Sprintf("there is no column %q for %s", title, s.flag(f.Name))
		}
	}
	if s.Missing != nil {
		return s.Missing(h.has)
	}
	lacks := s.lacks(h)
	if len(lacks) == 0 {
		return ""
	}
	return "no line has the " + model.Plural(len(lacks), "title ", "titles ") + strings.Join(lacks, ", ")
}

// lacks returns the fields that are needed, and that a line of titles does not have.
func (s *Spec) lacks(h *header) (names []string) {
	for _, f := range s.Fields {
		if !f.Optional && !h.has(f.Name) {
			names = append(names, f.Name)
		}
	}
	return names
}

// match finds the fields in a line.
func (s *Spec) match(r row) *header {
	h := &header{row: row{line: r.line}, at: make(map[string][]int), titles: r.texts()}
	for len(h.titles) > 0 && h.titles[len(h.titles)-1] == "" {
		h.titles = h.titles[:len(h.titles)-1]
	}
	plain := make([]string, len(h.titles))
	for i, title := range h.titles {
		plain[i] = plainTitle(title)
	}
	for name, title := range s.Given {
		h.at[name] = positions(plain, func(p string) bool { return p != "" && p == plainTitle(title) })
		for _, at := range h.at[name] {
			// A column that the user named is not taken for another field.
			plain[at] = ""
		}
	}
	s.recognise(h, plain)
	for _, f := range s.Fields {
		if slices.ContainsFunc(f.Unless, h.has) {
			delete(h.at, f.Name)
		}
	}
	return h
}

// recognise finds the fields that the user did not name by their titles.
func (s *Spec) recognise(h *header, plain []string) {
	known, exports := knownTitles()
	format := exportOf(exports, plain)
	if format != nil {
		h.format = format.name
	}
	for _, f := range s.Fields {
		if _, given := s.Given[f.Name]; given || slices.Contains(s.Ignored, f.Name) {
			continue
		}
		entry, own := cmp.Or(f.Known, f.Name), plainTitle(f.Name)
		titles, fixed := format.titles(entry)
		if !fixed {
			titles = known[entry]
		}
		h.at[f.Name] = positions(plain, func(p string) bool {
			return titles[p] || !fixed && p != "" && (p == own || f.Kind.hasUnit(p, known))
		})
	}
}

func positions(plain []string, is func(string) bool) (all []int) {
	for i, p := range plain {
		if is(p) {
			all = append(all, i)
		}
	}
	return all
}

// commas are the delimiters that are tried.
var commas = []byte{',', ';', '\t'}

func (t *Table) commas() []byte {
	if t.sheet {
		return []byte{0}
	}
	if t.comma != 0 {
		return []byte{t.comma}
	}
	return commas
}

// likelyComma returns the most frequent delimiter of the first line with text.
func (t *Table) likelyComma() byte {
	all := t.commas()
	line := strings.TrimLeft(t.text, "\r\n")
	line = line[:lineEnd(line)]
	return slices.MaxFunc(all, func(a, b byte) int {
		return strings.Count(line, string(a)) - strings.Count(line, string(b))
	})
}

// header finds the first line that has the columns. The delimiter is the one with which a line
// has most of them.
func (t *Table) header(s *Spec) (*header, error) {
	var best, nearest *header
	for _, comma := range t.commas() {
		above := 0
		for r := range t.all(comma) {
			h := s.match(r)
			h.comma, h.above = comma, above
			if r.fault == "" && s.missing(h) == "" {
				if best == nil || h.compare(best) < 0 {
					best = h
				}
				break
			}
			if r.fault == "" && (nearest == nil || h.found() > nearest.found()) {
				nearest = h
			}
			if above++; above == maxAbove {
				break
			}
		}
	}
	if best == nil {
		return nil, t.noHeader(s, nearest)
	}
	return best, s.check(best)
}

// compare orders headers of different delimiters, the better one first.
func (h *header) compare(other *header) int {
	return cmp.Or(h.line-other.line, other.found()-h.found(), len(other.titles)-len(h.titles))
}

func (h *header) found() (n int) {
	for _, at := range h.at {
		n += min(len(at), 1)
	}
	return n
}

func (t *Table) noHeader(s *Spec, nearest *header) error {
	if nearest == nil || nearest.found() == 0 {
		for r := range t.all(t.likelyComma()) {
			if r.fault == "" {
				nearest = s.match(r)
			} else if nearest == nil {
				return formatError("line %d %s", r.line, r.fault)
			}
			break
		}
	}
	if nearest == nil {
		nearest = &header{at: map[string][]int{}}
	}
	e := &ColumnsError{What: s.missing(nearest), Titles: nearest.listed()}
	for _, title := range nearest.titles {
		if unit := unreadUnit(plainTitle(title)); unit != "" {
			e.What += fmt.Sprintf("; %q is in %s, which is not read: convert it to tonnes", clip(title), unit)
		}
	}
	if lacks := s.lacks(nearest); s.Missing == nil && len(lacks) > 0 {
		e.Lacks = s.flag(lacks[0])
	}
	return e
}

// check refuses columns of which several could be meant, and unknown columns of a strict table.
func (s *Spec) check(h *header) error {
	read := make(map[int]string)
	for _, f := range s.Fields {
		at := h.at[f.Name]
		if len(at) > 1 {
			what := fmt.Sprintf("columns %d and %d, %q and %q, could both be %s",
				at[0]+1, at[1]+1, clip(h.titles[at[0]]), clip(h.titles[at[1]]), f.Name)
			return &ColumnsError{What: what, Titles: h.listed(), Flag: s.flag(f.Name)}
		}
		for _, at := range at {
			if other := read[at]; other != "" {
				what := fmt.Sprintf("%q could be %s and %s", clip(h.titles[at]), other, f.Name)
				return &ColumnsError{What: what, Titles: h.listed(), Flag: s.flag(f.Name)}
			}
			read[at] = f.Name
			if unit := f.Kind.otherUnit(plainTitle(h.titles[at])); unit != "" {
				what := fmt.Sprintf("%q is in %s, and %s is not", clip(h.titles[at]), unit, f.Name)
				e := &ColumnsError{What: what, Titles: h.listed(), Flag: s.flag(f.Name)}
				if other, known := s.inUnit(unit); known {
					e.Flag = s.flag(other.Name)
				}
				return e
			}
			if currency := currencyOf(h.titles[at]); currency != "" && (f.Kind == Money || f.Kind == Cents) {
				what := fmt.Sprintf("%q is in %s, not in US dollars", clip(h.titles[at]), currency)
				return &ColumnsError{What: what, Titles: h.listed(), Flag: s.flag(f.Name)}
			}
		}
	}
	for at, title := range h.titles {
		if s.Strict && read[at] == "" && title != "" {
			what := fmt.Sprintf("unknown column %q; known columns are %s", clip(title), s.names())
			return &ColumnsError{What: what, Titles: h.listed()}
		}
	}
	return nil
}

func (s *Spec) names() string {
	names := make([]string, len(s.Fields))
	for i, f := range s.Fields {
		names[i] = f.Name
	}
	return strings.Join(names, ",")
}
