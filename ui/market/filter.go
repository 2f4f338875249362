package market

import (
	tea "charm.land/bubbletea/v2"

	"tonne/ui/paint"
	"tonne/ui/view"
)

// Typing reports whether keys narrow the table.
func (t *Tab) Typing() bool { return t.filter.Focused() }

// Type narrows the table as one types. ↵ keeps the filter, Esc clears it, and
// the arrows walk the rows meanwhile.
func (t *Tab) Type(msg tea.Msg) tea.Cmd {
	if key, ok := msg.(tea.KeyPressMsg); ok {
		switch key.Keystroke() {
		case "enter":
			t.filter.Blur()
			return nil
		case "esc":
			t.filter.Blur()
			return t.clearFilter()
		case "up":
			return t.walk(func() { t.table.Move(-1) })
		case "down":
			return t.walk(func() { t.table.Move(1) })
		}
	}
	t.filter.Take(msg)
	return t.narrow()
}

// Paste filters by what was pasted.
func (t *Tab) Paste(text string) tea.Cmd {
	t.filter.Focus()
	t.filter.Take(tea.PasteMsg{Content: text})
	return t.narrow()
}

func (t *Tab) startFilter() tea.Cmd {
	t.pane.focused = false
	t.filter.Focus()
	return nil
}

func (t *Tab) clearFilter() tea.Cmd {
	t.filter.SetValue("")
	return t.narrow()
}

func (t *Tab) narrow() tea.Cmd {
	t.table.SetQuery(t.filter.Value())
	t.pane.refresh()
	return view.Work(t.table)
}

// walk moves in the table and shows the vintage it comes to.
func (t *Tab) walk(move func()) tea.Cmd {
	move()
	t.pane.refresh()
	return view.Work(t.table)
}

// drawFilter draws the filter line, with an example while it is empty.
func (t *Tab) drawFilter(line *paint.Line) *tea.Cursor {
	line.Put(paint.Key, " / ")
	if t.filter.Value() != "" {
		return t.filter.Draw(line, 0)
	}
	x := line.Used()
	line.Put(paint.Faint, "name, type, country, registry, id or year · !word leaves out")
	return tea.NewCursor(x, 0)
}
