package market

import (
	tea "charm.land/bubbletea/v2"

	"tonne/ui/effect"
	"tonne/ui/style"
	"tonne/ui/tab"
)

// place is where the parts of the tab are. The zero value of side is the plain view.
type place struct {
	width, height int
	// left is how wide the table is, top how many lines the filter has,
	// tableLines and paneLines are those of the table and of the pane below it.
	left, top, tableLines, paneLines int
	side                             sidePlace
	areas                            []area
}

// area is where a pane is, and how many lines its border has.
type area struct {
	pane                pane
	x, y, lines, border int
}

// at returns the area of a cell.
func (p place) at(x, y int) (area, bool) {
	for _, a := range p.areas {
		if (x >= p.left) == (a.x > 0) && y >= a.y && y < a.y+a.lines {
			return a, true
		}
	}
	return area{}, false
}

func (p *panes) place(list *vintages, wide bool, width, height int) place {
	at := place{width: width, height: height, left: width}
	wide = wide && at.whyNotWide() == ""
	if wide {
		at.left = width * 5 / 8
	}
	p.arrange(wide, width-at.left)
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
	at.areas = []area{{p.lower(), 0, at.top + at.tableLines, at.paneLines, 1}}
	if wide {
		at.side = p.placeSide(width-at.left, height)
		at.areas = append(at.areas, area{p.watch.list, at.left, 0, at.side.watched, 0}, area{p.book, at.left, at.side.watched, at.side.book, 1})
	}
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
	t.place = t.panes.place(t.list, t.wide, width, height)
	t.list.layout(t.left, t.tableLines)
	t.panes.lines = t.shownArea().lines - 1
	focused, aside := t.panes.focused, t.panes.aside()
	t.detail.Layout(t.view, focused && !aside, t.left, t.paneLines, func(width, height int) string {
		s := t.subject()
		s.focused = focused && !aside
		return t.panes.drawPane(t.view.Theme, width, height, t.panes.lower(), s)
	})
	lines := t.side.watched + t.side.book + t.side.chart
	t.beside.Layout(t.view, focused && aside, t.side.width, lines, func(int, int) string {
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

// shownArea is where the pane is that the keys walk.
func (t *Tab) shownArea() (shown area) {
	for _, a := range t.areas {
		if a.pane == t.panes.shown {
			shown = a
		}
	}
	return shown
}

func (t *Tab) rowCursor() *tea.Cursor {
	if !t.panes.focused {
		if y, ok := t.list.table.CursorLine(); ok && y < t.tableLines {
			return tab.RowCursor(0, t.top+y)
		}
		return nil
	}
	a := t.shownArea()
	if a.x > 0 {
		a.x += ruleWidth
	}
	if lower := t.panes.walked(); lower != nil {
		if line, ok := lower.CursorLine(); ok {
			a.y += a.border + line
		}
	}
	return tab.RowCursor(a.x, a.y)
}

func (t *Tab) click(x, y int) effect.Effect {
	a, onPane := t.at(x, y)
	switch {
	case onPane:
		if t.panes.shown != a.pane {
			t.panes.show(a.pane)
		}
		t.panes.focus(true)
		if walked := a.pane.walked(); walked != nil {
			if position, ok := walked.HitRow(y - a.y - a.border); ok {
				walked.MoveTo(position)
			}
		}
	case x >= t.left:
	case y < t.top:
		t.list.filter.Focus()
	default:
		selected, sorting := tab.ClickTable(t.list.table, x, y-t.top)
		if selected {
			t.panes.focus(false)
			t.refresh()
		}
		return sorting
	}
	return nil
}

func (t *Tab) wheel(at tab.Wheel) {
	if a, onPane := t.at(at.X, at.Y); onPane {
		a.pane.move(at.Lines)
	} else if at.X < t.left {
		t.list.table.Scroll(at.Lines)
		t.refresh()
	}
}
