package market

import (
	"cmp"
	"slices"

	"tonne/api/session"
	"tonne/model"
	"tonne/model/store"
	"tonne/ui/style"
	"tonne/ui/tab"
	"tonne/ui/table"
)

// watchlistPane lists the watched vintages with their rules.
type watchlistPane struct {
	tabular[watchKey, watchRow]
	view *tab.View
}

// watchKey names a rule on a vintage, or with an empty rule the vintage.
type watchKey struct {
	model.VintageKey
	rule string
}

// watchRow is a rule on a vintage, or a vintage without any.
type watchRow struct {
	store.Alert
	ruled bool
	name  string
	// facts are what rules on the vintage are held against now.
	facts model.Facts
}

func (r watchRow) key() watchKey {
	if !r.ruled {
		return watchKey{r.Vintage, ""}
	}
	return watchKey{r.Vintage, r.Rule.String()}
}

type watchRows []watchRow

func (w watchRows) Len() int           { return len(w) }
func (w watchRows) Key(i int) watchKey { return w[i].key() }
func (w watchRows) At(i int) watchRow  { return w[i] }

func newWatchlistPane(v *tab.View) *watchlistPane {
	return &watchlistPane{view: v, tabular: tabular[watchKey, watchRow]{table.New[watchKey](table.Spec[watchRow]{Columns: []table.Column[watchRow]{
		{Key: "project", Title: "PROJECT", Min: 12, Ideal: 28, Max: 44, Cell: func(c *style.Cell, r watchRow) { c.Put(style.Name, r.name) }},
		{Key: "vintage", Title: "VINTAGE", Align: style.Right, Cell: func(c *style.Cell, r watchRow) { c.Put(style.Text, v.VintageName(r.Vintage)) }},
		{Key: "ask", Title: "BEST ASK", Align: style.Right, Ideal: 9, Priority: 1, Cell: func(c *style.Cell, r watchRow) { askCell(c, r.facts.BestAsk) }},
		{Key: "available", Title: "AVAILABLE", Align: style.Right, Ideal: 10, Priority: 2, Cell: func(c *style.Cell, r watchRow) {
			c.Put(style.Muted, v.Quantity(r.facts.Available))
		}},
		{Key: "rule", Title: "TELL ME WHEN", Min: 16, Cell: ruleCell},
		{Key: "state", Title: "NOW", Cell: stateCell},
	}})}}
}

func (*watchlistPane) name() string         { return "rules" }
func (*watchlistPane) title(subject) string { return "Watch list" }

func (*watchlistPane) note(line *style.Line, _ subject) {
	line.Put(style.Key, "  ↵")
	line.Put(style.Faint, " walks and shows the vintage")
	line.Put(style.Key, "  x")
	line.Put(style.Faint, " removes")
}

func (p *watchlistPane) pointsAt() (model.VintageKey, bool) {
	r, ok := p.table.Current()
	return r.Vintage, ok
}

func ruleCell(c *style.Cell, r watchRow) {
	if !r.ruled {
		c.Put(style.Faint, "no rule yet")
		return
	}
	c.Put(style.Text, r.Rule.String())
}

func stateCell(c *style.Cell, r watchRow) {
	holds, known := r.Rule.Holds(r.facts)
	switch {
	case !r.ruled:
	case !known:
		c.Put(style.Faint, "never bought")
	case holds:
		c.Put(style.Accent, "✓ holds")
	default:
		c.Put(style.Muted, "not yet")
	}
}

// list shows a watch list in the order of names and years, with what a state
// of the market says of it.
func (p *watchlistPane) list(list session.Watchlist, now *rows) {
	var rows watchRows
	ruled := make(map[model.VintageKey]bool)
	add := func(a store.Alert, rule bool) {
		rows = append(rows, watchRow{a, rule, p.view.Projects.Name(a.Vintage.ProjectID), now.market.Facts(a.Vintage, now.paid)})
	}
	for _, a := range list.Alerts {
		ruled[a.Vintage] = true
		add(a, true)
	}
	for key := range list.Watched {
		if !ruled[key] {
			add(store.Alert{Vintage: key}, false)
		}
	}
	slices.SortFunc(rows, func(a, b watchRow) int {
		return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(p.view.Year(a.Vintage), p.view.Year(b.Vintage)),
			cmp.Compare(a.Vintage.VintageID, b.Vintage.VintageID), cmp.Compare(a.Rule.String(), b.Rule.String()))
	})
	p.table.SetSource(rows)
}

func (p *watchlistPane) draw(block *style.Block, s subject) {
	if p.table.Len() == 0 {
		block.Put(style.Text, " Nothing is watched yet.")
		block.Put(style.Muted, " f watches the selected vintage, a tells you when its price or quantity crosses a limit.")
		return
	}
	p.table.Render(block, block.Room(), table.Frame[watchKey]{Focused: s.focused, Stale: s.stale})
}
