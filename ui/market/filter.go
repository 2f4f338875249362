package market

import (
	tea "charm.land/bubbletea/v2"

	"tonne/model"
	"tonne/ui/effect"
	"tonne/ui/style"
	"tonne/ui/tab"
)

func (t *Tab) startFilter() effect.Effect {
	t.panes.focus(false)
	t.filter.Focus()
	return nil
}

func (t *Tab) narrow() effect.Effect {
	t.table.SetFilter(t.filter.Query(), t.filter.Expr())
	t.refresh()
	return effect.Batch(tab.Work(t.table), t.reckon())
}

func (t *Tab) narrowed() bool { return t.filter.Query() != "" || t.watch.only }

func (t *Tab) filtering() bool { return t.filter.Value() != "" }

func (t *Tab) drawFilter(block *style.Block) *tea.Cursor {
	count := ""
	if t.narrowed() {
		count = tab.Number(int64(t.table.Len())) + " of " + model.Count(t.table.Total(), "vintage", "vintages")
	}
	if n := t.table.ByID(); n > 0 {
		count += " · " + tab.Number(int64(n)) + " by id alone"
	}
	unlabelled, _ := t.view.Unlabelled(&t.filter, t.rows.facts)
	count += unlabelled
	if t.watch.only {
		count = "◆ watched only · " + count
	}
	if t.filter.Value() == "" && !t.filter.Focused() {
		return t.filter.Draw(block, "F", "shows the whole market again", count)
	}
	return t.filter.Draw(block, "/", tab.FilterHelp, count)
}
