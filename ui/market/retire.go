package market

import (
	"strings"

	"tonne/ui/effect"
	"tonne/ui/keymap"
	"tonne/ui/tab"
)

func (t *Tab) whyNotRetire() string {
	if why := t.whyNoRow(); why != "" {
		return why
	}
	return t.view.WhyNotRetire()
}

// quoteKey asks for a quote. Inside of a quote it retires what that is for.
func (t *Tab) quoteKey() keymap.Binding {
	b := keymap.Binding{Name: "market.quote", Keys: []string{"b"}, Help: "quote: what N tonnes cost, or a plan to retire", Short: "quote", Why: t.whyNoRow, Do: t.panes.quote.ask}
	if t.panes.focused && t.panes.shown == pane(t.panes.quote) && t.view.Retire != nil {
		b.Help, b.Short, b.Do = "retire what the quote is for", "retire it", t.retire
	}
	return b
}

// retire begins with the selected vintage, or with what the cursor of the pane
// below is on: a sell order, a line that names a vintage. A quote tells how much.
func (t *Tab) retire() effect.Effect {
	r, _ := t.selected()
	from := tab.RetireFrom{Vintage: r.key().Clone()}
	if t.panes.shown == pane(t.panes.quote) {
		from.Quantity = t.panes.quote.wanted.quantity
	}
	if key, ok := t.panes.shown.pointsAt(); ok && t.panes.focused {
		from.Vintage = key.Clone()
	}
	if order, ok := t.panes.book.table.Current(); ok && t.panes.focused && t.panes.onBook() {
		from.SellOrderID = strings.Clone(order.Order.ID)
	}
	return t.view.Retire(from)
}
