// Package market is the Market tab: one row a vintage, and below it what is
// known of the selected one.
package market

import (
	"fmt"
	"slices"
	"time"

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
	// panes show more of the selected vintage, detail what they drew last below
	// the table, and beside what they drew beside it in the desk view.
	panes          panes
	detail, beside tab.Detail
	// desk says that the person wants the desk view, chose that this was said in
	// this run.
	desk, chose bool
	rule        rule
	history     history
	watch       watchlist
	alerts      alerts
	marks       marks
	// trends are how the best asks moved lately.
	trends map[model.VintageKey][]model.PriceCents
	// named are the projects whose details were asked for first.
	named []string
	// since is when the moves are counted from, sinceTitle heads their column.
	since      time.Time
	sinceTitle string
	// problem is why nothing outlives this run; nil if it does.
	problem error
	// shown says that the tab is the one on the screen.
	shown bool
	// place is where everything stood in the last Layout.
	place
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
	case basketTexts:
		return t.wantBasket(result)
	case *basketResult:
		t.panes.basket.take(result)
	case tab.Exported:
		return result.Save()
	case effect.Toggled:
		t.table.Show(result.Key, result.On)
	}
	return nil
}

func (t *Tab) reorder() effect.Effect {
	if len(t.rows.order) == len(t.rows.projects) {
		return nil
	}
	next := *t.rows
	next.settleOrder(true)
	return t.replace(&next)
}

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

func (t *Tab) replace(next *rows) effect.Effect {
	t.rows = next
	t.table.SetSource(t.rows)
	t.panes.measure(next.market)
	t.listWatched()
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

func (t *Tab) subject() subject {
	r, ok := t.selected()
	return subject{
		row: r, selected: ok, book: t.panes.book.book, history: &t.history, marks: &t.marks, problem: t.problem,
		focused: t.panes.focused, stale: t.stale(),
	}
}

// Expire ends the marks of changed values.
func (t *Tab) Expire(now time.Time) (time.Time, bool) {
	return tab.ExpireAll(now, &t.marks.asks, &t.marks.depths, &t.marks.counts, &t.marks.prices, &t.marks.sizes)
}

func (t *Tab) remeasure() {
	t.table.Remeasure()
	t.panes.remeasure()
}

func (t *Tab) selected() (row, bool) { return t.table.Current() }

func (t *Tab) status() string {
	m := t.rows.market
	if t.view.Market.Market == nil {
		return ""
	}
	counts := model.Count(m.Projects(), "project", "projects") + " · " + model.Count(m.Vintages(), "vintage", "vintages")
	first, last, total := t.table.Visible()
	if t.narrowed() {
		counts = fmt.Sprintf("%s of %s", tab.Number(int64(total)), model.Count(m.Vintages(), "vintage", "vintages"))
	}
	if t.view.Market.Partial {
		counts += " so far"
	}
	if total > 0 {
		counts = fmt.Sprintf("%s–%s · ", tab.Number(int64(first)), tab.Number(int64(last))) + counts
	}
	if n := len(m.Faults()); n > 0 {
		counts += fmt.Sprintf(" · ⚠ %s not readable", model.Count(n, "value", "values"))
	}
	return counts
}

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
		_, unlabelled := t.view.Unlabelled(&t.filter, t.rows.facts)
		for _, line := range unlabelled {
			say(style.Muted, line)
		}
	case s.Err != nil && (t.view.Market.Partial || t.view.Market.Market == nil):
		say(style.Warning, "⚠ "+s.Err.Error())
		say(style.Muted, t.view.Advice(s.Err))
	case t.view.Market.Partial || t.view.Market.Market == nil:
		say(style.Muted, "Reading the market …")
	case t.watch.only:
		say(style.Text, "No watched vintage is for sale at present.")
		say(style.Muted, "F shows the whole market again.")
	default:
		say(style.Text, "No sell orders are available at present.")
		say(style.Muted, "They appear here as soon as there are some. r asks now.")
	}
	block.Blank(block.Room() - end)
}
