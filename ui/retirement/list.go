package retirement

import (
	"tonne/ui/effect"
	"tonne/ui/keymap"
	"tonne/ui/tab"
)

// List returns the columns of the ledger, and examples of conditions of its search.
func (t *Tab) List() tab.List {
	return tab.ListOf(t.panes.ledger.Table,
		[]string{"status:complete", "beneficiary:", "from:2026-01-01", "to:2026-12-31"})
}

// Shell returns the command that prints the ledger, or the request whose details have the focus.
func (t *Tab) Shell() tab.Shell {
	if r, ok := t.panes.ledger.Selected(); ok && t.panes.focused {
		return tab.Shell{Words: []string{"retirement", r.ID}}
	}
	return tab.ListCommand("ledger", t.panes.ledger.Table, t.panes.ledger.Search.Value())
}

// Seek goes to a request whose row has all words of a text.
func (t *Tab) Seek(typed string, step int) (effect.Effect, bool) {
	t.panes.leaveDetails()
	found := t.panes.ledger.Table.Seek(typed, step)
	return t.moved(), found
}

// Palette returns nothing: the search finds requests.
func (t *Tab) Palette(string) []keymap.Binding { return nil }

// SaveView returns the columns, sort and search of the ledger.
func (t *Tab) SaveView() tab.SavedView {
	list := t.panes.ledger
	return tab.SaveTable(list.Table, list.Search.Value())
}

// RestoreView shows the ledger as a view does.
func (t *Tab) RestoreView(v tab.SavedView) effect.Effect {
	t.panes.leaveDetails()
	list := t.panes.ledger
	list.Search.SetValue(v[tab.ViewFilter])
	tab.RestoreTable(list.Table, v)
	list.Remeasure()
	return t.refreshed(list.Narrow())
}
