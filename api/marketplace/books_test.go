package marketplace

import (
	"testing"

	"zombiezen.com/go/sqlite"

	"tonne/model"
)

// checkBooks checks the whole database against itself: nothing was made or
// lost, to the gram and the cent.
func checkBooks(t testing.TB, d *desk) {
	t.Helper()
	checkConservation(t, d)
	checkInvoices(t, d)
	for name, broken := range map[string]string{
		"a request's items sum to its total": `SELECT count(*) FROM retirement_requests r WHERE r.total_grams <>
			(SELECT coalesce(sum(quantity_grams), 0) FROM retirement_items WHERE request = r.number)`,
		"only whole tonnes are bought": "SELECT count(*) FROM trades WHERE quantity_grams % 1000000 <> 0",
		"a complete request has a serial for every tonne": `SELECT count(*) FROM retirement_requests r WHERE r.status = 'COMPLETE' AND
			r.total_grams <> 1000000 * (SELECT sum(tonnes) FROM serial_numbers WHERE request = r.number)`,
		"a request that is past gathering holds whole tonnes": `SELECT count(*) FROM retirement_requests WHERE
			status IN ('CLOSED', 'IN_PROGRESS', 'COMPLETE') AND (total_grams % 1000000 <> 0 OR total_grams = 0)`,
		"a request with nothing to process holds nothing": `SELECT count(*) FROM retirement_requests WHERE status = 'NOTHING_TO_PROCESS' AND total_grams <> 0`,
		"a project counts its live orders": `SELECT count(*) FROM projects p WHERE p.live_orders <>
			(SELECT count(*) FROM sell_orders WHERE project = p.number AND state = 'LIVE')`,
		"a live order offers something": "SELECT count(*) FROM sell_orders WHERE state = 'LIVE' AND quantity_grams = 0",
		"a processed request waits for no invoice": `SELECT count(*) FROM retirement_requests r
			JOIN retirement_items i ON i.request = r.number JOIN trades t ON t.number = i.trade JOIN invoices v ON v.number = t.invoice
			WHERE r.status IN ('IN_PROGRESS', 'COMPLETE') AND v.state <> 'SETTLED'`,
	} {
		if n := d.query(broken); n != 0 {
			t.Errorf("%s: broken %d times", name, n)
		}
	}
}

// checkConservation checks that what a tenant bought of a vintage is queued
// for retirement or in its wallet.
func checkConservation(t testing.TB, d *desk) {
	t.Helper()
	type holding struct{ tenant, vintage int64 }
	sums := make(map[holding]int64)
	add := func(sql string, sign int64) {
		err := d.db.read(t.Context(), func(conn *sqlite.Conn) error {
			return each(conn, sql, func(stmt *sqlite.Stmt) error {
				sums[holding{stmt.ColumnInt64(0), stmt.ColumnInt64(1)}] += sign * stmt.ColumnInt64(2)
				return nil
			})
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	add("SELECT tenant, vintage, quantity_grams FROM trades", 1)
	add("SELECT tenant, vintage, quantity_grams FROM wallets", -1)
	add("SELECT r.tenant, r.vintage, i.quantity_grams FROM retirement_items i JOIN retirement_requests r ON r.number = i.request", -1)
	for h, left := range sums {
		if left != 0 {
			t.Errorf("tenant %d, vintage %d: bought minus queued minus remainder is %d g", h.tenant, h.vintage, left)
		}
	}
}

// checkInvoices checks that invoices add up to their trades.
func checkInvoices(t testing.TB, d *desk) {
	t.Helper()
	totals := make(map[int64]model.Cents)
	err := d.db.read(t.Context(), func(conn *sqlite.Conn) error {
		if err := each(conn, "SELECT number, total_cents FROM invoices", func(stmt *sqlite.Stmt) error {
			totals[stmt.ColumnInt64(0)] += model.Cents(stmt.ColumnInt64(1))
			return nil
		}); err != nil {
			return err
		}
		return each(conn, "SELECT invoice, quantity_grams, price_cents FROM trades", func(stmt *sqlite.Stmt) error {
			cost, err := model.CostOf(columnGrams(stmt, 1), columnPrice(stmt, 2))
			if err != nil {
				return err
			}
			amount, err := cost.Cents()
			totals[stmt.ColumnInt64(0)] -= amount
			return err
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	for invoice, left := range totals {
		if left != 0 {
			t.Errorf("invoice %d is off by %s", invoice, left.FormatDollars())
		}
	}
}
