package marketplace

import (
	"zombiezen.com/go/sqlite"

	"tonne/model"
)

// The states of a sell order. Only live ones are in the market.
const (
	live      = "LIVE"
	sold      = "SOLD"
	withdrawn = "WITHDRAWN"
)

// sellOrder is a row of sell_orders.
type sellOrder struct {
	number   int64
	id       string
	vintage  vintage
	seller   int64
	state    string
	price    model.PriceCents
	quantity model.Grams
}

func (c *change) sellOrder(id string) (s sellOrder, found bool, err error) {
	found, err = find(c.Conn, `SELECT number, vintage, project, seller, state, price_cents, quantity_grams
		FROM sell_orders WHERE id = ?`, func(stmt *sqlite.Stmt) {
		s = sellOrder{
			id: id, number: stmt.ColumnInt64(0), vintage: vintage{stmt.ColumnInt64(1), stmt.ColumnInt64(2)}, seller: stmt.ColumnInt64(3),
			state: stmt.ColumnText(4), price: columnPrice(stmt, 5), quantity: columnGrams(stmt, 6),
		}
	}, id)
	return s, found, err
}

// offer puts a new sell order on the market.
func (c *change) offer(s sellOrder) (sellOrder, error) {
	var err error
	if s.id, err = c.newID(sellOrderID); err != nil {
		return s, err
	}
	if err := run(c.Conn, `INSERT INTO sell_orders (id, project, vintage, seller, state, price_cents, quantity_grams)
		VALUES (?, ?, ?, ?, 'LIVE', ?, ?)`, s.id, s.vintage.project, s.vintage.number, s.seller, int64(s.price), int64(s.quantity)); err != nil {
		return s, err
	}
	s.number, s.state = c.LastInsertRowID(), live
	return s, c.countLive(s.vintage.project, 1)
}

// reprice changes the price of a live order.
func (c *change) reprice(s sellOrder, price model.PriceCents) error {
	if err := run(c.Conn, "UPDATE sell_orders SET price_cents = ? WHERE number = ?", int64(price), s.number); err != nil {
		return err
	}
	return c.marketChanged()
}

// resize changes what a live order offers. One that offers nothing is sold.
func (c *change) resize(s sellOrder, quantity model.Grams) error {
	if quantity == 0 {
		return c.end(s, sold)
	}
	if err := run(c.Conn, "UPDATE sell_orders SET quantity_grams = ? WHERE number = ?", int64(quantity), s.number); err != nil {
		return err
	}
	return c.marketChanged()
}

// end takes a live order off the market for good.
func (c *change) end(s sellOrder, state string) error {
	if err := run(c.Conn, "UPDATE sell_orders SET state = ?, quantity_grams = ?, ended_at = ? WHERE number = ?",
		state, leftover(s, state), c.millis(), s.number); err != nil {
		return err
	}
	return c.countLive(s.vintage.project, -1)
}

// leftover is what an order that has ended still held: a sold one nothing.
func leftover(s sellOrder, state string) int64 {
	if state == sold {
		return 0
	}
	return int64(s.quantity)
}

// countLive counts an order that came to a project or left it. The listing
// changes where the project enters or leaves the market by that.
func (c *change) countLive(project int64, by int) error {
	orders := 0
	if _, err := find(c.Conn, "SELECT live_orders FROM projects WHERE number = ?", func(stmt *sqlite.Stmt) {
		orders = stmt.ColumnInt(0)
	}, project); err != nil {
		return err
	}
	if err := run(c.Conn, "UPDATE projects SET live_orders = ? WHERE number = ?", orders+by, project); err != nil {
		return err
	}
	if orders == 0 || orders+by == 0 {
		if err := run(c.Conn, "UPDATE market_state SET listing = listing + 1 WHERE only = 1"); err != nil {
			return err
		}
	}
	return c.marketChanged()
}

func (c *change) marketChanged() error {
	_, err := find(c.Conn, "UPDATE market_state SET version = version + 1 WHERE only = 1 RETURNING version",
		func(stmt *sqlite.Stmt) { c.market = stmt.ColumnInt64(0) })
	return err
}
