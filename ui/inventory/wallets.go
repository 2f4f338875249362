package inventory

import (
	"time"

	"tonne/model"
	"tonne/ui/style"
	"tonne/ui/tab"
	"tonne/ui/table"
)

// walletTable is the wallets that are shown, with their totals and with marks
// on what has changed.
type walletTable struct {
	view  *tab.View
	table *table.Table[model.WalletKey, row]
	// rows are those that the table has, totals are of those that it shows; fits
	// says that they are right.
	rows   *rows
	totals model.BookValue
	fits   bool
	// extent says which part of all wallets they are.
	extent string
	// asks and balances mark what changed, by vintage.
	asks, balances tab.Flashes
}

func newWalletTable(v *tab.View) *walletTable {
	w := &walletTable{view: v, table: table.New[model.WalletKey](spec(v))}
	w.table.SelectColumn("project")
	w.table.Sort("project", false)
	return w
}

// show lists other rows.
func (w *walletTable) show(r *rows, extent string) {
	w.rows, w.extent = r, extent
	w.table.SetSource(r)
	w.sum()
}

// clear lists none.
func (w *walletTable) clear() {
	w.rows, w.totals = nil, model.BookValue{}
	w.table.SetSource(nil)
}

// narrow lists the rows that match a filter alone.
func (w *walletTable) narrow(f *tab.Filter) {
	tab.Narrow(w.table, f, row.filtered)
	w.sum()
}

// sum makes the totals of the rows that are shown. While the table is at work,
// what is shown is what was summed up before.
func (w *walletTable) sum() {
	if w.table.Pending() {
		return
	}
	w.totals, w.fits = model.BookValue{}, true
	for _, r := range w.table.Rows() {
		if err := w.totals.AddPosition(r.Position, r.bestAsk(), r.opening()); err != nil {
			w.fits = false
			return
		}
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
func (w *walletTable) noteBalances(was, is *model.Positions) {
	if w.view.NoMotion || was == nil || was == is {
		return
	}
	before := make(map[model.WalletKey]model.Grams, was.Len())
	for i := range was.Len() {
		before[was.At(i).Key] = was.At(i).Wallet.Quantity
	}
	for i := range is.Len() {
		now := is.At(i)
		if quantity, known := before[now.Key]; known && quantity != now.Wallet.Quantity {
			w.balances.Add(now.Key.VintageID, w.view.Now())
		}
	}
}

// expire ends the marks.
func (w *walletTable) expire(now time.Time) (time.Time, bool) {
	return tab.ExpireAll(now, &w.asks, &w.balances)
}

// flash reports whether a cell changed a moment ago.
func (w *walletTable) flash(key model.WalletKey, column string) bool {
	switch column {
	case "ask", "value", "over", "today":
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
		w.table.Draw(block, table.Frame[model.WalletKey]{Focused: focused, Stale: stale, Flash: w.flash})
		return
	}
	w.table.Draw(block, table.Frame[model.WalletKey]{Focused: true})
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
	sum := &w.totals
	switch {
	case column == "project":
		c.Put(style.Muted, w.count())
	case column == "balance" && !w.fits:
		c.Put(style.Warning, "?")
	case column == "balance":
		c.PutBytes(style.Name, w.view.AppendQuantity(c.Scratch(), sum.Held))
	case !w.fits:
	case column == "value" && sum.Valued > 0:
		c.Put(style.Name, sum.Value.FormatDollars())
	case column == "over" && sum.Compared > 0:
		putOver(c, sum.OverCost)
	case column == "today" && sum.Moved > 0:
		putOver(c, sum.Today)
	}
}

// count says how many wallets there are, or how many of them the filter leaves.
func (w *walletTable) count() string {
	count := tab.Count(w.table.Total(), "wallet", "wallets") + w.extent
	if w.table.Query() != "" {
		return tab.Number(int64(w.table.Len())) + " of " + count
	}
	return count
}
