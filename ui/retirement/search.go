package retirement

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"tonne/model"
	"tonne/ui/view"
)

// search narrows the ledger and, where the details have the keys, the serial
// numbers.
type search struct{ entry view.Entry }

func newSearch() search { return search{view.NewEntry()} }

// matching returns the serial numbers that contain what was typed, all where
// none does: the words may be meant for the ledger.
func (s *search) matching(serials []string) []string {
	wanted := strings.ToLower(strings.TrimSpace(s.entry.Value()))
	if wanted == "" {
		return serials
	}
	var found []string
	for _, serial := range serials {
		if strings.Contains(strings.ToLower(serial), wanted) {
			found = append(found, serial)
		}
	}
	if found == nil {
		return serials
	}
	return found
}

// Typing reports whether keys are text.
func (t *Tab) Typing() bool { return t.input.Focused() || t.search.entry.Focused() }

// Type takes ids, or narrows as one types.
func (t *Tab) Type(msg tea.Msg) tea.Cmd {
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
			ids := model.SplitIDs(t.input.Value())
			t.input.SetValue("")
			t.input.Blur()
			return t.add(ids)
		}
	}
	t.input.Take(msg)
	return nil
}

func (t *Tab) typeSearch(msg tea.Msg) tea.Cmd {
	if key, ok := msg.(tea.KeyPressMsg); ok {
		switch key.Keystroke() {
		case "enter":
			t.search.entry.Blur()
			return nil
		case "esc":
			t.search.entry.Blur()
			t.search.entry.SetValue("")
			return t.narrow()
		}
	}
	t.search.entry.Take(msg)
	return t.narrow()
}

// narrow shows what matches: serial numbers while the details have the keys,
// requests otherwise.
func (t *Tab) narrow() tea.Cmd {
	if !t.focused {
		t.table.SetQuery(t.search.entry.Value())
	}
	t.refresh()
	return nil
}

// maxPasted is how many ids are taken at once.
const maxPasted = 5000

// Paste looks up the ids in what was pasted, wherever the keys are.
func (t *Tab) Paste(text string) tea.Cmd {
	ids := model.SplitIDs(text)
	if len(ids) > maxPasted {
		return view.Complain("That is more than 5,000 ids. Use tonne retirement --file instead.")
	}
	return t.add(ids)
}

func (t *Tab) startInput() tea.Cmd {
	t.focused = false
	t.search.entry.SetValue("")
	t.table.SetQuery("")
	t.input.Focus()
	return nil
}
