package exchange

import (
	"errors"

	"tonne/model"
)

var (
	// ErrUnknownInvoice is returned for an id that no invoice has.
	ErrUnknownInvoice = errors.New("there is no invoice with that id")
	// ErrAlreadySettled is returned for an invoice that was settled before.
	ErrAlreadySettled = errors.New("the invoice is settled already")
)

// The states of an invoice. Only a live one takes purchases.
const (
	InvoiceLive    = "LIVE"
	InvoiceIssued  = "ISSUED"
	InvoiceSettled = "SETTLED"
)

type invoice struct {
	number, tenant int64
	id, state      string
	total          model.Cents
}

func readInvoice(row Row) invoice {
	return invoice{row.Int64(0), row.Int64(1), row.Text(2), row.Text(3), model.Cents(row.Int64(4))}
}

const selectInvoices = "SELECT number, tenant, id, state, total_cents FROM invoices "

// bill adds an amount to the tenant's invoice of the period and returns the
// invoice's number. An invoice that is no longer live takes nothing more.
func (c *Change) bill(tenant int64, p Period, amount model.Cents) (int64, error) {
	i := one(c, selectInvoices+"WHERE tenant = $1 AND period = $2", readInvoice, tenant, p.Number)
	if i.number == 0 {
		return c.Insert("INSERT INTO invoices (id, tenant, period, state, total_cents) VALUES ($1, $2, $3, 'LIVE', $4)",
			c.NewID(invoiceID), tenant, p.Number, amount)
	}
	if i.state != InvoiceLive {
		return 0, refuse("INVOICE_NOT_LIVE", "The invoice of this month is settled and takes no more purchases")
	}
	total, err := model.AddCents(i.total, amount)
	if err != nil {
		return 0, err
	}
	c.Do("UPDATE invoices SET total_cents = $1 WHERE number = $2", total, i.number)
	return i.number, nil
}

// Settle marks an invoice as paid. Requests that waited for it, and for
// nothing else, move from CLOSED to IN_PROGRESS. An invoice that is settled
// before its month ends takes no more purchases. The error is
// ErrUnknownInvoice or ErrAlreadySettled.
func (c *Change) Settle(id string) error {
	i := one(c, selectInvoices+"WHERE id = $1", readInvoice, id)
	switch {
	case i.number == 0:
		return ErrUnknownInvoice
	case i.state == InvoiceSettled:
		return ErrAlreadySettled
	}
	c.settle(i)
	return nil
}

// SettleAll settles every invoice that was issued.
func (c *Change) SettleAll() {
	for _, i := range collect(c, selectInvoices+"WHERE state = 'ISSUED' ORDER BY number", readInvoice) {
		c.settle(i)
	}
}

func (c *Change) settle(i invoice) {
	c.Alone()
	c.Do("UPDATE invoices SET state = 'SETTLED', settled_at = $1 WHERE number = $2", c.At.UnixMilli(), i.number)
	c.Audit("settle invoice", i.id, "")
	for _, r := range c.requests("WHERE tenant = $1 AND status = 'CLOSED' AND retired_at IS NULL ORDER BY number", i.tenant) {
		c.processIfSettled(r)
	}
}
