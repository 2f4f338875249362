package retire

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tonne/api/retire"
	"tonne/model"
	"tonne/model/portfolio"
	"tonne/model/retirement"
	"tonne/ui/style"
	"tonne/ui/tab"
)

// basket is a batch with the name of its reference: each line has its own reference, and the ids of
// its calls are derived from it, so the same basket with the same reference retires nothing twice. A line
// may use other orders of its vintage, at most at its price.
type basket struct{ *dialog }

func (basket) name() string { return "basket" }

func (b basket) suffix() string { return " · basket " + b.plan.Batch }

func (basket) fields(form tab.Form) fields {
	form.Labels, form.Hints = form.Labels[nameField:], form.Hints[nameField:]
	form.Hints[referenceField-nameField] = "such as Q4: the lines become Q4-1, Q4-2 and so on"
	return fields{tab.NewForm(form), nameField}
}

func (b basket) submission() (_ *retire.Submission, problem string, field int) {
	reference := b.reference()
	retiree, problem, field := b.retiree()
	if problem == "" && reference == "" {
		problem, field = "Enter a reference: it keeps the basket from being retired twice.", referenceField
	}
	return b.newBasket(reference, retiree), problem, field
}

func (d *dialog) newBasket(reference string, retiree retirement.Retiree) *retire.Submission {
	s := &retire.Submission{Steps: d.controller.flow, Batch: reference, AnyOrder: true}
	for i, l := range d.from.Basket {
		s.Lines = append(s.Lines, &retire.Line{
			Reference: reference + "-" + strconv.Itoa(i+1), ProjectID: l.Vintage.ProjectID, MaxPrice: l.MaxPrice,
			Request: retirement.RetireRequest{VintageID: l.Vintage.VintageID, Quantity: l.Quantity, SellOrderID: l.SellOrderID,
				Retiree: retiree},
		})
	}
	return s
}

// recall reads the calls of the basket from the journal. It returns an error if another basket has the reference.
func (b basket) recall(ctx context.Context, s *retire.Submission) error {
	all, err := b.controller.flow.Calls(ctx, retire.OfAccount)
	if err != nil {
		return err
	}
	changed := s.RecallBatch(all)
	for _, c := range s.All() {
		switch {
		case c.Elsewhere:
			return retire.Elsewhere(c.RequestID)
		case c.State != retire.Done:
			return fmt.Errorf("%w: %s", retire.ErrUnsettled, c.ExternalID)
		}
	}
	if err := s.Unsettled(); err != nil {
		return err
	}
	reuse := s.Reuse()
	if changed = slices.Concat(changed, reuse.Same, reuse.Other); len(changed) > 0 {
		return errors.New(changed[0] + " is the reference of another retirement; use another one")
	}
	return nil
}

func (basket) preview() string { return "" }

func (b basket) subject() []line {
	sum := model.Grams(0)
	for _, l := range b.from.Basket {
		sum = sum.Plus(l.Quantity)
	}
	return []line{
		labelled("  basket", style.Text, tonnes(sum)+" from "+model.Count(len(b.from.Basket), "sell order", "sell orders")),
		labelled("  limit", style.Text, "each line its price in the basket; your inventory is used first"), {},
	}
}

func (b basket) planLines() (lines []line) {
	for _, why := range b.refused {
		lines = append(lines, said(style.Warning, "✗ "+why+"."))
	}
	if b.blocked() {
		lines = append(lines,
			said(style.Text,
				"Nothing can be sent at these limits. Leave with Esc, and press R on the basket of current prices."), line{})
	}
	first, last := b.plan.Lines[0], b.plan.Lines[len(b.plan.Lines)-1]
	lines = append(lines, labelled("for", style.Text, whom(first.Request.Retiree, first.Request.Retiree.TaxID)))
	references := first.Reference
	if first != last {
		references += " to " + last.Reference
	}
	lines = append(lines, labelled("references", style.Text, references))
	whole := model.Grams(0)
	for _, l := range b.plan.Lines {
		whole = whole.Plus(l.Request.Quantity)
	}
	if retired := whole - wanted(b.plan); retired > 0 {
		lines = append(lines, said(style.Warning, "⚠ "+tonnes(retired)+" of "+tonnes(whole)+
			" are already retired under these references; "+tonnes(wanted(b.plan))+" remain."))
	}
	for _, id := range b.plan.Vintages() {
		if others := b.plan.Before[id].Others; len(others) > 0 {
			lines = append(lines, said(style.Warning, "⚠ "+id+": "+portfolio.NotCounted(others)+"."))
		}
	}
	lines = append(lines, line{})
	for i, l := range b.plan.Lines {
		lines = append(lines, b.planLine(l, b.from.Basket[i].Vintage)...)
	}
	if b.blocked() {
		return lines
	}
	quantity := tonnes(quantityOf(b.plan.New())) + " in " + model.Count(len(b.plan.New()), "call", "calls")
	return append(lines, line{}, labelled("retired now", style.Text, quantity), line{},
		said(style.Text, final))
}

func (b basket) planLine(l *retire.Line, key model.VintageKey) []line {
	head := labelled(l.Reference, style.Strong, tonnes(l.Request.Quantity))
	head.left = head.left.Put(style.Text, "  "+b.controller.vintage(key)).Put(style.Faint, "  "+key.VintageID)
	limit := "  at most " + l.MaxPrice.FormatDollars()
	lines := []line{head}
	switch {
	case l.Left() <= 0 && len(l.Calls) == 0:
		return append(lines, labelled("  ✓", style.Muted, "already retired"))
	case l.Gone != "":
		lines = append(lines,
			labelled(" ", style.Warning, "⚠ The order "+l.Gone+" is gone or has too little. The plan uses other orders."))
	}
	own := model.Grams(0)
	for _, c := range l.Calls {
		own = own.Plus(c.Plan.FromInventory)
	}
	if own > 0 {
		lines = append(lines, labelled("  from your inventory", style.Text, own.FormatTonnes()))
	}
	for _, c := range l.Calls {
		if c.Plan.BuyTonnes > 0 {
			lines = append(lines, bought(limit, c.Plan))
		}
	}
	if l.Plan.Short > 0 {
		lines = append(lines, labelled(limit, style.Warning, "✗ "+tonnes(l.Plan.Short)+" not covered"))
	}
	return lines
}

// summary sums up a basket that was not retired completely. A line with a call of unknown outcome
// must not be retired under another reference.
func (b basket) summary() []line {
	var done, unknown, open []string
	var whole, retired, rest model.Grams
	for _, l := range b.plan.Lines {
		whole = whole.Plus(l.Request.Quantity)
		served := slices.DeleteFunc(slices.Clone(l.All()),
			func(c *retire.Call) bool { return c.State != retire.Done || c.Elsewhere })
		retired = retired.Plus(quantityOf(served))
		left := l.Request.Quantity - quantityOf(served)
		switch {
		case left <= 0:
			done = append(done, l.Reference)
		case slices.ContainsFunc(l.All(), func(c *retire.Call) bool { return c.Resumable() || c.Elsewhere }):
			unknown = append(unknown, l.Reference)
		default:
			open, rest = append(open, l.Reference), rest.Plus(left)
		}
	}
	if len(unknown)+len(open) == 0 {
		return nil
	}
	lines := []line{said(style.Warning, "Retired "+tonnes(retired)+" of "+tonnes(whole)+".")}
	list := func(label string, references []string) {
		if len(references) > 0 {
			lines = append(lines, labelled(label, style.Text, strings.Join(references, ", ")))
		}
	}
	list("retired", done)
	list("outcome not known", unknown)
	list("not retired in full", open)
	if len(open) > 0 {
		lines = append(lines,
			said(style.Muted, "At other prices: leave, find a basket of "+tonnes(rest)+" with B, and use another reference."))
	}
	return append(lines, line{})
}

func (basket) label(calls []*retire.Call, i int) string { return calls[i].Reference + " · " }
