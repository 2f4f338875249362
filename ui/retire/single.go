package retire

import (
	"cmp"
	"context"
	"fmt"

	"tonne/api/retire"
	"tonne/model"
	"tonne/model/portfolio"
	"tonne/model/retirement"
	"tonne/ui/style"
	"tonne/ui/tab"
)

// single is a retirement of one vintage.
type single struct{ *dialog }

func (s single) name() string { return s.controller.vintage(s.from.Vintage) }

func (s single) suffix() string { return " of " + s.name() }

func (s single) fields(form tab.Form) fields {
	f := fields{Form: tab.NewForm(form)}
	if s.from.Quantity > 0 {
		f.SetValue(quantityField, typed(s.from.Quantity))
	}
	return f
}

func (s single) submission() (sub *retire.Submission, problem string, field int) {
	r := retirement.RetireRequest{VintageID: s.from.Vintage.VintageID, SellOrderID: s.from.SellOrderID}
	sub = &retire.Submission{Steps: s.controller.flow}
	if s.next != nil {
		sub.Replaced, sub.Useless = s.next.Replaced, s.next.Useless
	}
	if r.Quantity, problem = s.quantity(); problem != "" {
		return sub, problem, quantityField
	}
	if r.Retiree, problem, field = s.retiree(); problem != "" {
		return sub, problem, field
	}
	if r.Retiree.External() && !r.Quantity.IsWhole() {
		return sub, "A retirement for a customer must be in whole tonnes.", quantityField
	}
	sub.Lines = []*retire.Line{{Reference: s.reference(), ProjectID: s.from.Vintage.ProjectID, Request: r,
		MaxPrice: model.UnknownPrice}}
	return sub, "", 0
}

// quantity reads the quantity. "all" is what a retirement can use of the wallet.
func (s single) quantity() (quantity model.Grams, problem string) {
	held := model.UnknownGrams
	if usable, _, counted := s.controller.view.Usable(s.from.Vintage); counted {
		held = usable
	}
	quantity, err := model.ParseQuantity(s.form.Value(quantityField), held)
	switch {
	case model.IsAmbiguous(err):
		return 0, err.Error()
	case err != nil || quantity <= 0:
		return 0, "Enter a quantity above zero: tonnes, such as 2.5, 500 kg, 20 g, or all that you hold."
	}
	return quantity, ""
}

func (s single) preview() string {
	quantity, problem := s.quantity()
	switch {
	case s.form.Value(quantityField) == "":
		return ""
	case problem != "":
		return problem
	}
	return "retires " + quantity.FormatTonnes()
}

func (single) recall(ctx context.Context, s *retire.Submission) error { return s.Recall(ctx) }

func (s single) subject() []line {
	v, key := s.controller.view, s.from.Vintage
	held := "unknown"
	usable, others, counted := v.Usable(key)
	if counted {
		held = usable.FormatTonnes()
	}
	ask := "nothing for sale"
	if best := v.BestAsk(key); best.Known() {
		ask = "best ask " + best.FormatDollars() + " per tonne"
	}
	lines := []line{
		labelled("  vintage", style.Faint, key.VintageID),
		labelled("  you hold", style.Text, held+" · "+ask),
	}
	if counted && len(others) > 0 {
		lines = append(lines, said(style.Warning, "⚠ "+portfolio.NotCounted(others)+"."))
	}
	if order := s.from.SellOrderID; order != "" {
		lines = append(lines, labelled("  buys from", style.Text, "the order "+order))
	}
	return append(lines, line{})
}

func (s single) planLines() []line {
	r := s.line()
	var lines []line
	if r.Plan.Short > 0 {
		lines = append(lines, said(style.Warning, "✗ "+tonnes(r.Plan.Short)+" of the "+tonnes(r.Wanted)+
			" are neither in your wallet nor for sale. Retire less, or wait for more supply."), line{})
	}
	lines = append(lines, labelled("for", style.Text, whom(r.Request.Retiree, r.Request.Retiree.TaxID)))
	lines = append(lines, labelled("reference", style.Text, cmp.Or(r.Reference, "—")))
	if retired := r.Request.Quantity - r.Wanted; retired > 0 {
		lines = append(lines, said(style.Warning, "⚠ "+tonnes(retired)+" of "+tonnes(r.Request.Quantity)+
			" are already retired under this reference; "+tonnes(r.Wanted)+" remain."))
	}
	if r.Gone != "" {
		lines = append(lines, said(style.Warning, "⚠ The order "+r.Gone+" no longer sells this. The plan uses other orders."))
	}
	if others := s.plan.Before[r.Request.VintageID].Others; len(others) > 0 {
		lines = append(lines, said(style.Warning, "⚠ "+portfolio.NotCounted(others)+"."))
	}
	lines = append(lines, line{})
	for i, c := range r.Calls {
		lines = append(lines, s.callLines(i, c.Plan)...)
	}
	if len(r.Calls) != 1 {
		lines = append(lines, line{})
	}
	if r.Plan.Short > 0 {
		return lines
	}
	lines = append(lines, s.sums()...)
	if r.Plan.Dearer > 0 {
		lines = append(lines, said(style.Warning, "⚠ "+retire.SaidDearer(r.Plan.Dearer)+"."))
	}
	return append(lines, line{}, said(style.Text, final))
}

func (s single) callLines(i int, c retirement.Call) []line {
	if n := len(s.plan.New()); n > 1 {
		what := labelled(fmt.Sprintf("call %d of %d", i+1, n), style.Strong, tonnes(c.Quantity))
		if c.FromInventory > 0 {
			what.left = what.left.Put(style.Muted, ", "+c.FromInventory.FormatTonnes()+" of it from your inventory")
		}
		return []line{what, bought("  buys", c)}
	}
	from := labelled("from your inventory", style.Text, "nothing")
	if c.FromInventory > 0 {
		from = labelled(from.label, style.Text, c.FromInventory.FormatTonnes())
	}
	from.left = from.left.Put(style.Muted, " of "+s.plan.Before[c.VintageID].Held.FormatTonnes()+" that you hold")
	return []line{from, bought("to buy", c)}
}

func (s single) sums() []line {
	r, quantity := s.line(), quantityOf(s.plan.New())
	retired := labelled("retired now", style.Text, tonnes(quantity))
	if !quantity.IsWhole() {
		joins := "  joins " + s.controller.view.Now().UTC().Month().String() + "'s request"
		if id := s.controller.gathering[r.Request.VintageID]; id != "" {
			joins += " " + id
		}
		retired.left = retired.left.Put(style.Muted, joins).Put(style.Muted, " (fractions are collected by month)")
	}
	return []line{retired, labelled("stays in your inventory", style.Text, r.Plan.Remainder.FormatTonnes())}
}

func (single) label(calls []*retire.Call, i int) string {
	if len(calls) == 1 {
		return ""
	}
	return fmt.Sprintf("call %d of %d · ", i+1, len(calls))
}

func (single) summary() []line { return nil }
