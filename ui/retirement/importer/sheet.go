package importer

import (
	"encoding/csv"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"tonne/model"
)

// sheet is a list of ids, or a table with ids in one of its columns.
type sheet struct {
	titles []string
	rows   []textLine
	// column is the one that most likely holds the ids.
	column int
}

type textLine struct {
	text  string
	cells []string
}

// lineBreaks makes line feeds of the other breaks of lines: a terminal hands
// over what was pasted with carriage returns.
var lineBreaks = strings.NewReplacer("\r\n", "\n", "\r", "\n")

func readSheet(text string) sheet {
	text = lineBreaks.Replace(strings.TrimPrefix(text, "\ufeff"))
	if delimiter := delimiterOf(text); delimiter != 0 {
		if s := readTable(text, delimiter); s.findColumn() {
			return s
		}
	}
	return readList(text)
}

// readList returns a sheet of one column. If the text has ids of this marketplace among
// other words, as a mail does, only they are taken.
func readList(text string) (s sheet) {
	least := 0
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		words := model.SplitAllIDs(strings.ReplaceAll(line, "|", " "))
		s.rows = append(s.rows, textLine{line, words})
		if holds(words, certain) {
			least = certain
		}
	}
	for i, row := range s.rows {
		ids := slices.DeleteFunc(row.cells, func(w string) bool { return idScore(w) < least })
		s.rows[i].cells = []string{strings.Join(ids, " ")}
	}
	return s
}

func readTable(text string, delimiter rune) (s sheet) {
	reader := csv.NewReader(strings.NewReader(text))
	reader.Comma, reader.LazyQuotes, reader.FieldsPerRecord, reader.TrimLeadingSpace = delimiter, true, -1, true
	for from := int64(0); ; from = reader.InputOffset() {
		row, err := reader.Read()
		if err != nil {
			break
		}
		s.rows = append(s.rows, textLine{strings.TrimSpace(text[from:reader.InputOffset()]), row})
	}
	if len(s.rows) > 1 && !strings.ContainsFunc(strings.Join(s.rows[0].cells, ""), unicode.IsDigit) {
		s.titles, s.rows = s.rows[0].cells, s.rows[1:]
	}
	return s
}

// findColumn selects the column with ids of this marketplace, or else with what may be
// ids. It reports false for a list with several ids on a line, not a table.
func (s *sheet) findColumn() bool {
	columns := s.columns()
	for _, least := range [...]int{certain, likely} {
		counts, holding := make([]int, columns), 0
		for _, row := range s.rows {
			for c, text := range row.cells {
				if !holds(model.SplitAllIDs(text), least) {
					continue
				}
				if counts[c]++; counts[c] == 1 {
					holding++
				}
			}
		}
		switch named := model.IDColumn(s.titles); {
		case holding > 1 && (least == certain || s.titles == nil && holding == columns):
			return false
		case named >= 0 && counts[named] > 0:
			s.column = named
			return columns > 1
		case holding > 0:
			s.column = slices.Index(counts, slices.Max(counts))
			return columns > 1
		}
	}
	return columns > 1
}

func delimiterOf(text string) rune {
	var best rune
	most := 0
	for _, delimiter := range "\t;,|" {
		lines, with := 0, 0
		for line := range strings.Lines(text) {
			if strings.TrimSpace(line) == "" {
				continue
			}
			lines++
			if strings.ContainsRune(line, delimiter) {
				with++
			}
		}
		if with > most && with*5 >= lines*4 {
			best, most = delimiter, with
		}
	}
	return best
}

func (s sheet) columns() int {
	n := len(s.titles)
	for _, row := range s.rows {
		n = max(n, len(row.cells))
	}
	return n
}

func cell(row []string, column int) string {
	if column < len(row) {
		return row[column]
	}
	return ""
}

func pieces(text string) int {
	n := 1
	for i := range len(text) {
		if strings.IndexByte("\n\r\t ,;|", text[i]) >= 0 {
			n++
		}
	}
	return n
}

func (s sheet) ids() (ids []string, again int, left []string) {
	seen := make(map[string]bool)
	least := 0
	if s.columns() > 1 && slices.ContainsFunc(s.rows, func(row textLine) bool { return holds(model.SplitAllIDs(cell(row.cells, s.column)), likely) }) {
		least = likely
	}
	for _, row := range s.rows {
		found := slices.DeleteFunc(usable(model.SplitIDs(cell(row.cells, s.column))), func(w string) bool { return idScore(w) < least })
		if len(found) == 0 && len(model.SplitAllIDs(row.text)) > 0 {
			left = append(left, row.text)
		}
		for _, id := range found {
			if seen[id] {
				again++
				continue
			}
			seen[id] = true
			ids = append(ids, id)
		}
	}
	return ids, again, left
}

// longestID is the longest text that is taken for an id, in bytes.
const longestID = 128

func usable(words []string) []string {
	return slices.DeleteFunc(words, func(w string) bool {
		hidden := strings.ContainsFunc(w, func(r rune) bool { return !unicode.IsGraphic(r) })
		return hidden || len(w) > longestID || !utf8.ValidString(w)
	})
}

// How much a text looks like the id of a retirement request. The marketplace's ids
// have a form, but it is not promised: it only helps to find them.
const (
	likely  = 1
	certain = 2
)

func idScore(s string) int {
	digits, lower, upper := 0, 0, 0
	for i := range len(s) {
		switch c := s[i]; {
		case '0' <= c && c <= '9':
			digits++
		case 'a' <= c && c <= 'z':
			lower++
		case 'A' <= c && c <= 'Z':
			upper++
		case c == '-' || c == '_':
		default:
			return 0
		}
	}
	switch {
	case len(s) == 18 && digits+lower == 18 && strings.HasPrefix(s, "00m"):
		return certain
	case digits > 0 && lower+upper > 0 && len(s) >= 6 && len(s) <= 64:
		return likely
	}
	return 0
}

func holds(words []string, least int) bool {
	return slices.ContainsFunc(words, func(w string) bool { return idScore(w) >= least })
}
