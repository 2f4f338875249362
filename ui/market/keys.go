package market

import (
	"cmp"
	"strings"

	"tonne/model"
	"tonne/ui/effect"
	"tonne/ui/keymap"
	"tonne/ui/tab"
)

const noVintage = "No vintage is selected."

// Groups returns the key bindings of the tab.
func (t *Tab) Groups() []keymap.Group {
	p, none := &t.panes, tab.Unless(t.list.selected, noVintage)
	page := func() (url string) {
		if r, ok := t.list.table.Current(); ok {
			url = r.project().RegistryURL
		}
		return url
	}
	act := keymap.Group{Name: "Market", Bindings: []keymap.Binding{
		t.enterKey(none),
		t.backKey(),
		{Name: "market.filter", Keys: []string{"/"}, Help: "filter the vintages", Short: "filter", Do: effect.Do(func() {
			t.panes.focus(false)
			t.list.filter.Focus()
		})},
		{Name: "market.sort", Keys: []string{"s"}, Help: "sort by the marked column; press again to reverse", Short: "sort",
			Why: tab.Unless(func() bool { return !p.focused }, "Only the table of vintages can be sorted. Esc returns to it."),
			Do: func() effect.Effect {
				return effect.Batch(t.reorder(), tab.SortByMarked(t.list.table, ""))
			}},
		{Name: "market.quote", Keys: []string{"b"}, Help: "quote the cost of N tonnes, or plan a retirement", Short: "quote",
			Why: none, Do: func() effect.Effect { return t.panes.askQuote(t.subject) }},
		t.retireKey(none),
		{Name: "market.basket", Keys: []string{"B"},
			Help: "find the cheapest basket over the shown vintages; press again to change it", Short: "basket",
			Do: t.openBasket},
		{Name: "market.project", Keys: []string{"i"}, Help: "show the details of the project", Short: "project", Why: none,
			Do: effect.Do(func() { t.panes.open(t.panes.project) })},
		{Name: "market.changes", Keys: []string{"v"}, Help: "show new, gone and repriced sell orders", Short: "changes",
			Do: effect.Do(func() { t.panes.open(t.panes.changes) })},
		{Name: "market.chart", Keys: []string{"c"}, Help: "price chart; press again for 30 days or all", Short: "chart",
			Why: none, Do: effect.Do(t.panes.nextPeriod)},
		{Name: "market.watch", Keys: []string{"f"}, Help: "watch or unwatch the vintage", Short: "watch", Why: none,
			Do: t.watched(t.watch.toggle)},
		{Name: "market.only", Keys: []string{"F"}, Help: "show only watched vintages, or all",
			Why: tab.Unless(func() bool { return len(t.watch.Watched) > 0 || t.list.only },
				"You watch nothing yet. f watches the selected vintage."), Do: t.toggleOnly},
		{Name: "market.rule", Keys: []string{"a"}, Help: "add a rule that fires when its price or quantity crosses a limit",
			Short: "rule", Why: none, Do: t.askRule},
		{Name: "market.rules", Keys: []string{"w"}, Help: "show the rules that fired; press again for the watch list",
			Do: effect.Do(t.panes.toggleRules)},
		{Name: "market.remove", Keys: []string{"x"}, Help: "remove the rule, or unwatch the vintage",
			Why: t.panes.whyNotRemove, Do: t.watched(func(model.VintageKey) effect.Effect { return t.watch.remove() })},
		{Name: "market.desk", Keys: []string{"D"}, Help: "toggle the desk view", Why: t.place.whyNotWide,
			Do: effect.Do(t.toggleWide)},
		{Name: "market.registry", Action: "browse", Keys: []string{"o"}, Help: "open the project's registry page",
			Why: tab.Unless(func() bool { return page() != "" }, "This project has no known registry page."),
			Do:  func() effect.Effect { return effect.Open{URL: page()} }},
		{Name: "market.columns", Keys: []string{"C"}, Help: "choose the columns",
			Do: func() effect.Effect { return tab.ChooseColumns(t.list.table, nil) }},
		{Name: "market.left", Keys: []string{"h", "left"}, Help: "mark the column to the left",
			Do: effect.Do(func() { t.panes.cursorList().Sideways(-1) })},
		{Name: "market.right", Keys: []string{"l", "right"}, Help: "mark the column to the right",
			Do: effect.Do(func() { t.panes.cursorList().Sideways(1) })},
		t.exportKey(),
		{Name: "market.mark", Keys: []string{"M"}, Help: "mark or unmark the vintage for comparison", Short: "mark",
			Why: tab.Unless(func() bool { return p.onCompare() && p.focused || t.list.selected() }, noVintage), Do: t.mark},
		{Name: "market.compare", Keys: []string{"="}, Help: "compare the marked vintages", Short: "compare",
			Why: tab.Unless(p.compare.enough, "Mark two to four vintages with M first."), Do: effect.Do(t.openCompare)},
		{Name: "market.unmark", Help: "unmark all vintages",
			Why: tab.Unless(func() bool { return len(p.compare.marked) > 0 }, "No vintage is marked. M marks the selected one."),
			Do:  t.unmark},
		{Name: "market.basketexport", Help: "export the basket as CSV, XLSX or JSON", Machine: true, Why: t.panes.whyNoBasket,
			Do: t.panes.basket.export},
		{Name: "market.copy", Keys: []string{"y"}, Help: "copy the id of the vintage, or of the selected line in the pane",
			Why: tab.Unless(func() bool { return p.focused || t.list.selected() }, noVintage), Do: t.copyID},
		{Name: "market.copycell", Help: "copy the marked cell", Why: none,
			Do: func() effect.Effect { return effect.Copy{Text: t.panes.cursorList().CopyCell(), What: "the cell"} }},
		{Name: "market.copyrow", Keys: []string{"Y"}, Help: "copy the row; press again to copy the whole table",
			Why: t.whyNoRow(none), Do: t.copyRow},
	}}
	act.Bindings = append(act.Bindings, replay{t}.keys()...)
	act = replay{t}.frozen(act)
	if p.focused {
		return []keymap.Group{act, tab.Moves("market", p, nil)}
	}
	return []keymap.Group{act, tab.Moves("market", t.list.table, t.moved)}
}

func (t *Tab) whyNoRow(none func() string) func() string {
	if t.panes.onBasket() {
		return t.panes.whyNoBasket
	}
	return none
}

func (t *Tab) enterKey(none func() string) keymap.Binding {
	b := keymap.Binding{Name: "market.book", Action: "open", Keys: []string{"enter"}, Help: "open the order book",
		Short: "book", Why: none, Do: t.enter}
	if t.panes.focused || t.panes.shown.title(t.subject()) != "" {
		b.Why = nil
	}
	_, list := t.panes.shown.target()
	switch {
	case t.panes.focused && list:
		b.Help, b.Short = "go to the vintage of this line", "vintage"
	case t.panes.focused:
		b.Help, b.Short = "back to the table", "table"
	case !t.panes.onBook():
		b.Help, b.Short = "focus the pane below: "+t.panes.shown.name(), "focus"
	}
	return b
}

func (t *Tab) retireKey(none func() string) keymap.Binding {
	b := keymap.Binding{Name: "market.retire", Keys: []string{"R"}, Help: "retire from this vintage", Short: "retire",
		Why: func() string { return cmp.Or(none(), t.view.WhyNotRetire()) }, Do: t.retire}
	if t.panes.onBasket() {
		b.Help, b.Why, b.Do = "retire all lines of the basket", t.panes.basket.whyNotRetire, t.panes.basket.retire
	}
	return b
}

func (t *Tab) backKey() keymap.Binding {
	b := keymap.Binding{Name: "market.back", Keys: []string{"esc"}, Help: "back to the table, then clear the filter",
		Do: t.back}
	if t.panes.focused || !t.panes.onBook() || t.list.narrowed() {
		b.Short = "back"
	}
	return b
}

func (t *Tab) enter() effect.Effect {
	if key, ok := t.panes.shown.target(); ok && t.panes.focused {
		return t.goTo(key)
	}
	if r, ok := t.watch.history.table.Current(); ok && t.panes.focused && t.panes.shown == pane(t.watch.history) {
		return effect.Say("The Retirements tab shows " + r.Request + ".")
	}
	t.panes.focus(!t.panes.focused)
	return nil
}

func (t *Tab) goTo(key model.VintageKey) effect.Effect {
	if !t.list.table.Select(key) {
		return effect.Say(t.view.Label(key) +
			" is not in the table: it has no sell orders, is not loaded yet, or does not match the filter.")
	}
	t.panes.close()
	t.refresh()
	return nil
}

func (t *Tab) back() effect.Effect {
	switch {
	case t.panes.focused:
		t.panes.focus(false)
	case !t.panes.onBook():
		t.panes.show(t.panes.book)
	case t.list.filter.Value() != "":
		return t.list.filter.Clear()
	case t.list.only:
		return t.toggleOnly()
	}
	return nil
}

func (t *Tab) copyID() effect.Effect {
	r, ok := t.list.table.Current()
	c := effect.Copy{What: "the vintage's id"}
	if ok {
		c.Text = r.vintage().ID
	}
	if !t.panes.focused {
		return c
	}
	if key, ok := t.panes.shown.target(); ok {
		c.Text = key.VintageID
	}
	if own, ok := t.panes.shown.copyID(t.subject()); ok {
		return own
	}
	return c
}

func (t *Tab) copyRow() effect.Effect {
	if c, ok := t.panes.shown.copyRow(t.subject()); ok {
		return c
	}
	return effect.Copy{Text: t.list.table.CopyRow(), What: "the row",
		Whole: tab.Whole(t.list.table, "vintage", "vintages")}
}

func (t *Tab) watched(change func(key model.VintageKey) effect.Effect) func() effect.Effect {
	return func() effect.Effect {
		r, ok := t.list.table.Current()
		var key model.VintageKey
		if ok {
			key = r.key()
		}
		said := change(key)
		return effect.Batch(t.relabel(), said)
	}
}

func (t *Tab) toggleOnly() effect.Effect {
	t.list.only = !t.list.only
	return effect.Batch(t.relabel(), t.panes.recompute())
}

func (t *Tab) askRule() effect.Effect {
	r, _ := t.list.table.Current()
	key := r.key()
	return tab.Prompt{
		Title: "Add a rule on " + t.view.Label(key),
		Hint:  "price < 5 · drops 10% · below last paid · within 2% of last paid · 500 t",
		Enter: func(typed string) (effect.Effect, string) {
			if _, problem := parseRule(typed); problem != "" {
				return nil, problem
			}
			return t.ruleOn(key, typed), ""
		},
	}.Ask()
}

// ruleOn adds a rule, whose text is valid.
func (t *Tab) ruleOn(key model.VintageKey, text string) effect.Effect {
	rule, _ := parseRule(text)
	return t.watched(func(model.VintageKey) effect.Effect {
		ask, _ := t.list.rows.market.Offer(key)
		return t.watch.addRule(key, rule, ask)
	})()
}

// retire proposes what the focused line names: a vintage, an order, or the quantity of the quote.
func (t *Tab) retire() effect.Effect {
	r, _ := t.list.table.Current()
	from := tab.RetireFrom{Vintage: r.key().Clone()}
	if t.panes.shown == pane(t.panes.quote) {
		from.Quantity = t.panes.quote.order.quantity
	}
	if key, ok := t.panes.shown.target(); ok && t.panes.focused {
		from.Vintage = key.Clone()
	}
	if order, ok := t.panes.book.table.Current(); ok && t.panes.focused && t.panes.onBook() {
		from.SellOrderID = strings.Clone(order.Order.ID)
	}
	return t.view.Retire(from)
}

func (t *Tab) exportKey() keymap.Binding {
	b := keymap.Binding{
		Name: "market.export", Keys: []string{"e"}, Help: "export the shown rows as CSV, XLSX or JSON", Short: "export",
		Machine: true, Why: tab.WhyNotExport(t.list.table), Do: t.list.export,
	}
	if t.panes.onBasket() {
		b.Help, b.Why, b.Do = "export the basket as CSV, XLSX or JSON", t.panes.whyNoBasket, t.panes.basket.export
	}
	if t.panes.onCompare() {
		b.Help, b.Why, b.Do = "export the comparison as CSV, XLSX or JSON", nil, t.panes.compare.export
	}
	return b
}

func (t *Tab) openBasket() effect.Effect {
	if p := t.panes.basket; !p.set || t.panes.onBasket() || p.over != t.list.narrowing() {
		limit, _ := t.list.filter.Expr().MaxAsk()
		return effect.Show{Panel: newBasketForm(p.typed, limit, t.list.forSale())}
	}
	t.panes.open(t.panes.basket)
	return t.panes.recompute()
}
