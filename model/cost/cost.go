// Package cost computes what retirements cost from the purchases of a tenant: first in, first out for each vintage.
// Start reading at New.
package cost

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"tonne/model"
	"tonne/model/portfolio"
	"tonne/model/retirement"
)

// Lot is a part of a purchase that an item of a retirement consumed.
type Lot struct {
	Bought   model.Timestamp
	Quantity model.Grams
	// Price is in USD cents per tonne.
	Price model.PriceCents
}

// Item is what an item of a retirement request cost.
type Item struct {
	// Cost is in USD cents, rounded so that the costs of a vintage add up.
	Cost model.Cents
	Lots []Lot
}

// Costs are the costs of the retirements of a ledger.
type Costs struct {
	// items has the costs of a request in the order of its items.
	items   map[string][]Item
	unknown map[model.VintageKey]Unknown
}

// New computes the costs of requests, which must be all of the ledger, from an inventory with all wallets and all
// trades.
//
// The purchases of a vintage in the order of their execution are the lots. The items of its requests consume them in
// the order in which they were created, in any request. Those of a NOTHING_TO_PROCESS request consume nothing. The
// costs of a vintage are known only if what was bought is in wallets and items, to the gram.
func New(inventory *portfolio.Inventory, requests []*retirement.Request) *Costs {
	books := make(map[model.VintageKey]*book)
	of := func(key model.VintageKey) *book {
		if books[key] == nil {
			books[key] = new(book)
		}
		return books[key]
	}
	for key, wallet := range inventory.AllWallets() {
		of(key.VintageKey).addWallet(wallet)
	}
	for key, trades := range inventory.Executed() {
		of(key).addTrades(trades)
	}
	costs := &Costs{items: make(map[string][]Item, len(requests)), unknown: make(map[model.VintageKey]Unknown)}
	// The reason of an unknown cost does not depend on the order of the requests.
	byID := func(a, b *retirement.Request) int { return strings.Compare(a.ID, b.ID) }
	for _, r := range slices.SortedFunc(slices.Values(requests), byID) {
		costs.items[r.ID] = make([]Item, len(r.Items))
		if r.Status != retirement.NothingToProcess {
			of(r.Vintage()).addRequest(r, costs.items[r.ID])
		}
	}
	for key, b := range books {
		if why := b.consume(); why != "" {
			costs.unknown[key] = Unknown{key, why, b.missing}
		}
	}
	return costs
}

// Items returns the costs of the items of a request of the ledger, in their order. If they are not known, why is a
// sentence without its end.
func (c *Costs) Items(r *retirement.Request) (items []Item, why string) {
	if u, unknown := c.unknown[r.Vintage()]; unknown && r.Status != retirement.NothingToProcess {
		return nil, u.Why
	}
	items, found := c.items[r.ID]
	if !found || len(items) != len(r.Items) {
		return nil, "the request is not in the ledger as it was read"
	}
	return items, ""
}

// Total is what a request cost. The zero value is not known.
type Total struct {
	Known bool
	// Cents are USD cents, the sum of the costs of the items.
	Cents model.Cents
	Lots  []Lot
	// Why is why the cost is not known, without the end of the sentence.
	Why string
}

// String returns the lots with quantity, day and price, or why they are not known.
func (t Total) String() string {
	if t.Why != "" {
		return "unknown: " + t.Why
	}
	lots := make([]string, len(t.Lots))
	for i, lot := range t.Lots {
		lots[i] = lot.Quantity.FormatTonnes() + " bought on " + lot.Bought.Time.UTC().Format(time.DateOnly) + " at " +
			lot.Price.FormatDollars() + " a tonne"
	}
	return strings.Join(lots, "; ")
}

// Average returns the price of the lots in USD cents per tonne, rounded half up, or false if there are none.
func (t Total) Average() (model.PriceCents, bool) {
	var sum model.Cost
	var grams model.Grams
	var add model.Adder
	for _, lot := range t.Lots {
		part, err := model.CostOf(lot.Quantity, lot.Price)
		if err != nil {
			return 0, false
		}
		add.Cost(&sum, part)
		add.Grams(&grams, lot.Quantity)
	}
	if add.Err != nil || grams == 0 {
		return 0, false
	}
	price, err := sum.Average(grams)
	return price, err == nil
}

// Request returns what a request of the ledger cost. One that retires nothing costs nothing.
func (c *Costs) Request(r *retirement.Request) Total {
	items, why := c.Items(r)
	if why != "" {
		return Total{Why: why}
	}
	total := Total{Known: true}
	for _, item := range items {
		sum, err := model.AddCents(total.Cents, item.Cost)
		if err != nil {
			return Total{Why: "the sum of its items is too large"}
		}
		total.Cents = sum
		for _, lot := range item.Lots {
			if n := len(total.Lots) - 1; n >= 0 && total.Lots[n].Bought == lot.Bought && total.Lots[n].Price == lot.Price {
				total.Lots[n].Quantity += lot.Quantity
			} else {
				total.Lots = append(total.Lots, lot)
			}
		}
	}
	return total
}

// Unknown is a vintage whose costs are not known.
type Unknown struct {
	Vintage model.VintageKey
	// Why is a sentence without its end.
	Why string
	// Missing reports that credits were bought that are neither in a wallet nor in a request.
	Missing bool
}

// String returns a sentence.
func (u Unknown) String() string {
	return fmt.Sprintf("The cost of retirements of vintage %s is unknown: %s.", u.Vintage.VintageID, u.Why)
}

// Unknown returns the vintages whose costs are not known, in the order of their ids.
func (c *Costs) Unknown() (all []Unknown) {
	all = slices.Collect(maps.Values(c.unknown))
	slices.SortFunc(all, func(a, b Unknown) int {
		return cmp.Or(strings.Compare(a.Vintage.ProjectID, b.Vintage.ProjectID),
			strings.Compare(a.Vintage.VintageID, b.Vintage.VintageID))
	})
	return all
}

// UnknownOf returns the vintages of requests whose costs are not known, in the order of their ids.
func (c *Costs) UnknownOf(requests []*retirement.Request) []Unknown {
	of := make(map[model.VintageKey]bool, len(requests))
	for _, r := range requests {
		of[r.Vintage()] = true
	}
	return slices.DeleteFunc(c.Unknown(), func(u Unknown) bool { return !of[u.Vintage] })
}

// book has what was bought and retired of a vintage.
type book struct {
	model.Adder
	lots  []portfolio.Trade
	items []consumer
	// balance is the sum of all wallets.
	balance model.Grams
	// unread says what could not be read.
	unread  string
	missing bool
}

// consumer is an item with the place of its cost.
type consumer struct {
	retirement.Item
	cost *Item
}

func (b *book) addWallet(w portfolio.Wallet) {
	if !w.Quantity.Known() {
		b.unread = "a wallet cannot be read"
	}
	b.Grams(&b.balance, w.Quantity)
}

func (b *book) addTrades(trades []portfolio.Trade) {
	for _, t := range trades {
		switch {
		case t.Type == portfolio.Sell:
			b.unread = cmp.Or(b.unread, "credits of it were sold")
		case t.Type != portfolio.Buy || !t.Quantity.Known() || !t.Price.Known() || !t.ExecutionDate.Known():
			b.unread = cmp.Or(b.unread, "a trade cannot be read")
		}
	}
	b.lots = trades
}

func (b *book) addRequest(r *retirement.Request, costs []Item) {
	if sum, err := r.ItemsTotal(); err != nil || sum != r.TotalQuantity {
		b.unread = cmp.Or(b.unread, "the items of request "+r.ID+" do not add up to it")
	}
	for i, item := range r.Items {
		if !item.Quantity.Known() || !item.CreatedAt.Known() {
			b.unread = cmp.Or(b.unread, "an item of request "+r.ID+" cannot be read")
		}
		b.items = append(b.items, consumer{item, &costs[i]})
	}
}

// consume computes the cost of each item, or returns why it is not known.
func (b *book) consume() (why string) {
	if b.unread != "" {
		return b.unread
	}
	var bought, retired model.Grams
	for _, lot := range b.lots {
		b.Grams(&bought, lot.Quantity)
	}
	for _, item := range b.items {
		b.Grams(&retired, item.Quantity)
	}
	accounted := retired
	b.Grams(&accounted, b.balance)
	if b.Err != nil {
		return "its quantities are too large"
	}
	if gap := bought - accounted; gap > 0 {
		b.missing = true
		return fmt.Sprintf("%s g were bought that are neither in a wallet nor in a request of the ledger",
			model.FormatNumber(int64(gap)))
	} else if gap < 0 {
		return fmt.Sprintf("%s g are in wallets and requests that no trade has bought", model.FormatNumber(int64(-gap)))
	}
	slices.SortStableFunc(b.items, func(x, y consumer) int {
		return cmp.Or(x.CreatedAt.Time.Compare(y.CreatedAt.Time), strings.Compare(x.ID, y.ID))
	})
	if err := b.fill(); err != nil {
		return "its costs are too large"
	}
	return ""
}

// fill takes the lots for each item in turn.
func (b *book) fill() error {
	var running model.Running
	for _, item := range b.items {
		var exact model.Cost
		for rest := item.Quantity; rest > 0; {
			lot := &b.lots[0]
			part := min(rest, lot.Quantity)
			if part > 0 {
				item.cost.Lots = append(item.cost.Lots, Lot{lot.ExecutionDate, part, lot.Price})
				cost, err := model.CostOf(part, lot.Price)
				if err != nil {
					return err
				}
				b.Cost(&exact, cost)
			}
			rest -= part
			if lot.Quantity -= part; lot.Quantity == 0 {
				b.lots = b.lots[1:]
			}
		}
		var err error
		if item.cost.Cost, err = running.Add(exact); cmp.Or(b.Err, err) != nil {
			return cmp.Or(b.Err, err)
		}
	}
	return nil
}
