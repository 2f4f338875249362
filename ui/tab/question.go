package tab

import (
	tea "charm.land/bubbletea/v2"

	"tonne/ui/effect"
	"tonne/ui/style"
)

// Question is a panel that asks before a change. Only y confirms.
type Question struct {
	Title string
	// Lines are what the change is about, and Yes is what y does, such as "removes 2 rules".
	Lines []string
	Yes   string
	// Do makes the change.
	Do func() effect.Effect
}

// Ask opens the panel.
func (q Question) Ask() effect.Effect { return effect.Show{Panel: &question{q}} }

type question struct{ Question }

func (q *question) Title() string { return q.Question.Title + "?" }

func (q *question) Size(width, height int) (w, h int) {
	return min(width, 60), min(height, len(q.Lines)+2)
}

// Draw draws as many lines as fit above the keys.
func (q *question) Draw(b *style.Block) *tea.Cursor {
	for _, line := range q.Lines[:min(len(q.Lines), max(b.Room()-2, 0))] {
		b.Put(style.Text, line)
	}
	b.Blank(1)
	l := b.Line(style.Plain)
	l.Put(style.Key, "y")
	l.Put(style.Text, " "+q.Yes)
	l.Put(style.Faint, " · Esc cancels")
	return nil
}

func (q *question) Press(key tea.KeyPressMsg) (done bool, e effect.Effect) {
	switch key.String() {
	case "y":
		return true, q.Do()
	case "n", "q", "esc":
		return true, nil
	}
	return false, nil
}

// Paste confirms nothing.
func (*question) Paste(tea.PasteMsg) effect.Effect { return nil }
