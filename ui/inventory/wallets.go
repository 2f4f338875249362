package inventory

import (
	"context"
	"fmt"
	"iter"
	"time"

	"tonne/model"
	"tonne/ui/effect"
	"tonne/ui/style"
	"tonne/ui/tab"
	"tonne/ui/table"
)

type walletTable struct {
	view   *tab.View
	table  *table.Table[model.WalletKey, row]
	rows   *rows
	totals totals
	marks  tab.Flashes
	names  tab.Names
}

func newWalletTable(v *tab.View) *walletTable {
	w := &walletTable{view: v, table: table.New[model.WalletKey](spec(v))}
	w.table.SelectColumn("project")
	w.table.Sort("project", false)
	return w
}

// show lists other rows, and narrow those that match a filter alone. Both may
// leave work, which arrange returns.
func (w *walletTable) show(r *rows) effect.Effect {
	w.rows = r
	w.table.SetSource(r)
	return w.arrange()
}

func (w *walletTable) narrow(f *tab.Filter) effect.Effect {
	w.table.SetFilter(f.Query(), f.Expr())
	return w.arrange()
}

func (w *walletTable) clear() {
	w.rows = nil
	w.table.SetSource(nil)
	w.arrange()
}

// arranged are rows in another order, or others, and what they sum up to: one
// is not shown without the other.
type arranged struct {
	result table.Result[model.WalletKey, row]
	totals totals
}

// arrange sums up the rows that are shown. Many are sorted, filtered and summed
// up in the background, which leads to an arranged.
func (w *walletTable) arrange() effect.Effect {
	if !w.table.Pending() {
		w.sumUp()
		return nil
	}
	work := w.table.Work()
	if work == nil {
		return nil
	}
	of, query := w.rows, w.table.Query()
	return effect.Work(func(context.Context) any {
		result := work()
		return arranged{result, sum(of, query, result.Rows())}
	})
}

func (w *walletTable) sumUp() {
	if query := w.table.Query(); w.totals.of != w.rows || w.totals.query != query {
		w.totals = sum(w.rows, query, w.table.Rows())
	}
}

func (w *walletTable) apply(a arranged) effect.Effect {
	if w.table.Apply(a.result) {
		w.totals = a.totals
		return nil
	}
	return w.arrange()
}

// totals are the sums of the rows that a filter leaves; fits says that they are right.
type totals struct {
	model.BookValue
	of    *rows
	query string
	fits  bool
}

func sum(of *rows, query string, shown iter.Seq2[model.WalletKey, row]) totals {
	t := totals{of: of, query: query, fits: true}
	for _, r := range shown {
		if err := t.AddPosition(r.Position, r.bestAsk(), r.start()); err != nil {
			t.fits = false
			break
		}
	}
	return t
}

func (w *walletTable) noteAsks(asks []model.AskChange) {
	if w.view.NoMotion {
		return
	}
	for _, c := range asks {
		w.marks.Add(w.view.Now(), c.Vintage.VintageID, "ask", "value", "over", "today")
	}
}

func (w *walletTable) noteBalances(was, is *model.Positions) {
	if w.view.NoMotion || was == nil || was == is {
		return
	}
	for i := range is.Len() {
		now := is.At(i)
		if before := was.Find(now.Key, i); before != nil && before.Wallet.Quantity != now.Wallet.Quantity {
			w.marks.Add(w.view.Now(), now.Key.VintageID, "balance")
		}
	}
}

func (w *walletTable) flash(key model.WalletKey, column string) bool {
	return w.marks.On(key.VintageID, column)
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

// head heads the column of moves with the moment that they are counted from,
// which reads otherwise once its day is over.
func (w *walletTable) head(since time.Time) {
	title := "TODAY"
	if !w.view.DayBegan(since) {
		title = "OVER " + w.view.SinceHeading(since)
	}
	w.table.Retitle("today", title)
}

func (w *walletTable) layout(width, height int) {
	if !w.table.Pending() {
		// A far move of the cursor does not wait for the rows: they are there now,
		// and their totals with them.
		w.sumUp()
	}
	if w.table.Len() == 0 {
		w.table.Layout(width, min(height, 1), nil)
		return
	}
	w.table.Layout(width, height, w.footer)
}

func (w *walletTable) draw(block *style.Block, height int, focused, stale bool, empty []string) {
	end := block.Room() - height
	if w.table.Len() > 0 {
		w.table.Draw(block, table.Frame[model.WalletKey]{Focused: focused, Stale: stale, Flash: w.flash})
		return
	}
	w.table.Draw(block, table.Frame[model.WalletKey]{Focused: true})
	if block.Room() > end {
		block.Blank(1)
	}
	for _, sentence := range empty {
		for _, line := range style.Wrap(sentence, max(block.Width()-2, 1)) {
			if block.Room() > end {
				block.Put(style.Muted, " "+line)
			}
		}
	}
	block.Blank(block.Room() - end)
}

func (w *walletTable) footer(c *style.Cell, column string) {
	sum := &w.totals
	switch {
	case column == "project":
		c.Put(style.Muted, w.count())
	case column == "balance" && !sum.fits:
		c.Put(style.Warning, "?")
	case column == "balance":
		c.PutBytes(style.Name, w.view.AppendQuantity(c.Scratch(), sum.Held))
	case !sum.fits:
	case column == "value" && sum.Valued > 0:
		w.partly(c)
		c.Put(style.Name, sum.Value.FormatDollars())
	case column == "over" && sum.Compared > 0:
		w.partly(c)
		putOver(c, sum.OverCost, true)
	case column == "today" && sum.Moved > 0:
		w.partly(c)
		putOver(c, sum.Today, true)
	}
}

func (w *walletTable) partly(c *style.Cell) {
	if w.totals.of != nil && w.totals.of.known.Market.Partial {
		c.Put(style.Muted, "◌ ")
	}
}

func (w *walletTable) count() string {
	count := model.Count(w.table.Total(), "wallet", "wallets")
	if w.totals.of != nil {
		count += w.totals.of.extent
	}
	if w.table.Query() != "" {
		return tab.Number(int64(w.table.Len())) + " of " + count
	}
	return count
}

// onScreen says which wallets are on the screen. The last page is full, whatever is
// on the one before.
func (w *walletTable) onScreen() string {
	first, last, total := w.table.Visible()
	if total == 0 {
		return ""
	}
	text := tab.Number(int64(first)) + "–" + tab.Number(int64(last)) + " of " + tab.Number(int64(total))
	lines := last - first + 1
	at, pages := (first-1)/lines+1, (total+lines-1)/lines
	if last == total {
		at = pages
	}
	if pages > 1 {
		text = fmt.Sprintf("page %s/%s · %s", tab.Number(int64(at)), tab.Number(int64(pages)), text)
	}
	return text
}

func (w *walletTable) unvalued() string {
	sum := &w.totals
	if w.view.Market.Market == nil || w.view.Market.Partial || !sum.fits || sum.Unvalued == 0 {
		return ""
	}
	return w.view.Quantity(sum.Unvalued) + " without an ask"
}

func (w *walletTable) askNames(f Feed) {
	tab.AskNames(&w.names, w.view, w.table, func(k model.WalletKey) string { return k.ProjectID }, f)
}
