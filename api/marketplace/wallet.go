package marketplace

import (
	"zombiezen.com/go/sqlite"

	"tonne/model"
)

// balance returns what the tenant's wallet of a vintage holds; one that is not
// there holds nothing.
func (c *change) balance(tenant int64, v vintage) (model.Grams, error) {
	var grams model.Grams
	_, err := find(c.Conn, `SELECT quantity_grams FROM wallets WHERE tenant = ? AND project = ? AND vintage = ? AND type = ?`,
		func(stmt *sqlite.Stmt) { grams = columnGrams(stmt, 0) }, tenant, v.project, v.number, model.WalletCAAS)
	return grams, err
}

// setBalance writes what the tenant's wallet of a vintage holds now.
func (c *change) setBalance(tenant int64, v vintage, grams model.Grams) error {
	return run(c.Conn, `INSERT INTO wallets (tenant, project, vintage, type, quantity_grams) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT DO UPDATE SET quantity_grams = excluded.quantity_grams`,
		tenant, v.project, v.number, model.WalletCAAS, int64(grams))
}

// bill adds an amount to the tenant's invoice of the period and returns the
// invoice's number. An invoice that is no longer live takes nothing more.
func (c *change) bill(tenant int64, p period, amount model.Cents) (int64, error) {
	var number int64
	var state string
	var total model.Cents
	found, err := find(c.Conn, "SELECT number, state, total_cents FROM invoices WHERE tenant = ? AND period = ?",
		func(stmt *sqlite.Stmt) {
			number, state, total = stmt.ColumnInt64(0), stmt.ColumnText(1), model.Cents(stmt.ColumnInt64(2))
		}, tenant, p.number)
	if err != nil {
		return 0, err
	}
	if found && state != live {
		return 0, refuse("INVOICE_NOT_LIVE", "The invoice of this month is settled and takes no more purchases")
	}
	if total, err = model.AddCents(total, amount); err != nil {
		return 0, err
	}
	if found {
		return number, run(c.Conn, "UPDATE invoices SET total_cents = ? WHERE number = ?", int64(total), number)
	}
	id, err := c.newID(invoiceID)
	if err != nil {
		return 0, err
	}
	err = run(c.Conn, "INSERT INTO invoices (id, tenant, period, state, total_cents) VALUES (?, ?, ?, 'LIVE', ?)",
		id, tenant, p.number, int64(total))
	return c.LastInsertRowID(), err
}
