package details

import (
	"tonne/model"
	"tonne/ui/style"
)

// addCost adds what the request cost, and the lots that it used up.
func (p *Pane) addCost(s *Subject) {
	costs := s.Costs()
	if costs == nil {
		return
	}
	total := costs.Request(s.Answer)
	switch {
	case !total.Known:
		p.field("cost", "unknown", "")
		p.text(style.Muted, "Of vintage "+s.Answer.VintageID+", "+total.Why+".")
		return
	case len(total.Lots) == 0:
		p.field("cost", total.Cents.FormatDollars(), total.Cents.String())
		return
	}
	p.field("cost", total.Cents.FormatDollars()+", first in, first out", total.Cents.String())
	for _, lot := range total.Lots {
		bought := lot.Quantity.FormatTonnes() + " at " + lot.Price.FormatDollars() + " a tonne"
		p.field(p.view.Day(lot.Bought), bought, model.Cents(lot.Price).String())
	}
}
