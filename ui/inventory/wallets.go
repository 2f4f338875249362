package inventory

import (
	"time"

	"tonne/model"
	"tonne/ui/style"
	"tonne/ui/tab"
	"tonne/ui/table"
)

// walletTable is the wallets of a page, with their totals and with marks on
// what has changed.
type walletTable struct {
	view   *tab.View
	table  *table.Table[walletKey, row]
	totals totals
	// asks and balances mark what changed, by vintage.
	asks, balances tab.Flashes
}

func newWalletTable(v *tab.View) *walletTable {
	w := &walletTable{view: v, table: table.New[walletKey](spec(v))}
	w.table.SelectColumn("project")
	w.table.Sort("project", false)
	return w
}

// show lists other rows.
func (w *walletTable) show(r rows) {
	w.table.SetSource(r)
	w.sum()
}

// narrow lists the rows that match a query alone.
func (w *walletTable) narrow(query string) {
	w.table.SetQuery(query)
	w.sum()
}

// sum makes the totals of the rows that are shown.
func (w *walletTable) sum() {
	w.totals = totals{fits: true}
	for _, r := range w.table.Rows() {
		w.totals.add(r)
	}
}

// noteAsks marks the best asks that moved with a poll of the market.
func (w *walletTable) noteAsks(asks []model.AskChange) {
	if w.view.NoMotion {
		return
	}
	for _, c := range asks {
		w.asks.Add(c.Vintage.VintageID, w.view.Now())
	}
}

// noteBalances marks the balances that differ from what they were.
func (w *walletTable) noteBalances(was, is *model.Inventory) {
	if w.view.NoMotion {
		return
	}
	before := make(map[walletKey]model.Grams)
	for key, wallet := range wallets(was) {
		before[key] = wallet.Quantity
	}
	for key, wallet := range wallets(is) {
		if quantity, known := before[key]; known && quantity != wallet.Quantity {
			w.balances.Add(key.VintageID, w.view.Now())
		}
	}
}

// expire ends the marks.
func (w *walletTable) expire(now time.Time) (time.Time, bool) {
	return tab.ExpireAll(now, &w.asks, &w.balances)
}

// flash reports whether a cell changed a moment ago.
func (w *walletTable) flash(key walletKey, column string) bool {
	switch column {
	case "ask", "value", "over":
		return w.asks.On(key.VintageID)
	case "balance":
		return w.balances.On(key.VintageID)
	}
	return false
}

// needs is how many lines the wallets would like to have of a height, with
// heading and totals. If there are none, there are no trades: the rule
// between them stays where it is.
func (w *walletTable) needs(height int) int {
	if w.table.Len() == 0 {
		return height
	}
	return 2 + w.table.Len()
}

// layout places the table, with its totals if there is anything to sum up.
func (w *walletTable) layout(width, height int) {
	if w.table.Len() == 0 {
		w.table.Layout(width, min(height, 1), nil)
		return
	}
	w.table.Layout(width, height, w.footer)
}

// draw draws the table, or below its heading why it is empty.
func (w *walletTable) draw(block *style.Block, height int, focused, stale bool, empty []string) {
	end := block.Room() - height
	if w.table.Len() > 0 {
		w.table.Draw(block, table.Frame[walletKey]{Focused: focused, Stale: stale, Flash: w.flash})
		return
	}
	w.table.Draw(block, table.Frame[walletKey]{Focused: true})
	for _, sentence := range empty {
		for _, line := range style.Wrap(sentence, max(block.Width()-2, 1)) {
			if block.Room() > end {
				block.Put(style.Muted, " "+line)
			}
		}
	}
	block.Blank(block.Room() - end)
}

// footer writes the totals below the columns.
func (w *walletTable) footer(c *style.Cell, column string) {
	switch sum := w.totals; column {
	case "project":
		label := tab.Count(sum.wallets, "wallet", "wallets") + " on this page"
		if w.table.Query() != "" {
			label = w.left()
		}
		c.Put(style.Muted, label)
	case "balance":
		if !sum.fits {
			c.Put(style.Warning, "?")
			return
		}
		c.PutBytes(style.Name, w.view.AppendQuantity(c.Scratch(), sum.balance))
	case "value":
		if sum.valued && sum.fits {
			c.Put(style.Name, sum.value.FormatDollars())
		}
	case "over":
		if sum.compared && sum.fits {
			putOver(c, sum.over)
		}
	}
}

// left says how many wallets the filter leaves.
func (w *walletTable) left() string {
	return tab.Number(int64(w.table.Len())) + " of " + tab.Count(w.table.Total(), "wallet", "wallets") + " on this page"
}
