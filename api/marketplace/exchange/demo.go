package exchange

import "tonne/model"

// DemoVintage is a vintage of the synthetic market, whose fair price moves around Base.
type DemoVintage struct {
	Vintage
	Seller     int64
	Base, Fair model.PriceCents
}

// AddDemoVintage adds a vintage to the synthetic market.
func AddDemoVintage(tx Tx, v DemoVintage) {
	tx.Do("INSERT INTO demo_vintages (vintage, seller, base_cents, fair_cents) VALUES ($1, $2, $3, $4)",
		v.Number, v.Seller, v.Base, v.Fair)
}

// DemoVintages lists the vintages of the synthetic market.
func DemoVintages(tx Tx) []DemoVintage {
	return collect(tx, `SELECT d.vintage, v.project, d.seller, d.base_cents, d.fair_cents
		FROM demo_vintages d JOIN vintages v ON v.number = d.vintage ORDER BY d.vintage`, func(row Row) DemoVintage {
		return DemoVintage{
			Vintage: Vintage{Number: row.Int64(0), Project: row.Int64(1)}, Seller: row.Int64(2),
			Base: price(row, 3), Fair: price(row, 4),
		}
	})
}

// DemoOrders lists the live orders of a vintage by its demo seller.
func DemoOrders(tx Tx, v DemoVintage) []SellOrder {
	return collect(tx,
		"SELECT "+sellOrderColumns+
			" FROM sell_orders o WHERE seller = $1 AND vintage = $2 AND state = 'LIVE' ORDER BY number",
		readSellOrder, v.Seller, v.Number)
}

// Ask is the best price of a vintage and the total quantity on offer.
type Ask struct {
	Vintage   model.VintageKey
	Best      model.PriceCents
	Available model.Grams
}

// Asks lists the vintages that are for sale.
func Asks(tx Tx) []Ask {
	return collect(tx, `SELECT p.id, v.id, min(o.price_cents), CAST(sum(o.quantity_grams) AS bigint)
		FROM sell_orders o JOIN vintages v ON v.number = o.vintage JOIN projects p ON p.number = v.project
		WHERE o.state = 'LIVE' GROUP BY v.number, p.id, v.id ORDER BY v.number`, func(row Row) Ask {
		return Ask{
			Vintage: model.VintageKey{ProjectID: row.Text(0), VintageID: row.Text(1)}, Best: price(row, 2),
			Available: grams(row, 3),
		}
	})
}
