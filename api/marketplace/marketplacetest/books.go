package marketplacetest

import (
	"tonne/api/marketplace/exchange"
	"tonne/model"
	must "tonne/model/musttest"
)

// CheckBooks checks that the database is consistent: no gram and no cent was created or lost.
func (c Client) CheckBooks() {
	c.Helper()
	c.checkConservation()
	c.checkInvoices()
	for name, broken := range map[string]string{
		"a request's items sum to its total": `SELECT count(*) FROM retirement_requests r WHERE r.total_grams <>
			(SELECT coalesce(sum(quantity_grams), 0) FROM retirement_items WHERE request = r.number)`,
		"only whole tonnes are bought": "SELECT count(*) FROM trades WHERE quantity_grams % 1000000 <> 0",
		"a complete request has a serial for every tonne": `SELECT count(*) FROM retirement_requests r WHERE r.status = 'COMPLETE' AND
			r.total_grams <> 1000000 * (SELECT sum(tonnes) FROM serial_numbers WHERE request = r.number)`,
		"a request that is not OPEN has whole tonnes": `SELECT count(*) FROM retirement_requests WHERE
			status IN ('CLOSED', 'IN_PROGRESS', 'COMPLETE') AND (total_grams % 1000000 <> 0 OR total_grams = 0)`,
		"a request with nothing to process is empty": `SELECT count(*) FROM retirement_requests WHERE status = 'NOTHING_TO_PROCESS' AND total_grams <> 0`,
		"a project counts its live orders": `SELECT count(*) FROM projects p WHERE p.live_orders <>
			(SELECT count(*) FROM sell_orders WHERE project = p.number AND state = 'LIVE')`,
		"a live order offers a tonne or more": "SELECT count(*) FROM sell_orders WHERE state = 'LIVE' AND quantity_grams < 1000000",
		"a processed request waits for no invoice": `SELECT count(*) FROM retirement_requests r
			JOIN retirement_items i ON i.request = r.number JOIN trades t ON t.number = i.trade JOIN invoices v ON v.number = t.invoice
			WHERE r.status IN ('IN_PROGRESS', 'COMPLETE') AND v.state <> 'SETTLED'`,
	} {
		must.Equal(c, c.Number(broken), 0, name)
	}
}

// checkConservation checks that the credits that a tenant bought or transferred are either
// queued for retirement, in the wallet or on offer.
func (c Client) checkConservation() {
	c.Helper()
	type holding struct{ tenant, vintage int64 }
	sums := make(map[holding]int64)
	add := func(sql string, sign int64) {
		c.query(sql, func(row exchange.Row) { sums[holding{row.Int64(0), row.Int64(1)}] += sign * row.Int64(2) })
	}
	add("SELECT tenant, vintage, quantity_grams FROM trades", 1)
	add("SELECT tenant, vintage, CASE type WHEN 'OFFERED' THEN -quantity_grams ELSE quantity_grams END FROM transfers", 1)
	add("SELECT tenant, vintage, quantity_grams FROM wallets", -1)
	add("SELECT r.tenant, r.vintage, i.quantity_grams FROM retirement_items i JOIN retirement_requests r ON r.number = i.request", -1)
	for h, left := range sums {
		must.Equal(c, left, 0, "tenant", h.tenant, h.vintage)
	}
}

// checkInvoices checks that the total of each invoice is the sum of its trades.
func (c Client) checkInvoices() {
	c.Helper()
	totals := make(map[int64]model.Cents)
	c.query("SELECT number, total_cents FROM invoices", func(row exchange.Row) {
		totals[row.Int64(0)] += model.Cents(row.Int64(1))
	})
	c.query("SELECT invoice, quantity_grams, price_cents FROM trades", func(row exchange.Row) {
		cost, err := model.CostOf(model.Grams(row.Int64(1)), model.PriceCents(row.Int64(2)))
		must.Succeed(c, err)
		amount, err := cost.Cents()
		must.Succeed(c, err)
		totals[row.Int64(0)] -= amount
	})
	for invoice, left := range totals {
		must.Equal(c, left, 0, "invoice", invoice, left.FormatDollars())
	}
}
