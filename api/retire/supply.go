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

func recheck(before, now Supplies, calls []retirement.Call) error {
	needed := make(map[string]int64)
	moved := func(format string, args ...any) error { return ErrMoved.saying("", format, args...) }
	for _, c := range calls {
		was, is := before[c.VintageID], now[c.VintageID]
		at := is.offer(c.SellOrderID)
		needed[c.SellOrderID] += c.BuyTonnes
		switch {
		case was.Held != is.Held:
			return moved("the wallet of %s has %s now, and had %s", c.VintageID, is.Held.FormatTonnes(), was.Held.FormatTonnes())
		case c.BuyTonnes == 0:
			continue
		case at < 0:
			return moved("the sell order %s is not for sale any more", c.SellOrderID)
		}
		switch offer := is.Book.Asks[at]; {
		case offer.Order.Price != c.Price:
			return moved("the price of the sell order %s moved: %s → %s", c.SellOrderID, c.Price.FormatDollars(), offer.Order.Price.FormatDollars())
		case offer.Tonnes < needed[c.SellOrderID]:
			return moved("the sell order %s has %d t now, and %d t are planned", c.SellOrderID, offer.Tonnes, needed[c.SellOrderID])
		}
	}
	return nil
}
