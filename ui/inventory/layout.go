package inventory

import (
	tea "charm.land/bubbletea/v2"

	"tonne/ui/effect"
	"tonne/ui/style"
	"tonne/ui/tab"
)

type layout struct {
	width, height          int
	filter, wallets, below int
}

// Layout divides the lines between the wallets and the panel below, and draws that panel.
func (t *Tab) Layout(width, height int) {
	l := layout{width: width, height: height}
	if height > 0 && (t.filter.Focused() || t.filter.Value() != "") {
		l.filter = 1
	}
	body := height - l.filter
	needs := 2 + len(t.trades.list)
	if t.curve.shown {
		needs = t.curve.needs(width)
	}
	l.below = tab.Split(body, t.wallets.needs(height), needs, t.trades.focused || t.curve.shown)
	if t.curve.shown {
		l.below = min(l.below, needs)
	}
	l.wallets = body - l.below
	t.layout = l
	t.wallets.head(t.opened.Since)
	t.wallets.table.Layout(width, l.wallets, t.wallets.footer)
	if t.curve.shown {
		t.curve.detail.Layout(t.view, true, width, l.below, t.curve.draw)
		return
	}
	t.trades.stale = t.listing().stale
	t.trades.detail.Layout(t.view, t.trades.focused, width, l.below, t.trades.draw)
}

// Render draws the tab with the sizes from Layout.
func (t *Tab) Render() (string, *tea.Cursor) {
	l := t.layout
	block := style.NewBlock(t.view.Theme, l.width, l.height)
	var cursor *tea.Cursor
	if l.filter > 0 {
		cursor = t.drawFilter(block)
	}
	listing := t.listing()
	if l.wallets > 0 {
		_, unlabelled := t.view.Unlabelled(&t.filter, t.facts)
		t.wallets.draw(block, !t.trades.focused, listing.stale, append(t.whyEmpty(listing), unlabelled...))
	}
	switch {
	case l.below <= 0:
	case t.curve.shown:
		block.Append(t.curve.detail.Text())
	default:
		block.Append(t.trades.detail.Text())
	}
	if cursor == nil {
		cursor = t.rowCursor()
	}
	return block.String(), cursor
}

func (t *Tab) rowCursor() *tea.Cursor {
	l := t.layout
	if t.trades.focused {
		y, _ := t.trades.table.CursorLine()
		if len(t.trades.list) == 0 {
			y = -1
		}
		return tab.RowCursor(0, l.filter+l.wallets+1+y)
	}
	if y, ok := t.wallets.table.CursorLine(); ok && y < l.wallets {
		return tab.RowCursor(0, l.filter+y)
	}
	return nil
}

func (t *Tab) drawFilter(block *style.Block) *tea.Cursor {
	count := ""
	if t.wallets.table.Query() != "" {
		count = t.wallets.count()
	}
	unlabelled, _ := t.view.Unlabelled(&t.filter, t.facts)
	return t.filter.Draw(block, "/", tab.FilterHelp, count+unlabelled)
}

func (t *Tab) click(at tab.Click) effect.Effect {
	y := at.Y - t.layout.filter
	switch {
	case y < 0:
		t.filter.Focus()
	case y < t.layout.wallets:
		selected, sorting := tab.ClickTable(t.wallets.table, at.X, y)
		if selected {
			t.trades.focused = false
			t.refresh()
		}
		return sorting
	case !t.curve.shown:
		t.trades.focused = true
		if position, ok := t.trades.table.HitRow(y - t.layout.wallets - 1); ok {
			t.trades.table.MoveTo(position)
		}
	}
	return nil
}

func (t *Tab) wheel(at tab.Wheel) {
	switch {
	case at.Y-t.layout.filter < t.layout.wallets:
		t.wallets.table.Scroll(at.Lines)
		t.wallets.askNames(t.feed)
		t.refresh()
	case !t.curve.shown:
		t.trades.table.Scroll(at.Lines)
	}
}
