package table

import (
	"regexp"
	"strings"
	"sync"
)

// CopyCell returns the text of the current cell without its symbol.
func (t *Table[K, R]) CopyCell() string {
	row, ok := t.Current()
	if !ok || len(t.columns) == 0 {
		return ""
	}
	return unmarked(t.text(t.currentColumn(), row))
}

// CopyRow returns the current row, separated by tabs for a spreadsheet, without hidden columns and pictures.
func (t *Table[K, R]) CopyRow() string {
	row, ok := t.Current()
	if !ok {
		return ""
	}
	return t.copied(func(c int) string { return bare(t.text(c, row)) })
}

// CopyAll returns the titles and all matching rows in the format of CopyRow, and the number of rows.
func (t *Table[K, R]) CopyAll() (text string, rows int) {
	lines := []string{t.copied(func(c int) string { return t.columns[c].Title })}
	for _, row := range t.Rows() {
		lines = append(lines, t.copied(func(c int) string { return bare(t.text(c, row)) }))
	}
	return strings.Join(lines, "\n") + "\n", len(lines) - 1
}

func (t *grid[R]) copied(cell func(column int) string) string {
	var cells []string
	for c := range t.columns {
		if !t.columns[c].Hidden && !t.columns[c].Picture {
			cells = append(cells, oneLine.Replace(cell(c)))
		}
	}
	return strings.Join(cells, "\t")
}

var oneLine = strings.NewReplacer("\t", " ", "\n", " ", "\r", " ")

func unmarked(text string) string {
	text = strings.TrimLeft(text, " ") // the indentation of a tree
	for _, mark := range [...]string{"★ ", "▲ ", "▼ "} {
		text = strings.TrimPrefix(text, mark)
	}
	if text == "—" {
		return ""
	}
	return text
}

// number is compiled on first use.
var number = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([+−-]?)\$?([0-9][0-9,]*(?:\.[0-9]+)?)(?: [tg]|(%))?$`)
})

func bare(text string) string {
	text = unmarked(text)
	parts := number().FindStringSubmatch(text)
	if parts == nil {
		return text
	}
	sign := ""
	if parts[1] != "" && parts[1] != "+" {
		sign = "-"
	}
	return sign + strings.ReplaceAll(parts[2], ",", "") + parts[3]
}
