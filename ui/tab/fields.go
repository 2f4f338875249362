package tab

import (
	tea "charm.land/bubbletea/v2"

	"tonne/ui/effect"
	"tonne/ui/style"
)

// Fields are lines of a form, one of which has the keys. NewFields makes them.
type Fields struct {
	entries []Entry
	at      int
}

// NewFields returns so many empty lines, the first of which has the keys.
func NewFields(n int) Fields {
	f := Fields{entries: make([]Entry, n)}
	for i := range f.entries {
		f.entries[i] = NewEntry()
	}
	f.Focus(0)
	return f
}

// At is the line that has the keys.
func (f *Fields) At() int { return f.at }

// Len is how many lines there are.
func (f *Fields) Len() int { return len(f.entries) }

// Value returns what was typed in a line, empty for one that is not there.
func (f *Fields) Value(field int) string {
	if field >= len(f.entries) {
		return ""
	}
	return f.entries[field].Value()
}

// SetValue replaces what was typed in a line.
func (f *Fields) SetValue(field int, text string) { f.entries[field].SetValue(text) }

// Offer has text that is typed into the line that has the keys replace what it
// has.
func (f *Fields) Offer() { f.entries[f.at].Offer(f.Value(f.at)) }

// Focus gives the keys to a line; after the last comes the first.
func (f *Fields) Focus(field int) {
	f.entries[f.at].Blur()
	f.entries[f.at].offered = false
	f.at = (field + len(f.entries)) % len(f.entries)
	f.entries[f.at].Focus()
}

// Take edits the line that has the keys, as Entry.Take does.
func (f *Fields) Take(msg tea.Msg) effect.Effect { return f.entries[f.at].Take(msg) }

// Draw puts a line of the form: its label in so many cells, then what was typed, or
// else a hint. It returns the cursor if the line has the keys.
func (f *Fields) Draw(l *style.Line, field, y int, label string, cells int, hint string) *tea.Cursor {
	mark, role := "  ", style.Muted
	if field == f.at {
		mark, role = "❯ ", style.Name
	}
	l.Put(style.Accent, mark)
	l.PutLeft(role, label, cells)
	if f.Value(field) != "" {
		return f.entries[field].Draw(l, y)
	}
	x := l.Used()
	l.Put(style.Faint, hint)
	if field != f.at {
		return nil
	}
	return tea.NewCursor(x, y)
}

const longestProblem = 3

// WrapProblem returns what is wrong with what was typed, in lines of a width.
func WrapProblem(problem string, width int) []string {
	lines := style.Wrap("✗ "+Typed(problem), max(width, 1))
	return lines[:min(len(lines), longestProblem)]
}
