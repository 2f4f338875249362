package importer

import (
	"encoding/csv"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"tonne/model"
)

// sheet is a text that ids are taken from: a list, or a table with ids in one
// of its columns.
type sheet struct {
	rows   []textLine
	titles []string
	// column is the one that most likely holds the ids.
	column int
	// left are the lines of a list in which no id was found.
	left []string
}

// textLine is a line as it stood there, and its words or cells.
type textLine struct {
	text  string
	words []string
}

// lineBreaks makes line feeds of the other breaks of lines: a terminal hands
// over what was pasted with carriage returns.
var lineBreaks = strings.NewReplacer("\r\n", "\n", "\r", "\n")

func readSheet(text string) sheet {
	text = lineBreaks.Replace(strings.TrimPrefix(text, "\ufeff"))
	lines := wordsOf(text)
	others := slices.ContainsFunc(lines, func(l textLine) bool {
		return slices.ContainsFunc(l.words, func(w string) bool { return idScore(w) == 0 })
	})
	if delimiter := delimiterOf(text); delimiter != 0 && others {
		if s := readTable(text, delimiter); s.columns() > 1 && !s.mixed(lines) {
			return s
		}
	}
	return list(lines)
}

func wordsOf(text string) []textLine {
	var lines []textLine
	for line := range strings.Lines(text) {
		if words := model.SplitIDs(strings.ReplaceAll(line, "|", " ")); len(words) > 0 {
			lines = append(lines, textLine{strings.TrimSpace(line), words})
		}
	}
	return lines
}

// mixed reports whether a table is rather a list that has several ids on a
// line: to take one of its columns would lose the ids of the others.
func (s sheet) mixed(lines []textLine) bool {
	holding := -1
	for _, row := range s.rows {
		for column, text := range row.words {
			if !hasID(model.SplitIDs(text), certain) {
				continue
			}
			if holding >= 0 && holding != column {
				return true
			}
			holding = column
		}
	}
	if s.titles != nil {
		return false
	}
	// In a table, ids stand beside something else.
	several := false
	for _, line := range lines {
		likely := 0
		for _, w := range line.words {
			likely += min(idScore(w), 1)
		}
		if likely > 0 && likely < len(line.words) {
			return false
		}
		several = several || likely > 1
	}
	return several
}

// list is a sheet of one column, with a row for each line that holds ids which
// are in none before. Where ids of this marketplace stand among other words, as
// in a mail, only they are taken.
func list(lines []textLine) sheet {
	sure := slices.ContainsFunc(lines, func(l textLine) bool { return hasID(l.words, certain) })
	var s sheet
	seen := make(map[string]bool)
	for _, line := range lines {
		found := slices.DeleteFunc(line.words, func(w string) bool { return sure && idScore(w) != certain })
		var fresh []string
		for _, w := range found {
			if !seen[w] {
				seen[w] = true
				fresh = append(fresh, w)
			}
		}
		switch {
		case len(found) == 0:
			s.left = append(s.left, line.text)
		case len(fresh) > 0:
			s.rows = append(s.rows, textLine{line.text, []string{strings.Join(fresh, " ")}})
		}
	}
	return s
}

func readTable(text string, delimiter rune) sheet {
	reader := csv.NewReader(strings.NewReader(text))
	reader.Comma, reader.LazyQuotes, reader.FieldsPerRecord, reader.TrimLeadingSpace = delimiter, true, -1, true
	var s sheet
	for from := int64(0); ; from = reader.InputOffset() {
		row, err := reader.Read()
		if err != nil {
			break
		}
		s.rows = append(s.rows, textLine{strings.TrimSpace(text[from:reader.InputOffset()]), row})
	}
	if len(s.rows) > 1 && !strings.ContainsFunc(strings.Join(s.rows[0].words, ""), unicode.IsDigit) {
		s.titles, s.rows = s.rows[0].words, s.rows[1:]
	}
	best := -1
	for column := range min(s.columns(), mostColumns) {
		if points := s.points(column); points > best {
			best, s.column = points, column
		}
	}
	if named := model.IDColumn(s.titles); named >= 0 && s.likely(named) {
		s.column = named
	}
	return s
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
		n = max(n, len(row.words))
	}
	return n
}

// cell is the text in a column of a row, empty for one that the row does not have.
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

const mostColumns = 1000

const sample = 200

// points says how likely a column holds the ids, in thousandths: by what it
// is called and by what is in it.
func (s sheet) points(column int) int {
	points, rows := 0, s.rows[:min(len(s.rows), sample)]
	for _, row := range rows {
		points += idScore(strings.TrimSpace(cell(row.words, column))) * 1000
	}
	points /= max(len(rows), 1)
	title := strings.ToLower(cell(s.titles, column))
	for _, hint := range [...]struct {
		word  string
		worth int
	}{{"retirement", 1500}, {"request", 800}, {"id", 300}, {"item", -900}} {
		if strings.Contains(title, hint.word) {
			points += hint.worth
		}
	}
	return points
}

// ids returns the ids of a column, each once, how often one stood there
// again, and the rows that are not blank and hold none, as they stood there.
func (s sheet) ids(column int) (ids []string, again int, left []string) {
	seen := make(map[string]bool)
	strict := s.columns() > 1 && s.likely(column)
	for _, row := range s.rows {
		if strings.TrimSpace(strings.Join(row.words, "")) == "" {
			continue
		}
		found := usable(model.SplitIDs(cell(row.words, column)))
		if strict {
			found = slices.DeleteFunc(found, func(w string) bool { return idScore(w) == 0 })
		}
		if len(found) == 0 {
			left = append(left, row.text)
			continue
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

func (s sheet) likely(column int) bool {
	return slices.ContainsFunc(s.rows, func(row textLine) bool {
		return hasID(model.SplitIDs(cell(row.words, column)), 1)
	})
}

// longestID is the longest text that is taken for an id, in bytes.
const longestID = 128

// usable leaves out what cannot be an id: text that is too long, or that
// holds characters which are not shown.
func usable(words []string) []string {
	return slices.DeleteFunc(words, func(w string) bool {
		hidden := strings.ContainsFunc(w, func(r rune) bool { return !unicode.IsGraphic(r) })
		return hidden || len(w) > longestID || !utf8.ValidString(w)
	})
}

// certain is the score of text that can hardly be anything but the id of a
// retirement request.
const certain = 3

// idScore says how much a text looks like the id of a retirement request: 0
// is not at all. The marketplace's ids have a form, but it is not promised:
// it only helps to find them.
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
		return 1
	}
	return 0
}

func hasID(words []string, least int) bool {
	return slices.ContainsFunc(words, func(w string) bool { return idScore(w) >= least })
}
