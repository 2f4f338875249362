package ledger

import (
	"fmt"
	"slices"

	"tonne/model"
	"tonne/ui/style"
	"tonne/ui/tab"
	"tonne/ui/table"
)

// need is the width that the list needs with a number of columns. The zero
// value is for none: it is to be worked out.
type need struct{ columns, width int }

// Natural returns the width in which nothing of the list is cut.
func (l *Ledger) Natural() int {
	columns := slices.DeleteFunc(l.Table.Columns(), func(c table.Column[Row]) bool { return c.Hidden })
	if l.needed.columns != len(columns) {
		l.needed = need{columns: len(columns), width: l.Table.Natural()}
	}
	return l.needed.width
}

// Draw draws the table in a number of lines.
func (l *Ledger) Draw(block *style.Block, height int, focused bool) {
	if len(l.rows) == 0 {
		block.Put(style.Muted, " The ledger is empty.")
		return
	}
	l.Table.Render(block, height, table.Frame[string]{Focused: focused})
}

// Order says what the list is sorted by if that column is not on the screen,
// which would have an arrow.
func (l *Ledger) Order() string {
	key, descending := l.Table.Sorting()
	if l.Table.OnScreen(key) {
		return ""
	}
	for _, c := range l.Table.Columns() {
		switch {
		case c.Key != key:
		case descending:
			return "by " + c.Title + " ▼"
		default:
			return "by " + c.Title + " ▲"
		}
	}
	return ""
}

// Counts says how many requests there are and how many are followed.
func (l *Ledger) Counts() string {
	n, _ := l.followed()
	text := model.Count(len(l.rows), "request", "requests")
	if shown := l.Table.Len(); shown != len(l.rows) {
		text = fmt.Sprintf("%s of %s", tab.Number(int64(shown)), text)
	}
	if n > 0 {
		text += fmt.Sprintf(", %s followed", tab.Number(int64(n)))
	}
	return text
}
