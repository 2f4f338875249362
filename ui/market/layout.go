package market

import (
	tea "charm.land/bubbletea/v2"

	"tonne/ui/effect"
	"tonne/ui/style"
	"tonne/ui/tab"
)

type place struct {
	width, height int
	// left is how wide the table is, top how many lines the filter has,
	// tableLines and paneLines are those of the table and of the pane below it.
	left, top, tableLines, paneLines int
	side                             sidePlace
}

func (p *panes) place(list *vintages, desk bool, width, height int) place {
	at := place{width: width, height: height, left: width}
	onDesk := desk && deskFits(width, height)
	p.arrange(onDesk, width)
	if onDesk {
		at.left = deskLeft(width)
		at.side = p.placeSide(width-at.left, height)
	}
	if list.filter.Focused() || list.narrowed() {
		at.top = 1
	}
	body := height - at.top
	if p.aside() {
		// What the table leaves empty shows what changed.
		if left := body - 1 - list.table.Len(); list.table.Len() > 0 && left >= leastPane {
			at.paneLines = left
		}
	} else {
		at.paneLines = p.lowerNeeds(list, body, at.left)
	}
	at.tableLines = body - at.paneLines
	return at
}

// lowerNeeds is how many lines the pane below the table takes: no more than it
// has something for, and what the table leaves.
func (p *panes) lowerNeeds(list *vintages, body, width int) int {
	table := body
	if list.table.Len() > 0 {
		table = 1 + list.table.Len()
	}
	// A basket is what was asked for, whoever has the keys.
	pane := tab.Split(body, table, p.shown.needs(), p.focused || p.onBasket())
	if list.table.Len() == 0 || pane >= body {
		// The rule stays where it is while there is nothing on either side of it.
		return pane
	}
	return max(min(pane, p.steady(width)), body-table)
}

// Layout places what is shown. Panes are drawn, which a cursor that runs leaves
// as they are.
func (t *Tab) Layout(width, height int) {
	if !t.onHistory() && t.watch.leave() {
		t.watch.show(t.list.rows)
		t.list.table.Show("watch", t.watch.marksAny())
	}
	t.list.headMoves()
	t.place = t.panes.place(t.list, t.desk, width, height)
	t.list.layout(t.left, t.tableLines)
	focused, aside := t.panes.focused, t.panes.aside()
	if aside {
		t.panes.lines = t.side.walked(t.panes.onBook())
	}
	t.detail.Layout(t.view, focused && !aside, t.left, t.paneLines, func(width, height int) string {
		return t.panes.render(t.view.Theme, width, height, t.subject())
	})
	t.beside.Layout(t.view, focused && aside, t.side.width, t.side.lines(), func(int, int) string {
		return t.panes.drawSide(t.view.Theme, t.side, t.subject())
	})
	t.list.askNames()
}

// Render draws the filter and the table, and puts the panes around them.
func (t *Tab) Render() (string, *tea.Cursor) {
	block := style.NewBlock(t.view.Theme, t.left, t.height)
	var cursor *tea.Cursor
	if t.top > 0 {
		cursor = t.list.drawFilter(block)
	}
	t.list.draw(block, t.tableLines, !t.panes.focused)
	if t.paneLines > 0 {
		block.Append(t.detail.Text())
	}
	if cursor == nil {
		cursor = t.rowCursor()
	}
	if t.side.width == 0 {
		return block.String(), cursor
	}
	return style.Beside(block.String(), drawRule(t.view.Theme, t.height), t.beside.Text()), cursor
}

func (t *Tab) rowCursor() *tea.Cursor {
	if !t.panes.focused {
		if y, ok := t.list.table.CursorLine(); ok && y < t.tableLines {
			return tab.RowCursor(0, t.top+y)
		}
		return nil
	}
	x, y := 0, t.top+t.tableLines
	if t.panes.aside() {
		x, y = t.left+ruleWidth, t.side.above(t.panes.onBook())
	}
	if lower := t.panes.walked(); lower != nil {
		if line, ok := lower.CursorLine(); ok {
			y += t.panes.border() + line
		}
	}
	return tab.RowCursor(x, y)
}

func (t *Tab) click(x, y int) effect.Effect {
	if t.side.width > 0 && x >= t.left {
		if p := t.panes.sideAt(t.side, y); p != nil {
			t.panes.reveal(p)
			t.panes.click(y - t.side.above(t.panes.onBook()))
		}
		return nil
	}
	y -= t.top
	switch {
	case y < 0:
		t.list.filter.Focus()
	case y < t.tableLines:
		selected, sorting := tab.ClickTable(t.list.table, x, y)
		if selected {
			t.panes.focus(false)
			t.refresh()
		}
		return sorting
	default:
		t.panes.reveal(t.panes.lower())
		t.panes.click(y - t.tableLines)
	}
	return nil
}

func (t *Tab) wheel(at tab.Wheel) {
	switch {
	case t.side.width > 0 && at.X >= t.left:
		if p := t.panes.sideAt(t.side, at.Y); p != nil {
			p.move(at.Lines)
		}
	case at.Y-t.top < t.tableLines:
		t.list.table.Scroll(at.Lines)
		t.refresh()
	default:
		t.panes.lower().move(at.Lines)
	}
}
