package inventory

import (
	"slices"

	"tonne/api"
	"tonne/model"
	"tonne/model/filter"
	"tonne/ui/tab"
)

// rows are wallets as the table shows them. They are never changed, because the
// table sorts and filters them in the background.
type rows struct {
	positions *model.Positions
	extent    string
	// listed are the numbers of the wallets that are shown; nil stands for all.
	listed []int32
	// known is what was known of names and prices when the rows were made.
	known tab.View
	// order are the details that rows are sorted by. Those that arrived since
	// wait in known, so that no row moves while somebody reads.
	order model.Projects
	// paid is what was last paid for each vintage, over all its wallets,
	// whatever is filtered.
	paid   model.LastPaidPrices
	facts  *model.BuyerFacts
	opened model.Opening
}

func (r *rows) number(i int) int {
	if r.listed != nil {
		return int(r.listed[i])
	}
	return i
}

func (r *rows) Key(i int) model.WalletKey { return r.positions.At(r.number(i)).Key }
func (r *rows) At(i int) row              { return row{r.positions.At(r.number(i)), r} }

func (r *rows) Len() int {
	if r.listed != nil {
		return len(r.listed)
	}
	return r.positions.Len()
}

func (r *rows) settleOrder(now bool) {
	for _, id := range r.positions.ProjectIDs() {
		if _, known := r.known.Projects[id]; !now && !known {
			return
		}
	}
	r.order = r.known.Projects
}

type row struct {
	*model.Position
	of *rows
}

func (r row) vintage() model.VintageKey { return r.Key.VintageKey }
func (r row) project() model.Project    { return r.of.known.Projects[r.Key.ProjectID] }
func (r row) sorted() model.Project     { return r.of.order[r.Key.ProjectID] }
func (r row) name() string              { return r.of.known.Projects.Name(r.Key.ProjectID) }
func (r row) year() int                 { return r.of.known.Year(r.vintage()) }
func (r row) bestAsk() model.PriceCents { return r.of.known.BestAsk(r.vintage()) }
func (r row) value() model.Valuation    { return r.Position.Value(r.bestAsk()) }

func (r row) start() model.Start { return r.of.opened.Of(r.vintage()) }

// today is how much more the balance is worth than it was at the start of the day
// or when it was bought since, and false if that is not known.
func (r row) today() (model.Cents, bool) {
	more, _, known := r.Position.Since(r.start(), r.bestAsk())
	return more, known
}

func (r row) lastPaid() (model.LastPaid, bool) {
	paid, ok := r.of.paid[r.vintage()]
	return paid, ok
}

func (r row) sortName() string {
	if _, known := r.of.order[r.Key.ProjectID]; !known {
		return ""
	}
	return r.of.order.Name(r.Key.ProjectID)
}

func (r row) trades(q api.InventoryQuery) []model.Trade {
	list := r.Wallet.Trades
	if q.TradeType != "" {
		list = slices.DeleteFunc(slices.Clone(list), func(t model.Trade) bool { return t.Type != q.TradeType })
	}
	if q.TradesPerWallet > 0 {
		list = list[:min(q.TradesPerWallet, len(list))]
	}
	return list
}

// filtered is what a filter needs. As on the command line, what is held is in all
// wallets of the vintage.
func (r row) filtered(needs filter.Needs) filter.Row {
	f := filter.Row{Year: r.year(), BestAsk: model.UnknownPrice, LastPaid: model.UnknownPrice, Available: model.UnknownGrams}
	if needs.Details {
		p := r.project()
		f.Name, f.ProjectID, f.VintageID, f.Wallet = p.Name, r.Key.ProjectID, r.Key.VintageID, r.Key.Type
		f.Type, f.Country, f.Registry, f.RegistryID = p.Type, p.Country, p.RegistryName, p.RegistryID
	}
	if m := r.of.known.Market.Market; m != nil {
		facts := m.Facts(r.vintage(), nil)
		f.BestAsk, f.Available = facts.BestAsk, facts.Available
	}
	if needs.Paid {
		f.LastPaid = r.of.paid.Of(r.vintage()).Price
	}
	if needs.Labels {
		f.Labels = func() []string { return r.of.facts.Labels(r.vintage()) }
	}
	if !needs.Held {
		return f
	}
	for _, w := range r.of.positions.OfVintage(r.vintage()) {
		f.Held = f.Held.AddUpTo(w.Wallet.Quantity)
	}
	return f
}
