// Package execution compares each purchase with the recorded market: what the same tonnes cost in
// the last read before it, from the same vintage and from all that the buyer counts as the same.
// Start reading at New.
package execution

import (
	"cmp"
	"slices"
	"time"

	"tonne/model"
	"tonne/model/portfolio"
	"tonne/model/retirement"
)

// Purchase is a BUY trade of the inventory, with the call of the journal that made it.
type Purchase struct {
	Vintage model.VintageKey
	Trade   portfolio.Trade
	// ExternalID, RequestID and SellOrderID are those of the call, or empty without one.
	ExternalID, RequestID, SellOrderID string
}

// At returns the time of the purchase, zero if it is unknown.
func (p Purchase) At() time.Time { return p.Trade.ExecutionDate.Time }

// Tonnes returns the whole tonnes that were bought.
func (p Purchase) Tonnes() int64 { return p.Trade.Quantity.Tonnes() }

// tolerance is how long before the sending of a call, or after its answer, the service may have
// dated its purchase.
const tolerance = 2 * time.Second

// Purchases returns the purchases of an inventory, oldest first. Each call of the journal with a
// purchase is matched to one of the same vintage, price and tonnes, made while the call was sent.
func Purchases(inv *portfolio.Inventory, calls []retirement.JournalEntry) (all []Purchase) {
	for key, trades := range inv.Executed() {
		for _, t := range trades {
			if t.Type == portfolio.Buy {
				all = append(all, Purchase{Vintage: key, Trade: t})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Purchase) int {
		return cmp.Or(a.At().Compare(b.At()), cmp.Compare(a.Vintage.ProjectID, b.Vintage.ProjectID),
			cmp.Compare(a.Vintage.VintageID, b.Vintage.VintageID))
	})
	match(all, calls)
	return all
}

// deal is what a call and its purchase have in common.
type deal struct {
	vintageID string
	price     model.PriceCents
	grams     model.Grams
}

// match matches as many calls as possible: of the calls that may have made a purchase, the one that
// was answered first.
func match(purchases []Purchase, calls []retirement.JournalEntry) {
	open := make(map[deal][]retirement.JournalEntry)
	for _, c := range calls {
		grams, err := model.WholeTonnes(c.Call.BuyTonnes)
		if err != nil || c.Call.BuyTonnes == 0 || c.SentAt.IsZero() || c.AnsweredAt.IsZero() {
			continue
		}
		of := deal{c.Call.VintageID, c.Call.Price, grams}
		open[of] = append(open[of], c)
	}
	for _, of := range open {
		slices.SortStableFunc(of, func(a, b retirement.JournalEntry) int { return a.AnsweredAt.Compare(b.AnsweredAt) })
	}
	for i := range purchases {
		p := &purchases[i]
		of := deal{p.Vintage.VintageID, p.Trade.Price, p.Trade.Quantity}
		n := slices.IndexFunc(open[of], func(c retirement.JournalEntry) bool {
			return !p.At().Before(c.SentAt.Add(-tolerance)) && !p.At().After(c.AnsweredAt.Add(tolerance))
		})
		if n >= 0 {
			c := open[of][n]
			p.ExternalID, p.RequestID, p.SellOrderID = c.ExternalID, c.RequestID, c.Call.SellOrderID
			open[of] = slices.Delete(open[of], n, n+1)
		}
	}
}
