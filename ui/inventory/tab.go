// Package inventory is the Inventory tab: one row a wallet, and below it the
// trade history of the selected one.
package inventory

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"tonne/api"
	"tonne/api/feed"
	"tonne/ui/effect"
	"tonne/ui/tab"
)

// Feed is what the tab asks of the feed.
type Feed interface {
	// ShowInventory polls a page from now on, instead of the one before.
	ShowInventory(q api.InventoryQuery)
	// HideInventory ends that.
	HideInventory()
	// ShowProjects asks for the details of these projects first.
	ShowProjects(ids []string)
}

// Tab is the Inventory tab: a page of the inventory, its wallets, and the
// trades of one of them.
type Tab struct {
	view    *tab.View
	feed    Feed
	page    page
	wallets *walletTable
	trades  *tradeTable
	filter  tab.Filter
	layout  layout
}

// New returns the tab, which asks for the first page once it is shown.
func New(v *tab.View, f Feed) *Tab {
	t := &Tab{view: v, feed: f, wallets: newWalletTable(v), trades: newTradeTable(v)}
	t.filter = tab.NewFilter(t.wallets.table, t.moved, t.narrow)
	t.page.query.Page = 1
	return t
}

// Info is what stands around the tab.
func (t *Tab) Info() tab.Info {
	return tab.Info{Title: "Inventory", Status: t.page.status(), Health: t.page.event.Status, Typing: t.filter.Focused(), Close: t.closing()}
}

// Input filters the wallets, and takes the mouse.
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

// Handle takes news.
func (t *Tab) Handle(msg any) effect.Effect {
	switch msg := msg.(type) {
	case feed.Event:
		return t.receive(msg)
	case tab.Shown:
		t.feed.ShowInventory(t.page.query)
	case tab.Hidden:
		// A request belongs to its tab. What was shown is there, dimmed, when
		// somebody comes back, until the answer is.
		t.filter.Blur()
		t.feed.HideInventory()
	case tab.UnitChanged:
		t.wallets.table.Remeasure()
		t.trades.retitle()
	case tab.Arranged:
		return msg.Apply()
	case limitTyped:
		return t.ask(func(q *api.InventoryQuery) { q.TradesPerWallet = int(msg) })
	case tab.Exported:
		return msg.Save()
	case effect.Toggled:
		t.wallets.table.Show(msg.Key, msg.On)
	}
	return nil
}

// Expire ends the marks of changed values.
func (t *Tab) Expire(now time.Time) (time.Time, bool) { return t.wallets.expire(now) }

// receive takes the page, and what else its rows show: prices, names.
func (t *Tab) receive(e feed.Event) effect.Effect {
	switch e := e.(type) {
	case feed.InventoryEvent:
		before := t.page
		if !t.page.take(e) {
			return nil
		}
		// Another page begins at its top; the same one keeps the cursor on
		// its wallet.
		turned := t.page.shown.Page != before.shown.Page
		if !turned && before.inventory != nil {
			t.wallets.noteBalances(before.inventory, t.page.inventory)
		}
		work := t.rebuild()
		t.askNames()
		if turned {
			t.wallets.table.Top()
			t.refresh()
		}
		return work
	case feed.MarketEvent:
		t.wallets.noteAsks(e.Changes.Asks)
		return t.rebuild()
	case feed.LastPaidEvent, feed.ProjectsEvent:
		return t.rebuild()
	}
	return nil
}

// askNames asks for the details of the page first, if some are not known.
func (t *Tab) askNames() {
	known := func(id string) bool { _, there := t.view.Projects[id]; return there }
	if ids := slices.DeleteFunc(t.page.inventory.ProjectIDs(), known); len(ids) > 0 {
		t.feed.ShowProjects(ids)
	}
}

// rebuild makes the rows from the newest of everything.
func (t *Tab) rebuild() effect.Effect {
	if t.page.inventory == nil {
		return nil
	}
	t.wallets.show(newRows(t.view, t.page.inventory, t.page.purchases))
	t.refresh()
	return tab.Work(t.wallets.table)
}

// refresh shows the trades of the wallet that the cursor is on now.
func (t *Tab) refresh() {
	if r, ok := t.wallets.table.Current(); ok {
		t.trades.show(r)
		return
	}
	t.trades.clear()
}

// moved follows the cursor of the wallets.
func (t *Tab) moved() effect.Effect {
	t.refresh()
	return nil
}

// narrow shows the wallets that match the filter.
func (t *Tab) narrow() effect.Effect {
	t.wallets.narrow(t.filter.Value())
	t.refresh()
	return tab.Work(t.wallets.table)
}

// ask shows what another query answers. The rows stay, dimmed, until it does.
func (t *Tab) ask(change func(q *api.InventoryQuery)) effect.Effect {
	if t.page.ask(change) {
		t.feed.ShowInventory(t.page.query)
	}
	return nil
}
