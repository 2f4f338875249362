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
	"tonne/model/advice"
	"tonne/model/country"
	"tonne/model/market"
	"tonne/model/portfolio"
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

// SaidDearer returns advice for a plan that buys from one order because that is large
// enough, although the cheapest orders together cost less.
func SaidDearer(by model.Cents) string {
	return "The cheapest orders together cost " + by.FormatDollars() +
		" less: retire in parts, each no more than the cheapest order has"
}

// inGrams reports whether a quantity is written in grams: below a kilogram.
func inGrams(g model.Grams) bool { return 0 < g && g < 1000 }

// TypedQuantity returns a quantity as users type it: "1,234", "2.5", or "20 g" below a kilogram.
func TypedQuantity(g model.Grams) string {
	whole, rest, digits := g/model.GramsPerTonne, g%model.GramsPerTonne, 6
	switch {
	case inGrams(g):
		return g.FormatGrams()
	case !g.Known():
		return "?"
	case rest == 0:
		return model.FormatNumber(int64(whole))
	}
	for ; rest%10 == 0; digits-- {
		rest /= 10
	}
	return fmt.Sprintf("%s.%0*d", model.FormatNumber(int64(whole)), digits, rest)
}

// FormatQuantity returns a quantity with its unit: "2.5 t", or "20 g" below a kilogram.
func FormatQuantity(g model.Grams) string {
	if inGrams(g) {
		return TypedQuantity(g)
	}
	return TypedQuantity(g) + " t"
}

// Supply is the supply of one vintage, for planning a retirement.
type Supply struct {
	// ProjectID is the project of the vintage, or "" if it is neither on sale nor in a wallet.
	ProjectID string
	Book      market.Book
	// Held is the content of the usable wallets, in grams. Others are the wallets that are not counted.
	Held   model.Grams
	Others []portfolio.Wallet
}

// Need is a vintage to read. Without ProjectID, the sell order or the only project with the vintage decides.
type Need struct {
	model.VintageKey
	SellOrderID string
}

// holdings are the market and the wallets of the vintages that are needed.
type holdings struct {
	market *market.Market
	// projects are those that have a vintage, on sale or in a wallet, and wallets those of a vintage.
	projects map[string][]string
	wallets  map[model.VintageKey][]portfolio.Wallet
}

func newHoldings(m *market.Market, inv *portfolio.Inventory, needs []Need) holdings {
	h := holdings{market: m, projects: make(map[string][]string), wallets: make(map[model.VintageKey][]portfolio.Wallet)}
	for _, n := range needs {
		h.projects[n.VintageID] = nil
	}
	add := func(key model.VintageKey) bool {
		known, needed := h.projects[key.VintageID]
		if needed && !slices.Contains(known, key.ProjectID) {
			h.projects[key.VintageID] = append(known, key.ProjectID)
		}
		return needed
	}
	for i := range m.Vintages() {
		add(m.Key(i))
	}
	for of, w := range inv.AllWallets() {
		if add(of.VintageKey) {
			h.wallets[of.VintageKey] = append(h.wallets[of.VintageKey], w)
		}
	}
	return h
}

// project returns the project of a vintage, or a *market.AmbiguousError.
func (h holdings) project(n Need) (string, error) {
	if n.ProjectID != "" {
		return n.ProjectID, nil
	}
	projects := h.projects[n.VintageID]
	if at, known := h.market.FindOrder(n.SellOrderID); known && n.SellOrderID != "" && len(projects) > 1 {
		for _, id := range projects {
			if of, onSale := h.market.Find(model.VintageKey{ProjectID: id, VintageID: n.VintageID}); onSale &&
				h.market.Has(of, at) {
				return id, nil
			}
		}
	}
	if len(projects) > 1 {
		return "", &market.AmbiguousError{VintageID: n.VintageID, Projects: projects}
	}
	return strings.Join(projects, ""), nil
}

// supply returns the supply of a vintage. The error wraps ErrWalletUnread or ErrBookUnread.
func (h holdings) supply(key model.VintageKey) (s Supply, err error) {
	s.ProjectID = key.ProjectID
	if at, onSale := h.market.Find(key); onSale {
		s.Book = h.market.Book(at)
	}
	if s.Book.Unread > 0 {
		return s, fmt.Errorf("%w: %s", ErrBookUnread, key.VintageID)
	}
	if s.Held, s.Others = portfolio.Split(h.wallets[key]); !s.Held.Known() {
		return s, fmt.Errorf("%w: %s", ErrWalletUnread, key.VintageID)
	}
	return s, nil
}

// Supplies are the supplies of several vintages by id. A plan reduces them.
type Supplies map[string]Supply

var balances = api.InventoryQuery{TradesPerWallet: 1, WalletMinQuantity: 1}

// Supplies reads the sell orders and wallets of vintages. The error wraps ErrWalletUnread
// or ErrBookUnread, or is a *market.AmbiguousError, or an *api.Error, also for an incomplete listing.
func (w *Workflow) Supplies(ctx context.Context, needs ...Need) (Supplies, error) {
	book, err := w.Client.Market(ctx, 0, nil)
	if err != nil {
		return nil, err
	}
	inventory, err := w.Client.Inventory(ctx, balances, nil)
	if err != nil {
		return nil, err
	}
	all, projects, in := make(Supplies), make(map[string]string), newHoldings(book, inventory, needs)
	for _, n := range needs {
		project, err := in.project(n)
		if other, known := projects[n.VintageID]; err == nil && known && other != project {
			err = &market.AmbiguousError{VintageID: n.VintageID, Projects: []string{other, project}}
		}
		if err != nil {
			return nil, err
		}
		projects[n.VintageID] = project
		if _, known := all[n.VintageID]; known {
			continue
		}
		if all[n.VintageID], err = in.supply(model.VintageKey{ProjectID: project, VintageID: n.VintageID}); err != nil {
			return nil, err
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
	moved := func(format string, args ...any) error { return ErrMoved.withText(advice.Text{}, format, args...) }
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
			return moved("the price of the sell order %s moved: %s → %s", c.SellOrderID, c.Price.FormatDollars(),
				offer.Order.Price.FormatDollars())
		case offer.Tonnes < needed[c.SellOrderID]:
			return moved("the sell order %s has %d t now, and %d t are planned", c.SellOrderID, offer.Tonnes,
				needed[c.SellOrderID])
		}
	}
	return nil
}
