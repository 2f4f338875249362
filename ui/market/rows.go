package market

import (
	"tonne/model"
	"tonne/model/filter"
)

// rows is one state of the market as the table shows it: one row a vintage. It
// is never changed, because the table sorts and filters it in the background.
type rows struct {
	market   *model.Market
	partial  bool
	projects model.Projects
	// order are the details that rows are sorted by. Those that arrived since
	// wait in projects, so that no row moves while somebody reads.
	order model.Projects
	paid  model.LastPaidPrices
	held  model.Balances
	facts *model.BuyerFacts
	// opened holds the best asks at the start of the day, as far as they are
	// remembered.
	opened map[model.VintageKey]model.PriceCents
}

func (r *rows) Len() int                            { return r.market.Vintages() }
func (r *rows) Key(i int) model.VintageKey          { return r.market.Key(i) }
func (r *rows) At(i int) row                        { return row{r, i} }
func (r *rows) Find(k model.VintageKey) (int, bool) { return r.market.Find(k) }

// settleOrder sorts by the details as they are now, if it may be or all are
// there. It is for rows that are not shown yet.
func (r *rows) settleOrder(now bool) {
	for _, id := range r.market.ProjectIDs() {
		if _, known := r.projects[id]; !now && (!known || r.partial) {
			return
		}
	}
	r.order = r.projects
}

type row struct {
	*rows
	i int
}

func (r row) key() model.VintageKey        { return r.market.Key(r.i) }
func (r row) vintage() model.MarketVintage { return r.market.Vintage(r.i) }
func (r row) project() model.Project       { return r.projects[r.market.ProjectOf(r.i).ID] }
func (r row) sorted() model.Project        { return r.order[r.market.ProjectOf(r.i).ID] }
func (r row) tonnes() int64                { return r.market.Tonnes(r.i) }
func (r row) projectID() string            { return r.market.ProjectOf(r.i).ID }
func (r row) name() string                 { return r.projects.Name(r.projectID()) }

func (r row) sortName() string {
	if _, known := r.order[r.projectID()]; !known {
		return ""
	}
	return r.order.Name(r.projectID())
}

func (r row) lastPaid() (model.LastPaid, bool) {
	paid, ok := r.paid[r.key()]
	return paid, ok
}

// delta is how far the best ask moved since the start of the day, and false
// where it is not known now, or was not then.
func (r row) delta() (model.Cents, bool) {
	was, now := r.openedAt(), r.vintage().BestAsk
	return model.Cents(now - was), was.Known() && now.Known()
}

func (r row) openedAt() model.PriceCents { return r.openedOf(r.key()) }

func (r *rows) openedOf(key model.VintageKey) model.PriceCents {
	if was, ok := r.opened[key]; ok {
		return was
	}
	return model.UnknownPrice
}

func (r row) versusPaid() (model.PerMille, bool) {
	paid, ok := r.lastPaid()
	if !ok {
		return 0, false
	}
	return model.Difference(r.vintage().BestAsk, paid.Price)
}

func (r row) filtered(needs filter.Needs) filter.Row {
	v := r.vintage()
	f := filter.Row{Year: int(v.Year), BestAsk: v.BestAsk, Available: v.Available, LastPaid: model.UnknownPrice, Held: model.UnknownGrams}
	if needs.Details {
		p := r.project()
		f.Name, f.ProjectID, f.VintageID = p.Name, r.projectID(), v.ID
		f.Type, f.Country, f.Registry, f.RegistryID = p.Type, p.Country, p.RegistryName, p.RegistryID
	}
	if needs.Paid {
		f.LastPaid = r.paid.Of(r.key()).Price
	}
	if needs.Held {
		if held, ok := r.held[r.key()]; ok {
			f.Held = held
		}
	}
	if needs.Labels {
		f.Labels = func() []string { return r.facts.Labels(r.key()) }
	}
	return f
}
