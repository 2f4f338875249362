package execution

import (
	"cmp"
	"slices"

	"tonne/model"
	"tonne/model/market"
)

// candidate is an order that may be bought.
type candidate struct {
	of    *Listing
	order market.SellOrder
}

// compare orders candidates as they are bought: the cheapest first, then the largest.
func (c candidate) compare(d candidate) int {
	return cmp.Or(cmp.Compare(c.order.Price, d.order.Price), cmp.Compare(d.order.Quantity, c.order.Quantity),
		cmp.Compare(c.order.ID, d.order.ID))
}

// cheapest are the cheapest orders for the tonnes of a purchase, and at least those that a row names.
type cheapest struct {
	paid           model.PriceCents
	wanted, tonnes int64
	orders         []candidate
	// cheaper counts the orders below the price that was paid.
	cheaper int
}

func newCheapest(r *Row) *cheapest { return &cheapest{paid: r.Trade.Price, wanted: r.Tonnes()} }

// add considers the orders of a listing up to a price.
func (c *cheapest) add(most model.PriceCents, l *Listing) {
	for _, o := range l.valid {
		if o.Price > most || !o.Buyable() {
			continue
		}
		if o.Price < c.paid {
			c.cheaper++
		}
		c.consider(candidate{l, o})
	}
}

func (c *cheapest) consider(o candidate) {
	last := len(c.orders) - 1
	if c.tonnes >= c.wanted && last >= shown && o.compare(c.orders[last]) >= 0 {
		return
	}
	at, _ := slices.BinarySearchFunc(c.orders, o, candidate.compare)
	c.orders = slices.Insert(c.orders, at, o)
	c.tonnes += o.order.Quantity.Tonnes()
	for last := len(c.orders) - 1; last > shown; last-- {
		rest := c.tonnes - c.orders[last].order.Quantity.Tonnes()
		if rest < c.wanted {
			return
		}
		c.orders, c.tonnes = c.orders[:last], rest
	}
}

// buy returns the cheapest purchase. It is unknown if too few tonnes are for sale, or if the cost is out of
// range: then it returns true, and otherwise tooLarge.
func (c *cheapest) buy(tooLarge bool) (cost Amount, fills []Fill, _ bool) {
	left := c.wanted
	var sums model.Adder
	for _, o := range c.orders {
		if left == 0 {
			break
		}
		n := min(left, o.order.Quantity.Tonnes())
		grams, _ := model.WholeTonnes(n) // It was for sale.
		exact, err := model.CostOf(grams, o.order.Price)
		cents, overflow := exact.Cents()
		sums.Err = cmp.Or(sums.Err, err, overflow)
		sums.Cents(&cost.Cents, cents)
		fills = append(fills, Fill{o.of.Key, o.of.Year, o.order, n, cents})
		left -= n
	}
	if left > 0 || sums.Err != nil {
		return Amount{}, nil, tooLarge || sums.Err != nil
	}
	cost.Known = true
	return cost, fills, tooLarge
}
