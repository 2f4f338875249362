package marketplace

import (
	"context"
	"fmt"

	"zombiezen.com/go/sqlite"

	"tonne/model"
)

// Invoice is what a tenant owes for the purchases of a month.
type Invoice struct {
	ID, Tenant string
	// Month is the month of accounts, such as 2026-11.
	Month string
	// Issued says that the month has ended: before that, more may come to it.
	Issued bool
	// Total is what is to be paid.
	Total model.Cents
}

// OpenInvoices lists the invoices of all tenants that are not settled, oldest
// first.
func (m *Marketplace) OpenInvoices(ctx context.Context) ([]Invoice, error) {
	var invoices []Invoice
	err := m.db.read(ctx, func(conn *sqlite.Conn) error {
		return each(conn, `SELECT i.id, t.name, p.month, i.state = 'ISSUED', i.total_cents FROM invoices i
			JOIN tenants t ON t.number = i.tenant JOIN periods p ON p.number = i.period WHERE i.state <> 'SETTLED' ORDER BY i.number`,
			func(stmt *sqlite.Stmt) error {
				invoices = append(invoices, Invoice{
					ID: stmt.ColumnText(0), Tenant: stmt.ColumnText(1), Month: stmt.ColumnText(2),
					Issued: stmt.ColumnBool(3), Total: model.Cents(stmt.ColumnInt64(4)),
				})
				return nil
			})
	})
	if err != nil {
		return nil, fmt.Errorf("list invoices: %w", err)
	}
	return invoices, nil
}
