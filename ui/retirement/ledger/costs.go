package ledger

import (
	"slices"

	"tonne/model/cost"
	"tonne/model/portfolio"
	"tonne/model/retirement"
	"tonne/ui/effect"
)

// pricing has the costs of the requests, which need all wallets.
type pricing struct {
	costs *cost.Costs
	// positions are the wallets of costs.
	positions *portfolio.Positions
}

// Reprice computes the costs of the requests again if the wallets have changed.
func (l *Ledger) Reprice() effect.Effect {
	if l.wallets() == l.pricing.positions || len(l.rows) == 0 {
		return nil
	}
	l.rows = slices.Clone(l.rows)
	l.price()
	return l.Narrow()
}

// wallets returns all wallets, or nil before they were read.
func (l *Ledger) wallets() *portfolio.Positions {
	if l.view.Book.Partial || l.view.Book.Earlier {
		return nil
	}
	return l.view.Book.Positions
}

func (l *Ledger) price() {
	l.pricing = pricing{positions: l.wallets()}
	if l.pricing.positions != nil {
		var answers []*retirement.Request
		for _, r := range l.rows {
			if r.Answer != nil {
				answers = append(answers, r.Answer)
			}
		}
		l.pricing.costs = cost.New(l.pricing.positions.Inventory(), answers)
	}
	for i := range l.rows {
		l.rows[i].costs = l.pricing.costs
	}
}

// Costs returns the costs of the requests of the ledger, or nil before all wallets were read.
func (r Row) Costs() *cost.Costs { return r.costs }
