package exchange

import (
	"time"

	"tonne/model"
)

// Item is one call in a retirement request.
type Item struct {
	Number   int64
	Quantity model.Grams
}

// NewItem is an item that is to be written. Trade is the number of the
// purchase that the call led to, or 0.
type NewItem struct {
	ID        string
	Request   int64
	Quantity  model.Grams
	Retiree   Retiree
	RetireeID string
	Trade     int64
}

type items interface {
	// Items returns the items of a request, oldest first.
	Items(Request) ([]Item, error)
	AddItem(i NewItem, at time.Time) (number int64, err error)
	MoveItem(i Item, to Request) error
	// SplitItem leaves the first grams of an item in its request and makes the
	// rest an item of another, with the id.
	SplitItem(i Item, keep model.Grams, to Request, id string) error
}

// gather adds grams to the tenant's FRACTIONALISED request of a vintage and
// period. The request is made where there is none.
func (c *Change) gather(tenant, vintage int64, p Period, grams model.Grams) (Request, error) {
	r, found, err := c.GatheringRequest(tenant, vintage, p)
	if err != nil {
		return Request{}, err
	}
	if !found {
		return c.createRequest(Request{
			Tenant: tenant, Vintage: vintage, Period: p.Number, Total: grams, Type: model.Fractionalised, Status: model.Open,
		})
	}
	if r.Total, err = model.AddGrams(r.Total, grams); err != nil {
		return Request{}, err
	}
	return r, c.SetTotal(r)
}

// moveFraction moves the items of a request beyond its whole tonnes into the
// tenant's request of the next period.
func (c *Change) moveFraction(r Request, whole model.Grams, next Period) error {
	if whole == r.Total {
		return nil
	}
	to, err := c.gather(r.Tenant, r.Vintage, next, r.Total-whole)
	if err != nil {
		return err
	}
	items, err := c.Items(r)
	if err != nil {
		return err
	}
	return all(beyond(items, whole), nil, func(o overhang) error {
		if o.keep == 0 {
			return c.MoveItem(o.Item, to)
		}
		id, err := c.NewID(requestItemID)
		if err != nil {
			return err
		}
		return c.SplitItem(o.Item, o.keep, to, id)
	})
}

// overhang is an item that does not fit, but for the grams that stay.
type overhang struct {
	Item
	keep model.Grams
}

// beyond returns the items that lie beyond the first grams of a request. The
// one that straddles the boundary keeps some: so the items of both requests
// add up to their totals.
func beyond(items []Item, whole model.Grams) []overhang {
	var over []overhang
	var before model.Grams
	for _, i := range items {
		after := before + i.Quantity
		if after > whole {
			over = append(over, overhang{i, max(whole-before, 0)})
		}
		before = after
	}
	return over
}
