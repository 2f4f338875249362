// Package market is the Market tab: one row a vintage, and below it what is
// known of the selected one.
package market

import (
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"tonne/model"
	"tonne/ui/effect"
	"tonne/ui/style"
	"tonne/ui/tab"
	"tonne/ui/table"
)

// Tab is the Market tab.
type Tab struct {
	view    *tab.View
	session Session
	rows    *rows
	table   *table.Table[model.VintageKey, row]
	// filter is the line that narrows the table.
	filter tab.Filter
	// panes show more of the selected vintage, detail what they drew last.
	panes   panes
	detail  tab.Detail
	history history
	watch   watchlist
	marks   marks
	// trends are how the best asks moved lately.
	trends map[model.VintageKey][]model.PriceCents
	// named are the projects whose details were asked for first.
	named []string
	// since heads the column of moves.
	since string
	// problem is why nothing outlives this run; nil if it does.
	problem error
	// frame is what was drawn last, cursor where the text cursor stands in it.
	frame  string
	cursor *tea.Cursor
	// tableLines is how many lines the table had in the last frame, top on
	// which line it began.
	top, tableLines int
}

// New returns the tab. Safe returns the host that an address leads to, or why
// it is not opened; nil opens none.
func New(v *tab.View, s Session, safe func(url string) (host string, err error)) *Tab {
	t := &Tab{view: v, session: s, panes: newPanes(v, safe), history: history{view: v}}
	t.rows = &rows{market: model.NewMarket()}
	t.table = table.New[model.VintageKey](spec(t))
	t.filter = tab.NewFilter(t.table, t.moved, t.narrow)
	t.table.SelectColumn("project")
	t.table.Sort("project", false)
	t.table.SetSource(t.rows)
	return t
}

// result takes what came of work, and what was answered to a dialog.
func (t *Tab) result(result any) effect.Effect {
	switch result := result.(type) {
	case tab.Arranged:
		more := result.Apply()
		t.refresh()
		return more
	case wanted:
		t.panes.quote.wanted = result
		t.panes.show(t.panes.quote)
	case ruleTyped:
		return t.addRule(result.vintage, result.rule)
	case tab.Exported:
		return result.Save()
	case effect.Toggled:
		t.table.Show(result.Key, result.On)
	}
	return nil
}

// reorder sorts by the names that have arrived since the rows were sorted.
func (t *Tab) reorder() effect.Effect {
	if len(t.rows.order) == len(t.rows.projects) {
		return nil
	}
	next := *t.rows
	next.settleOrder(true)
	return t.replace(&next)
}

// askNames asks for the details of the rows on the screen first, if some are
// not known.
func (t *Tab) askNames() {
	var ids []string
	for _, r := range t.table.Screen() {
		if id := r.projectID(); r.project().ID == "" && (len(ids) == 0 || ids[len(ids)-1] != id) {
			ids = append(ids, id)
		}
	}
	if len(ids) > 0 && !slices.Equal(ids, t.named) {
		t.named = ids
		t.session.ShowProjects(ids)
	}
}

// replace shows another state of the rows.
func (t *Tab) replace(next *rows) effect.Effect {
	t.rows = next
	t.table.SetSource(t.rows)
	t.panes.watched.list(t.watch.Watchlist, next)
	t.refresh()
	return tab.Work(t.table)
}

// refresh shows the vintage that the cursor came to. The session keeps its
// name, which must not hold the text of a snapshot.
func (t *Tab) refresh() {
	r, ok := t.selected()
	t.panes.refresh(r, ok)
	if ok && r.key() != t.history.asked {
		t.history.asked = r.key().Clone()
		t.session.LoadPrices(t.history.asked)
	}
}

// subject is what the panes show now.
func (t *Tab) subject() subject {
	r, ok := t.selected()
	return subject{
		row: r, selected: ok, book: t.panes.book.book, history: &t.history, marks: &t.marks, problem: t.problem,
		focused: t.panes.focused, stale: t.stale(),
	}
}

// Expire ends the marks of changed values.
func (t *Tab) Expire(now time.Time) (time.Time, bool) { return t.marks.expire(now) }

// remeasure lets the columns take their headings and widths anew: quantities are
// written in another unit.
func (t *Tab) remeasure() {
	t.table.Remeasure()
	t.panes.remeasure()
}

// selected returns the row of the cursor.
func (t *Tab) selected() (row, bool) { return t.table.Current() }

// status tells the rows and what they are narrowed to.
func (t *Tab) status() string {
	m := t.rows.market
	if t.view.Market.Market == nil {
		return ""
	}
	counts := tab.Count(m.Projects(), "project", "projects") + " · " + tab.Count(m.Vintages(), "vintage", "vintages")
	first, last, total := t.table.Visible()
	if t.narrowed() {
		counts = fmt.Sprintf("%s of %s", tab.Number(int64(total)), tab.Count(m.Vintages(), "vintage", "vintages"))
	}
	if t.view.Market.Partial {
		counts += " so far"
	}
	if total > 0 {
		counts = fmt.Sprintf("%s–%s · ", tab.Number(int64(first)), tab.Number(int64(last))) + counts
	}
	if n := len(m.Faults()); n > 0 {
		counts += fmt.Sprintf(" · ⚠ %s not readable", tab.Count(n, "value", "values"))
	}
	return counts
}

// draw draws the filter, the table and the pane.
func (t *Tab) draw(width, height int) (string, *tea.Cursor) {
	block := style.NewBlock(t.view.Theme, width, height)
	var cursor *tea.Cursor
	t.top = 0
	if t.filter.Focused() || t.narrowed() {
		cursor = t.drawFilter(block)
		t.top = 1
	}
	pane := tab.Split(height-t.top, t.needs(height), t.panes.shown.needs(), t.panes.focused)
	t.tableLines = height - t.top - pane
	t.drawTable(block)
	t.detail.Layout(t.view, t.panes.focused, width, pane, func(width, height int) string {
		return t.panes.render(t.view.Theme, width, height, t.subject())
	})
	if pane > 0 {
		block.Append(t.detail.Text())
	}
	if cursor == nil {
		cursor = t.rowCursor()
	}
	return block.String(), cursor
}

// rowCursor is the terminal's cursor where the keys are: on a row, or at the
// border of a pane of text.
func (t *Tab) rowCursor() *tea.Cursor {
	if !t.panes.focused {
		if y, ok := t.table.CursorLine(); ok && y < t.tableLines {
			return tab.RowCursor(0, t.top+y)
		}
		return nil
	}
	y := t.top + t.tableLines
	if lower := t.panes.walked(); lower != nil {
		if line, ok := lower.CursorLine(); ok {
			y += 1 + line
		}
	}
	return tab.RowCursor(0, y)
}

// needs is how many lines the table would like to have. Where it is empty, so is
// the book below it: the rule between them stays where it is.
func (t *Tab) needs(height int) int {
	if t.table.Len() == 0 {
		return height
	}
	return 1 + t.table.Len()
}

func (t *Tab) drawTable(block *style.Block) {
	if t.tableLines <= 0 {
		return
	}

	empty := t.table.Len() == 0
	lines := t.tableLines
	if empty {
		lines = min(lines, 1)
	}
	t.table.Render(block, lines, table.Frame[model.VintageKey]{
		Focused: !t.panes.focused, Stale: t.stale(), Flash: t.marks.vintage,
	})
	if empty {
		t.drawEmpty(block, t.tableLines-1)
	}
}

// drawEmpty says why there are no rows, and what to do.
func (t *Tab) drawEmpty(block *style.Block, lines int) {
	end := block.Room() - lines
	say := func(role style.Role, text string) {
		if block.Room() > end {
			block.Put(role, " "+text)
		}
	}
	say(style.Text, "")
	switch s := t.view.Market.Status; {
	case t.table.Query() != "":
		say(style.Text, "No vintage matches "+tab.Typed(t.table.Query())+".")
		say(style.Muted, "Esc clears the filter.")
	case t.watch.only:
		say(style.Text, "No watched vintage is for sale at present.")
		say(style.Muted, "F shows the whole market again.")
	case t.view.Market.Market != nil:
		say(style.Text, "No sell orders are available at present.")
		say(style.Muted, "They appear here as soon as there are some. r asks now.")
	case s.Err != nil:
		say(style.Warning, "⚠ "+s.Err.Error())
		say(style.Muted, tab.Advice(s.Err))
	default:
		say(style.Muted, "Reading the market …")
	}
	block.Blank(block.Room() - end)
}

// click selects a row, sorts by a column or gives the pane the focus.
func (t *Tab) click(x, y int) effect.Effect {
	y -= t.top
	switch {
	case y < 0:
		t.filter.Focus()
	case y < t.tableLines:
		selected, sorting := tab.ClickTable(t.table, x, y)
		if selected {
			t.panes.focus(false)
			t.refresh()
		}
		return sorting
	default:
		t.panes.click(y - t.tableLines)
	}
	return nil
}

// wheel scrolls what is under the mouse.
func (t *Tab) wheel(y, lines int) {
	if y-t.top < t.tableLines {
		t.table.Scroll(lines)
		t.refresh()
		return
	}
	t.panes.Move(lines)
}
