// Package inventory is the Inventory tab: one row a wallet, and below it the
// trade history of the selected one.
package inventory

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"tonne/api"
	"tonne/api/feed"
	"tonne/model"
	"tonne/ui/effect"
	"tonne/ui/style"
	"tonne/ui/tab"
	"tonne/ui/table"
)

// Feed is what the tab asks of the feed.
type Feed interface {
	// ShowInventory polls a page from now on, instead of the one before.
	ShowInventory(q api.InventoryQuery)
	// HideInventory ends that.
	HideInventory()
}

// Tab is the Inventory tab.
type Tab struct {
	view *tab.View
	feed Feed
	// query is what was asked for last, shown what the rows answer.
	query, shown api.InventoryQuery
	event        feed.InventoryEvent
	// inventory is the page that is shown, purchases the same with all that
	// was bought.
	inventory, purchases *model.Inventory
	page                 model.Page
	totals               totals
	table                *table.Table[walletKey, row]
	filter               tab.Filter
	trades               *tradeTable
	detail               tab.Detail
	// asks and balances mark what changed, by vintage.
	asks, balances tab.Flashes
	// top is the first line of the table in the last frame, tableLines how
	// many it had.
	top, tableLines int
}

// New returns the tab, which asks for the first page.
func New(v *tab.View, f Feed) *Tab {
	t := &Tab{view: v, feed: f}
	t.filter = tab.NewFilter(walker{t}, t.narrow)
	t.table = table.New[walletKey](spec(v))
	t.table.SelectColumn("project")
	t.table.Sort("project", false)
	t.trades = newTradeTable(t)
	t.query.Page = 1
	return t
}

// Title is the tab's name.
func (t *Tab) Title() string { return "Inventory" }

// Badge is empty.
func (t *Tab) Badge() string { return "" }

// Start asks for nothing.
func (t *Tab) Start() effect.Effect { return nil }

// Enter begins polling the page that was shown last.
func (t *Tab) Enter() effect.Effect {
	t.feed.ShowInventory(t.query)
	return nil
}

// Leave ends typing and polling: a request belongs to its tab. What was shown
// is there, dimmed, when somebody comes back, until the answer is.
func (t *Tab) Leave() {
	t.filter.Blur()
	t.feed.HideInventory()
}

// Health is the state of the page that was asked for.
func (t *Tab) Health() feed.Status { return t.event.Status }

func (t *Tab) stale() bool {
	s := t.event.State
	return s == feed.Loading || s == feed.Stale || s == feed.Refused || t.waiting()
}

// waiting reports whether the rows answer an older question than the last.
func (t *Tab) waiting() bool { return t.inventory != nil && t.shown != t.query }

// Receive takes the page, and what else its rows show: prices, names.
func (t *Tab) Receive(e feed.Event) effect.Effect {
	switch e := e.(type) {
	case feed.InventoryEvent:
		if e.Query != t.query {
			return nil
		}
		t.event = e
		if e.Inventory == nil {
			return nil
		}
		return t.showPage(e)
	case feed.MarketEvent:
		t.noteAsks(e.Changes.Asks)
		return t.rebuild()
	case feed.LastPaidEvent, feed.ProjectsEvent:
		return t.rebuild()
	}
	return nil
}

// Handle takes the order of a table, and what was answered to a dialog.
func (t *Tab) Handle(result any) effect.Effect {
	switch result := result.(type) {
	case tab.Arranged:
		return result.Apply()
	case limitTyped:
		return t.ask(func() { t.query.TradesPerWallet = int(result) })
	case effect.Toggled:
		t.table.Show(result.Key, result.On)
	}
	return nil
}

// showPage shows what the last question was answered with. Another page
// begins at its top; the same one keeps the cursor on its wallet.
func (t *Tab) showPage(e feed.InventoryEvent) effect.Effect {
	turned := e.Query.Page != t.shown.Page
	if !turned && t.inventory != nil {
		t.noteBalances(e.Inventory)
	}
	t.inventory, t.purchases, t.page, t.shown = e.Inventory, e.Purchases, e.Page, e.Query
	if t.purchases == nil {
		t.purchases = e.Inventory
	}
	cmd := t.rebuild()
	if turned {
		t.table.Top()
		t.refresh()
	}
	return cmd
}

// rebuild makes the rows from the newest of everything.
func (t *Tab) rebuild() effect.Effect {
	if t.inventory == nil {
		return nil
	}
	t.table.SetSource(newRows(t.view, t.inventory, t.purchases))
	t.sum()
	t.refresh()
	return tab.Work(t.table)
}

// noteAsks marks the best asks that moved with a poll of the market.
func (t *Tab) noteAsks(asks []model.AskChange) {
	for _, c := range asks {
		t.asks.Add(c.Vintage.VintageID, t.view.Now())
	}
}

// noteBalances marks the balances that differ from those that are shown.
func (t *Tab) noteBalances(inv *model.Inventory) {
	was := make(map[walletKey]model.Grams)
	for key, w := range wallets(t.inventory) {
		was[key] = w.Quantity
	}
	for key, w := range wallets(inv) {
		if before, known := was[key]; known && before != w.Quantity {
			t.balances.Add(key.VintageID, t.view.Now())
		}
	}
}

// flash reports whether a cell changed a moment ago.
func (t *Tab) flash(key walletKey, column string) bool {
	switch column {
	case "ask", "value", "gain":
		return t.asks.On(key.VintageID)
	case "balance":
		return t.balances.On(key.VintageID)
	}
	return false
}

// sum makes the totals of the rows that are shown.
func (t *Tab) sum() {
	t.totals = totals{fits: true}
	for _, r := range t.table.Rows() {
		t.totals.add(r)
	}
}

// refresh shows the trades of the wallet that the cursor is on now.
func (t *Tab) refresh() {
	if r, ok := t.table.Current(); ok {
		t.trades.show(r)
		return
	}
	t.trades.clear()
}

// Expire ends the marks of changed values.
func (t *Tab) Expire(now time.Time) (time.Time, bool) {
	return tab.ExpireAll(now, &t.asks, &t.balances)
}

// Render draws the filter, the wallets and the trades of the selected one.
func (t *Tab) Render(width, height int) (string, *tea.Cursor) {
	block := style.NewBlock(t.view.Theme, width, height)
	var cursor *tea.Cursor
	t.top = 0
	if t.filter.Focused() || t.table.Query() != "" {
		cursor = t.drawFilter(block)
		t.top = 1
	}
	lower := tab.Split(height-t.top, t.needs(height), t.trades.needs(), t.trades.focused)
	t.tableLines = height - t.top - lower
	t.drawTable(block)
	if lower > 0 {
		block.Append(t.detail.Render(t.view, t.trades.focused, width, lower, t.trades.render))
	}
	return block.String(), cursor
}

// needs is how many lines the wallets would like to have, with heading and
// totals. Where there are none, there are no trades: the rule between them stays
// where it is.
func (t *Tab) needs(height int) int {
	if t.table.Len() == 0 {
		return height
	}
	return 2 + t.table.Len()
}

func (t *Tab) drawTable(block *style.Block) {
	if t.tableLines <= 0 {
		return
	}
	if t.table.Len() > 0 {
		t.table.Render(block, t.tableLines, table.Frame[walletKey]{
			Focused: !t.trades.focused, Stale: t.stale(), Footer: t.footer, Flash: t.flash,
		})
		return
	}
	end := block.Room() - t.tableLines
	t.table.Render(block, 1, table.Frame[walletKey]{Focused: true})
	for _, line := range t.whyEmpty() {
		if block.Room() > end {
			block.Put(style.Muted, " "+line)
		}
	}
	block.Blank(block.Room() - end)
}

// Click selects a wallet, sorts by a column or gives the trades the keys.
func (t *Tab) Click(x, y int) effect.Effect {
	y -= t.top
	switch {
	case y < 0:
		t.filter.Focus()
	case y == 0 && t.tableLines > 0:
		if key, ok := t.table.HitColumn(x); ok {
			t.table.SelectColumn(key)
			t.table.ToggleSort(key)
			return tab.Work(t.table)
		}
	case y < t.tableLines:
		if position, ok := t.table.HitRow(y); ok {
			t.trades.focused = false
			t.table.MoveTo(position)
			t.refresh()
		}
	default:
		t.trades.focused = true
		if position, ok := t.trades.table.HitRow(y - t.tableLines - 1); ok {
			t.trades.table.MoveTo(position)
		}
	}
	return nil
}

// Wheel scrolls what is under the mouse.
func (t *Tab) Wheel(_, y, lines int) {
	if y-t.top < t.tableLines {
		t.table.Scroll(lines)
		t.refresh()
		return
	}
	t.trades.table.Scroll(lines)
}
