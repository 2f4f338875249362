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
	total, lots, why := costs.Request(s.Answer)
	switch {
	case why != "":
		p.field("cost", "unknown", "")
		p.text(style.Muted, "Of vintage "+s.Answer.VintageID+", "+why+".")
		return
	case len(lots) == 0:
		p.field("cost", total.FormatDollars(), total.String())
		return
	}
	p.field("cost", total.FormatDollars()+", first in, first out", total.String())
	for _, lot := range lots {
		bought := lot.Quantity.FormatTonnes() + " at " + lot.Price.FormatDollars() + " a tonne"
		p.field(p.view.Day(lot.Bought), bought, model.Cents(lot.Price).String())
	}
}
