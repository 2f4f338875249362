package storage

import (
	"time"

	"tonne/api/marketplace/exchange"
	"tonne/model"
)

const selectInvoices = "SELECT number, id, tenant, period, state, total_cents FROM invoices "

func invoice(row Row) exchange.Invoice {
	return exchange.Invoice{
		Number: row.Int64(0), ID: row.Text(1), Tenant: row.Int64(2), Period: row.Int64(3), State: row.Text(4),
		Total: model.Cents(row.Int64(5)),
	}
}

func (b *Books) invoice(where string, args ...any) (i exchange.Invoice, found bool, err error) {
	found, err = find(b, selectInvoices+where, func(row Row) { i = invoice(row) }, args...)
	return i, found, err
}

// Invoice finds an invoice by its id.
func (b *Books) Invoice(id string) (exchange.Invoice, bool, error) {
	return b.invoice("WHERE id = $1", id)
}

// InvoiceOf finds the invoice of a tenant and a period.
func (b *Books) InvoiceOf(tenant int64, p exchange.Period) (exchange.Invoice, bool, error) {
	return b.invoice("WHERE tenant = $1 AND period = $2", tenant, p.Number)
}

// IssuedInvoices are those that wait to be settled, oldest first.
func (b *Books) IssuedInvoices() ([]exchange.Invoice, error) {
	return collect(b, selectInvoices+"WHERE state = 'ISSUED' ORDER BY number", invoice)
}

// AddInvoice adds an invoice.
func (b *Books) AddInvoice(i exchange.Invoice) (int64, error) {
	return number(b, "INSERT INTO invoices (id, tenant, period, state, total_cents) VALUES ($1, $2, $3, $4, $5) RETURNING number",
		i.ID, i.Tenant, i.Period, i.State, i.Total)
}

// SetInvoiceTotal writes what an invoice amounts to now.
func (b *Books) SetInvoiceTotal(i exchange.Invoice) error {
	return exec(b, "UPDATE invoices SET total_cents = $1 WHERE number = $2", i.Total, i.Number)
}

// IssueInvoices issues the live invoices of a period and counts them.
func (b *Books) IssueInvoices(p exchange.Period) (int, error) {
	return b.Exec("UPDATE invoices SET state = 'ISSUED' WHERE period = $1 AND state = 'LIVE'", p.Number)
}

// SettleInvoice marks an invoice as paid.
func (b *Books) SettleInvoice(i exchange.Invoice, at time.Time) error {
	return exec(b, "UPDATE invoices SET state = 'SETTLED', settled_at = $1 WHERE number = $2", at.UnixMilli(), i.Number)
}

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
func OpenInvoices(tx Tx) ([]Invoice, error) {
	return collect(tx, `SELECT i.id, t.name, p.month, i.state = 'ISSUED', i.total_cents FROM invoices i
		JOIN tenants t ON t.number = i.tenant JOIN periods p ON p.number = i.period WHERE i.state <> 'SETTLED' ORDER BY i.number`,
		func(row Row) Invoice {
			return Invoice{
				ID: row.Text(0), Tenant: row.Text(1), Month: row.Text(2), Issued: row.Bool(3), Total: model.Cents(row.Int64(4)),
			}
		})
}
