package exchange

import (
	"cmp"
	"errors"
	"fmt"
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

// The kinds of a transfer: credits of a seller that moved and were not sold.
const (
	// takenIn credits come from the seller's account in the registry into its
	// wallet.
	takenIn = "TAKEN_IN"
	// offered credits go from the seller's wallet into a sell order.
	offered = "OFFERED"
	// returned credits go from a sell order into the seller's wallet.
	returned = "RETURNED"
)

// Supply puts a sell order on the market whose credits come out of its
// seller's wallet. What the wallet lacks is taken in from the seller's account
// in the registry, in whole tonnes: a registry knows no others. An order
// without an id gets one.
func (c *Change) Supply(s SellOrder) (SellOrder, error) {
	s, err := c.Offer(s)
	if err != nil {
		return s, err
	}
	return s, c.draw(s, s.Quantity)
}

// ErrPrice is returned for a price that is not more than 0.
var ErrPrice = errors.New("a price is more than 0 cents")

// Reprice changes the price of a live order. The error is ErrPrice,
// ErrUnknownOrder, ErrOrderEnded, or model.ErrOverflow if all of it would cost too much to be
// counted.
func (c *Change) Reprice(id string, price model.PriceCents) error {
	if price <= 0 {
		return ErrPrice
	}
	s, err := c.liveOrder(id)
	if err != nil || s.Price == price {
		return err
	}
	if _, err := amountOf(s.Quantity, price); err != nil {
		return err
	}
	c.SetPrice(s, price)
	c.Audit("reprice", id, fmt.Sprintf("%d to %d cents", s.Price, price))
	return nil
}

// WithdrawOrder takes a live order off the market for good: what it still
// offers goes back into its seller's wallet. It returns the order as it was.
// The error is ErrUnknownOrder or ErrOrderEnded.
func (c *Change) WithdrawOrder(id string) (SellOrder, error) {
	s, err := c.liveOrder(id)
	if err != nil {
		return s, err
	}
	if err := c.giveBack(s, s.Quantity); err != nil {
		return s, err
	}
	c.end(s, Withdrawn, 0)
	c.Audit("withdraw offer", id, fmt.Sprintf("%d g", s.Quantity))
	return s, nil
}

func (c *Change) draw(s SellOrder, grams model.Grams) error {
	balance := c.Balance(s.Seller, s.Vintage)
	if short := grams - balance; short > 0 {
		in, err := model.WholeTonnes(short.TonnesUp())
		if err != nil {
			return err
		}
		c.addTransfer(s, takenIn, in)
		if balance, err = model.AddGrams(balance, in); err != nil {
			return err
		}
	}
	c.SetBalance(s.Seller, s.Vintage, balance-grams)
	c.addTransfer(s, offered, grams)
	return nil
}

func (c *Change) giveBack(s SellOrder, grams model.Grams) error {
	c.addTransfer(s, returned, grams)
	return c.Credit(s.Seller, s.Vintage, grams)
}

func (c *Change) addTransfer(s SellOrder, kind string, grams model.Grams) {
	c.Do("INSERT INTO transfers (tenant, vintage, sell_order, type, quantity_grams, at) VALUES ($1, $2, $3, $4, $5, $6)",
		s.Seller, s.Vintage.Number, s.Number, kind, grams, c.At.UnixMilli())
}

func (c *Change) sold(s SellOrder) (total model.Grams, err error) {
	err = c.Query("SELECT quantity_grams FROM trades WHERE sell_order = $1", func(row Row) (err error) {
		total, err = model.AddGrams(total, grams(row, 0))
		return err
	}, s.Number)
	return total, err
}
