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
	return tea.Batch(view.Work(t.table), t.Follow())
}

// walk moves in the table and shows the vintage it comes to.
func (t *Tab) walk(move func()) tea.Cmd {
	move()
	t.pane.refresh()
	return t.Follow()
}

// narrowed reports whether not all vintages are shown.
func (t *Tab) narrowed() bool { return t.table.Query() != "" || t.watch.only }

// drawFilter draws the filter line, with an example while it is empty, and how
// many vintages are left.
func (t *Tab) drawFilter(block *paint.Block) *tea.Cursor {
	matches := ""
	if t.narrowed() {
		matches = view.Number(int64(t.table.Len())) + " of " + view.Count(t.table.Total(), "vintage", "vintages")
	}
	if t.watch.only {
		matches = "◆ watched only · " + matches
	}
	count := paint.NewBlock(t.view.Theme, min(paint.Width(matches)+1, block.Width()), 1)
	count.Put(paint.Muted, matches)
	field := paint.NewBlock(t.view.Theme, block.Width()-count.Width(), 1)
	cursor := t.drawTyped(field.Line(paint.Plain))
	block.Append(paint.Beside(field.String(), count.String()))
	return cursor
}

// drawTyped draws what narrows the table.
func (t *Tab) drawTyped(line *paint.Line) *tea.Cursor {
	if t.filter.Value() == "" && !t.filter.Focused() {
		line.Put(paint.Key, " F ")
		line.Put(paint.Faint, "shows the whole market again")
		return nil
	}
	line.Put(paint.Key, " / ")
	if t.filter.Value() != "" {
		return t.filter.Draw(line, 0)
	}
	cursor := tea.NewCursor(line.Used(), 0)
	line.Put(paint.Faint, "name, type, country, registry, id or year · !word leaves out")
	return cursor
}
