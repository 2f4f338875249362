// Package inventory is the Inventory tab: a table with one row per wallet and, below it, the trades of the
// selected wallet or a chart of the inventory's value. It shows the session's data and asks Feed
// for more pages. Start reading at Tab.
package inventory

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"tonne/api"
	"tonne/api/session"
	"tonne/model"
	"tonne/model/attribute"
	"tonne/model/filter"
	"tonne/model/portfolio"
	"tonne/ui/column"
	"tonne/ui/effect"
	"tonne/ui/keymap"
	"tonne/ui/tab"
)

// Feed is the part of the session that the tab uses.
type Feed interface {
	ShowInventory(q api.InventoryQuery)
	HideInventory()
	ShowProjects(ids []string)
}

// Tab is the Inventory tab. Create one with New.
type Tab struct {
	view    *tab.View
	feed    Feed
	book    session.PortfolioEvent
	page    page
	wallets *walletTable
	trades  *tradeTable
	opened  session.TrendsEvent
	curve   curve
	filter  tab.Filter
	layout  layout
	// paging is true while one page of the API is shown, and visible while the tab is.
	paging, visible bool
	// left is the wallet that was selected before paging.
	left  portfolio.WalletKey
	facts *attribute.Facts
	// Record compares the purchases with the recorded market. Its zero value compares none.
	Record   Record
	verdicts verdicts
}

// New returns a tab that shows all wallets with a balance.
func New(v *tab.View, f Feed) *Tab {
	t := &Tab{view: v, feed: f, wallets: newWalletTable(v), trades: newTradeTable(v), curve: curve{view: v}}
	t.filter = tab.NewFilter(t.wallets.table, t.moved, t.narrow)
	t.page.query.Page, t.page.query.WalletMinQuantity = 1, 1
	return t
}

// Info returns the texts for the header and footer.
func (t *Tab) Info() tab.Info {
	info := tab.Info{Title: "Inventory", Status: t.status(), Health: t.listing().health, Typing: t.filter.Focused()}
	if t.trades.focused || t.curve.shown {
		info.Close = t.back
	}
	return info
}

// Input handles the mouse and text typed into the filter.
func (t *Tab) Input(msg tea.Msg) effect.Effect {
	switch msg := msg.(type) {
	case tab.Click:
		return t.click(msg)
	case tab.Wheel:
		t.wheel(msg)
		return nil
	}
	return t.filter.Input(msg)
}

// Handle processes an event of the session.
func (t *Tab) Handle(msg any) effect.Effect {
	switch msg := msg.(type) {
	case tab.Shown:
		t.visible = true
		t.follow()
		return purchases{t}.compare()
	case tab.Hidden:
		t.visible = false
		t.filter.Blur()
		t.follow()
	case tab.UnitChanged:
		t.wallets.table.Remeasure()
		t.trades.table.Retitle("tonnes", t.view.Unit())
	case tab.Arranged:
		more := msg.Apply()
		t.refresh()
		return more
	case compared:
		return purchases{t}.takeVerdicts(msg)
	default:
		return effect.Batch(t.receive(msg), purchases{t}.compare())
	}
	return nil
}

// follow polls the page of the API while the tab is visible. When the user returns to the tab, the old rows
// stay on the screen, dimmed, until the answer arrives.
func (t *Tab) follow() {
	if t.visible && t.paging {
		t.feed.ShowInventory(t.page.query)
		return
	}
	t.feed.HideInventory()
}

// Expire removes the marks of changed values that have expired, and returns the time of the next expiry.
func (t *Tab) Expire(now time.Time) (time.Time, bool) {
	return t.wallets.marks.Expire(now)
}

func (t *Tab) receive(e session.Event) effect.Effect {
	switch e := e.(type) {
	case session.PortfolioEvent:
		return t.receivePortfolio(e)
	case session.InventoryEvent:
		return t.receivePage(e)
	case session.MarketEvent:
		t.wallets.noteAsks(e.Changes.Asks)
		if e.Market == nil || t.wallets.rows != nil && e.Market == t.wallets.rows.known.Market.Market {
			return nil
		}
		return t.rebuild()
	case session.ProjectsEvent:
		return t.rebuild()
	case session.TrendsEvent:
		t.opened = e
		return t.rebuild()
	case session.AnnotationsEvent:
		t.facts = e.Facts
		return t.rebuild()
	case session.PortfolioHistoryEvent:
		t.curve.take(e)
	}
	return nil
}

// receivePortfolio shows a read of the whole inventory. An event that changes only progress or age keeps the rows.
func (t *Tab) receivePortfolio(e session.PortfolioEvent) effect.Effect {
	was, earlier := t.book.Positions, t.book.Earlier
	t.book = e
	switch {
	case t.paging:
		return t.rebuild()
	case e.Positions == nil || e.Positions == was:
		return nil
	}
	if !earlier {
		t.wallets.noteBalances(was, e.Positions)
	}
	work := t.rebuild()
	t.wallets.askNames(t.feed)
	return work
}

// receivePage shows a page of the API. A new page starts at its top; a refresh keeps the cursor on its wallet.
func (t *Tab) receivePage(e session.InventoryEvent) effect.Effect {
	before := t.page
	if !t.page.take(e) || !t.paging {
		return nil
	}
	turned := t.page.shown.Page != before.shown.Page
	if !turned {
		t.wallets.noteBalances(before.wallets, t.page.wallets)
	}
	work := t.rebuild()
	t.wallets.askNames(t.feed)
	if turned {
		t.wallets.table.Top()
		t.refresh()
	}
	return work
}

func (t *Tab) rebuild() effect.Effect {
	l := t.listing()
	if l.positions == nil {
		return nil
	}
	next := &rows{
		positions: l.positions,
		extent:    l.extent,
		known:     *t.view,
		paid:      t.view.Book.LastPaid,
		opened:    t.opened.Opening(),
		facts:     t.facts,
	}
	for i := range next.positions.Len() {
		held := next.positions.At(i).Wallet.Quantity
		next.divided = next.divided || held.Known() && !held.IsWhole()
	}
	if !t.paging {
		next.listed, next.paid = t.holding(), next.positions.LastPaid()
	}
	ids := l.positions.ProjectIDs()
	if was := t.wallets.rows; was != nil {
		next.projects = was.projects
	} else {
		ids = nil
	}
	next.projects.Known = t.view.Projects
	next.projects.Settle(ids)
	next.holdings = &column.Holdings{Projects: next.projects.Known, Paid: next.paid, Ask: next.ask, Year: next.year}
	work := t.wallets.show(next)
	t.refresh()
	return work
}

func (t *Tab) refresh() {
	if r, ok := t.wallets.table.Current(); ok {
		t.trades.show(r, t.listing().filters, &t.verdicts)
		return
	}
	t.trades.clear()
}

// moved follows the cursor. Only now may names that arrived late change the sort order.
func (t *Tab) moved() effect.Effect {
	t.wallets.askNames(t.feed)
	var work effect.Effect
	if was := t.wallets.rows; was != nil && was.projects.Moved() {
		next := *was
		next.projects.Settle(nil)
		work = t.wallets.show(&next)
	}
	t.refresh()
	return work
}

func (t *Tab) narrow() effect.Effect {
	work := t.wallets.narrow(&t.filter)
	t.wallets.table.Align()
	t.refresh()
	return work
}

// emptyHidden is the flag of commands that hides empty wallets.
const emptyHidden = "wallet-min-quantity"

// List returns the columns of the wallets, and examples of filters.
func (t *Tab) List() tab.List { return tab.ListOf(t.wallets.table, filter.Examples()) }

// Seek goes to a wallet that matches a text.
func (t *Tab) Seek(typed string, step int) (effect.Effect, bool) {
	t.trades.focused = false
	found := t.wallets.table.Seek(typed, step)
	return t.moved(), found
}

// Palette returns the projects that match a text.
func (t *Tab) Palette(typed string) []keymap.Binding {
	projects := tab.Distinct(func(yield func(string) bool) {
		for key := range t.wallets.table.Rows() {
			if !yield(key.ProjectID) {
				return
			}
		}
	})
	return t.view.Jumps(typed, projects, t.jump)
}

// jump goes to the first wallet of a project, or of its vintage of a year.
func (t *Tab) jump(project string, year int) effect.Effect {
	for key := range t.wallets.table.Rows() {
		if key.ProjectID == project && (year == 0 || t.view.Year(key.VintageKey) == year) {
			t.trades.focused = false
			t.wallets.table.Select(key)
			return t.moved()
		}
	}
	return effect.Say("No shown wallet is of " + t.view.Projects.Name(project) + " " + tab.Year(year) + ".")
}

// SaveView returns the columns, sort and filter of the wallets, and whether empty ones are hidden.
func (t *Tab) SaveView() tab.SavedView {
	v := tab.SaveTable(t.wallets.table, t.filter.Query())
	if least := t.page.query.WalletMinQuantity; least > 0 {
		v[emptyHidden] = least.String()
	}
	return v
}

// RestoreView shows the wallets as a view does.
func (t *Tab) RestoreView(v tab.SavedView) effect.Effect {
	t.trades.focused = false
	tab.RestoreTable(t.wallets.table, v)
	asked := t.ask(func(q *api.InventoryQuery) {
		if hidden := model.Grams(min(len(v[emptyHidden]), 1)); hidden != q.WalletMinQuantity {
			q.WalletMinQuantity, q.Page = hidden, 1
		}
	})
	return effect.Batch(asked, t.filter.Restore(v[tab.ViewFilter]))
}

// ask changes the filters. The rows of a page of the API stay, dimmed, until the answer arrives.
func (t *Tab) ask(change func(q *api.InventoryQuery)) effect.Effect {
	switch {
	case !t.page.ask(change):
	case t.paging:
		t.feed.ShowInventory(t.page.query)
	default:
		return t.rebuild()
	}
	return nil
}

func (t *Tab) togglePaging() effect.Effect {
	if !t.paging {
		t.left, _ = t.wallets.table.CurrentKey()
	}
	t.paging = !t.paging
	t.page.query.Page = 1
	t.trades.focused = false
	t.follow()
	if t.listing().positions == nil {
		// The rows on the screen belong to another query.
		t.wallets.table.Top()
		t.wallets.rows = nil
		t.wallets.table.SetSource(nil)
		t.refresh()
		return nil
	}
	work := t.rebuild()
	if t.paging || !t.wallets.table.Select(t.left) {
		t.wallets.table.Top()
	}
	t.refresh()
	return work
}
