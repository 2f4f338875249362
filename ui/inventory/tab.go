// Package inventory is the Inventory tab: one row a wallet, and below it the
// trade history of the selected one.
package inventory

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"tonne/api"
	"tonne/api/feed"
	"tonne/model"
	"tonne/ui/paint"
	"tonne/ui/table"
	"tonne/ui/view"
)

// Feed is what the tab asks of the feed.
type Feed interface {
	// ShowInventory polls a page from now on, instead of the one before.
	ShowInventory(q api.InventoryQuery)
}

// Tab is the Inventory tab.
type Tab struct {
	view *view.View
	feed Feed
	// query is what was asked for last, shown what the rows answer.
	query, shown api.InventoryQuery
	event        feed.InventoryEvent
	inventory    *model.Inventory
	page         model.Page
	history      history
	totals       totals
	table        *table.Table[walletKey, row]
	filter       view.Entry
	trades       *tradeTable
	// top is the first line of the table in the last frame, tableLines how
	// many it had.
	top, tableLines int
}

// New returns the tab, which asks for the first page.
func New(v *view.View, f Feed) *Tab {
	t := &Tab{view: v, feed: f, filter: view.NewEntry(), history: make(history)}
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

// Enter begins polling the page that was shown last.
func (t *Tab) Enter() tea.Cmd {
	t.feed.ShowInventory(t.query)
	return nil
}

// Leave ends typing. The page is polled on, for it is small and then fresh
// when somebody comes back.
func (t *Tab) Leave() { t.filter.Blur() }

// Health is the state of the page that was asked for.
func (t *Tab) Health() feed.Status { return t.event.Status }

func (t *Tab) stale() bool {
	s := t.event.State
	return s == feed.Stale || s == feed.Refused || t.waiting()
}

// waiting reports whether the rows answer an older question than the last.
func (t *Tab) waiting() bool { return t.inventory != nil && t.shown != t.query }

// Receive takes the page, and what else its rows show: prices, names.
func (t *Tab) Receive(e feed.Event) tea.Cmd {
	switch e := e.(type) {
	case feed.InventoryEvent:
		if e.Query != t.query {
			return nil
		}
		t.event = e
		if e.Inventory == nil {
			return nil
		}
		t.inventory, t.page, t.shown = e.Inventory, e.Page, e.Query
		return t.rebuild()
	case feed.MarketEvent, feed.LastPaidEvent, feed.ProjectsEvent:
		return t.rebuild()
	}
	return nil
}

// rebuild makes the rows from the newest of everything.
func (t *Tab) rebuild() tea.Cmd {
	if t.inventory == nil {
		return nil
	}
	whole := t.shown.TradeType == "" && t.shown.TradesPerWallet == 0
	list := newRows(t.view, t.inventory, whole, t.history)
	t.table.SetSource(list)
	t.sum()
	t.refresh()
	return view.Work(t.table)
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

// Expire has nothing to end.
func (t *Tab) Expire(time.Time) (time.Time, bool) { return time.Time{}, false }

// Status tells the page, the rows and the filters.
func (t *Tab) Status() string {
	if t.inventory == nil {
		return ""
	}
	parts := []string{t.pageStatus()}
	if _, last, total := t.table.Visible(); last > 0 {
		parts = append(parts, view.Count(total, "wallet", "wallets"))
	}
	if t.query.TradeType != "" {
		parts = append(parts, "trades: "+string(t.query.TradeType))
	}
	if t.query.TradesPerWallet > 0 {
		parts = append(parts, fmt.Sprintf("%d trades a wallet", t.query.TradesPerWallet))
	}
	if t.query.WalletMinQuantity > 0 {
		parts = append(parts, "non-empty wallets")
	}
	if n := len(t.inventory.Faults); n > 0 {
		parts = append(parts, "⚠ "+view.Count(n, "value", "values")+" not readable")
	}
	return strings.Join(parts, " · ")
}

func (t *Tab) pageStatus() string {
	if t.waiting() {
		return fmt.Sprintf("reading page %d …", t.query.Page)
	}
	p := t.page
	status := fmt.Sprintf("page %d/%d", max(p.Current, 1), max(p.TotalPages, 1))
	if n := len(t.inventory.Projects); n > 0 && p.PerPage > 0 {
		first := (max(p.Current, 1)-1)*p.PerPage + 1
		status += fmt.Sprintf(" · projects %s–%s of %s", view.Number(int64(first)), view.Number(int64(first+n-1)), view.Number(int64(p.TotalItems)))
	}
	return status
}

// Render draws the filter, the wallets and the trades of the selected one.
func (t *Tab) Render(width, height int) (string, *tea.Cursor) {
	block := paint.NewBlock(t.view.Theme, width, height)
	var cursor *tea.Cursor
	t.top = 0
	if t.filter.Focused() || t.table.Query() != "" {
		line := block.Line(paint.Plain)
		line.Put(paint.Key, " / ")
		cursor = t.filter.Draw(line, 0)
		t.top = 1
	}
	lower := t.lower(height - t.top)
	t.tableLines = height - t.top - lower
	t.drawTable(block)
	if lower > 0 {
		t.trades.draw(block, lower)
	}
	return block.String(), cursor
}

// lower is how many of the lines of the body the trades take.
func (t *Tab) lower(body int) int {
	switch {
	case body < 9 && t.trades.focused:
		return body
	case body < 9:
		return 0
	case t.trades.focused:
		return body * 3 / 5
	}
	return max(min(body*2/5, 16), 6)
}

func (t *Tab) drawTable(block *paint.Block) {
	if t.tableLines <= 0 {
		return
	}
	if t.table.Len() > 0 {
		t.table.Render(block, t.tableLines, table.Frame[walletKey]{
			Focused: !t.trades.focused, Stale: t.stale(), Footer: t.footer,
		})
		return
	}
	end := block.Room() - t.tableLines
	t.table.Render(block, 1, table.Frame[walletKey]{Focused: true})
	for _, line := range t.whyEmpty() {
		if block.Room() > end {
			block.Put(paint.Muted, " "+line)
		}
	}
	block.Blank(block.Room() - end)
}

// whyEmpty says why there are no rows, and what to do.
func (t *Tab) whyEmpty() []string {
	s := t.event.Status
	switch {
	case t.table.Query() != "":
		return []string{"", "No wallet on this page matches " + t.table.Query() + ".", "Esc clears the filter."}
	case t.inventory != nil && t.query.WalletMinQuantity > 0:
		return []string{"", "No wallet holds anything on this page.", "z shows the empty ones too."}
	case t.inventory != nil:
		return []string{"", "There is nothing in the inventory.", "Who always retires whole tonnes owns nothing here: they are retired when they are bought."}
	case s.Err != nil:
		return []string{"", "⚠ " + s.Err.Error(), view.Advice(s.Err)}
	}
	return []string{"", "Reading the inventory …"}
}

// Click selects a wallet, sorts by a column or gives the trades the keys.
func (t *Tab) Click(x, y int) tea.Cmd {
	y -= t.top
	switch {
	case y < 0:
		t.filter.Focus()
	case y == 0 && t.tableLines > 0:
		if key, ok := t.table.HitColumn(x); ok {
			t.table.SelectColumn(key)
			t.table.ToggleSort(key)
			return view.Work(t.table)
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
