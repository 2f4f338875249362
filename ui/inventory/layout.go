package inventory

import (
	tea "charm.land/bubbletea/v2"

	"tonne/ui/effect"
	"tonne/ui/style"
	"tonne/ui/tab"
)

// layout is where the filter, the wallets and the trades stand, one below the
// other: how many lines each has.
type layout struct {
	width, height           int
	filter, wallets, trades int
}

// Layout divides the lines and draws the trades.
func (t *Tab) Layout(width, height int) {
	l := layout{width: width, height: height}
	if height > 0 && (t.filter.Focused() || t.wallets.table.Query() != "") {
		l.filter = 1
	}
	l.trades = tab.Split(height-l.filter, t.wallets.needs(height), t.trades.needs(), t.trades.focused)
	l.wallets = height - l.filter - l.trades
	t.layout = l
	t.wallets.layout(width, l.wallets)
	t.trades.layout(width, l.trades, t.page.shown, t.page.stale())
}

// Render draws the filter, the wallets and the trades of the selected one.
func (t *Tab) Render() (string, *tea.Cursor) {
	l := t.layout
	block := style.NewBlock(t.view.Theme, l.width, l.height)
	var cursor *tea.Cursor
	if l.filter > 0 {
		cursor = t.drawFilter(block)
	}
	if l.wallets > 0 {
		t.wallets.draw(block, l.wallets, !t.trades.focused, t.page.stale(), t.page.whyEmpty(t.wallets.table.Query()))
	}
	if l.trades > 0 {
		block.Append(t.trades.text())
	}
	if cursor == nil {
		cursor = t.rowCursor()
	}
	return block.String(), cursor
}

// rowCursor is the terminal's cursor on the row that the keys walk.
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

// drawFilter draws the filter line, with an example while it is empty, and how
// many wallets are left.
func (t *Tab) drawFilter(block *style.Block) *tea.Cursor {
	count := ""
	if t.wallets.table.Query() != "" {
		count = t.wallets.left()
	}
	return t.filter.Draw(block, "/", "name, id, wallet or year, on this page · !word leaves out", count)
}

// click selects a wallet, sorts by a column or gives the trades the keys.
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
	default:
		t.trades.focused = true
		t.trades.click(y - t.layout.wallets)
	}
	return nil
}

// wheel scrolls what is under the mouse.
func (t *Tab) wheel(at tab.Wheel) {
	if at.Y-t.layout.filter < t.layout.wallets {
		t.wallets.table.Scroll(at.Lines)
		t.refresh()
		return
	}
	t.trades.table.Scroll(at.Lines)
}
