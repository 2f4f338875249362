package inventory

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
			t.filter.SetValue("")
			return t.narrow()
		case "up":
			walker{t}.Move(-1)
			return nil
		case "down":
			walker{t}.Move(1)
			return nil
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
	t.trades.focused = false
	t.filter.Focus()
	return nil
}

func (t *Tab) narrow() tea.Cmd {
	t.table.SetQuery(t.filter.Value())
	t.sum()
	t.refresh()
	return view.Work(t.table)
}

// drawFilter draws the filter line, with an example while it is empty, and how
// many wallets are left.
func (t *Tab) drawFilter(block *paint.Block) *tea.Cursor {
	matches := ""
	if t.table.Query() != "" {
		matches = view.Number(int64(t.table.Len())) + " of " + view.Count(t.table.Total(), "wallet", "wallets") + " on this page"
	}
	count := paint.NewBlock(t.view.Theme, min(paint.Width(matches)+1, block.Width()), 1)
	count.Put(paint.Muted, matches)
	field := paint.NewBlock(t.view.Theme, block.Width()-count.Width(), 1)
	line := field.Line(paint.Plain)
	line.Put(paint.Key, " / ")
	cursor := tea.NewCursor(line.Used(), 0)
	if t.filter.Value() != "" {
		cursor = t.filter.Draw(line, 0)
	} else {
		line.Put(paint.Faint, "name, id, wallet or year, on this page · !word leaves out")
	}
	block.Append(paint.Beside(field.String(), count.String()))
	return cursor
}
