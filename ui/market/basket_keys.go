package market

import (
	"tonne/ui/effect"
	"tonne/ui/keymap"
	"tonne/ui/tab"
)

// exportKey says what e does now: it edits a basket that is shown, and exports
// the vintages otherwise.
func (t *Tab) exportKey() keymap.Binding {
	b := keymap.Binding{
		Name: "market.export", Keys: []string{"e"}, Help: "export the rows that are shown, as CSV, XLSX or JSON", Short: "export",
		Machine: true, Why: tab.WhyNotExport(t.table), Do: t.export,
	}
	if t.basketShown() {
		b.Help, b.Short, b.Machine, b.Why, b.Do = "change what the basket is to be; E exports it", "edit", false, nil, t.editBasket
	}
	return b
}

// copyKey says what y does now: it copies a basket that is shown, and the marked
// cell otherwise.
func (t *Tab) copyKey() keymap.Binding {
	b := keymap.Binding{Name: "market.copycell", Keys: []string{"y"}, Help: "copy the marked cell", Why: t.whyNoRow, Do: t.copyCell}
	if t.basketShown() {
		b.Help, b.Why, b.Do = "copy the basket", t.whyNoBasket, t.copyBasket
	}
	return b
}

// openBasket shows the basket, or the book again. If nothing was typed yet, or it
// was of other rows, it asks what the basket is to be, and the pane stays
// until that is known.
func (t *Tab) openBasket() effect.Effect {
	if p := t.panes.basket; !p.set || !t.basketShown() && p.over != t.basketRows() {
		return t.editBasket()
	}
	t.panes.open(t.panes.basket)
	return t.reckon()
}

// editBasket lets the person say what the basket is to be.
func (t *Tab) editBasket() effect.Effect {
	limit, _ := t.filter.Expr().MaxAsk()
	return effect.Show{Panel: newBasketForm(t.panes.basket.typed, limit)}
}

// wantBasket takes what was typed for the basket.
func (t *Tab) wantBasket(typed basketTexts) effect.Effect {
	t.panes.basket.typed, t.panes.basket.set = typed, true
	if !t.basketShown() {
		t.panes.show(t.panes.basket)
	}
	return nil
}

// basketRows is what the rows are narrowed to.
func (t *Tab) basketRows() narrowing { return narrowing{t.filter.Query(), t.watch.only} }

// whyNoBasket says why there is no basket to take away.
func (t *Tab) whyNoBasket() string {
	in, _ := t.basketInput()
	switch found := t.panes.basket.found; {
	case !t.basketShown():
		return "No basket is shown. B makes one."
	case found != nil && found.rows.partial:
		return "The market is not read whole yet."
	case found != nil && (found.rows.market != in.rows.market || found.basketQuestion != in.basketQuestion):
		return "The basket is being computed anew."
	case found == nil || len(found.Lines) == 0:
		return "There is nothing in the basket."
	}
	return ""
}
