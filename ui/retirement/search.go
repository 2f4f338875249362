package retirement

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"tonne/model"
	"tonne/ui/effect"
	"tonne/ui/tab"
)

// search is a line that narrows the ledger, or the serial numbers where it was
// begun in the details.
type search struct {
	entry   tab.Entry
	details bool
}

func newSearch() search { return search{entry: tab.NewEntry()} }

// shown reports whether the line is worth showing.
func (s *search) shown() bool { return s.entry.Focused() || s.entry.Value() != "" }

// serials returns what the serial numbers are to contain, or "".
func (s *search) serials(focused bool) string {
	if !s.details || !focused {
		return ""
	}
	return strings.TrimSpace(s.entry.Value())
}

// Typing reports whether keys are text.
func (t *Tab) Typing() bool { return t.input.Focused() || t.search.entry.Focused() }

// Type takes ids, or narrows as one types.
func (t *Tab) Type(msg tea.Msg) effect.Effect {
	if t.search.entry.Focused() {
		return t.typeSearch(msg)
	}
	if paste, ok := msg.(tea.PasteMsg); ok && strings.ContainsAny(paste.Content, "\r\n") {
		t.input.Blur()
		return t.Paste(paste.Content)
	}
	if key, ok := msg.(tea.KeyPressMsg); ok {
		switch key.Keystroke() {
		case "esc":
			t.input.SetValue("")
			t.input.Blur()
			return nil
		case "enter":
			ids, refused := usable(model.SplitIDs(t.input.Value()))
			t.input.SetValue("")
			t.input.Blur()
			if refused > 0 && len(ids) == 0 {
				return effect.Warn("That is no id.")
			}
			return t.add(ids)
		}
	}
	t.input.Take(msg)
	return nil
}

func (t *Tab) typeSearch(msg tea.Msg) effect.Effect {
	if key, ok := msg.(tea.KeyPressMsg); ok {
		switch key.Keystroke() {
		case "enter":
			t.search.entry.Blur()
			return nil
		case "esc":
			return t.clearSearch()
		}
	}
	t.search.entry.Take(msg)
	return t.narrow()
}

func (t *Tab) startSearch() effect.Effect {
	if t.search.details != t.focused {
		t.search.entry.SetValue("")
	}
	t.search.details = t.focused
	t.search.entry.Focus()
	return t.narrow()
}

func (t *Tab) clearSearch() effect.Effect {
	t.search.entry.Blur()
	t.search.entry.SetValue("")
	return t.narrow()
}

// narrow shows what matches.
func (t *Tab) narrow() effect.Effect {
	if !t.search.details {
		t.table.SetQuery(t.search.entry.Value())
	}
	t.refresh()
	return tab.Work(t.table)
}

func (t *Tab) startInput() effect.Effect {
	t.focused = false
	t.search.details = false
	cmd := t.clearSearch()
	t.input.Focus()
	return cmd
}

func (t *Tab) typeNought() effect.Effect {
	cmd := t.startInput()
	t.input.SetValue("0")
	return cmd
}
