package table

import (
	"strings"

	"tonne/model/field"
)

// CopyCell returns the text of the current cell without its symbol. It is empty if unknown.
func (t *Table[K, R]) CopyCell() string {
	row, ok := t.Current()
	if !ok || len(t.columns) == 0 {
		return ""
	}
	return t.text(t.currentColumn(), row, func(v field.Value, u field.Units) string {
		if v.Blank() {
			return ""
		}
		return v.Format(u)
	})
}

// CopyRow returns the current row, separated by tabs for a spreadsheet, without hidden columns and pictures.
func (t *Table[K, R]) CopyRow() string {
	row, ok := t.Current()
	if !ok {
		return ""
	}
	return t.copied(func(c int) string { return t.text(c, row, field.Value.Bare) })
}

// CopyAll returns the titles and all matching rows in the format of CopyRow, and the number of rows.
func (t *Table[K, R]) CopyAll() (text string, rows int) {
	lines := []string{t.copied(func(c int) string { return t.columns[c].Title })}
	for _, row := range t.Rows() {
		lines = append(lines, t.copied(func(c int) string { return t.text(c, row, field.Value.Bare) }))
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

// text returns the value of a cell in a format, or the cell as it is drawn if it has no value.
func (t *grid[R]) text(column int, row R, format func(field.Value, field.Units) string) string {
	c := &t.columns[column]
	if c.Value != nil {
		return format(c.Value(row), t.units())
	}
	t.spare.Reset()
	c.draw(&t.spare, row, t.units())
	return t.spare.Text()
}
