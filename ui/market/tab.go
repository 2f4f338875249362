// Package market is the Market tab: one row a vintage, and below it what is
// known of the selected one.
package market

import (
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"tonne/api/feed"
	"tonne/model"
	"tonne/model/store"
	"tonne/ui/effect"
	"tonne/ui/style"
	"tonne/ui/tab"
	"tonne/ui/table"
)

// Options say where the tab remembers what it has seen, and what may be opened.
type Options struct {
	// Origin names the service in the store.
	Origin string
	// Store remembers prices and the watch list; nil for nothing.
	Store *store.Store
	// Safe returns the host that an address leads to, or why it is not opened;
	// nil stands for opening none.
	Safe func(url string) (host string, err error)
}

// Tab is the Market tab.
type Tab struct {
	view  *tab.View
	o     Options
	rows  *rows
	table *table.Table[model.VintageKey, row]
	// filter is the line that narrows the table.
	filter tab.Filter
	// pane is what is shown of the selected vintage.
	pane   pane
	detail tab.Detail
	memory *memory
	watch  watchlist
	marks  marks
	// frame is what was drawn last, cursor where the text cursor stands in it.
	frame  string
	cursor *tea.Cursor
	// tableLines is how many lines the table had in the last frame, top on
	// which line it began.
	top, tableLines int
}

// New returns the tab.
func New(v *tab.View, o Options) *Tab {
	t := &Tab{view: v, o: o}
	t.rows = &rows{market: model.NewMarket()}
	t.table = table.New[model.VintageKey](spec(t))
	t.filter = tab.NewFilter(t.table, t.moved, t.narrow)
	t.table.SelectColumn("project")
	t.table.Sort("project", false)
	t.memory = newMemory(t, o)
	t.pane = newPane(t)
	t.table.SetSource(t.rows)
	return t
}

// receive takes the market, the last paid prices and project details.
func (t *Tab) receive(e feed.Event) effect.Effect {
	next := *t.rows
	switch e := e.(type) {
	case feed.MarketEvent:
		if e.Market == nil || e.Market == t.rows.market {
			return nil
		}
		next.market = e.Market
		next.asked = t.note(e.Changes)
		return effect.Batch(t.replace(&next), t.memory.survey())
	case feed.LastPaidEvent:
		next.paid = e.Prices
		return t.replace(&next)
	case feed.ProjectsEvent:
		next.projects = t.view.Projects
		return effect.Batch(t.replace(&next), t.memory.save(e.Fetched))
	}
	return nil
}

// result takes what came of work, and what was answered to a dialog.
func (t *Tab) result(result any) effect.Effect {
	switch result := result.(type) {
	case tab.Arranged:
		return result.Apply()
	case jobDone:
		return t.memory.done(result)
	case recalled:
		return t.memory.takeRecalled(result)
	case findings:
		return t.memory.takeFindings(result)
	case projectsSaved:
		return t.memory.takeSaved(result)
	case pricesRead:
		return t.pane.history.read(result)
	case listKept:
		return t.kept(result)
	case wanted:
		t.pane.wanted, t.pane.kind, t.pane.skip = result, showQuote, 0
	case ruleTyped:
		return t.addRule(result.vintage, result.rule)
	case effect.Toggled:
		t.table.Show(result.Key, result.On)
	}
	return nil
}

// replace shows another state of the rows.
func (t *Tab) replace(next *rows) effect.Effect {
	t.rows = next
	t.table.SetSource(t.rows)
	t.pane.refresh()
	return effect.Batch(tab.Work(t.table), t.follow())
}

// follow fetches what is shown of the vintage that the cursor came to.
func (t *Tab) follow() effect.Effect { return t.pane.history.follow() }

// note marks what changed and returns the best asks before it did.
func (t *Tab) note(changes model.MarketChanges) map[model.VintageKey]model.PriceCents {
	now := t.view.Now()
	asked := make(map[model.VintageKey]model.PriceCents, len(changes.Asks))
	t.memory.moved = t.memory.moved || len(changes.Asks) > 0
	for _, c := range changes.Asks {
		asked[c.Vintage] = c.Was
	}
	t.marks.add(changes, now)
	t.pane.record(changes, now)
	return asked
}

// Expire ends the marks of changed values.
func (t *Tab) Expire(now time.Time) (time.Time, bool) { return t.marks.expire(now) }

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
	pane := tab.Split(height-t.top, t.needs(height), t.pane.needs(), t.pane.focused)
	t.tableLines = height - t.top - pane
	t.drawTable(block)
	if pane > 0 {
		t.detail.Layout(t.view, t.pane.focused, width, pane, t.pane.render)
		block.Append(t.detail.Text())
	}
	return block.String(), cursor
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
		Focused: !t.pane.focused, Stale: t.stale(), Flash: t.marks.vintage,
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
		say(style.Text, "No vintage matches "+t.table.Query()+".")
		say(style.Muted, "Esc clears the filter.")
	case t.watch.only:
		say(style.Text, "No watched vintage is for sale at present.")
		say(style.Muted, "F shows the whole market again.")
	case t.view.Market.Market != nil:
		say(style.Text, "No sell orders are available at present.")
		say(style.Muted, "They appear here as soon as there are some. r asks now.")
	case s.Err != nil:
		say(style.Dearer, "⚠ "+s.Err.Error())
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
		if sorting != nil {
			return sorting
		}
		if selected {
			t.pane.focused = false
			t.pane.refresh()
		}
	default:
		t.pane.click(y - t.tableLines)
	}
	return t.follow()
}

// wheel scrolls what is under the mouse.
func (t *Tab) wheel(y, lines int) {
	if y-t.top < t.tableLines {
		t.table.Scroll(lines)
		t.pane.refresh()
		return
	}
	t.pane.scroll(lines)
}
