package inventory

import (
	tea "charm.land/bubbletea/v2"

	"tonne/ui/effect"
	"tonne/ui/style"
	"tonne/ui/tab"
)

// Typing reports whether keys narrow the table.
func (t *Tab) Typing() bool { return t.filter.Focused() }

// Type narrows the table as one types.
func (t *Tab) Type(msg tea.Msg) effect.Effect { return t.filter.Type(msg) }

// Paste filters by what was pasted.
func (t *Tab) Paste(text string) effect.Effect { return t.filter.Paste(text) }

func (t *Tab) startFilter() effect.Effect {
	t.trades.focused = false
	t.filter.Focus()
	return nil
}

func (t *Tab) narrow() effect.Effect {
	t.table.SetQuery(t.filter.Value())
	t.sum()
	t.refresh()
	return tab.Work(t.table)
}

// drawFilter draws the filter line, with an example while it is empty, and how
// many wallets are left.
func (t *Tab) drawFilter(block *style.Block) *tea.Cursor {
	count := ""
	if t.table.Query() != "" {
		count = tab.Number(int64(t.table.Len())) + " of " + tab.Count(t.table.Total(), "wallet", "wallets") + " on this page"
	}
	return t.filter.Draw(block, "/", "name, id, wallet or year, on this page · !word leaves out", count)
}
