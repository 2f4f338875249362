package market

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
	t.pane.focused = false
	t.filter.Focus()
	return nil
}

func (t *Tab) narrow() effect.Effect {
	t.table.SetQuery(t.filter.Value())
	t.pane.refresh()
	return effect.Batch(tab.Work(t.table), t.Follow())
}

// narrowed reports whether not all vintages are shown.
func (t *Tab) narrowed() bool { return t.table.Query() != "" || t.watch.only }

// drawFilter draws the filter line, with an example while it is empty, and how
// many vintages are left.
func (t *Tab) drawFilter(block *style.Block) *tea.Cursor {
	count := ""
	if t.narrowed() {
		count = tab.Number(int64(t.table.Len())) + " of " + tab.Count(t.table.Total(), "vintage", "vintages")
	}
	if t.watch.only {
		count = "◆ watched only · " + count
	}
	if t.filter.Value() == "" && !t.filter.Focused() {
		return t.filter.Draw(block, "F", "shows the whole market again", count)
	}
	return t.filter.Draw(block, "/", "name, type, country, registry, id or year · !word leaves out", count)
}
