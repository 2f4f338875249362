package market

import (
	"strings"

	"tonne/ui/effect"
	"tonne/ui/tab"
)

func (t *Tab) whyNotRetire() string {
	if why := t.whyNoRow(); why != "" {
		return why
	}
	return t.view.WhyNotRetire()
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
