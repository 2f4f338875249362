package market

import (
	"cmp"
	"context"
	"iter"

	"tonne/model"
	"tonne/model/basket"
	"tonne/ui/effect"
)

func (p *basketPane) input() (in basketInput, ok bool) {
	in = basketInput{p.list.rows, basketQuestion{query: p.list.filter.Query(), typed: p.typed}}
	in.limit, _ = p.list.filter.Expr().MaxAsk()
	return in, p.set && !p.list.table.Pending() && p.view.Market.Market != nil
}

// reckon computes the basket away from the screen, if it is shown and what it is
// made of changed: one at a time.
func (p *basketPane) reckon(shown bool) effect.Effect {
	in, ok := p.input()
	if p.asked != nil && (!shown || p.asked.basketQuestion != in.basketQuestion) {
		p.stop()
	}
	if !ok || !shown || p.asked != nil || p.found != nil && p.found.basketInput == in {
		return nil
	}
	p.asked, p.over = &in, p.list.narrowing()
	offered, filtered := p.list.table.Rows(), p.list.narrowed()
	// Who names something does not mean the letters of an id, unless nothing else
	// has them. Such rows are the last.
	named := cmp.Or(p.list.table.Len()-p.list.table.ByID(), p.list.table.Len())
	until, stop := context.WithCancel(context.Background())
	p.stop = stop
	return effect.Work(func(ctx context.Context) any {
		defer stop()
		defer context.AfterFunc(ctx, stop)()
		return in.compute(until, offered, named, filtered)
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
		found.projects = found.Projects()
		shares := found.Shares()
		for i, line := range found.Lines {
			found.lines = append(found.lines, basketRow{line, shares[i], in.rows.paid.Of(line.Vintage).Price})
		}
		found.versus, found.bought = found.Versus(in.rows.paid)
		found.doubts = found.book.Doubts(found.request, found.Basket)
	}
	return found
}

func (p *basketPane) whyNone() string {
	in, _ := p.input()
	switch found := p.found; {
	case found != nil && found.rows.partial:
		return "The market is not read whole yet."
	case found != nil && (found.rows.market != in.rows.market || found.basketQuestion != in.basketQuestion):
		return "The basket is being computed anew."
	case found == nil || len(found.Lines) == 0:
		return "There is nothing in the basket."
	}
	return ""
}
