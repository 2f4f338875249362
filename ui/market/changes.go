package market

import (
	"slices"
	"time"

	"tonne/model"
	"tonne/ui/style"
	"tonne/ui/tab"
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

// changesPane shows what appeared, vanished, was repriced or resized since the
// dashboard was opened, newest first.
type changesPane struct {
	tabular[int, change]
	view  *tab.View
	log   changes
	count int
}

// changes are oldest first; as rows they are newest first.
type changes []change

func (c changes) Len() int        { return len(c) }
func (c changes) Key(i int) int   { return c.At(i).number }
func (c changes) At(i int) change { return c[len(c)-1-i] }

func newChangesPane(v *tab.View) *changesPane {
	c := &changesPane{view: v}
	c.table = table.New[int](table.Spec[change]{Columns: []table.Column[change]{
		{Key: "time", Title: "TIME", Cell: func(c *style.Cell, x change) { c.Put(style.Muted, v.Clock(x.at)) }},
		{Key: "what", Title: "WHAT", Ideal: 9, Cell: func(c *style.Cell, x change) { c.Put(whatHappened(x)) }},
		{Key: "project", Title: "PROJECT", Min: 10, Ideal: 24, Max: 36, Cell: func(c *style.Cell, x change) {
			c.Put(style.Name, v.Projects.Name(x.Vintage.ProjectID))
		}},
		{Key: "vintage", Title: "VINTAGE", Align: style.Right, Priority: 1, Cell: func(c *style.Cell, x change) {
			c.Put(style.Text, v.VintageName(x.Vintage))
		}},
		{Key: "was", Title: "WAS", Align: style.Right, Ideal: 20, Priority: 2, Cell: func(cell *style.Cell, x change) { cell.Put(style.Muted, c.offer(x.Was)) }},
		{Key: "now", Title: "NOW", Align: style.Right, Ideal: 20, Cell: func(cell *style.Cell, x change) { cell.Put(style.Text, c.offer(x.Now)) }},
		{Key: "order", Title: "SELL ORDER", Max: 24, Middle: true, Priority: 3, Cell: func(c *style.Cell, x change) { c.Put(style.Faint, x.Was.ID+gone(x)) }},
	}})
	return c
}

func (*changesPane) name() string              { return "changes" }
func (*changesPane) title(subject) string      { return "All vintages" }
func (*changesPane) note(*style.Line, subject) {}

func (c *changesPane) pointsAt() (model.VintageKey, bool) {
	x, ok := c.table.Current()
	return x.Vintage, ok
}

// gone is the id of an order that was not there before.
func gone(x change) string {
	if x.Was.ID == "" {
		return x.Now.ID
	}
	return ""
}

func (c *changesPane) offer(o model.SellOrder) string {
	if o.ID == "" {
		return "—"
	}
	return c.view.Quantity(o.Quantity) + " at " + o.Price.FormatDollars()
}

func whatHappened(x change) (style.Role, string) {
	switch x.Kind {
	case model.Appeared:
		return style.Accent, "+ new"
	case model.Vanished:
		return style.Faint, "− gone"
	case model.Repriced:
		if x.Now.Price > x.Was.Price {
			return style.Warning, "▲ dearer"
		}
		return style.Cheaper, "▼ cheaper"
	}
	return style.Text, "~ resized"
}

// record adds what changed with a poll. The rows that the table holds stay as
// they are: more are written behind them. The log outlives the snapshots by
// far, so that it keeps nothing of their text.
func (c *changesPane) record(m model.MarketChanges, at time.Time) {
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

func (c *changesPane) draw(block *style.Block, s subject) {
	if len(c.log) == 0 {
		block.Put(style.Muted, " Nothing has changed since the dashboard was opened.")
		return
	}
	c.table.Render(block, block.Room(), table.Frame[int]{Focused: s.focused, Stale: s.stale})
}
