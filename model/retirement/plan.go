package retirement

import (
	"cmp"
	"errors"
	"fmt"

	"tonne/model"
	"tonne/model/market"
)

// Retiree is the beneficiary of a retirement. The zero value is the tenant itself.
type Retiree struct {
	// ID is the id of the retiree in the user's own systems. It may be empty.
	ID string
	// Name, TaxID and Country (ISO 3166-1 alpha-2) are set for a customer.
	Name, TaxID, Country string
}

// External reports whether the retiree is a customer of the tenant.
func (r Retiree) External() bool { return r.Name != "" || r.TaxID != "" || r.Country != "" }

var (
	// ErrCustomerFraction is returned if a customer's quantity is not in whole tonnes
	// (section 4.5).
	ErrCustomerFraction = errors.New("a customer's retirement is in whole tonnes")
	// ErrNothingToRetire is returned for a quantity that is not above zero.
	ErrNothingToRetire = errors.New("the quantity to retire must be above zero")
)

// OrderError is returned if the chosen sell order cannot serve a retirement.
type OrderError struct {
	SellOrderID string
	Why         string
}

// Error names the order and the reason.
func (e *OrderError) Error() string { return e.SellOrderID + ": " + e.Why }

// RetireRequest is a request to retire a quantity of one vintage.
type RetireRequest struct {
	VintageID string
	// Quantity is in grams and above zero. For a customer it is a multiple of GramsPerTonne.
	Quantity model.Grams
	Retiree  Retiree
	// SellOrderID is the order to buy from. If it is empty, the plan uses the cheapest order
	// that has enough.
	SellOrderID string
}

// Call is a retirement call (interface section 4.5) with its expected effect.
type Call struct {
	VintageID string
	// Quantity is the quantity to retire, in grams.
	Quantity model.Grams
	Retiree  Retiree
	// FromInventory is the part of Quantity that comes from the wallet, in grams.
	FromInventory model.Grams
	// BuyTonnes is the purchase in whole tonnes, and Cost its cost. Without a purchase the id
	// is empty and the price is UnknownPrice.
	BuyTonnes   int64
	SellOrderID string
	Price       model.PriceCents
	Cost        model.Cents
}

// MostCost returns the cost if the wallet is empty when the call is carried out and the
// whole quantity is bought. A call without an order buys nothing. The error is ErrOverflow.
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

// Plan has the calls that retire a quantity, in order.
type Plan struct {
	Calls []Call
	// Cost and MostCost are sums over the calls.
	Cost, MostCost model.Cents
	// Dearer is the saving from using several orders instead of one that is large enough.
	Dearer model.Cents
	// Short is the quantity in grams that neither the wallet nor the orders have.
	Short model.Grams
	// Remainder is the wallet's balance after the plan, in grams.
	Remainder model.Grams
}

// PlanRetirement plans a request with the order book of its vintage and the wallet's
// balance in grams. It uses the wallet first, and buys the rest in whole tonnes from one
// order or, if no order has enough, from several, cheapest first. All calls except the
// last retire whole tonnes, so that a fraction joins only one request of the month.
//
// If a call names an order, the service buys any quantity that the wallet lacks. So a call without
// an order retires the whole tonnes of the wallet. If another user empties the wallet
// first, the plan buys at most one additional tonne.
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
			return nil, &OrderError{id, fmt.Sprintf("it sells %d t, but %d t are needed", ask.Tonnes, tonnes)}
		}
	}
	if id != "" && tonnes > 0 {
		return nil, &OrderError{id, "the order book of the vintage does not have this order"}
	}
	return asks, nil
}

type retirePlanner struct {
	request RetireRequest
	// left is the quantity to retire and wallet the balance before the next call, in grams.
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
		// A sum out of range is more than any quantity.
		if most, over := model.AddGrams(p.wallet, sold); over == nil && most < quantity {
			quantity = most - most%model.GramsPerTonne
		}
		// With a purchase, the whole tonnes of the wallet are a separate call without an order.
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
