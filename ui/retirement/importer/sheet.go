package importer

import (
	"cmp"
	"encoding/csv"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"tonne/model"
)

// list is the ids found in a text, without repetitions.
type list struct {
	ids []string
	// column is the name of the table's column of ids, "" if the text is not a table.
	column string
	// again is the number of repeated ids, left the lines without an id.
	again int
	left  []string
}

// line is a line or a table row, with the words that may be ids.
type line struct {
	text  string
	words []string
}

// lineBreaks converts line breaks to line feeds. Terminals send pasted ones as carriage returns.
var lineBreaks = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// readList finds the ids in a list, a table or a text such as an email. If some words have the
// form of this marketplace's ids, only those are used.
func readList(text string) (l list) {
	text = lineBreaks.Replace(strings.TrimPrefix(text, "\ufeff"))
	lines, column := readTable(text)
	l.column = column
	most := likely
	if column == "" {
		most = certain
		for text := range strings.Lines(text) {
			text = strings.TrimSpace(text)
			lines = append(lines, line{text, model.SplitAllIDs(strings.ReplaceAll(text, "|", " "))})
		}
	}
	least := 0
	if slices.ContainsFunc(lines, func(l line) bool { return score(l.words) >= most }) {
		least = most
	}
	seen := make(map[string]bool)
	for _, row := range lines {
		found := slices.DeleteFunc(usable(row.words), func(w string) bool { return idScore(w) < least })
		if len(found) == 0 && len(model.SplitAllIDs(row.text)) > 0 {
			l.left = append(l.left, row.text)
		}
		for _, id := range found {
			if seen[id] {
				l.again++
				continue
			}
			seen[id] = true
			l.ids = append(l.ids, id)
		}
	}
	return l
}

// readTable returns the rows of a table with the words in its column of ids, or nil if the text is not a table.
func readTable(text string) (rows []line, name string) {
	delimiter := delimiterOf(text)
	if delimiter == 0 {
		return nil, ""
	}
	reader := csv.NewReader(strings.NewReader(text))
	reader.Comma, reader.LazyQuotes, reader.FieldsPerRecord, reader.TrimLeadingSpace = delimiter, true, -1, true
	var table [][]string
	columns := 0
	for from := int64(0); ; from = reader.InputOffset() {
		row, err := reader.Read()
		if err != nil {
			break
		}
		table, rows = append(table, row), append(rows, line{text: strings.TrimSpace(text[from:reader.InputOffset()])})
		columns = max(columns, len(row))
	}
	var titles []string
	if len(table) > 1 && !strings.ContainsFunc(strings.Join(table[0], ""), unicode.IsDigit) {
		titles, table, rows = table[0], table[1:], rows[1:]
	}
	column := columnOfIDs(titles, table, columns)
	if column < 0 {
		return nil, ""
	}
	for i, row := range table {
		if column < len(row) {
			rows[i].words = model.SplitAllIDs(row[column])
		}
	}
	if column < len(titles) {
		name = strings.TrimSpace(titles[column])
	}
	return rows, cmp.Or(name, "number "+strconv.Itoa(column+1))
}

// columnOfIDs returns the column that has ids of this marketplace, or else the one most like
// ids. It returns -1 for a list with several ids per line.
func columnOfIDs(titles []string, table [][]string, columns int) int {
	best, sum, several := make([]int, columns), make([]int, columns), 0
	for _, row := range table {
		for c, text := range row {
			score := score(model.SplitAllIDs(text))
			if sum[c] += score; score == certain && best[c] < certain {
				several++
			}
			best[c] = max(best[c], score)
		}
	}
	named := model.IDColumn(titles)
	switch {
	case columns < 2 || several > 1 || titles == nil && !slices.Contains(best, 0):
		return -1
	case named >= 0 && best[named] == slices.Max(best):
		return named
	}
	return slices.Index(sum, slices.Max(sum))
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

func pieces(text string) int {
	n := 1
	for i := range len(text) {
		if strings.IndexByte("\n\r\t ,;|", text[i]) >= 0 {
			n++
		}
	}
	return n
}

// longestID is the maximum length of an id in bytes.
const longestID = 128

func usable(words []string) []string {
	return slices.DeleteFunc(words, func(w string) bool {
		hidden := strings.ContainsFunc(w, func(r rune) bool { return !unicode.IsGraphic(r) })
		return hidden || len(w) > longestID || !utf8.ValidString(w)
	})
}

// The scores of a word as the id of a retirement request. The form of the marketplace's ids is
// undocumented, so it only ranks candidates.
const (
	likely  = 1
	certain = 2
)

func idScore(s string) int {
	const digits, lower, upper = "0123456789", "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	switch {
	case strings.Trim(s, digits+lower+upper+"-_") != "":
		return 0
	case len(s) == 18 && strings.HasPrefix(s, "00m") && strings.Trim(s, digits+lower) == "":
		return certain
	case len(s) >= 6 && len(s) <= 64 && strings.ContainsAny(s, digits) && strings.ContainsAny(s, lower+upper):
		return likely
	}
	return 0
}

// score returns the highest score of the words.
func score(words []string) (best int) {
	for _, w := range words {
		best = max(best, idScore(w))
	}
	return best
}
