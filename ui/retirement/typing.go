package retirement

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"tonne/ui/effect"
	"tonne/ui/tab"
)

func (t *Tab) lines() []*tab.Entry {
	return []*tab.Entry{&t.importer.Line, &t.ledger.Search, &t.details.Search}
}

// Typing reports whether keys are text.
func (t *Tab) Typing() bool { return slices.ContainsFunc(t.lines(), (*tab.Entry).Focused) }

// Type takes ids, or narrows as one types.
func (t *Tab) Type(msg tea.Msg) effect.Effect {
	switch {
	case t.ledger.Search.Focused():
		told := search(&t.ledger.Search, msg)
		return effect.Batch(t.narrowLedger(), told)
	case t.details.Search.Focused():
		told := search(&t.details.Search, msg)
		t.details.Narrow()
		return told
	}
	return t.addFound(t.importer.Type(msg))
}

// search types in a line: ↵ keeps what was typed, Esc clears it.
func search(line *tab.Entry, msg tea.Msg) effect.Effect {
	if key, ok := msg.(tea.KeyPressMsg); ok {
		switch key.Keystroke() {
		case "enter":
			line.Blur()
			return nil
		case "esc":
			clearLine(line)
			return nil
		}
	}
	return line.Take(msg)
}

func clearLine(line *tab.Entry) {
	line.Blur()
	line.SetValue("")
}

func searching(line *tab.Entry) bool { return line.Focused() || line.Value() != "" }

// Paste looks up the ids in what was pasted, wherever the keys are.
func (t *Tab) Paste(text string) effect.Effect { return t.addFound(t.importer.Paste(text)) }

func (t *Tab) startSearch() effect.Effect {
	if t.focused {
		t.details.Search.Focus()
		return nil
	}
	t.ledger.Search.Focus()
	return nil
}

func (t *Tab) narrowLedger() effect.Effect { return t.thenRefresh(t.ledger.Narrow()) }

func (t *Tab) clearSearch() effect.Effect {
	clearLine(&t.ledger.Search)
	return t.narrowLedger()
}

func (t *Tab) leaveDetails() {
	t.focused = false
	t.clearSerials()
}

func (t *Tab) clearSerials() {
	if searching(&t.details.Search) {
		clearLine(&t.details.Search)
		t.details.Narrow()
	}
}

func (t *Tab) back() effect.Effect {
	switch {
	case searching(&t.details.Search):
		t.clearSerials()
	case t.focused:
		t.leaveDetails()
	default:
		return t.clearSearch()
	}
	return nil
}

func (t *Tab) startInput() effect.Effect {
	t.leaveDetails()
	t.importer.Line.Focus()
	return t.clearSearch()
}

// typeNought begins to type an id: those of this marketplace begin with it.
func (t *Tab) typeNought() effect.Effect {
	t.importer.Line.SetValue("0")
	return t.startInput()
}
