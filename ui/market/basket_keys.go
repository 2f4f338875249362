package market

import (
	"tonne/ui/effect"
	"tonne/ui/keymap"
	"tonne/ui/tab"
)

func (t *Tab) exportKey() keymap.Binding {
	b := keymap.Binding{
		Name: "market.export", Keys: []string{"e"}, Help: "export the rows that are shown, as CSV, XLSX or JSON", Short: "export",
		Machine: true, Why: tab.WhyNotExport(t.table), Do: t.export,
	}
	if t.basketShown() {
		b.Help, b.Why, b.Do = "export the basket, as CSV, XLSX or JSON", t.whyNoBasket, t.exportBasket
	}
	return b
}

func (t *Tab) openBasket() effect.Effect {
	if p := t.panes.basket; !p.set || t.basketShown() || p.over != t.basketRows() {
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

func (t *Tab) wantBasket(typed basketTexts) effect.Effect {
	t.panes.basket.typed, t.panes.basket.set = typed, true
	if !t.basketShown() {
		t.panes.show(t.panes.basket)
	}
	return nil
}

func (t *Tab) basketRows() narrowing { return narrowing{t.filter.Query(), t.watch.only} }

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
