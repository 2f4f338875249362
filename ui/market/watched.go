package market

import (
	"cmp"
	"slices"

	"tonne/model"
	"tonne/model/store"
	"tonne/ui/effect"
	"tonne/ui/style"
	"tonne/ui/table"
)

// watchTable lists the watched vintages with their rules.
type watchTable struct {
	tab   *Tab
	table *table.Table[watchKey, watchRow]
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

func newWatchTable(t *Tab) watchTable {
	w := watchTable{tab: t}
	w.table = table.New[watchKey](table.Spec[watchRow]{Columns: []table.Column[watchRow]{
		{Key: "project", Title: "PROJECT", Min: 12, Ideal: 28, Max: 44, Cell: func(c *style.Cell, r watchRow) { c.Put(style.Name, r.name) }},
		{Key: "vintage", Title: "VINTAGE", Align: style.Right, Cell: func(c *style.Cell, r watchRow) { c.Put(style.Text, t.view.VintageName(r.Vintage)) }},
		{Key: "ask", Title: "BEST ASK", Align: style.Right, Ideal: 9, Priority: 1, Cell: w.askCell},
		{Key: "available", Title: "AVAILABLE", Align: style.Right, Ideal: 10, Priority: 2, Cell: func(c *style.Cell, r watchRow) {
			c.Put(style.Muted, t.view.Quantity(t.facts(r.Vintage).Available))
		}},
		{Key: "rule", Title: "TELL ME WHEN", Min: 16, Cell: ruleCell},
		{Key: "state", Title: "NOW", Cell: w.stateCell},
	}})
	return w
}

// facts are what rules on a vintage are held against now.
func (t *Tab) facts(key model.VintageKey) model.Facts { return t.rows.market.Facts(key, t.rows.paid) }

func (w *watchTable) askCell(c *style.Cell, r watchRow) {
	if ask := w.tab.facts(r.Vintage).BestAsk; ask.Known() {
		c.PutBytes(style.Strong, ask.AppendDollars(c.Scratch()))
		return
	}
	dash(c)
}

func ruleCell(c *style.Cell, r watchRow) {
	if !r.ruled {
		c.Put(style.Faint, "no rule yet")
		return
	}
	c.Put(style.Text, r.Rule.String())
}

func (w *watchTable) stateCell(c *style.Cell, r watchRow) {
	holds, known := r.Rule.Holds(w.tab.facts(r.Vintage))
	switch {
	case !r.ruled:
	case !known:
		c.Put(style.Faint, "never bought")
	case holds:
		c.Put(style.Product, "✓ holds")
	default:
		c.Put(style.Muted, "not yet")
	}
}

// list shows the watch list as it is now, in order of names and years.
func (w *watchTable) list() {
	t := w.tab
	var rows watchRows
	ruled := make(map[model.VintageKey]bool)
	for _, a := range t.watch.alerts {
		ruled[a.Vintage] = true
		rows = append(rows, watchRow{a, true, t.view.Projects.Name(a.Vintage.ProjectID)})
	}
	for key := range t.watch.watched {
		if !ruled[key] {
			rows = append(rows, watchRow{store.Alert{Vintage: key}, false, t.view.Projects.Name(key.ProjectID)})
		}
	}
	slices.SortFunc(rows, func(a, b watchRow) int {
		return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(t.view.Year(a.Vintage), t.view.Year(b.Vintage)),
			cmp.Compare(a.Vintage.VintageID, b.Vintage.VintageID), cmp.Compare(a.Rule.String(), b.Rule.String()))
	})
	w.table.SetSource(rows)
}

func (w *watchTable) draw(block *style.Block, lines int, focused bool) {
	if w.table.Len() == 0 {
		block.Put(style.Text, " Nothing is watched yet.")
		block.Put(style.Muted, " f watches the selected vintage, a tells you when its price or quantity crosses a limit.")
		return
	}
	w.table.Render(block, lines, table.Frame[watchKey]{Focused: focused, Stale: w.tab.stale()})
}

// whyNotRemove says why there is nothing to remove.
func (t *Tab) whyNotRemove() string {
	if t.pane.kind != showWatched {
		return "w lists what is watched; there x removes a rule."
	}
	if t.pane.watched.table.Len() == 0 {
		return "Nothing is watched yet."
	}
	return ""
}

// remove takes off the rule under the cursor of the list, or the vintage where
// it has none.
func (t *Tab) remove() effect.Effect {
	r, _ := t.pane.watched.table.Current()
	if r.ruled {
		return t.removeRule(r.Alert)
	}
	return t.unwatch(r.Vintage)
}

// goTo shows the book of a vintage that a list names.
func (t *Tab) goTo(key model.VintageKey) effect.Effect {
	if !t.table.Select(key) {
		return effect.Say(t.label(key) + " is not in the table now: it is not for sale, or filtered.")
	}
	t.pane.show(showBook)
	t.pane.focused = false
	t.pane.refresh()
	return t.follow()
}
