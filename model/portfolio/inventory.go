// Package portfolio has the inventory of a tenant with its wallets and trades, the last
// prices paid, and the cost and value of the wallets. Start reading at Inventory and
// Positions.
package portfolio

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"time"

	"tonne/model"
)

// Inventory is the credits that the tenant owns and has not retired, with their trades
// (interface section 2.3). It is immutable.
type Inventory struct {
	Projects []Project
	// Faults are the unreadable values, in wire order.
	Faults []model.Fault
}

// ProjectIDs returns the ids of the projects, in the order of the service.
func (inv *Inventory) ProjectIDs() []string {
	ids := make([]string, len(inv.Projects))
	for i, p := range inv.Projects {
		ids[i] = p.ID
	}
	return ids
}

// Unreadable reports whether there are wallets and all their quantities are unreadable,
// or there are trades and all their quantities or all their prices are.
func (inv *Inventory) Unreadable() bool {
	var wallets []Wallet
	var trades []Trade
	for _, w := range inv.AllWallets() {
		wallets, trades = append(wallets, w), append(trades, w.Trades...)
	}
	return model.NoneKnown(wallets, func(w Wallet) bool { return w.Quantity.Known() }) ||
		model.NoneKnown(trades, func(t Trade) bool { return t.Quantity.Known() }) ||
		model.NoneKnown(trades, func(t Trade) bool { return t.Price.Known() })
}

// Project groups the holdings of one project.
type Project struct {
	ID       string
	Vintages []Vintage
	Extra    []model.Field
}

// Vintage groups the wallets of one vintage.
type Vintage struct {
	ID      string
	Wallets []Wallet
	Extra   []model.Field
}

// WalletCAAS is the only documented wallet type. Others are kept unchanged.
const WalletCAAS = "CAAS"

// Wallet holds credits of one project and vintage.
type Wallet struct {
	Type string
	// Quantity is the balance: owned and not retired, in grams.
	Quantity model.Grams
	// Trades are the listed trades, most recent first.
	Trades []Trade
	Extra  []model.Field
}

// Usable reports whether a retirement is known to use the wallet. Other types than the documented one are shown
// and not counted.
func (w Wallet) Usable() bool { return w.Type == WalletCAAS }

// Split returns the balance of the usable wallets, UnknownGrams if one of them is unreadable, and the other
// wallets that are not empty.
func Split(wallets []Wallet) (usable model.Grams, others []Wallet) {
	for _, w := range wallets {
		switch {
		case w.Usable():
			usable = usable.Plus(w.Quantity)
		case w.Quantity != 0:
			others = append(others, w)
		}
	}
	return usable, others
}

// NotCounted says which wallets of Split are not counted.
func NotCounted(others []Wallet) string {
	var texts []string
	for _, w := range others {
		texts = append(texts, w.Quantity.FormatTonnes()+" in a wallet of the type "+cmp.Or(w.Type, "unknown"))
	}
	return strings.Join(texts, ", ") + ": not counted, because it is not known whether a retirement can use it"
}

// TradeType is the direction of a trade. Undocumented values are kept unchanged.
type TradeType string

// The trade types of the interface. Only BUY trades appear at present.
const (
	Buy  TradeType = "BUY"
	Sell TradeType = "SELL"
)

// Trade is one entry of a wallet's trade history.
type Trade struct {
	ExecutionDate model.Timestamp
	Quantity      model.Grams
	Price         model.PriceCents
	Type          TradeType
	Extra         []model.Field
}

// LastPaid is the most recent purchase of a project and vintage.
type LastPaid struct {
	Price         model.PriceCents
	ExecutionDate model.Timestamp
	Quantity      model.Grams
}

// LastPaid returns the most recent BUY trade of v, and of several at one time the first
// listed. A trade without a date counts only if there is no other. If the price of that
// trade cannot be read, it is UnknownPrice: the price before it is not the last.
func (v Vintage) LastPaid() (LastPaid, bool) {
	var last *Trade
	for w := range v.Wallets {
		for t := range v.Wallets[w].Trades {
			trade := &v.Wallets[w].Trades[t]
			if trade.Type != Buy {
				continue
			}
			if last == nil || trade.ExecutionDate.Time.After(last.ExecutionDate.Time) {
				last = trade
			}
		}
	}
	if last == nil {
		return LastPaid{}, false
	}
	return LastPaid{last.Price, last.ExecutionDate, last.Quantity}, true
}

// Is reports whether p was taken from the trade t.
func (p LastPaid) Is(t Trade) bool {
	return t.Type == Buy && t.Price == p.Price && t.Quantity == p.Quantity && t.ExecutionDate.Text == p.ExecutionDate.Text
}

// LastPaidPrices maps each purchased vintage to its last price paid.
type LastPaidPrices map[model.VintageKey]LastPaid

// Of returns the last purchase of a vintage. Its price is UnknownPrice if there is none.
func (p LastPaidPrices) Of(key model.VintageKey) LastPaid {
	if last, bought := p[key]; bought {
		return last
	}
	return LastPaid{Price: model.UnknownPrice}
}

// LastPaid returns the last paid prices of an inventory that has all its BUY trades.
func (inv *Inventory) LastPaid() LastPaidPrices {
	prices := make(LastPaidPrices)
	for _, p := range inv.Projects {
		for _, v := range p.Vintages {
			if last, ok := v.LastPaid(); ok {
				prices[model.VintageKey{ProjectID: p.ID, VintageID: v.ID}] = last
			}
		}
	}
	return prices
}

// Purchases is the sum of a wallet's BUY trades.
type Purchases struct {
	Quantity model.Grams
	Cost     model.Cost
	// Trades counts the purchases, and Unread the unreadable ones, which are omitted.
	Trades, Unread int
}

// Purchases returns the sum of the BUY trades of w. The error is ErrOverflow.
func (w Wallet) Purchases() (Purchases, error) { return purchasesSince(w.Trades, time.Time{}) }

func purchasesSince(trades []Trade, since time.Time) (Purchases, error) {
	var sum Purchases
	var all model.Adder
	for _, t := range trades {
		if t.Type != Buy || !since.IsZero() && t.ExecutionDate.Time.Before(since) {
			continue
		}
		cost, err := model.CostOf(t.Quantity, t.Price)
		if err != nil {
			sum.Unread++
			continue
		}
		all.Cost(&sum.Cost, cost)
		all.Grams(&sum.Quantity, t.Quantity)
		sum.Trades++
	}
	if all.Err != nil {
		return Purchases{}, all.Err
	}
	return sum, nil
}

// AverageCost returns the average price per tonne of the purchases, rounded half up. It
// is false if there are none, or one is unreadable.
func (p Purchases) AverageCost() (model.PriceCents, bool) {
	average, err := p.Cost.Average(p.Quantity)
	return average, err == nil && p.Unread == 0
}

// CostOf returns the average cost of g grams, rounded half up once. It is false in the
// cases of AverageCost, and on overflow.
func (p Purchases) CostOf(g model.Grams) (model.Cents, bool) {
	if p.Quantity <= 0 || p.Unread > 0 || !g.Known() {
		return 0, false
	}
	return p.Cost.Part(g, p.Quantity)
}

// Valuation is the replacement value and the cost of a balance.
type Valuation struct {
	// Value is the balance at the best ask, in cents.
	Value model.Cents
	// Basis is the average cost of the balance, in cents.
	Basis model.Cents
	// HasValue and HasBasis report whether the two are known.
	HasValue, HasBasis bool
}

// Value values a balance at the best ask and at the average cost of the purchases. An empty balance has no value.
func Value(balance model.Grams, bestAsk model.PriceCents, bought Purchases) Valuation {
	var v Valuation
	if balance <= 0 {
		return v
	}
	if cost, err := model.CostOf(balance, bestAsk); err == nil {
		if v.Value, err = cost.Cents(); err == nil {
			v.HasValue = true
		}
	}
	v.Basis, v.HasBasis = bought.CostOf(balance)
	return v
}

// OverCost returns the value minus the cost. It is false if one of them is unknown.
func (v Valuation) OverCost() (model.Cents, bool) {
	return v.Value - v.Basis, v.HasValue && v.HasBasis
}

// Balances maps each vintage to the unretired grams in its wallets.
type Balances map[model.VintageKey]model.Grams

// Balances returns the balances of a complete inventory. The balance of a vintage is
// UnknownGrams if one of its wallets is unreadable, or their sum is out of range.
func (inv *Inventory) Balances() Balances {
	balances := make(Balances)
	for of, w := range inv.AllWallets() {
		balances[of.VintageKey] = balances[of.VintageKey].Plus(w.Quantity)
	}
	return balances
}

// Unusable returns the wallets of each vintage that a retirement is not known to use, except empty ones.
func (inv *Inventory) Unusable() map[model.VintageKey][]Wallet {
	all := make(map[model.VintageKey][]Wallet)
	for of, w := range inv.AllWallets() {
		if !w.Usable() && w.Quantity != 0 {
			all[of.VintageKey] = append(all[of.VintageKey], w)
		}
	}
	return all
}

// Until returns the inventory with the trades up to a time, and with today's balances. It leaves out
// trades without a date.
func (inv *Inventory) Until(at time.Time) *Inventory {
	past := &Inventory{Faults: inv.Faults, Projects: slices.Clone(inv.Projects)}
	for p := range past.Projects {
		project := &past.Projects[p]
		project.Vintages = slices.Clone(project.Vintages)
		for v := range project.Vintages {
			vintage := &project.Vintages[v]
			vintage.Wallets = slices.Clone(vintage.Wallets)
			for w := range vintage.Wallets {
				wallet := &vintage.Wallets[w]
				wallet.Trades = slices.DeleteFunc(slices.Clone(wallet.Trades), func(t Trade) bool {
					return !t.ExecutionDate.Known() || t.ExecutionDate.Time.After(at)
				})
			}
		}
	}
	return past
}

// JoinInventory joins the pages of one read. If a vintage is listed twice, because it
// moved between pages, the first one is kept.
func JoinInventory(parts ...*Inventory) *Inventory {
	joined := &Inventory{}
	at := make(map[string]int)
	seen := make(map[model.VintageKey]bool)
	for _, part := range parts {
		joined.Faults = append(joined.Faults, part.Faults...)
		for _, p := range part.Projects {
			n, known := at[p.ID]
			if !known {
				n = len(joined.Projects)
				at[p.ID] = n
				joined.Projects = append(joined.Projects, Project{ID: p.ID, Extra: p.Extra})
			}
			for _, v := range p.Vintages {
				if key := (model.VintageKey{ProjectID: p.ID, VintageID: v.ID}); !seen[key] {
					seen[key] = true
					joined.Projects[n].Vintages = append(joined.Projects[n].Vintages, v)
				}
			}
		}
	}
	return joined
}

// Executed returns the trades of each vintage over all its wallets, in the order of their execution. Of two at the same
// time, the one that is listed later is older: the service lists the newest first.
func (inv *Inventory) Executed() iter.Seq2[model.VintageKey, []Trade] {
	return func(yield func(model.VintageKey, []Trade) bool) {
		trades := make(map[model.VintageKey][]Trade)
		var vintages []model.VintageKey
		for of, wallet := range inv.AllWallets() {
			if _, seen := trades[of.VintageKey]; !seen {
				vintages = append(vintages, of.VintageKey)
			}
			oldest := slices.Clone(wallet.Trades)
			slices.Reverse(oldest)
			trades[of.VintageKey] = append(trades[of.VintageKey], oldest...)
		}
		for _, of := range vintages {
			slices.SortStableFunc(trades[of],
				func(x, y Trade) int { return x.ExecutionDate.Time.Compare(y.ExecutionDate.Time) })
			if !yield(of, trades[of]) {
				return
			}
		}
	}
}
