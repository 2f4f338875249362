package storage

import (
	"math/rand/v2"
	"time"

	"tonne/api/marketplace/exchange"
	"tonne/model"
)

const selectSellOrders = "SELECT number, id, vintage, project, seller, state, price_cents, quantity_grams FROM sell_orders "

func sellOrder(row Row) exchange.SellOrder {
	return exchange.SellOrder{
		Number: row.Int64(0), ID: row.Text(1), Vintage: exchange.Vintage{Number: row.Int64(2), Project: row.Int64(3)},
		Seller: row.Int64(4), State: row.Text(5), Price: price(row, 6), Quantity: grams(row, 7),
	}
}

func (b *books) SellOrder(id string) (exchange.SellOrder, bool, error) {
	return one(b, selectSellOrders+"WHERE id = $1", sellOrder, id)
}

func (b *books) AddSellOrder(s exchange.SellOrder) (int64, error) {
	order, err := b.Insert(`INSERT INTO sell_orders (id, project, vintage, seller, state, price_cents, quantity_grams)
		VALUES ($1, $2, $3, $4, 'LIVE', $5, $6)`,
		s.ID, s.Vintage.Project, s.Vintage.Number, s.Seller, s.Price, s.Quantity)
	if err != nil {
		return 0, err
	}
	return order, b.countLive(s.Vintage.Project, 1)
}

func (b *books) SetPrice(s exchange.SellOrder, price model.PriceCents) error {
	if err := b.Do("UPDATE sell_orders SET price_cents = $1 WHERE number = $2", price, s.Number); err != nil {
		return err
	}
	return MoveProject(b, s.Vintage.Project, false)
}

func (b *books) SetQuantity(s exchange.SellOrder, grams model.Grams) error {
	if err := b.Do("UPDATE sell_orders SET quantity_grams = $1 WHERE number = $2", grams, s.Number); err != nil {
		return err
	}
	return MoveProject(b, s.Vintage.Project, false)
}

func (b *books) EndSellOrder(s exchange.SellOrder, at time.Time) error {
	if err := b.Do("UPDATE sell_orders SET state = $1, quantity_grams = $2, ended_at = $3 WHERE number = $4",
		s.State, s.Quantity, at.UnixMilli(), s.Number); err != nil {
		return err
	}
	return b.countLive(s.Vintage.Project, -1)
}

// countLive counts an order that came to a project or left it. The listing
// changes where the project enters or leaves the market by that.
func (b *books) countLive(project int64, by int64) error {
	orders, err := number(b, "SELECT live_orders FROM projects WHERE number = $1", project)
	if err != nil {
		return err
	}
	if err := b.Do("UPDATE projects SET live_orders = $1 WHERE number = $2", orders+by, project); err != nil {
		return err
	}
	return MoveProject(b, project, orders == 0 || orders+by == 0)
}

// MoveProject gives a project of the market a new version, and with it the
// market: what was read of them before is old. listed says that the project
// entered the market or left it.
func MoveProject(tx Tx, project int64, listed bool) error {
	listing := int64(0)
	if listed {
		// Of two that change at once, either may be seen first.
		listing = 1 + rand.Int64N(1<<31)
	}
	return moveProject(tx, project, 1, listing)
}

func moveProject(tx Tx, project, versions, listings int64) error {
	return tx.Do(`INSERT INTO market_projects (project, version, listing, mark) VALUES ($1, $2, $3, $4)
		ON CONFLICT (project) DO UPDATE SET version = market_projects.version + excluded.version,
			listing = market_projects.listing + excluded.listing, mark = excluded.mark`, project, versions, listings, rand.Int64())
}
