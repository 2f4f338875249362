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

func (b *books) invoice(where string, args ...any) (exchange.Invoice, bool, error) {
	return one(b, selectInvoices+where, invoice, args...)
}

func (b *books) Invoice(id string) (exchange.Invoice, bool, error) {
	return b.invoice("WHERE id = $1", id)
}

func (b *books) InvoiceOf(tenant int64, p exchange.Period) (exchange.Invoice, bool, error) {
	return b.invoice("WHERE tenant = $1 AND period = $2", tenant, p.Number)
}

func (b *books) IssuedInvoices() ([]exchange.Invoice, error) {
	return collect(b, selectInvoices+"WHERE state = 'ISSUED' ORDER BY number", invoice)
}

func (b *books) AddInvoice(i exchange.Invoice) (int64, error) {
	return b.Insert("INSERT INTO invoices (id, tenant, period, state, total_cents) VALUES ($1, $2, $3, $4, $5)",
		i.ID, i.Tenant, i.Period, i.State, i.Total)
}

func (b *books) SetInvoiceTotal(i exchange.Invoice) error {
	return b.Do("UPDATE invoices SET total_cents = $1 WHERE number = $2", i.Total, i.Number)
}

func (b *books) IssueInvoices(p exchange.Period) (int, error) {
	return b.Exec("UPDATE invoices SET state = 'ISSUED' WHERE period = $1 AND state = 'LIVE'", p.Number)
}

func (b *books) SettleInvoice(i exchange.Invoice, at time.Time) error {
	if err := b.Alone(); err != nil {
		return err
	}
	return b.Do("UPDATE invoices SET state = 'SETTLED', settled_at = $1 WHERE number = $2", at.UnixMilli(), i.Number)
}
