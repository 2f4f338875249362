package inventory

import (
	tea "charm.land/bubbletea/v2"

	"tonne/ui/view"
)

// Typing reports whether keys narrow the table.
func (t *Tab) Typing() bool { return t.filter.Focused() }

// Type narrows the table as one types. ↵ keeps the filter, Esc clears it.
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
