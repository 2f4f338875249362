package market

import (
	"cmp"
	"context"
	"iter"

	"tonne/model"
	"tonne/model/basket"
	"tonne/ui/effect"
)

func (t *Tab) basketInput() (in basketInput, ok bool) {
	p := t.panes.basket
	in = basketInput{t.rows, basketQuestion{query: t.filter.Query(), typed: p.typed}}
	in.limit, _ = t.filter.Expr().MaxAsk()
	return in, p.set && !t.table.Pending() && t.view.Market.Market != nil
}

// reckon computes the basket away from the screen, if it is shown and what it is
// made of changed: one at a time.
func (t *Tab) reckon() effect.Effect {
	p := t.panes.basket
	in, ok := t.basketInput()
	if p.asked != nil && (!t.basketShown() || p.asked.basketQuestion != in.basketQuestion) {
		p.stop()
	}
	if !ok || !t.basketShown() || p.asked != nil || p.found != nil && p.found.basketInput == in {
		return nil
	}
	p.asked, p.over = &in, t.basketRows()
	shown, filtered := t.table.Rows(), t.narrowed()
	// Who names something does not mean the letters of an id, unless nothing else
	// has them. Such rows are the last.
	named := cmp.Or(t.table.Len()-t.table.ByID(), t.table.Len())
	until, stop := context.WithCancel(context.Background())
	p.stop = stop
	return effect.Work(func(ctx context.Context) any {
		defer stop()
		defer context.AfterFunc(ctx, stop)()
		return in.compute(until, shown, named, filtered)
	})
}

// compute finds the cheapest basket over as many of the rows that are shown.
func (in basketInput) compute(ctx context.Context, shown iter.Seq2[model.VintageKey, row], many int, filtered bool) *basketResult {
	found := &basketResult{basketInput: in, filtered: filtered}
	if found.request, found.err = in.typed.request(); found.err != nil {
		return found
	}
	found.request.MaxPrice = cmp.Or(found.request.MaxPrice, in.limit)
	keep := make([]bool, in.rows.market.Vintages())
	for _, r := range shown {
		if found.vintages == many {
			break
		}
		keep[r.i] = true
		found.vintages++
	}
	found.book = basket.NewBook(in.rows.market, in.rows.projects, func(vintage int) bool { return keep[vintage] })
	found.book.Labels = in.rows.facts.Labels
	if found.Basket, found.err = found.book.Buy(ctx, found.request); found.err == nil {
		found.projects, found.shares = found.Projects(), found.Shares()
		found.versus, found.bought = found.Versus(in.rows.paid)
		found.doubts = found.book.Doubts(found.request, found.Basket)
	}
	return found
}
