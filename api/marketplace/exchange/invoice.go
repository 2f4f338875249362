package exchange

import (
	"errors"

	"tonne/model"
)

var (
	// ErrUnknownInvoice is returned for an id that no invoice has.
	ErrUnknownInvoice = errors.New("there is no invoice with that id")
	// ErrAlreadySettled is returned for an invoice that was settled before.
	ErrAlreadySettled = errors.New("the invoice is already settled")
)

// InvoiceSettled is the state of a paid invoice. Purchases are added only to a LIVE invoice.
const InvoiceSettled = "SETTLED"

type invoice struct {
	number, tenant int64
	id, state      string
	total          model.Cents
}

func readInvoice(row Row) invoice {
	return invoice{row.Int64(0), row.Int64(1), row.Text(2), row.Text(3), model.Cents(row.Int64(4))}
}

const selectInvoices = "SELECT number, tenant, id, state, total_cents FROM invoices "

// bill adds an amount to the tenant's invoice of the period, which is zero if there is none yet. It returns
// its number.
func bill(c *Change, i invoice, tenant int64, p Period, amount model.Cents) int64 {
	if i.number == 0 {
		return c.Insert("INSERT INTO invoices (id, tenant, period, state, total_cents) VALUES ($1, $2, $3, 'LIVE', $4)",
			c.NewID(invoiceID), tenant, p.Number, amount)
	}
	if i.state != "LIVE" {
		c.Fail(refuse("INVOICE_NOT_LIVE", "The invoice of this month is settled: no more purchases are possible"))
	}
	total, err := model.AddCents(i.total, amount)
	c.Fail(err)
	c.Do("UPDATE invoices SET total_cents = $1 WHERE number = $2", total, i.number)
	return i.number
}

// Settle marks an invoice as paid. Retirement requests that waited only for this invoice
// move from CLOSED to IN_PROGRESS. It fails with ErrUnknownInvoice or ErrAlreadySettled.
func Settle(c *Change, id string) {
	switch i := one(c, selectInvoices+"WHERE id = $1", readInvoice, id); {
	case i.number == 0:
		c.Fail(ErrUnknownInvoice)
	case i.state == InvoiceSettled:
		c.Fail(ErrAlreadySettled)
	default:
		settle(c, i)
	}
}

// SettleAll settles every issued invoice.
func SettleAll(c *Change) {
	for _, i := range collect(c, selectInvoices+"WHERE state = 'ISSUED' ORDER BY number", readInvoice) {
		settle(c, i)
	}
}

func settle(c *Change, i invoice) {
	c.Exclusive()
	c.Do("UPDATE invoices SET state = 'SETTLED', settled_at = $1 WHERE number = $2", c.At.UnixMilli(), i.number)
	c.Audit("settle invoice", i.id, "")
	for _, r := range findRequests(c, "WHERE tenant = $1 AND status = 'CLOSED' AND retired_at IS NULL ORDER BY number",
		i.tenant) {
		processIfSettled(c, r)
	}
}
