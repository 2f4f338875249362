package storage

import (
	"time"

	"tonne/api/marketplace/exchange"
	"tonne/model"
)

func (b *books) AddTransfer(t exchange.Transfer, at time.Time) error {
	return b.Do("INSERT INTO transfers (tenant, vintage, sell_order, type, quantity_grams, at) VALUES ($1, $2, $3, $4, $5, $6)",
		t.Order.Seller, t.Order.Vintage.Number, t.Order.Number, t.Kind, t.Quantity, at.UnixMilli())
}

func (b *books) Sold(s exchange.SellOrder) (model.Grams, error) {
	var sold model.Grams
	err := b.Query("SELECT quantity_grams FROM trades WHERE sell_order = $1", func(row Row) (err error) {
		sold, err = model.AddGrams(sold, grams(row, 0))
		return err
	}, s.Number)
	return sold, err
}

// OfferedOrder is a sell order as its seller's operator sees it.
type OfferedOrder struct {
	exchange.SellOrder
	Seller, ProjectID, Project, VintageID string
	Year                                  int
	// Sold is what was bought from it, Quantity what it still offers.
	Sold model.Grams
}

// OrderFilter chooses sell orders: those of a seller, by its name, or of all
// where it is empty, and those in a state or in AnyState.
type OrderFilter struct{ Seller, State string }

// Orders lists sell orders in the order in which they came.
func Orders(tx Tx, filter OrderFilter) ([]OfferedOrder, error) {
	return collect(tx, `SELECT o.number, o.id, o.vintage, o.project, o.seller, o.state, o.price_cents, o.quantity_grams,
			t.name, p.id, p.name, v.id, v.year,
			CAST((SELECT coalesce(sum(quantity_grams), 0) FROM trades WHERE sell_order = o.number) AS BIGINT)
		FROM sell_orders o JOIN tenants t ON t.number = o.seller JOIN vintages v ON v.number = o.vintage
		JOIN projects p ON p.number = o.project
		WHERE ($1 = '' OR t.name = $1) AND ($2 = 'ALL' OR o.state = $2) ORDER BY o.number`, func(row Row) OfferedOrder {
		return OfferedOrder{
			SellOrder: sellOrder(row), Seller: row.Text(8), ProjectID: row.Text(9), Project: row.Text(10), VintageID: row.Text(11),
			Year: int(row.Int64(12)), Sold: grams(row, 13),
		}
	}, filter.Seller, filter.State)
}
