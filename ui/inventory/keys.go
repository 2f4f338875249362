package inventory

import (
	"strconv"

	"tonne/model"
	"tonne/ui/effect"
	"tonne/ui/keymap"
	"tonne/ui/tab"
)

// Groups are the key bindings of the tab. Keys that walk act on the trades
// while they have the focus.
func (t *Tab) Groups() []keymap.Group {
	act := keymap.Group{Name: "Inventory", Bindings: []keymap.Binding{
		t.enterKey(),
		t.backKey(),
		{Name: "inventory.next", Keys: []string{"]"}, Help: "next page", Short: "next", Why: t.whyLast, Do: t.turn(1)},
		{Name: "inventory.previous", Keys: []string{"["}, Help: "previous page", Short: "previous", Why: t.whyFirst, Do: t.turn(-1)},
		{Name: "inventory.type", Keys: []string{"t"}, Help: "trades: all, BUY, SELL", Short: "type", Do: t.nextType},
		{Name: "inventory.nonempty", Keys: []string{"z"}, Help: "only wallets that hold something, or all", Short: "non-empty", Do: t.toggleEmpty},
		{Name: "inventory.limit", Keys: []string{"n"}, Help: "trades per wallet", Do: t.askLimit},
		{Name: "inventory.filter", Keys: []string{"/"}, Help: "filter the wallets of the page", Short: "filter", Do: t.startFilter},
		{Name: "inventory.sort", Keys: []string{"s"}, Help: "sort by the marked column, again: the other way", Do: t.sort},
		{Name: "inventory.columns", Keys: []string{"C"}, Help: "choose the columns", Do: t.chooseColumns},
		{Name: "inventory.left", Keys: []string{"h", "left"}, Help: "mark the column to the left", Do: t.sideways(-1)},
		{Name: "inventory.right", Keys: []string{"l", "right"}, Help: "mark the column to the right", Do: t.sideways(1)},
		{Name: "inventory.copycell", Keys: []string{"y"}, Help: "copy the marked cell", Why: t.whyNoRow, Do: t.copyCell},
		{Name: "inventory.copyrow", Keys: []string{"Y"}, Help: "copy the row", Why: t.whyNoRow, Do: t.copyRow},
	}}
	if t.trades.focused {
		return []keymap.Group{act, tab.Moves("inventory", t.trades.table)}
	}
	return []keymap.Group{act, tab.Moves("inventory", walker{t})}
}

// enterKey says what ↵ does now: it gives the trades the keys, or the wallets.
func (t *Tab) enterKey() keymap.Binding {
	b := keymap.Binding{Name: "inventory.trades", Keys: []string{"enter"}, Help: "trade history of the wallet", Short: "trades", Why: t.whyNotEnter, Do: t.enter}
	if t.trades.focused {
		b.Help, b.Short = "back to the wallets", "table"
	}
	return b
}

// backKey names Esc in the footer while it leaves something.
func (t *Tab) backKey() keymap.Binding {
	b := keymap.Binding{Name: "inventory.back", Keys: []string{"esc"}, Help: "back to the wallets, then clear the filter", Do: t.back}
	if t.trades.focused || t.filter.Value() != "" {
		b.Short = "back"
	}
	return b
}

// walker walks the wallets and shows the trades of the one that it comes to.
type walker struct{ t *Tab }

func (w walker) Move(n int) { w.t.table.Move(n); w.t.refresh() }
func (w walker) PageUp()    { w.t.table.PageUp(); w.t.refresh() }
func (w walker) PageDown()  { w.t.table.PageDown(); w.t.refresh() }
func (w walker) HalfUp()    { w.t.table.HalfUp(); w.t.refresh() }
func (w walker) HalfDown()  { w.t.table.HalfDown(); w.t.refresh() }
func (w walker) Top()       { w.t.table.Top(); w.t.refresh() }
func (w walker) Bottom()    { w.t.table.Bottom(); w.t.refresh() }

func (t *Tab) whyNoRow() string {
	if t.table.Len() == 0 {
		return "No wallet is selected."
	}
	return ""
}

// whyNotEnter lets ↵ out of the trades where no wallet is left.
func (t *Tab) whyNotEnter() string {
	if t.trades.focused {
		return ""
	}
	return t.whyNoRow()
}

func (t *Tab) whyFirst() string {
	if t.query.Page <= 1 {
		return "This is the first page."
	}
	return ""
}

func (t *Tab) whyLast() string {
	switch {
	case t.inventory == nil:
		return "The inventory is not read yet."
	case t.query.Page >= t.page.TotalPages:
		return "This is the last page."
	}
	return ""
}

// ask shows what another query answers. The rows stay, dimmed, until it does.
func (t *Tab) ask(change func()) effect.Effect {
	before := t.query
	change()
	if t.query != before {
		t.event.Status.Err = nil
		t.feed.ShowInventory(t.query)
	}
	return nil
}

func (t *Tab) turn(by int) func() effect.Effect {
	return func() effect.Effect {
		return t.ask(func() {
			t.query.Page += by
			// The inventory may have become shorter meanwhile.
			if by < 0 && t.page.TotalPages > 0 {
				t.query.Page = max(1, min(t.query.Page, t.page.TotalPages))
			}
		})
	}
}

// narrower goes back to the first page: another filter counts other pages.
func (t *Tab) narrower(change func()) effect.Effect {
	return t.ask(func() {
		change()
		t.query.Page = 1
	})
}

func (t *Tab) nextType() effect.Effect {
	next := map[model.TradeType]model.TradeType{"": model.Buy, model.Buy: model.Sell}
	return t.ask(func() { t.query.TradeType = next[t.query.TradeType] })
}

func (t *Tab) toggleEmpty() effect.Effect {
	return t.narrower(func() { t.query.WalletMinQuantity = 1 - min(t.query.WalletMinQuantity, 1) })
}

func (t *Tab) askLimit() effect.Effect {
	value := ""
	if t.query.TradesPerWallet > 0 {
		value = strconv.Itoa(t.query.TradesPerWallet)
	}
	return effect.Prompt{
		Title: "Trades per wallet", Hint: "a number; empty shows all", Value: value, Parse: parseLimit,
	}
}

// limitTyped is how many trades a wallet shows; 0 for all.
type limitTyped int

func parseLimit(typed string) (answer any, problem string) {
	if typed == "" {
		return limitTyped(0), ""
	}
	n, err := strconv.Atoi(typed)
	if err != nil || n < 1 || n > 1_000_000 {
		return nil, "Type a number from 1 to 1,000,000, or nothing for all."
	}
	return limitTyped(n), ""
}

func (t *Tab) sort() effect.Effect {
	if t.trades.focused {
		return tab.SortByMarked(t.trades.table)
	}
	if t.page.TotalPages > 1 {
		return tab.SortPageByMarked(t.table)
	}
	return tab.SortByMarked(t.table)
}

func (t *Tab) sideways(by int) func() effect.Effect {
	return func() effect.Effect {
		switch {
		case t.trades.focused && by < 0:
			t.trades.table.Left()
		case t.trades.focused:
			t.trades.table.Right()
		case by < 0:
			t.table.Left()
		default:
			t.table.Right()
		}
		return nil
	}
}

func (t *Tab) enter() effect.Effect {
	t.trades.focused = !t.trades.focused
	return nil
}

// back leaves the trades, then the filter.
func (t *Tab) back() effect.Effect {
	if t.trades.focused {
		t.trades.focused = false
		return nil
	}
	if t.filter.Value() == "" {
		return nil
	}
	return t.filter.Clear()
}

func (t *Tab) copyCell() effect.Effect {
	text := t.table.CopyCell()
	if t.trades.focused {
		text = t.trades.table.CopyCell()
	}
	return effect.Copy{Text: text, What: "the cell"}
}

func (t *Tab) copyRow() effect.Effect {
	if t.trades.focused {
		return effect.Copy{Text: t.trades.table.CopyRow(), What: "the trade"}
	}
	return effect.Copy{Text: t.table.CopyRow(), What: "the row"}
}

func (t *Tab) chooseColumns() effect.Effect { return tab.ChooseColumns(t.table) }
