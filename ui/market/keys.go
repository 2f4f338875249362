package market

import (
	"tonne/api/session"
	"tonne/model"
	"tonne/ui/effect"
	"tonne/ui/keymap"
	"tonne/ui/tab"
)

// Groups are the key bindings of the tab. Keys that walk act on the pane while
// it has the focus.
func (t *Tab) Groups() []keymap.Group {
	act := keymap.Group{Name: "Market", Bindings: []keymap.Binding{
		t.enterKey(),
		t.backKey(),
		{Name: "market.filter", Keys: []string{"/"}, Help: "filter the vintages", Short: "filter", Do: t.startFilter},
		{Name: "market.sort", Keys: []string{"s"}, Help: "sort by the marked column, again: the other way", Short: "sort", Why: t.whyNotSort, Do: t.sort},
		{Name: "market.quote", Keys: []string{"b"}, Help: "quote: what N tonnes cost, or a plan to retire", Short: "quote", Why: t.whyNoRow, Do: t.panes.quote.ask},
		{Name: "market.retire", Keys: []string{"R"}, Help: "retire of the vintage", Short: "retire", Why: t.whyNotRetire, Do: t.retire},
		{Name: "market.basket", Keys: []string{"B"}, Help: "basket: the cheapest tonnes over all vintages that are shown; again: change it", Short: "basket", Do: t.openBasket},
		{Name: "market.project", Keys: []string{"i"}, Help: "details of the project", Short: "project", Why: t.whyNoRow, Do: t.open(t.panes.project)},
		{Name: "market.changes", Keys: []string{"v"}, Help: "what appeared, vanished, was repriced", Short: "changes", Do: t.open(t.panes.changes)},
		{Name: "market.chart", Keys: []string{"c"}, Help: "price chart, again: hours, days, all", Short: "chart", Why: t.whyNoRow, Do: t.chart},
		{Name: "market.watch", Keys: []string{"f"}, Help: "watch the vintage, or no longer", Short: "watch", Why: t.whyNoRow, Do: t.toggleWatch},
		{Name: "market.only", Keys: []string{"F"}, Help: "only watched vintages, or all", Why: t.whyNotOnly, Do: t.toggleOnly},
		{Name: "market.rule", Keys: []string{"a"}, Help: "add a rule: tell me when its price or quantity crosses a limit", Short: "rule", Why: t.whyNoRow, Do: t.askRule},
		{Name: "market.rules", Keys: []string{"w"}, Help: "what fired, again: the watch list and its rules", Do: t.alertsKey},
		{Name: "market.remove", Keys: []string{"x"}, Help: "remove the rule, or unwatch the vintage", Why: t.whyNotRemove, Do: t.remove},
		{Name: "market.desk", Keys: []string{"D"}, Help: "the desk view, or the plain one", Why: t.whyNotDesk, Do: t.toggleDesk},
		{Name: "market.registry", Action: "browse", Keys: []string{"o"}, Help: "open the project's registry page", Why: t.whyNoPage, Do: t.openPage},
		{Name: "market.columns", Keys: []string{"C"}, Help: "choose the columns", Do: t.chooseColumns},
		{Name: "market.left", Keys: []string{"h", "left"}, Help: "mark the column to the left", Do: t.mark(list.Left)},
		{Name: "market.right", Keys: []string{"l", "right"}, Help: "mark the column to the right", Do: t.mark(list.Right)},
		t.exportKey(),
		{Name: "market.basketexport", Help: "export the basket, as CSV, XLSX or JSON", Machine: true, Why: t.whyNoBasket, Do: t.exportBasket},
		{Name: "market.copy", Keys: []string{"y"}, Help: "copy the id of the vintage, or of what the cursor of the pane is on", Why: t.whyNoID, Do: t.copyID},
		{Name: "market.copycell", Help: "copy the marked cell", Why: t.whyNoRow, Do: t.copyCell},
		{Name: "market.copyrow", Keys: []string{"Y"}, Help: "copy the row, again: the whole view as a table", Why: t.whyNoRowCopy, Do: t.copyRow},
	}}
	if t.panes.focused {
		return []keymap.Group{act, tab.Moves("market", &t.panes, nil)}
	}
	return []keymap.Group{act, tab.Moves("market", t.table, t.moved)}
}

func (t *Tab) enterKey() keymap.Binding {
	b := keymap.Binding{Name: "market.book", Action: "open", Keys: []string{"enter"}, Help: "order book of the vintage", Short: "book", Why: t.whyNotEnter, Do: t.enter}
	_, list := t.panes.shown.pointsAt()
	switch {
	case t.panes.focused && list:
		b.Help, b.Short = "show the vintage of the line", "vintage"
	case t.panes.focused:
		b.Help, b.Short = "back to the table", "table"
	case !t.panes.onBook():
		b.Help, b.Short = "walk the "+t.panes.shown.name()+" of the pane below", "walk"
	}
	return b
}

func (t *Tab) backKey() keymap.Binding {
	b := keymap.Binding{Name: "market.back", Keys: []string{"esc"}, Help: "back to the table, then clear the filter", Do: t.back}
	if t.panes.focused || !t.panes.onBook() || t.narrowed() {
		b.Short = "back"
	}
	return b
}

func (t *Tab) closing() func() effect.Effect {
	if !t.panes.focused && t.panes.onBook() {
		return nil
	}
	return func() effect.Effect {
		t.panes.focus(false)
		t.panes.show(t.panes.book)
		return nil
	}
}

func (t *Tab) moved() effect.Effect {
	work := t.reorder()
	t.refresh()
	return work
}

func (t *Tab) whyNoRow() string {
	if _, ok := t.selected(); !ok {
		return "No vintage is selected."
	}
	return ""
}

func (t *Tab) whyNotEnter() string {
	if t.panes.focused || t.panes.shown.title(t.subject()) != "" {
		return ""
	}
	return t.whyNoRow()
}

func (t *Tab) whyNoPage() string {
	r, ok := t.selected()
	if !ok || r.project().RegistryURL == "" {
		return "No registry page is known for this project."
	}
	return ""
}

func (t *Tab) sort() effect.Effect {
	work := t.reorder()
	return effect.Batch(work, tab.SortByMarked(t.table))
}

func (t *Tab) whyNotSort() string {
	if t.panes.focused {
		return "Only the vintages are sorted. Esc goes back to them."
	}
	return ""
}

func (t *Tab) mark(sideways func(list)) func() effect.Effect {
	return func() effect.Effect {
		if lower := t.panes.walked(); lower != nil {
			sideways(lower)
			return nil
		}
		sideways(t.table)
		return nil
	}
}

func (t *Tab) enter() effect.Effect {
	if key, ok := t.panes.shown.pointsAt(); ok && t.panes.focused {
		return t.goTo(key)
	}
	if r, ok := t.panes.fired.table.Current(); ok && t.panes.focused && t.panes.shown == pane(t.panes.fired) {
		return effect.Say("The Retirements tab shows " + r.Request + ".")
	}
	t.panes.focus(!t.panes.focused)
	return nil
}

func (t *Tab) goTo(key model.VintageKey) effect.Effect {
	if !t.table.Select(key) {
		return effect.Say(t.label(key) + " is not in the table now: it has no sell orders, was not read, or is filtered.")
	}
	t.panes.focus(false)
	t.panes.show(t.panes.book)
	t.refresh()
	return nil
}

func (t *Tab) open(p pane) func() effect.Effect {
	return func() effect.Effect {
		t.panes.open(p)
		return nil
	}
}

func (t *Tab) chart() effect.Effect {
	t.panes.nextPeriod()
	return nil
}

func (t *Tab) whyNotOnly() string {
	if len(t.watch.Watched) == 0 && !t.watch.only {
		return "Nothing is watched yet. f watches the selected vintage."
	}
	return ""
}

func (t *Tab) back() effect.Effect {
	switch {
	case t.panes.focused:
		t.panes.focus(false)
	case !t.panes.onBook():
		t.panes.show(t.panes.book)
	case t.filtering():
		return t.filter.Clear()
	case t.watch.only:
		return t.toggleOnly()
	}
	return nil
}

func (t *Tab) openPage() effect.Effect {
	r, _ := t.selected()
	return effect.Open{URL: r.project().RegistryURL}
}

func (t *Tab) copyID() effect.Effect {
	r, ok := t.selected()
	c := effect.Copy{What: "the vintage's id"}
	if ok {
		c.Text = r.vintage().ID
	}
	if !t.panes.focused {
		return c
	}
	if key, ok := t.panes.shown.pointsAt(); ok {
		c.Text = key.VintageID
	}
	if own, ok := t.panes.shown.copyID(t.subject()); ok {
		return own
	}
	return c
}

func (t *Tab) whyNoID() string {
	if t.panes.focused {
		return ""
	}
	return t.whyNoRow()
}

func (t *Tab) whyNoRowCopy() string {
	if t.basketShown() {
		return t.whyNoBasket()
	}
	return t.whyNoRow()
}

func (t *Tab) copyCell() effect.Effect {
	text := t.table.CopyCell()
	if lower := t.panes.walked(); lower != nil {
		text = lower.CopyCell()
	}
	return effect.Copy{Text: text, What: "the cell"}
}

func (t *Tab) copyRow() effect.Effect {
	if c, ok := t.panes.shown.copyRow(t.subject()); ok {
		return c
	}
	return effect.Copy{Text: t.table.CopyRow(), What: "the row", Whole: tab.Whole(t.table, "vintage", "vintages")}
}

func (t *Tab) chooseColumns() effect.Effect { return tab.ChooseColumns(t.table) }

func (t *Tab) stale() bool {
	state := t.view.Market.State
	return state == session.Stale || state == session.Refused
}
