package retire

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"tonne/api"
	"tonne/model"
	"tonne/model/market"
	"tonne/model/retirement"
)

// ErrWalletUnread is returned for a vintage of which a wallet cannot be read.
var ErrWalletUnread = &Problem{"a wallet of the vintage cannot be read, so nothing can be planned with it",
	"look at it with `tonne inventory`, and ask the service's operator", false}

// ErrBookUnread is returned for a vintage of which a sell order cannot be read.
var ErrBookUnread = &Problem{"a sell order of the vintage cannot be read, so nothing can be planned with it",
	"look at it with `tonne market`, and ask the service's operator", false}

// Supply is what a retirement of one vintage is planned with.
type Supply struct {
	Book market.Book
	// Held is what the wallets of the vintage hold, in grams.
	Held model.Grams
}

// Supplies are those of several vintages, by their ids. Planning takes from them.
type Supplies map[string]Supply

var balances = api.InventoryQuery{TradesPerWallet: 1, WalletMinQuantity: 1}

// Supplies reads what is for sale and owned of vintages now. The error wraps ErrWalletUnread
// or ErrBookUnread, or is an *api.Error, also if a listing is incomplete.
func (w *Workflow) Supplies(ctx context.Context, vintages ...string) (Supplies, error) {
	market, err := w.Client.Market(ctx, 0, nil)
	if err != nil {
		return nil, err
	}
	inventory, err := w.Client.Inventory(ctx, balances, nil)
	if err != nil {
		return nil, err
	}
	all := make(Supplies)
	for _, id := range vintages {
		var s Supply
		if at, onSale := market.FindVintage(id); onSale {
			s.Book = market.Book(at)
		}
		if s.Book.Unread > 0 {
			return nil, fmt.Errorf("%w: %s", ErrBookUnread, id)
		}
		all[id] = s
	}
	for _, p := range inventory.Projects {
		for _, v := range p.Vintages {
			s, needed := all[v.ID]
			for _, wallet := range v.Wallets {
				if needed && !wallet.Quantity.Known() {
					return nil, fmt.Errorf("%w: %s", ErrWalletUnread, v.ID)
				}
				s.Held = s.Held.AddUpTo(wallet.Quantity)
			}
			if needed {
				all[v.ID] = s
			}
		}
	}
	return all, nil
}

// Clone returns supplies of which others may take.
func (s Supplies) Clone() Supplies {
	all := maps.Clone(s)
	for id, one := range all {
		one.Book.Asks = slices.Clone(one.Book.Asks)
		all[id] = one
	}
	return all
}

// Plan plans a retirement and takes what it needs.
func (s Supplies) Plan(r retirement.RetireRequest) (retirement.Plan, error) {
	one := s[r.VintageID]
	plan, err := retirement.PlanRetirement(one.Book, one.Held, r)
	if err != nil {
		return plan, err
	}
	one.Held = plan.Remainder
	for _, c := range plan.Calls {
		if at := one.offer(c.SellOrderID); at >= 0 {
			one.Book.Asks[at].Tonnes -= c.BuyTonnes
		}
	}
	one.Book.Asks = slices.DeleteFunc(one.Book.Asks, func(a market.Ask) bool { return a.Tonnes == 0 })
	s[r.VintageID] = one
	return plan, nil
}

func (s Supply) offer(order string) int {
	return slices.IndexFunc(s.Book.Asks, func(a market.Ask) bool { return a.Order.ID == order })
}

// ChangedError says what of a plan does not fit the market or the wallet any more.
// The order is empty if the wallet changed; it offers no tonnes if it is gone.
type ChangedError struct {
	VintageID, SellOrderID string
	Held, HeldNow          model.Grams
	Price, PriceNow        model.PriceCents
	Tonnes, TonnesNow      int64
}

// Error says what changed.
func (e *ChangedError) Error() string {
	switch {
	case e.SellOrderID == "":
		return fmt.Sprintf("the wallet of %s has %s now, and had %s", e.VintageID, e.HeldNow.FormatTonnes(), e.Held.FormatTonnes())
	case e.TonnesNow == 0:
		return fmt.Sprintf("the sell order %s is not for sale any more", e.SellOrderID)
	case e.Price != e.PriceNow:
		return fmt.Sprintf("the price of the sell order %s moved: %s → %s", e.SellOrderID, e.Price.FormatDollars(), e.PriceNow.FormatDollars())
	}
	return fmt.Sprintf("the sell order %s has %d t now, and %d t are planned", e.SellOrderID, e.TonnesNow, e.Tonnes)
}

func recheck(before, now Supplies, calls []retirement.Call) error {
	needed := make(map[string]int64)
	for _, c := range calls {
		was, is := before[c.VintageID], now[c.VintageID]
		if was.Held != is.Held {
			return &ChangedError{VintageID: c.VintageID, Held: was.Held, HeldNow: is.Held}
		}
		if c.BuyTonnes == 0 {
			continue
		}
		needed[c.SellOrderID] += c.BuyTonnes
		e := &ChangedError{VintageID: c.VintageID, SellOrderID: c.SellOrderID, Price: c.Price, PriceNow: model.UnknownPrice, Tonnes: needed[c.SellOrderID]}
		if at := is.offer(c.SellOrderID); at >= 0 {
			e.PriceNow, e.TonnesNow = is.Book.Asks[at].Order.Price, is.Book.Asks[at].Tonnes
		}
		if e.PriceNow != e.Price || e.TonnesNow < e.Tonnes {
			return e
		}
	}
	return nil
}
