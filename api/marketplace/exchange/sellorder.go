package exchange

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"

	"tonne/model"
)

// States of a sell order. Only live orders are in the market.
const (
	Live      = "LIVE"
	Sold      = "SOLD"
	Withdrawn = "WITHDRAWN"
)

var (
	// ErrUnderATonne is returned for a sell order of less than a tonne.
	ErrUnderATonne = errors.New("a sell order must offer at least one tonne (1000000 grams)")
	// ErrUnknownOrder is returned for an id that no sell order has.
	ErrUnknownOrder = errors.New("there is no sell order with that id")
	// ErrOrderEnded is returned for a sell order that is sold out or withdrawn.
	ErrOrderEnded = errors.New("the sell order is sold out or withdrawn")
)

// SellOrder is an offer of a seller. ID is its id in the HTTP API, and Number its key in
// the database.
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

const selectOrder = "SELECT " + sellOrderColumns + " FROM sell_orders o WHERE id = $1"

// FindOrder returns the sell order with an id, or the zero value if there is none.
func FindOrder(tx Tx, id string) SellOrder {
	return one(tx, selectOrder, readSellOrder, id)
}

func liveOrder(c *Change, id string) SellOrder {
	s := FindOrder(c, id)
	switch {
	case s.Number == 0:
		c.Fail(ErrUnknownOrder)
	case s.State != Live:
		c.Fail(ErrOrderEnded)
	}
	return s
}

// Offer adds a sell order to the market. An order without an id gets a new one. It fails
// with ErrUnderATonne.
func Offer(c *Change, s SellOrder) SellOrder {
	if s.Quantity < model.GramsPerTonne {
		c.Fail(ErrUnderATonne)
	}
	s.ID, s.State = cmp.Or(s.ID, c.NewID(sellOrderID)), Live
	s.Number = c.Insert(`INSERT INTO sell_orders (id, project, vintage, seller, state, price_cents, quantity_grams)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		s.ID, s.Vintage.Project, s.Vintage.Number, s.Seller, s.State, s.Price, s.Quantity)
	countLive(c, s.Vintage.Project, 1)
	return s
}

// Resize changes the quantity of a live order. An order of less than a tonne is sold out: the
// rest cannot be bought and goes back to the seller's wallet.
func Resize(c *Change, s SellOrder, grams model.Grams) {
	if grams >= model.GramsPerTonne {
		s.Quantity = grams
		updateOrder(c, s)
		return
	}
	endOrder(c, s, Sold, 0)
	if grams > 0 {
		returnToSeller(c, s, grams)
	}
}

// Withdraw permanently removes a live order from the market.
func Withdraw(c *Change, s SellOrder) { endOrder(c, s, Withdrawn, s.Quantity) }

func endOrder(c *Change, s SellOrder, state string, left model.Grams) {
	c.Do("UPDATE sell_orders SET state = $1, quantity_grams = $2, ended_at = $3 WHERE number = $4", state, left,
		c.At.UnixMilli(), s.Number)
	countLive(c, s.Vintage.Project, -1)
}

// SetPrice changes the price of a live order.
func SetPrice(c *Change, s SellOrder, price model.PriceCents) {
	s.Price = price
	updateOrder(c, s)
}

func updateOrder(c *Change, s SellOrder) {
	c.Do("UPDATE sell_orders SET price_cents = $1, quantity_grams = $2 WHERE number = $3", s.Price, s.Quantity, s.Number)
	BumpProject(c, s.Vintage.Project, false)
}

func countLive(c *Change, project int64, by int64) {
	orders := number(c, "SELECT live_orders FROM projects WHERE number = $1", project)
	c.Do("UPDATE projects SET live_orders = $1 WHERE number = $2", orders+by, project)
	BumpProject(c, project, orders == 0 || orders+by == 0)
}

// BumpProject gives a project, and thereby the market, a new version. listed reports whether
// the project entered or left the market.
func BumpProject(tx Tx, project int64, listed bool) {
	listing := int64(0)
	if listed {
		// Readers may see either of two concurrent changes first. Random steps keep the
		// intermediate versions different.
		listing = 1 + rand.Int64N(1<<31)
	}
	bumpProject(tx, project, 1, listing)
}

func bumpProject(tx Tx, project, versions, listings int64) {
	tx.Do(`INSERT INTO market_projects (project, version, listing, mark) VALUES ($1, $2, $3, $4)
		ON CONFLICT (project) DO UPDATE SET version = market_projects.version + excluded.version,
			listing = market_projects.listing + excluded.listing, mark =
			excluded.mark`, project, versions, listings, rand.Int64())
}

// Supply is Offer with credits of the seller's wallet. Credits that the wallet lacks are
// transferred from the seller's registry account, in whole tonnes.
func Supply(c *Change, s SellOrder) SellOrder {
	s = Offer(c, s)
	draw(c, s, s.Quantity)
	return s
}

// ErrPrice is returned for a price of 0 or less.
var ErrPrice = errors.New("a price must be more than 0 cents")

// Reprice changes the price of a live order. It fails with ErrPrice, ErrUnknownOrder,
// ErrOrderEnded or model.ErrOverflow.
func Reprice(c *Change, id string, price model.PriceCents) {
	if price <= 0 {
		c.Fail(ErrPrice)
		return
	}
	s := liveOrder(c, id)
	if s.Price == price {
		return
	}
	amountOf(c, s.Quantity, price)
	SetPrice(c, s, price)
	c.Audit("reprice", id, fmt.Sprintf("%d to %d cents", s.Price, price))
}

// WithdrawOrder withdraws a live order, moves its credits back to the seller's wallet, and
// returns the previous order. It fails with ErrUnknownOrder or ErrOrderEnded.
func WithdrawOrder(c *Change, id string) SellOrder {
	s := liveOrder(c, id)
	returnToSeller(c, s, s.Quantity)
	endOrder(c, s, Withdrawn, 0)
	c.Audit("withdraw offer", id, fmt.Sprintf("%d g", s.Quantity))
	return s
}

func draw(c *Change, s SellOrder, grams model.Grams) {
	balance := Balance(c, s.Seller, s.Vintage)
	if short := grams - balance; short > 0 {
		in := wholeTonnes(c, short.TonnesUp())
		addTransfer(c, s, "TAKEN_IN", in)
		balance = addGrams(c, balance, in)
	}
	SetBalance(c, s.Seller, s.Vintage, balance-grams)
	addTransfer(c, s, "OFFERED", grams)
}

func returnToSeller(c *Change, s SellOrder, grams model.Grams) {
	addTransfer(c, s, "RETURNED", grams)
	Credit(c, s.Seller, s.Vintage, grams)
}

func addTransfer(c *Change, s SellOrder, kind string, grams model.Grams) {
	c.Do("INSERT INTO transfers (tenant, vintage, sell_order, type, quantity_grams, at) VALUES ($1, $2, $3, $4, $5, $6)",
		s.Seller, s.Vintage.Number, s.Number, kind, grams, c.At.UnixMilli())
}

func sold(c *Change, s SellOrder) (total model.Grams) {
	c.Query("SELECT quantity_grams FROM trades WHERE sell_order = $1", func(row Row) {
		total = addGrams(c, total, grams(row, 0))
	}, s.Number)
	return total
}
