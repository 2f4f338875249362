package inventory

import (
	"cmp"
	"strconv"

	"tonne/api"
	"tonne/model/portfolio"
	"tonne/ui/effect"
	"tonne/ui/keymap"
	"tonne/ui/tab"
)

// Groups returns the key bindings of the tab.
func (t *Tab) Groups() []keymap.Group {
	none := tab.Unless(func() bool { return t.wallets.table.Len() > 0 }, "No wallet is selected.")
	act := keymap.Group{Name: "Inventory", Bindings: []keymap.Binding{
		t.enterKey(none),
		t.backKey(),
		t.turnKey("inventory.next", "]", "next", 1, t.whyLast),
		t.turnKey("inventory.previous", "[", "previous", -1, t.whyFirst),
		t.pagingKey(),
		{Name: "inventory.type", Keys: []string{"t"}, Help: "trades: all, BUY, SELL", Short: "type",
			Do: func() effect.Effect {
				next := map[portfolio.TradeType]portfolio.TradeType{"": portfolio.Buy, portfolio.Buy: portfolio.Sell}
				return t.ask(func(q *api.InventoryQuery) { q.TradeType = next[q.TradeType] })
			}},
		{Name: "inventory.nonempty", Keys: []string{"z"}, Help: "show or hide empty wallets", Short: "empty",
			Do: t.toggleEmpty},
		{Name: "inventory.retire", Keys: []string{"R"}, Help: "retire from this wallet", Short: "retire",
			Why: func() string { return cmp.Or(none(), t.view.WhyNotRetire()) }, Do: t.retire},
		{Name: "inventory.limit", Keys: []string{"n"}, Help: "trades per wallet", Do: t.askLimit},
		{Name: "inventory.filter", Keys: []string{"/"}, Help: "filter the wallets", Short: "filter",
			Do: t.away(t.filter.Focus)},
		{Name: "inventory.sort", Keys: []string{"s"}, Help: "sort by the marked column; again: reverse", Do: t.sort},
		{Name: "inventory.columns", Keys: []string{"C"}, Help: "choose the columns",
			Do: func() effect.Effect { return tab.ChooseColumns(t.wallets.table, nil) }},
		{Name: "inventory.left", Keys: []string{"h", "left"}, Help: "mark the column to the left",
			Do: effect.Do(func() { t.walked().Sideways(-1) })},
		{Name: "inventory.right", Keys: []string{"l", "right"}, Help: "mark the column to the right",
			Do: effect.Do(func() { t.walked().Sideways(1) })},
		{Name: "inventory.curve", Action: "chart", Keys: []string{"c"},
			Help: "chart of the inventory value; again: 30 days, all", Short: "curve", Do: t.away(func() {
				t.wallets.table.Align()
				t.curve.next()
			})},
		purchases{t}.reasonKey(),
		{Name: "inventory.export", Keys: []string{"e"}, Help: "export the rows on the screen as CSV, XLSX or JSON",
			Short: "export", Machine: true, Why: tab.WhyNotExport(t.walked()), Do: t.export},
		{Name: "inventory.copy", Keys: []string{"y"}, Help: "copy the id of the wallet's vintage", Why: none,
			Do: func() effect.Effect {
				key, _ := t.wallets.table.CurrentKey()
				return effect.Copy{Text: key.VintageID, What: "the vintage's id"}
			}},
		{Name: "inventory.copycell", Help: "copy the marked cell", Why: none,
			Do: func() effect.Effect { return effect.Copy{Text: t.walked().CopyCell(), What: "the cell"} }},
		{Name: "inventory.copyrow", Keys: []string{"Y"}, Help: "copy the row; again: the whole table", Why: none,
			Do: t.copyRow},
	}}
	if t.trades.focused {
		return []keymap.Group{act, tab.Moves("inventory", t.trades.table, nil)}
	}
	return []keymap.Group{act, tab.Moves("inventory", t.wallets.table, t.moved)}
}

func (t *Tab) enterKey(none func() string) keymap.Binding {
	b := keymap.Binding{Name: "inventory.trades", Action: "open", Keys: []string{"enter"},
		Help: "trade history of the wallet", Short: "trades", Why: none, Do: t.enter}
	if t.trades.focused {
		b.Help, b.Short, b.Why = "back to the wallets", "table", nil
		if t.Record.Compare != nil {
			b.Help, b.Short, b.Do = "show the book when we bought", "book then", purchases{t}.openBought
		}
	}
	return b
}

func (t purchases) reasonKey() keymap.Binding {
	x, ok := t.trades.table.Current()
	why := func() string {
		switch {
		case !t.trades.focused || !ok:
			return "No purchase is selected."
		case t.Record.Explain == nil:
			return noReasons
		}
		return t.whyNoVerdict(x)
	}
	return keymap.Binding{Name: "inventory.reason", Action: "label", Keys: []string{"L"},
		Help: "set the reason why you bought", Why: why, Do: func() effect.Effect { return t.askReason(*x.row) }}
}

func (t *Tab) turnKey(name, key, short string, by int, why func() string) keymap.Binding {
	b := keymap.Binding{Name: name, Keys: []string{key}, Help: short + " page", Short: short, Why: why,
		Do: func() effect.Effect {
			t.trades.focused = false
			t.wallets.table.Turn(by)
			return t.moved()
		}}
	if t.paging {
		b.Help, b.Do = short+" page of the API", t.turn(by)
	}
	return b
}

func (t *Tab) pagingKey() keymap.Binding {
	b := keymap.Binding{Name: "inventory.paging", Keys: []string{"P"}, Help: "page through the API", Do: t.togglePaging}
	if t.paging {
		b.Help = "show all wallets instead of one API page"
	}
	return b
}

func (t *Tab) backKey() keymap.Binding {
	b := keymap.Binding{Name: "inventory.back", Keys: []string{"esc"},
		Help: "back to the wallets, then clear the filter, then all wallets", Do: t.back}
	if t.trades.focused || t.curve.shown || t.filter.Value() != "" || t.paging {
		b.Short = "back"
	}
	return b
}

func (t *Tab) whyFirst() string {
	at := t.page.query.Page
	if !t.paging {
		at, _, _ = t.wallets.table.Visible()
	}
	if at <= 1 {
		return "This is the first page."
	}
	return ""
}

func (t *Tab) whyLast() string {
	at, pages := t.page.query.Page, t.page.place.TotalPages
	switch {
	case t.listing().positions == nil:
		return "The inventory has not been read yet."
	case !t.paging:
		_, at, pages = t.wallets.table.Visible()
	}
	if at >= pages {
		return "This is the last page."
	}
	return ""
}

func (t *Tab) turn(by int) func() effect.Effect {
	return func() effect.Effect {
		return t.ask(func(q *api.InventoryQuery) {
			q.Page += by
			// The inventory may have become shorter since.
			if last := t.page.place.TotalPages; by < 0 && last > 0 {
				q.Page = max(1, min(q.Page, last))
			}
		})
	}
}

func (t *Tab) away(act func()) func() effect.Effect {
	return effect.Do(func() {
		t.trades.focused = false
		act()
	})
}

func (t *Tab) toggleEmpty() effect.Effect {
	t.wallets.table.Align()
	return t.ask(func(q *api.InventoryQuery) { q.WalletMinQuantity, q.Page = 1-min(q.WalletMinQuantity, 1), 1 })
}

func (t *Tab) askLimit() effect.Effect {
	value := ""
	if limit := t.page.query.TradesPerWallet; limit > 0 {
		value = strconv.Itoa(limit)
	}
	return tab.Prompt{Title: "Trades per wallet", Hint: "a number; blank shows all", Value: value,
		Enter: func(typed string) (effect.Effect, string) {
			limit, err := strconv.Atoi(cmp.Or(typed, "0"))
			if err != nil || typed != "" && limit < 1 || limit > 1_000_000 {
				return nil, "Enter a number from 1 to 1,000,000, or leave it blank for all."
			}
			return t.ask(func(q *api.InventoryQuery) { q.TradesPerWallet = limit }), ""
		}}.Ask()
}

func (t *Tab) sort() effect.Effect {
	switch {
	case t.trades.focused:
		return tab.SortByMarked(t.trades.table, "")
	case t.paging && t.page.place.TotalPages > 1:
		return tab.SortByMarked(t.wallets.table, " on this page")
	}
	return tab.SortByMarked(t.wallets.table, "")
}

func (t *Tab) enter() effect.Effect {
	t.trades.focused = !t.trades.focused
	t.curve.shown = false
	return nil
}

func (t *Tab) back() effect.Effect {
	switch {
	case t.trades.focused:
		t.trades.focused = false
	case t.curve.shown:
		t.curve.shown = false
	case t.filter.Value() != "":
		return t.filter.Clear()
	case t.paging:
		return t.togglePaging()
	}
	return nil
}

func (t *Tab) walked() interface {
	Len() int
	Sideways(step int)
	CopyCell() string
	CopyRow() string
	CopyAll() (text string, rows int)
} {
	if t.trades.focused {
		return t.trades.table
	}
	return t.wallets.table
}

func (t *Tab) copyRow() effect.Effect {
	what, thing, things := "the row", "wallet", "wallets"
	if t.trades.focused {
		what, thing, things = "the trade", "trade", "trades"
	}
	return effect.Copy{Text: t.walked().CopyRow(), What: what, Whole: tab.Whole(t.walked(), thing, things)}
}

func (t *Tab) retire() effect.Effect {
	r, _ := t.wallets.table.Current()
	return t.view.Retire(tab.RetireFrom{Vintage: r.Key.VintageKey.Clone()})
}
