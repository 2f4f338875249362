package inventory

import (
	"fmt"
	"strings"
	"time"

	"tonne/model"
	"tonne/model/field"
	"tonne/model/market"
	"tonne/model/portfolio"
	"tonne/ui/effect"
	"tonne/ui/style"
	"tonne/ui/tab"
	"tonne/ui/table"
)

type walletTable struct {
	view   *tab.View
	table  *table.Table[portfolio.WalletKey, row]
	rows   *rows
	totals totals
	marks  tab.Flashes
	asked  []string
}

func newWalletTable(v *tab.View) *walletTable {
	w := &walletTable{view: v, table: table.New[portfolio.WalletKey](spec(v))}
	w.table.SelectColumn("project")
	w.table.Sort("project", false)
	return w
}

func (w *walletTable) show(r *rows) effect.Effect {
	w.sums()
	w.rows = r
	w.table.SetSource(r)
	return tab.Work(w.table)
}

func (w *walletTable) narrow(f *tab.Filter) effect.Effect {
	w.sums()
	w.table.SetFilter(f.Query(), f.Expr())
	return tab.Work(w.table)
}

// totals are the sums of the filtered rows. fits is false if a sum overflowed.
type totals struct {
	portfolio.BookValue
	of    *rows
	query string
	fits  bool
}

func (w *walletTable) sums() *totals {
	query := w.table.Query()
	if w.table.Pending() || w.totals.of == w.rows && w.totals.query == query {
		return &w.totals
	}
	w.totals = totals{of: w.rows, query: query, fits: true}
	for _, r := range w.table.Rows() {
		if err := w.totals.AddPosition(r.Position, r.bestAsk(), r.start()); err != nil {
			w.totals.fits = false
			break
		}
	}
	return &w.totals
}

func (w *walletTable) noteAsks(asks []market.AskChange) {
	if w.view.NoMotion {
		return
	}
	for _, c := range asks {
		w.marks.Add(w.view.Now(), c.Vintage.VintageID, "ask", "value", "over", "today")
	}
}

func (w *walletTable) noteBalances(was, is *portfolio.Positions) {
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

// needs returns the number of lines for all wallets, the heading and the totals. Without wallets it returns all
// lines, so that the border below does not move.
func (w *walletTable) needs(height int) int {
	if w.table.Len() == 0 {
		return height
	}
	return 2 + w.table.Len()
}

// head writes the start of the period into the heading of the changes. The text changes on the next day.
func (w *walletTable) head(since time.Time) {
	title := "TODAY"
	if !w.view.DayBegan(since) {
		title = "OVER " + w.view.SinceHeading(since)
	}
	w.table.Retitle("today", title)
}

func (w *walletTable) draw(block *style.Block, focused, stale bool, empty []string) {
	w.table.Draw(block, table.Frame[portfolio.WalletKey]{
		Focused: focused || w.table.Len() == 0, Stale: stale,
		Flash: func(key portfolio.WalletKey, column string) bool { return w.marks.On(key.VintageID, column) },
		Empty: func(block *style.Block) {
			block.Blank(1)
			for _, sentence := range empty {
				for _, line := range style.Wrap(sentence, max(block.Width()-2, 1)) {
					block.Put(style.Muted, " "+line)
				}
			}
		},
	})
}

func (w *walletTable) footer(c *style.Cell, column string) {
	sum := w.sums()
	switch {
	case column == "project":
		c.Put(style.Muted, w.count())
	case column == "balance" && !sum.fits:
		c.Put(style.Warning, "?")
	case column == "balance":
		c.Put(style.Name, balance(w.view, sum.Held, w.rows))
	case !sum.fits:
	case column == "value" && sum.Valued > 0:
		w.partly(c)
		c.Put(style.Name, sum.Value.FormatDollars())
	case column == "over" && sum.Compared > 0:
		w.partly(c)
		table.Put(c, field.Change(sum.OverCost), style.Text, w.view.Units())
	case column == "today" && sum.Moved > 0:
		w.partly(c)
		table.Put(c, field.Change(sum.Today), style.Text, w.view.Units())
	}
}

// balance returns a balance with its decimal point below those of the others.
func balance(v *tab.View, g model.Grams, of *rows) string {
	text := v.Quantity(g)
	if whole, cut := strings.CutSuffix(text, " t"); cut && g.IsWhole() && of != nil && of.divided {
		return whole + strings.Repeat(" ", len(".000000")) + " t"
	}
	return text
}

func (w *walletTable) partly(c *style.Cell) {
	if w.sums().of != nil && w.totals.of.known.Market.Partial {
		c.Put(style.Muted, "◌ ")
	}
}

func (w *walletTable) count() string {
	count := model.Count(w.table.Total(), "wallet", "wallets")
	if of := w.sums().of; of != nil {
		count += of.extent
	}
	if w.table.Query() != "" {
		return tab.Number(int64(w.table.Len())) + " of " + count
	}
	return count
}

// onScreen returns the range of the wallets on the screen. The last page is always full.
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
	sum := w.sums()
	if w.view.Market.Market == nil || w.view.Market.Partial || !sum.fits || sum.Unvalued == 0 {
		return ""
	}
	return w.view.Quantity(sum.Unvalued) + " without an ask"
}

func (w *walletTable) askNames(f Feed) {
	tab.AskNames(&w.asked, w.view, w.table, func(k portfolio.WalletKey) string { return k.ProjectID }, f)
}
