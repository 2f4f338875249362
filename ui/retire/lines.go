package retire

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"tonne/api/retire"
	"tonne/model"
	"tonne/ui/style"
	"tonne/ui/tab"
)

// lines are those of the stage, wrapped to a width.
func (d *dialog) lines(width int) []line {
	switch d.stage {
	case asking:
		return fold(d.subject(), width)
	case reviewing:
		return fold(d.planLines(width), width)
	case sending, ended:
		return fold(d.outcome(width), width)
	}
	return nil
}

// subject says what the form is about.
func (d *dialog) subject() []line {
	v, key := d.room.view, d.from.Vintage
	held := "not known"
	if g, counted := v.Held(key); counted {
		held = max(g, 0).FormatTonnes()
	}
	ask := "nothing for sale"
	if best := v.BestAsk(key); best.Known() {
		ask = "best ask " + best.FormatDollars() + " per tonne"
	}
	lines := []line{
		labelled("  vintage", style.Faint, key.VintageID),
		labelled("  you hold", style.Text, held+" · "+ask),
	}
	if order := d.from.SellOrderID; order != "" {
		lines = append(lines, labelled("  buys from", style.Text, "the order "+order))
	}
	return append(lines, line{})
}

// planLines is the plan with every number.
func (d *dialog) planLines(width int) []line {
	r := d.round
	var lines []line
	if r.plan.Short > 0 {
		lines = append(wrapped(style.Warning, "✗ "+tonnes(r.plan.Short)+" of the "+tonnes(r.wish.Quantity)+" are neither in your wallet nor for sale. Ask for less, or watch the vintage.", width), line{})
	}
	lines = append(lines,
		labelled("for", style.Text, whom(r.wish.Retiree, r.wish.Retiree.TaxID)),
	)
	if doubt := retire.TaxIDDoubt(r.wish.Retiree.TaxID); doubt != "" {
		lines = append(lines, wrapped(style.Warning, "⚠ The tax id "+doubt+". It is sent as it stands here.", width)...)
	}
	lines = append(lines,
		labelled("reference", style.Text, cmp.Or(r.asked.reference, "—")),
	)
	if r.asked.done > 0 {
		lines = append(lines, wrapped(style.Warning, "⚠ "+tonnes(r.asked.done)+" of "+tonnes(r.asked.wish.Quantity)+" are retired already under this reference; "+tonnes(r.wish.Quantity)+" remain.", width)...)
	}
	if r.asked.gone != "" {
		lines = append(lines, wrapped(style.Warning, "⚠ The order "+r.asked.gone+" does not sell this any more: the plan takes any order.", width)...)
	}
	lines = append(lines, line{})
	if len(r.calls) == 1 {
		lines = append(lines, oneCall(r.calls[0].Call, r.supply.Held)...)
	} else {
		for i, c := range r.calls {
			lines = append(lines, callLines(i, len(r.calls), c.Call)...)
		}
		lines = append(lines, line{})
	}
	if r.plan.Short > 0 {
		return lines
	}
	lines = append(lines, d.sums()...)
	if r.plan.Dearer > 0 {
		lines = append(lines, wrapped(style.Warning, "⚠ "+retire.SaidDearer(r.plan.Dearer)+".", width)...)
	}
	lines = append(lines, line{})
	return append(lines, wrapped(style.Text, "A purchase is final and a retirement cannot be undone. The price shown is the price that is sent.", width)...)
}

// whom names in whose name credits are retired, with the tax id as it is shown.
func whom(r model.Retiree, taxID string) string {
	if !r.External() {
		return "our own behalf"
	}
	said := []string{r.Name, r.Country, "tax id " + taxID}
	if r.ID != "" {
		said = append(said, "our id "+r.ID)
	}
	return "a customer: " + strings.Join(said, ", ")
}

// oneCall says what a plan of one call does, by whoever holds so many grams.
func oneCall(c model.RetireCall, held model.Grams) []line {
	used := "nothing"
	if c.Used() > 0 {
		used = c.Used().FormatTonnes()
	}
	from := labelled("from your inventory", style.Text, used)
	from.left = append(from.left, span{style.Muted, " of the " + held.FormatTonnes() + " that you hold"})
	return []line{from, bought("to buy", c)}
}

// callLines say what one call of several does.
func callLines(i, n int, c model.RetireCall) []line {
	what := labelled(fmt.Sprintf("call %d of %d", i+1, n), style.Strong, tonnes(c.Quantity))
	if c.Used() > 0 {
		what.left = append(what.left, span{style.Muted, ", of it " + c.Used().FormatTonnes() + " from your inventory"})
	}
	return []line{what, bought("  buys", c)}
}

// bought says what a call buys, and what that costs.
func bought(label string, c model.RetireCall) line {
	if c.BuyTonnes == 0 {
		return labelled(label, style.Muted, "nothing")
	}
	l := labelled(label, style.Text, tab.Number(c.BuyTonnes)+" t")
	l.left = append(l.left, span{style.Muted, "  whole tonnes, from "}, span{style.Text, c.SellOrderID},
		span{style.Muted, " at "}, span{style.Strong, c.Price.FormatDollars()})
	l.right = span{style.Strong, c.Cost.FormatDollars()}
	return l
}

// sums say what the calls come to.
func (d *dialog) sums() []line {
	r, quantity := d.round, d.round.quantity()
	retired := labelled("retired now", style.Text, tonnes(quantity))
	if !quantity.IsWhole() {
		joins := "  joins " + month(d.room.view.Now()) + "'s request"
		if id := d.room.gathering[r.wish.VintageID]; id != "" {
			joins += " " + id
		}
		retired.left = append(retired.left, span{style.Muted, joins}, span{style.Muted, " (fractions are gathered by month)"})
	}
	cost := labelled("costs", style.Text, "nothing: your inventory covers it")
	if r.plan.Cost > 0 {
		cost = labelled("costs", style.Strong, r.plan.Cost.FormatDollars())
	}
	if r.plan.MostCost > r.plan.Cost {
		cost.left = append(cost.left, span{style.Text, "  at most " + r.plan.MostCost.FormatDollars()}, span{style.Muted, " if your inventory is used elsewhere first"})
	}
	return []line{retired, cost, labelled("stays in your inventory", style.Text, r.plan.Remainder.FormatTonnes())}
}

// outcome says what became of the calls, or is becoming.
func (d *dialog) outcome(width int) (lines []line) {
	r := d.round
	switch {
	case d.stage == ended && r.unread != nil:
		lines = wrapped(style.Warning, "✗ "+why(r.unread)+" · nothing was sent", width)
		return append(lines, d.room.advice(r.unread, width)...)
	case d.stage == ended && r.moved != "":
		return wrapped(style.Warning, "✗ "+r.moved+" · nothing was bought", width)
	case d.stage == sending && !r.anyGoing():
		lines = append(lines, line{left: []span{{style.Muted, "Reading the order book and your wallet once more …"}}}, line{})
	}
	for i, c := range r.calls {
		what := tonnes(c.Call.Quantity)
		if len(r.calls) > 1 {
			what = fmt.Sprintf("call %d of %d · %s", i+1, len(r.calls), what)
		}
		lines = append(lines, line{left: []span{{style.Strong, what}, {style.Faint, "  " + c.ExternalID}}})
		if c.state == waiting && d.stage == sending {
			lines = append(lines, line{left: []span{{style.Muted, "– waits"}}})
			continue
		}
		lines = append(lines, c.said(d.room, width)...)
	}
	return lines
}

func (r *round) anyGoing() bool {
	return slices.ContainsFunc(r.calls, func(c *call) bool { return c.state != waiting })
}

// said says what became of a call, with what to do.
func (c *call) said(room *Room, width int) []line {
	switch c.state {
	case going:
		if c.tries > 1 {
			return wrapped(style.Warning, fmt.Sprintf("? not known yet · asking again with the same id (%d)", c.tries), width)
		}
		return wrapped(style.Text, "… on its way", width)
	case done:
		if c.elsewhere {
			return wrapped(style.Warning, "✗ "+c.madeElsewhere().Error()+" · nothing more was sent. Compare it with your books; another reference retires again.", width)
		}
		return append(wrapped(style.Accent, "✓ done · request "+c.requestID+" · in your ledger", width), c.saidUnwritten(width)...)
	case refused:
		return c.saidRefused(width)
	case unknown:
		lines := wrapped(style.Warning, "? not known · "+why(c.err), width)
		lines = append(lines, wrapped(style.Muted, "It may have been carried out. Asked again with the same id, it is not carried out twice.", width)...)
		if _, text := localError(c.err); text != "" {
			lines = append(lines, wrapped(style.Muted, room.view.Commands(text), width)...)
		}
		return lines
	case unsent, failed:
		lines := wrapped(style.Warning, c.saidNotDone(), width)
		return append(append(lines, room.advice(c.err, width)...), c.saidUnwritten(width)...)
	}
	return wrapped(style.Muted, "– not sent", width)
}

// saidNotDone says what is known of a call that is not done. Whoever turned it
// away may stand in front of a service that carried it out.
func (c *call) saidNotDone() string {
	if status := retire.TurnedAway(c.err); status > 0 {
		return fmt.Sprintf("✗ turned away with %d · %s · asked again, it keeps its id", status, why(c.err))
	}
	return "✗ not done · " + why(c.err) + " · nothing was bought"
}

// saidUnwritten says that the journal does not have what is said.
func (c *call) saidUnwritten(width int) []line {
	if c.unwritten == nil {
		return nil
	}
	const what = "The journal could not be written: it has the call as one whose outcome is not known. Asked again with the same id, it is not carried out twice."
	return append(wrapped(style.Warning, what, width), wrapped(style.Muted, makeRoom, width)...)
}

// saidRefused says why the service refused a call, and its code, by which others
// find it.
func (c *call) saidRefused(width int) []line {
	r := retire.RefusalOf(c.err)
	lines := wrapped(style.Warning, "✗ "+r.What+" · nothing was bought", width)
	lines = append(lines, wrapped(style.Text, "  "+strings.ToUpper(r.Todo[:1])+r.Todo[1:]+".", width)...)
	if r.Code != "" {
		lines = append(lines, line{left: []span{{style.Faint, r.Code}}})
	}
	return lines
}
