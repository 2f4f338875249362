package market

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"strings"

	"tonne/model"
	"tonne/model/basket"
	"tonne/ui/column"
	"tonne/ui/effect"
	"tonne/ui/style"
	"tonne/ui/tab"
	"tonne/ui/table"
)

type basketPane struct {
	tabular[string, *column.BasketLine]
	view  *tab.View
	list  *vintages
	typed basketTexts
	set   bool
	over  narrowing
	// pending is the input of the running computation, found the last result. Both may be nil.
	pending *basketInput
	stop    context.CancelFunc
	found   *basketResult
	around  int
}

type basketInput struct {
	rows *rows
	basketQuestion
}

type basketQuestion struct {
	query string
	limit model.PriceCents
	typed basketTexts
}

type basketResult struct {
	basketInput
	basket.Basket
	request  basket.Request
	book     *basket.Book
	lines    []*column.BasketLine
	vintages int
	filtered bool
	err      error
	// projects counts the projects in the basket. versus compares with the last paid
	// prices and is valid if bought. doubts are the warnings about unknown data.
	projects int
	versus   basket.Versus
	bought   bool
	doubts   []string
}

func newBasketPane(list *vintages) *basketPane {
	v := list.view
	p := &basketPane{view: v, list: list}
	p.table = table.New[string](table.Spec[*column.BasketLine]{
		Group: func(r *column.BasketLine) string { return r.Key.ProjectID },
		Units: v.Units,
		Columns: table.Place(
			column.Basket,
			func(l *column.BasketLine) *column.BasketLine { return l },
			[]table.Column[*column.BasketLine]{
				{Key: "project", Name: "project_name", Style: style.Name, Min: 16, Ideal: 28, Max: 44, Grouped: true, Fixed: true},
				{
					Key:      "type",
					Name:     "type",
					Style:    style.Muted,
					Bare:     true,
					Min:      10,
					Max:      26,
					Whole:    true,
					Priority: 6,
					Grouped:  true,
					Fixed:    true,
				},
				{Key: "country", Name: "country", Style: style.Muted, Bare: true, Max: 4, Priority: 5, Grouped: true, Fixed: true},
				{Key: "vintage", Name: "vintage_year", Title: "VINTAGE", Fixed: true},
				{Key: "tonnes", Name: "tonnes", Fixed: true},
				{Key: "price", Name: "price_cents", Style: style.Strong, Fixed: true},
				{Key: "cost", Name: "cost_cents", Fixed: true},
				{Key: "share", Name: "SHARE", Style: style.Muted, Priority: 1, Fixed: true},
				{Key: "versus", Name: "VS PAID", Priority: 2, Fixed: true},
				{Key: "order", Name: "SELL ORDER", Style: style.Faint, Min: 10, Max: 24, Middle: true, Priority: 3, Fixed: true},
			}...),
	})
	p.called = "basket"
	p.vintage = func(r *column.BasketLine) model.VintageKey { return r.Key }
	p.id = func(r *column.BasketLine) (id, what string) { return r.Line.Order.ID, "the sell order's id" }
	return p
}

func (p *basketPane) title(subject) string {
	if p.found == nil {
		return "Cheapest basket"
	}
	of := " of " + model.Count(p.found.vintages, "vintage", "vintages")
	if p.found.query != "" {
		of += " (" + tab.Typed(p.found.query) + ")"
	}
	return p.wants(p.found.request) + of
}

func (p *basketPane) note(line *style.Line, s subject) {
	p.hints = [][2]string{{"B", "changes"}, {"↵", "lines"}, {"Y", "copies"}, {"e", "exports"}, {"R", "retires"}}
	if p.view.Retire == nil {
		p.hints = p.hints[:4]
	}
	p.heading.note(line, s)
}

func (p *basketPane) wants(r basket.Request) string {
	if r.Budget > 0 {
		return r.Budget.FormatDollars()
	}
	return p.view.Tonnes(r.Tonnes)
}

func (p *basketPane) needs() int { return p.tabular.needs() + p.around }

func (p *basketPane) below() int {
	if p.table.Len() == 0 {
		return 0
	}
	return p.tabular.below()
}

func (p *basketPane) take(found *basketResult) {
	p.pending = nil
	if errors.Is(found.err, context.Canceled) {
		return
	}
	p.found = found
	p.table.SetSource(table.List(found.lines, func(l *column.BasketLine) string { return l.Line.Order.ID }))
	// The lines arrive sorted, so this returns at once.
	p.table.Finish()
}

func (p *basketPane) input() (in basketInput, ok bool) {
	in = basketInput{p.list.rows, basketQuestion{query: p.list.filter.Query(), typed: p.typed}}
	in.limit, _ = p.list.filter.Expr().MaxAsk()
	return in, p.set && !p.list.table.Pending() && p.view.Market.Market != nil
}

func (p *basketPane) recompute(shown bool) effect.Effect {
	in, ok := p.input()
	if p.pending != nil && (!shown || p.pending.basketQuestion != in.basketQuestion) {
		p.stop()
	}
	if !ok || !shown || p.pending != nil || p.found != nil && p.found.basketInput == in {
		return nil
	}
	p.pending, p.over = &in, p.list.narrowing()
	offered, filtered := p.list.table.Rows(), p.list.narrowed()
	until, stop := context.WithCancel(context.Background())
	p.stop = stop
	return effect.Work(func(ctx context.Context) any {
		defer stop()
		defer context.AfterFunc(ctx, stop)()
		return in.compute(until, offered, filtered)
	})
}

func (in basketInput) compute(
	ctx context.Context,
	shown iter.Seq2[model.VintageKey, row],
	filtered bool,
) *basketResult {
	found := &basketResult{basketInput: in, filtered: filtered}
	if found.request, _, found.err = in.typed.request(model.UnknownGrams); found.err != nil {
		return found
	}
	if found.request.Limits.MaxPrice() == 0 {
		found.request.Limits.SetMaxPrice(in.limit)
	}
	keep := make([]bool, in.rows.market.Vintages())
	for _, r := range shown {
		keep[r.i] = true
		found.vintages++
	}
	found.book = basket.NewBook(in.rows.market, in.rows.projects.Known, func(vintage int) bool { return keep[vintage] })
	found.book.Labels = in.rows.facts.Labels
	if found.Basket, found.err = found.book.Buy(ctx, found.request); found.err == nil {
		found.projects = found.Projects()
		found.lines = column.NewBasketLines(found.Basket, in.rows.projects.Known, in.rows.paid)
		found.versus, found.bought = found.Versus(in.rows.paid)
		found.doubts = found.book.Doubts(found.Basket)
	}
	return found
}

func (p *basketPane) whyNone() string {
	in, _ := p.input()
	switch found := p.found; {
	case found != nil && found.rows.partial:
		return "The market is not completely loaded yet."
	case found != nil && (found.rows.market != in.rows.market || found.basketQuestion != in.basketQuestion):
		return "The basket is being recomputed."
	case found == nil || len(found.Lines) == 0:
		return "The basket is empty."
	}
	return ""
}

func (p *basketPane) whyNotRetire() string {
	if why := cmp.Or(p.whyNone(), p.view.WhyNotRetire()); why != "" {
		return why
	}
	if short, _ := p.found.book.NotFilled(p.found.request, p.found.Basket, p.words()); short != "" {
		return "The basket is incomplete. B changes it."
	}
	return ""
}

// retire proposes all lines, each at most at its price.
func (p *basketPane) retire() effect.Effect {
	from := tab.RetireFrom{}
	for _, l := range p.found.lines {
		quantity, err := model.WholeTonnes(l.Line.Tonnes)
		if err != nil {
			return effect.Warn("The basket is too large to retire.")
		}
		from.Basket = append(from.Basket, tab.BasketLine{
			Vintage: l.Key.Clone(), SellOrderID: strings.Clone(l.Line.Order.ID), Quantity: quantity,
			MaxPrice: l.Line.Order.Price,
		})
	}
	return p.view.Retire(from)
}
