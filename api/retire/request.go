package retire

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"tonne/api"
	"tonne/api/wire"
	"tonne/model"
	"tonne/model/country"
	"tonne/model/market"
	"tonne/model/retirement"
)

// Check returns an error for an invalid request or reference; a *retirement.TextError for a text.
// It does not use the market.
func Check(reference string, r retirement.RetireRequest) error {
	if err := retirement.CheckTexts(reference, "", r, wire.IsClean); err != nil {
		return err
	}
	switch c := r.Retiree; {
	case r.VintageID == "":
		return errors.New("the vintage is missing")
	case r.Quantity <= 0:
		return retirement.ErrNothingToRetire
	case !c.External() && c.ID != "":
		return errors.New("a customer's id needs the customer's name, tax id and country")
	case !c.External():
		return nil
	case c.Name == "" || c.TaxID == "" || c.Country == "":
		return errors.New("a customer has a name, a tax id and a country")
	case country.Name(c.Country) == "" || c.Country != strings.ToUpper(c.Country):
		return errors.New("the country is none that is known; give its code, such as GB")
	case !r.Quantity.IsWhole():
		return retirement.ErrCustomerFraction
	}
	return nil
}

// RequestText returns the text of a request in the journal.
func RequestText(r retirement.RetireRequest) string {
	return fmt.Sprintf("%d g of %q from %q for %q", r.Quantity, r.VintageID, r.SellOrderID, []string{r.Retiree.ID, r.Retiree.Name, r.Retiree.TaxID, r.Retiree.Country})
}

// RequestQuantity returns the quantity in a RequestText; ok is false for another text.
func RequestQuantity(text string) (quantity model.Grams, ok bool) {
	digits, _, ok := strings.Cut(text, " g of ")
	if !ok {
		return 0, false
	}
	quantity, err := model.ParseGrams(digits)
	return quantity, err == nil
}

// SaidDearer returns advice for a plan that buys from one order because that is large
// enough, although the cheapest orders together cost less.
func SaidDearer(by model.Cents) string {
	return "The cheapest orders together cost " + by.FormatDollars() + " less: retire in parts, each no more than the cheapest order has"
}

// ParseQuantity parses a quantity as users type it: "2.5", "2.5 t" or "20 g".
func ParseQuantity(text string) (model.Grams, error) {
	text = strings.TrimSpace(strings.ToLower(text))
	if grams, ok := strings.CutSuffix(text, "g"); ok {
		n, err := model.ParseNumber(strings.TrimSpace(grams))
		return model.Grams(n), err
	}
	return model.ParseTonnes(strings.TrimSpace(strings.TrimSuffix(text, "t")))
}

// FormatQuantity returns the shortest text that ParseQuantity accepts: "2.5 t", or "20 g"
// below a kilogram.
func FormatQuantity(g model.Grams) string {
	const kilogram = 1000
	if 0 < g && g < kilogram {
		return g.FormatGrams()
	}
	text := strings.TrimSuffix(g.FormatTonnes(), " t")
	if strings.Contains(text, ".") {
		text = strings.TrimRight(text, "0")
	}
	return text + " t"
}

// Supply is the supply of one vintage, for planning a retirement.
type Supply struct {
	Book market.Book
	// Held is the content of the wallets, in grams.
	Held model.Grams
}

// Supplies are the supplies of several vintages by id. A plan reduces them.
type Supplies map[string]Supply

var balances = api.InventoryQuery{TradesPerWallet: 1, WalletMinQuantity: 1}

// Supplies reads the sell orders and wallets of vintages. The error wraps ErrWalletUnread
// or ErrBookUnread, or is an *api.Error, also for an incomplete listing.
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
				s.Held = s.Held.Plus(wallet.Quantity)
			}
			if needed {
				all[v.ID] = s
			}
		}
	}
	return all, nil
}

// Clone returns a copy that shares nothing with s.
func (s Supplies) Clone() Supplies {
	all := maps.Clone(s)
	for id, one := range all {
		one.Book.Asks = slices.Clone(one.Book.Asks)
		all[id] = one
	}
	return all
}

// Plan plans a retirement and subtracts from s what the plan uses.
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
	moved := func(format string, args ...any) error { return ErrMoved.withText("", format, args...) }
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
