package marketplace

import (
	"slices"
	"time"

	"zombiezen.com/go/sqlite"

	"tonne/model"
)

// In minutes: how far back the prices of the demo go, and the time in which
// moves become twice as rare.
const (
	demoPast = 45 * 24 * 60
	doubling = 8 * 60
)

// DemoPrice is what a vintage of the demo was offered at from a moment on,
// until the next one of the same vintage. The service does not keep what is no
// longer for sale: this is what somebody who watched would remember.
type DemoPrice struct {
	Vintage   model.VintageKey
	At        time.Time
	BestAsk   model.PriceCents
	Available model.Grams
}

// addPrices makes the prices of the past weeks, from the market as it is
// backwards.
func (d *demo) addPrices() error {
	return each(d.Conn, `SELECT p.id, v.id, min(o.price_cents), sum(o.quantity_grams)
		FROM sell_orders o JOIN vintages v ON v.number = o.vintage JOIN projects p ON p.number = v.project
		WHERE o.state = 'LIVE' GROUP BY v.number ORDER BY v.number`, func(stmt *sqlite.Stmt) error {
		d.prices = append(d.prices, d.past(DemoPrice{
			Vintage: model.VintageKey{ProjectID: stmt.ColumnText(0), VintageID: stmt.ColumnText(1)},
			BestAsk: columnPrice(stmt, 2), Available: columnGrams(stmt, 3),
		})...)
		return nil
	})
}

// past returns the prices that led to the present one, oldest first: many in
// the last hours, few in the weeks before.
func (d *demo) past(now DemoPrice) []DemoPrice {
	var prices []DemoPrice
	for minutes := int64(0); minutes < demoPast; {
		minutes += d.between(20, 150) * (doubling + minutes) / doubling
		now.At = d.now.Add(-time.Duration(minutes) * time.Minute)
		prices = append(prices, now)
		now.BestAsk = max(1, tick(int64(now.BestAsk)*(1000+d.between(-18, 18))/1000))
		now.Available = model.Grams(d.vary(now.Available.Tonnes(), 12)) * model.GramsPerTonne
	}
	slices.Reverse(prices)
	return prices
}
