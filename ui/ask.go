package ui

import (
	tea "charm.land/bubbletea/v2"

	"tonne/ui/style"
	"tonne/ui/tab"
)

// question is a line that the person types in a box.
type question struct {
	tab.Ask
	entry   tab.Entry
	problem string
	// offered says that the line is still what was given the last time.
	offered bool
}

func newQuestion(ask tab.Ask) *question {
	q := &question{Ask: ask, entry: tab.NewEntry(), offered: ask.Value != ""}
	q.entry.SetValue(ask.Value)
	q.entry.Focus()
	return q
}

// Press types, hands in or closes.
func (q *question) Press(msg tea.KeyPressMsg) (bool, tea.Cmd) {
	switch msg.Keystroke() {
	case "esc":
		return true, nil
	case "enter":
		cmd, problem := q.Done(q.entry.Value())
		q.problem = problem
		return problem == "", cmd
	}
	q.take(msg, msg.Text != "")
	return false, nil
}

// Paste adds to the line.
func (q *question) Paste(msg tea.PasteMsg) tea.Cmd {
	q.take(msg, true)
	return nil
}

// take edits the line. Text replaces what was offered: who asks again mostly
// wants something else, and an old quantity with a new one behind it is a wrong
// one.
func (q *question) take(msg tea.Msg, text bool) {
	if q.offered && text {
		q.entry.SetValue("")
	}
	q.problem, q.offered = "", false
	q.entry.Take(msg)
}

// Render draws the line with what to type below it.
func (q *question) Render(theme *style.Theme, width, height int) (string, int, int, *tea.Cursor) {
	width = min(width-4, 72)
	block := style.NewBlock(theme, width, 3)
	line := block.Line(style.Plain)
	line.Put(style.Product, "❯ ")
	role := style.Text
	if q.offered {
		role = style.Muted
	}
	cursor := q.entry.DrawAs(role, line, 0)
	if cursor != nil {
		cursor.X, cursor.Y = cursor.X+2, cursor.Y+1
	}
	if q.problem != "" {
		block.Put(style.Dearer, "✗ "+q.problem)
	} else {
		block.Put(style.Muted, q.Hint)
	}
	block.Put(style.Faint, "↵ done · Esc cancels")
	return frameBox(theme, q.Title, block.String(), width, 3), width + 4, 5, cursor
}
