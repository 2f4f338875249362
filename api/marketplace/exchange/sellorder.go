package exchange

import (
	"cmp"
	"errors"
	"math/rand/v2"

	"tonne/model"
)

// The states of a sell order. Only live ones are in the market.
const (
	Live      = "LIVE"
	Sold      = "SOLD"
	Withdrawn = "WITHDRAWN"
)

var (
	// ErrUnderATonne is returned for a sell order that no tenant could buy from.
	ErrUnderATonne = errors.New("a sell order offers a tonne, 1000000 grams, or more")
	// ErrUnknownOrder is returned for an id that no sell order has.
	ErrUnknownOrder = errors.New("there is no sell order with that id")
	// ErrOrderEnded is returned for a sell order that is sold out or withdrawn.
	ErrOrderEnded = errors.New("the sell order is sold out or withdrawn")
)

// SellOrder is an offer of a seller. Number is its key in the database, ID what
// the interface shows.
type SellOrder struct {
	Number   int64
	ID       string
	Vintage  Vintage
	Seller   int64
	State    string
	Price    model.PriceCents
	Quantity model.Grams
}

const sellOrderColumns = "o.number, o.id, o.vintage, o.project, o.seller, o.state, o.price_cents, o.quantity_grams"

func readSellOrder(row Row) SellOrder {
	return SellOrder{
		Number: row.Int64(0), ID: row.Text(1), Vintage: Vintage{Number: row.Int64(2), Project: row.Int64(3)},
		Seller: row.Int64(4), State: row.Text(5), Price: price(row, 6), Quantity: grams(row, 7),
	}
}

// SellOrder returns the sell order with an id, the zero value if there is none.
func (c *Change) SellOrder(id string) SellOrder {
	return one(c, "SELECT "+sellOrderColumns+" FROM sell_orders o WHERE id = $1", readSellOrder, id)
}

func (c *Change) liveOrder(id string) (SellOrder, error) {
	s := c.SellOrder(id)
	switch {
	case s.Number == 0:
		return s, ErrUnknownOrder
	case s.State != Live:
		return s, ErrOrderEnded
	}
	return s, nil
}

// Offer puts a new sell order on the market and returns it, with an id if it
// had none. The error is ErrUnderATonne.
func (c *Change) Offer(s SellOrder) (SellOrder, error) {
	if s.Quantity < model.GramsPerTonne {
		return s, ErrUnderATonne
	}
	s.ID, s.State = cmp.Or(s.ID, c.NewID(sellOrderID)), Live
	s.Number = c.insert(`INSERT INTO sell_orders (id, project, vintage, seller, state, price_cents, quantity_grams)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		s.ID, s.Vintage.Project, s.Vintage.Number, s.Seller, s.State, s.Price, s.Quantity)
	c.countLive(s.Vintage.Project, 1)
	return s, nil
}

// Resize changes what a live order offers. One with less than a tonne is sold:
// that cannot be bought, so it goes back into the seller's wallet.
func (c *Change) Resize(s SellOrder, grams model.Grams) error {
	if grams >= model.GramsPerTonne {
		s.Quantity = grams
		c.update(s)
		return nil
	}
	c.end(s, Sold, 0)
	if grams > 0 {
		return c.giveBack(s, grams)
	}
	return nil
}

// Withdraw takes a live order off the market for good.
func (c *Change) Withdraw(s SellOrder) { c.end(s, Withdrawn, s.Quantity) }

func (c *Change) end(s SellOrder, state string, left model.Grams) {
	c.Do("UPDATE sell_orders SET state = $1, quantity_grams = $2, ended_at = $3 WHERE number = $4", state, left, c.At.UnixMilli(), s.Number)
	c.countLive(s.Vintage.Project, -1)
}

// SetPrice changes the price of a live order.
func (c *Change) SetPrice(s SellOrder, price model.PriceCents) {
	s.Price = price
	c.update(s)
}

func (c *Change) update(s SellOrder) {
	c.Do("UPDATE sell_orders SET price_cents = $1, quantity_grams = $2 WHERE number = $3", s.Price, s.Quantity, s.Number)
	c.MoveProject(s.Vintage.Project, false)
}

// countLive counts an order that came to a project or left it. The listing
// changes if the project enters or leaves the market by that.
func (c *Change) countLive(project int64, by int64) {
	orders := number(c, "SELECT live_orders FROM projects WHERE number = $1", project)
	c.Do("UPDATE projects SET live_orders = $1 WHERE number = $2", orders+by, project)
	c.MoveProject(project, orders == 0 || orders+by == 0)
}

// MoveProject gives a project of the market, and with it the market, a new
// version. listed says that the project entered the market or left it.
func (c *Change) MoveProject(project int64, listed bool) {
	listing := int64(0)
	if listed {
		// Of two that change at once, either may be seen first.
		listing = 1 + rand.Int64N(1<<31)
	}
	moveProject(c, project, 1, listing)
}

func moveProject(tx Tx, project, versions, listings int64) {
	tx.Do(`INSERT INTO market_projects (project, version, listing, mark) VALUES ($1, $2, $3, $4)
		ON CONFLICT (project) DO UPDATE SET version = market_projects.version + excluded.version,
			listing = market_projects.listing + excluded.listing, mark = excluded.mark`, project, versions, listings, rand.Int64())
}
