package importer

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"tonne/model"
	"tonne/model/file/tabular"
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

// readList finds the ids in a list, a table or a text such as an email. If some words have the
// form of this marketplace's ids, only those are used. The error is about a table.
func readList(table *tabular.Table) (l list, err error) {
	lines, column, err := readTable(table)
	if err != nil {
		return list{}, err
	}
	l.column = column
	most := likely
	if column == "" {
		most = certain
		for _, text := range table.Lines() {
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
	return l, nil
}

// idSpec describes a table with a title of ids.
var idSpec = tabular.Spec{Fields: []tabular.Field{{Name: "id", Kind: tabular.ID}}}

// readTable returns the rows of a table with the words in its column of ids, or nil if the text is
// not a table. The error is about its titles or cells.
func readTable(table *tabular.Table) (rows []line, name string, err error) {
	comma := byte(0)
	if !table.Fixed() {
		if comma = delimiterOf(table.Text()); comma == 0 {
			return nil, "", nil
		}
	}
	r, err := table.Records(idSpec)
	columns, refused := errors.AsType[*tabular.ColumnsError](err)
	switch {
	case refused && columns.Flag == "":
		rows, name = guessColumn(table, comma)
		return rows, name, nil
	case err != nil:
		return nil, "", err
	}
	for record := range r.All() {
		rows = append(rows, line{strings.Join(record.Texts(), ","), model.SplitAllIDs(record.Text("id"))})
	}
	return rows, r.Titles["id"], nil
}

// guessColumn returns the rows of a table without a known title of ids, and the column of ids.
func guessColumn(from *tabular.Table, comma byte) (rows []line, name string) {
	var table [][]string
	columns := 0
	for number, cells := range from.Rows(comma) {
		text := strings.Join(cells, ",")
		if cells == nil {
			text = "line " + strconv.Itoa(number) + " is not a row of a table"
		}
		table, rows = append(table, cells), append(rows, line{text: text})
		columns = max(columns, len(cells))
	}
	var titles []string
	if len(table) > 1 && !strings.ContainsFunc(strings.Join(table[0], ""), unicode.IsDigit) {
		titles, table, rows = table[0], table[1:], rows[1:]
	}
	column := columnOfIDs(titles != nil, table, columns)
	if column < 0 {
		return nil, ""
	}
	for i, row := range table {
		if column < len(row) {
			rows[i].words = model.SplitAllIDs(row[column])
		}
	}
	if column < len(titles) {
		name = titles[column]
	}
	return rows, cmp.Or(name, "number "+strconv.Itoa(column+1))
}

// columnOfIDs returns the column that has ids of this marketplace, or else the one most like
// ids. It returns -1 for a list with several ids per line.
func columnOfIDs(titled bool, table [][]string, columns int) int {
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
	if columns < 2 || several > 1 || !titled && !slices.Contains(best, 0) {
		return -1
	}
	return slices.Index(sum, slices.Max(sum))
}

// delimiterOf returns the delimiter that most lines of a text have, or 0.
func delimiterOf(text string) byte {
	var best byte
	most := 0
	for _, delimiter := range []byte("\t;,") {
		lines, with := 0, 0
		for line := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '\r' || r == '\n' }) {
			if strings.TrimSpace(line) == "" {
				continue
			}
			lines++
			if strings.IndexByte(line, delimiter) >= 0 {
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
