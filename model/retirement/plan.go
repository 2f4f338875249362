package retirement

import (
	"cmp"
	"errors"
	"fmt"

	"tonne/model"
	"tonne/model/market"
)

// Retiree is in whose name credits are retired.
type Retiree struct {
	// ID is the retiree's id in the caller's own systems, empty for none.
	ID string
	// Name, TaxID and Country (ISO 3166-1 alpha-2) are a customer's, else empty.
	Name, TaxID, Country string
}

// External reports whether the retiree is a customer of the tenant.
func (r Retiree) External() bool { return r.Name != "" || r.TaxID != "" || r.Country != "" }

var (
	// ErrCustomerFraction is returned for a customer's part of a tonne (section 4.5).
	ErrCustomerFraction = errors.New("a customer's retirement is in whole tonnes")
	// ErrNothingToRetire is returned for a quantity that is not above zero.
	ErrNothingToRetire = errors.New("the quantity to retire must be above zero")
)

// OrderError says why a chosen sell order cannot serve a retirement.
type OrderError struct {
	SellOrderID string
	Why         string
}

// Error names the order and says why it cannot serve.
func (e *OrderError) Error() string { return e.SellOrderID + ": " + e.Why }

// RetireRequest is a quantity of one vintage that is to be retired.
type RetireRequest struct {
	VintageID string
	// Quantity is in grams, above zero; a multiple of GramsPerTonne for a
	// customer.
	Quantity model.Grams
	Retiree  Retiree
	// SellOrderID is the order that must supply what is bought. If it is
	// empty, the cheapest that covers it does.
	SellOrderID string
}

// Call is a retirement call (interface section 4.5) with its expected effect. The
// journal keeps it by the names in JSON.
type Call struct {
	VintageID string `json:"vintage_id"`
	// Quantity is what is retired, in grams.
	Quantity model.Grams `json:"quantity_grams"`
	Retiree  Retiree     `json:"retiree"`
	// FromInventory is the part of Quantity that the wallet holds before, in grams.
	FromInventory model.Grams `json:"from_inventory_grams"`
	// BuyTonnes is what is bought, Cost what that costs. Without a purchase the id is
	// empty and the price UnknownPrice.
	BuyTonnes   int64            `json:"buy_tonnes"`
	SellOrderID string           `json:"sell_order_id"`
	Price       model.PriceCents `json:"price_cents"`
	Cost        model.Cents      `json:"cost_cents"`
}

// MostCost returns the cost if the wallet is empty by then and all is bought, in whole
// tonnes. A call without an order buys nothing. The error is ErrOverflow.
func (c Call) MostCost() (model.Cents, error) {
	if c.SellOrderID == "" {
		return 0, nil
	}
	tonnes, err := model.WholeTonnes(c.Quantity.TonnesUp())
	if err != nil {
		return 0, err
	}
	return costInCents(tonnes, c.Price)
}

// Plan is the calls that retire a quantity, in order.
type Plan struct {
	Calls []Call
	// Cost and MostCost are sums over the calls.
	Cost, MostCost model.Cents
	// Dearer is how much less several orders would cost than the one that has enough.
	Dearer model.Cents
	// Short is what neither the wallet nor an order supplies, in grams.
	Short model.Grams
	// Remainder is what the wallet holds afterwards, in grams.
	Remainder model.Grams
}

// PlanRetirement plans a request with the order book of its vintage and a wallet that
// holds the inventory. That is used first; what is missing is bought in whole tonnes from
// one order or, if none covers it, from several, cheapest first. Each call but the last
// retires whole tonnes, so that a fraction joins one request of the month only.
//
// The service buys whatever the wallet lacks once a call names an order. So whole tonnes
// of the wallet are retired by a call that names none: at most a tonne is bought beyond
// the plan if the wallet is used elsewhere meanwhile.
//
// The error is ErrNothingToRetire, ErrCustomerFraction, ErrOverflow or an *OrderError.
func PlanRetirement(book market.Book, inventory model.Grams, request RetireRequest) (Plan, error) {
	switch {
	case request.Quantity <= 0:
		return Plan{}, ErrNothingToRetire
	case request.Retiree.External() && !request.Quantity.IsWhole():
		return Plan{}, ErrCustomerFraction
	}
	p := retirePlanner{request: request, left: request.Quantity, wallet: max(inventory, 0)}
	asks, err := suppliers(book.Asks, request.SellOrderID, (p.left - min(p.left, p.wallet)).TonnesUp())
	if err != nil {
		return Plan{}, err
	}
	several := p
	if err := p.retire(asks); err != nil {
		return p.plan, err
	}
	if request.SellOrderID == "" && several.retire(book.Asks) == nil && several.left == 0 {
		p.plan.Dearer = max(p.plan.Cost-several.plan.Cost, 0)
	}
	return p.plan, nil
}

func suppliers(asks []market.Ask, id string, tonnes int64) ([]market.Ask, error) {
	for i, ask := range asks {
		switch {
		case id == "" && ask.Tonnes >= tonnes, id == ask.Order.ID && ask.Tonnes >= tonnes:
			return asks[i : i+1], nil
		case id != "" && id == ask.Order.ID:
			return nil, &OrderError{id, fmt.Sprintf("it sells %d t, %d t are needed", ask.Tonnes, tonnes)}
		}
	}
	if id != "" && tonnes > 0 {
		return nil, &OrderError{id, "the order book of the vintage has no such order"}
	}
	return asks, nil
}

type retirePlanner struct {
	request RetireRequest
	// left is still to be retired, wallet is held by then, in grams.
	left, wallet model.Grams
	plan         Plan
}

func (p *retirePlanner) retire(asks []market.Ask) error {
	if p.left <= p.wallet {
		asks = []market.Ask{{}}
	}
	for _, ask := range asks {
		sold, err := model.WholeTonnes(ask.Tonnes)
		quantity := p.left
		if most := p.wallet.AddUpTo(sold); most < quantity {
			quantity = most - most%model.GramsPerTonne
		}
		// Whole tonnes of the wallet beside a purchase are a call without an order.
		if own := p.wallet - p.wallet%model.GramsPerTonne; err == nil && quantity > p.wallet && own > 0 {
			err = p.add(own, market.Ask{})
			quantity -= own
		}
		if err == nil && quantity > 0 {
			err = p.add(quantity, ask)
		}
		if err != nil {
			return err
		}
	}
	p.plan.Short, p.plan.Remainder = max(p.left-p.wallet, 0), p.wallet
	return nil
}

func (p *retirePlanner) add(quantity model.Grams, ask market.Ask) error {
	c := Call{
		VintageID: p.request.VintageID, Quantity: quantity, Retiree: p.request.Retiree,
		FromInventory: min(quantity, p.wallet), Price: model.UnknownPrice,
	}
	c.BuyTonnes = (quantity - c.FromInventory).TonnesUp()
	bought, err := model.WholeTonnes(c.BuyTonnes)
	if c.BuyTonnes > 0 && err == nil {
		c.SellOrderID, c.Price = ask.Order.ID, ask.Order.Price
		c.Cost, err = costInCents(bought, c.Price)
	}
	most, errMost := c.MostCost()
	var errSum, errMostSum, errHeld error
	p.plan.Cost, errSum = model.AddCents(p.plan.Cost, c.Cost)
	p.plan.MostCost, errMostSum = model.AddCents(p.plan.MostCost, most)
	p.wallet, errHeld = model.AddGrams(p.wallet, bought)
	p.wallet -= quantity
	p.left -= quantity
	p.plan.Calls = append(p.plan.Calls, c)
	return cmp.Or(err, errMost, errSum, errMostSum, errHeld)
}

func costInCents(g model.Grams, p model.PriceCents) (model.Cents, error) {
	cost, err := model.CostOf(g, p)
	if err != nil {
		return 0, err
	}
	return cost.Cents()
}
