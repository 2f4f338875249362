package market

import (
	"slices"
	"time"

	"tonne/model"
	"tonne/ui/style"
	"tonne/ui/table"
)

// maxChanges is how many changes are remembered.
const maxChanges = 500

// change is one line of the changes feed.
type change struct {
	model.OrderChange
	number int
	at     time.Time
}

// changeTable is what appeared, vanished, was repriced or resized since the
// dashboard was opened, newest first.
type changeTable struct {
	tab   *Tab
	table *table.Table[int, change]
	log   changes
	count int
}

// changes are oldest first; as rows they are newest first.
type changes []change

func (c changes) Len() int        { return len(c) }
func (c changes) Key(i int) int   { return c.At(i).number }
func (c changes) At(i int) change { return c[len(c)-1-i] }

func newChangeTable(t *Tab) changeTable {
	c := changeTable{tab: t}
	c.table = table.New[int](table.Spec[change]{Columns: []table.Column[change]{
		{Key: "time", Title: "TIME", Cell: func(c *style.Cell, x change) { c.Put(style.Muted, t.view.Clock(x.at)) }},
		{Key: "what", Title: "WHAT", Ideal: 9, Cell: func(c *style.Cell, x change) { c.Put(whatHappened(x)) }},
		{Key: "project", Title: "PROJECT", Min: 10, Ideal: 24, Max: 36, Cell: func(c *style.Cell, x change) {
			c.Put(style.Name, t.rows.projects.Name(x.Vintage.ProjectID))
		}},
		{Key: "vintage", Title: "VINTAGE", Align: style.Right, Priority: 1, Cell: func(c *style.Cell, x change) {
			c.Put(style.Text, t.view.VintageName(x.Vintage))
		}},
		{Key: "was", Title: "WAS", Align: style.Right, Ideal: 20, Priority: 2, Cell: func(c *style.Cell, x change) { c.Put(style.Muted, t.offer(x.Was)) }},
		{Key: "now", Title: "NOW", Align: style.Right, Ideal: 20, Cell: func(c *style.Cell, x change) { c.Put(style.Text, t.offer(x.Now)) }},
		{Key: "order", Title: "SELL ORDER", Priority: 3, Cell: func(c *style.Cell, x change) { c.Put(style.Faint, x.Was.ID+gone(x)) }},
	}})
	return c
}

// gone is the id of an order that was not there before.
func gone(x change) string {
	if x.Was.ID == "" {
		return x.Now.ID
	}
	return ""
}

func (t *Tab) offer(o model.SellOrder) string {
	if o.ID == "" {
		return "—"
	}
	return t.view.Quantity(o.Quantity) + " at " + o.Price.FormatDollars()
}

func whatHappened(x change) (style.Role, string) {
	switch x.Kind {
	case model.Appeared:
		return style.Product, "+ new"
	case model.Vanished:
		return style.Faint, "− gone"
	case model.Repriced:
		if x.Now.Price > x.Was.Price {
			return style.Dearer, "▲ dearer"
		}
		return style.Cheaper, "▼ cheaper"
	}
	return style.Text, "~ resized"
}

// record adds what changed with a poll. The rows that the table holds stay as
// they are: more are written behind them. The log outlives the snapshots by
// far, so that it keeps nothing of their text.
func (c *changeTable) record(m model.MarketChanges, at time.Time) {
	if len(m.Orders) == 0 {
		return
	}
	for _, o := range slices.Backward(m.Orders[:min(len(m.Orders), maxChanges)]) {
		c.count++
		c.log = append(c.log, change{o.Clone(), c.count, at})
	}
	newest := c.log[max(len(c.log)-maxChanges, 0):]
	if len(c.log) > 2*maxChanges {
		c.log = slices.Clone(newest)
	}
	c.table.SetSource(newest)
}

func (c *changeTable) draw(block *style.Block, lines int, focused bool) {
	if len(c.log) == 0 {
		block.Put(style.Muted, " Nothing has changed since the dashboard was opened.")
		return
	}
	c.table.Render(block, lines, table.Frame[int]{Focused: focused, Stale: c.tab.stale()})
}
