package ledger

import (
	"fmt"

	"tonne/model"
	"tonne/ui/style"
	"tonne/ui/tab"
	"tonne/ui/table"
)

// Natural returns the width in which nothing of the list is cut.
func (l *Ledger) Natural() int {
	if l.natural == 0 {
		l.natural = l.Table.Natural()
	}
	return l.natural
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
