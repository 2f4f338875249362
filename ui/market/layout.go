package market

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"tonne/model"
	"tonne/ui/effect"
	"tonne/ui/style"
	"tonne/ui/tab"
)

// place is the position and size of the parts of the tab.
type place struct {
	width, height int
	// left is the width of the table, top the number of lines of the filter.
	left, top, tableLines, paneLines int
	// areas are the pane below the table and, in the wide layout, the panes to the right of it.
	areas []area
}

type area struct {
	pane        pane
	x, y, lines int
}

func (p place) at(x, y int) (area, bool) {
	for _, a := range p.areas {
		if (x >= p.left) == (a.x > 0) && y >= a.y && y < a.y+a.lines {
			return a, true
		}
	}
	return area{}, false
}

func (p place) of(shown pane) (found area) {
	for _, a := range p.areas {
		if a.pane == shown {
			found = a
		}
	}
	return found
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
	if p.focused && p.shown == pane(p.compare) {
		at.paneLines = body
	} else if p.aside() {
		if left := body - 1 - list.table.Len(); list.table.Len() > 0 && left >= leastPane {
			at.paneLines = left
		}
	} else {
		at.paneLines = p.lowerNeeds(list, body, at.left)
	}
	at.tableLines = body - at.paneLines
	at.areas = []area{{p.lower(), 0, at.top + at.tableLines, at.paneLines}}
	if wide {
		// The watch list has at most a third, and the book half of the rest.
		watched := min(p.watch.list.needs(), height/3)
		book := min(p.book.needs(), (height-watched+1)/2)
		at.areas = append(at.areas, area{p.watch.list, at.left, 0, watched}, area{p.book, at.left, watched, book},
			area{p.chart, at.left, watched + book, height - watched - book})
	}
	return at
}

func (p *panes) lowerNeeds(list *vintages, body, width int) int {
	table := body
	if list.table.Len() > 0 {
		table = 1 + list.table.Len()
	}
	// A basket gets its lines even without the focus, because the user requested it.
	pane := tab.Split(body, table, p.shown.needs(), p.focused || p.onBasket())
	if list.table.Len() == 0 || pane >= body {
		// Keep the border in place while the table is empty or hidden.
		return pane
	}
	return max(min(pane, p.steady(width)), body-table)
}

// Layout arranges the table and the panes. While the cursor moves fast, the panes are not redrawn.
func (t *Tab) Layout(width, height int) {
	if !t.panes.onHistory() && t.watch.leave() {
		t.watch.show(t.list.rows)
	}
	t.list.retitleMoves()
	t.place = t.panes.place(t.list, t.wide, width, height)
	t.list.keepTrend(len(t.areas) > 1)
	if t.tableLines > 0 {
		t.list.table.Layout(t.left, t.tableLines, nil)
	}
	t.panes.lines = t.place.of(t.panes.shown).lines - 1
	focused, aside := t.panes.focused, t.panes.aside()
	t.detail.Layout(t.view, focused && !aside, t.left, t.paneLines, func(width, height int) string {
		s := t.subject()
		s.focused = focused && !aside
		return t.panes.drawPane(t.view.Theme, width, height, t.panes.lower(), s)
	})
	beside := 0
	if len(t.areas) > 1 {
		beside = height
	}
	t.side.Layout(t.view, focused && aside, width-t.left, beside, func(int, int) string {
		return t.panes.drawSide(t.view.Theme, t.place, t.subject())
	})
	tab.AskNames(&t.list.namesShown, t.view, t.list.table, func(k model.VintageKey) string { return k.ProjectID },
		t.session)
}

// Render draws the tab and returns the position of the terminal's cursor, if it has one.
func (t *Tab) Render() (string, *tea.Cursor) {
	block := style.NewBlock(t.view.Theme, t.left, t.height)
	var cursor *tea.Cursor
	if t.top > 0 {
		cursor = t.list.drawFilter(block)
	}
	if t.tableLines > 0 {
		t.list.draw(block, !t.panes.focused)
	}
	if t.paneLines > 0 {
		block.Append(t.detail.Text())
	}
	if cursor == nil {
		cursor = t.rowCursor()
	}
	if len(t.areas) < 2 {
		return block.String(), cursor
	}
	rule := style.NewBlock(t.view.Theme, ruleWidth, t.height)
	for range t.height {
		rule.Put(style.Border, " │")
	}
	return style.Beside(block.String(), rule.String(), t.side.Text()), cursor
}

func (t *Tab) rowCursor() *tea.Cursor {
	if !t.panes.focused {
		if y, ok := t.list.table.CursorLine(); ok && y < t.tableLines {
			return tab.RowCursor(0, t.top+y)
		}
		return nil
	}
	a := t.place.of(t.panes.shown)
	if a.x > 0 {
		a.x += ruleWidth
	}
	if lower := t.panes.shown.cursorList(); lower != nil {
		if line, ok := lower.CursorLine(); ok {
			a.y += 1 + line
		}
	}
	return tab.RowCursor(a.x, a.y)
}

func (t *Tab) click(x, y int) effect.Effect {
	a, onPane := t.at(x, y)
	switch {
	case onPane && a.x > 0 && a.pane == pane(t.panes.chart):
	case onPane:
		if t.panes.shown != a.pane {
			t.panes.show(a.pane)
		}
		t.panes.focus(true)
		if rows := a.pane.cursorList(); rows != nil {
			if position, ok := rows.HitRow(y - a.y - 1); ok {
				rows.MoveTo(position)
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

// The wide layout needs wideWidth columns and wideLines lines. A rule of ruleWidth separates its halves.
const (
	wideWidth = 160
	wideLines = 18
	ruleWidth = 2
	bookSums  = 80
)

// The store keeps the choice of the layout as wideChoice, with the value wideOn or wideOff.
const (
	wideChoice = "market.desk"
	wideOn     = "on"
	wideOff    = "off"
)

func (p place) whyNotWide() string {
	switch {
	case p.width < wideWidth:
		return fmt.Sprintf("The desk view needs %d columns; the terminal has %d.", wideWidth, p.width)
	case p.height < wideLines:
		return fmt.Sprintf("The desk view needs %d more lines.", wideLines-p.height)
	}
	return ""
}

func (t *Tab) toggleWide() {
	t.wide, t.chose = !t.wide, true
	t.session.Choose(wideChoice, map[bool]string{true: wideOn, false: wideOff}[t.wide])
}

func (p *panes) aside() bool {
	return p.wide && (p.onBook() || p.shown == pane(p.watch.list))
}

func (p *panes) lower() pane {
	if p.aside() {
		return p.changes
	}
	return p.shown
}

func (p *panes) arrange(wide bool, sideWidth int) {
	p.wide, p.chart.underBook = wide, wide
	p.book.shorten(wide && sideWidth < bookSums)
	if wide && p.shown == pane(p.chart) {
		p.shown = p.book
	}
}

func (p *panes) drawSide(theme *style.Theme, at place, s subject) string {
	var drawn []string
	for _, a := range at.areas[1:] {
		s.focused = p.focused && p.shown == a.pane
		drawn = append(drawn, p.drawPane(theme, at.width-at.left-ruleWidth, a.lines, a.pane, s))
	}
	return style.Stack(drawn...)
}
