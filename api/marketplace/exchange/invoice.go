package exchange

import (
	"errors"
	"time"

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

// Invoice is what a tenant owes for the purchases of a period.
type Invoice struct {
	Number         int64
	ID             string
	Tenant, Period int64
	State          string
	Total          model.Cents
}

type invoices interface {
	Invoice(id string) (i Invoice, found bool, err error)
	InvoiceOf(tenant int64, p Period) (i Invoice, found bool, err error)
	// IssuedInvoices are those that wait to be settled, oldest first.
	IssuedInvoices() ([]Invoice, error)
	AddInvoice(Invoice) (number int64, err error)
	SetInvoiceTotal(Invoice) error
	// IssueInvoices issues the live invoices of a period and counts them.
	IssueInvoices(Period) (int, error)
	SettleInvoice(i Invoice, at time.Time) error
}

// bill adds an amount to the tenant's invoice of the period and returns the
// invoice's number. An invoice that is no longer live takes nothing more.
func (c *Change) bill(tenant int64, p Period, amount model.Cents) (int64, error) {
	i, found, err := c.InvoiceOf(tenant, p)
	if err != nil {
		return 0, err
	}
	if found && i.State != InvoiceLive {
		return 0, refuse("INVOICE_NOT_LIVE", "The invoice of this month is settled and takes no more purchases")
	}
	if i.Total, err = model.AddCents(i.Total, amount); err != nil {
		return 0, err
	}
	if found {
		return i.Number, c.SetInvoiceTotal(i)
	}
	i.Tenant, i.Period, i.State = tenant, p.Number, InvoiceLive
	if i.ID, err = c.NewID(invoiceID); err != nil {
		return 0, err
	}
	return c.AddInvoice(i)
}

// Settle marks an invoice as paid. Requests that waited for it, and for
// nothing else, move from CLOSED to IN_PROGRESS. An invoice that is settled
// before its month ends takes no more purchases. The error is
// ErrUnknownInvoice or ErrAlreadySettled.
func (c *Change) Settle(id string) error {
	i, found, err := c.Invoice(id)
	switch {
	case err != nil:
		return err
	case !found:
		return ErrUnknownInvoice
	case i.State == InvoiceSettled:
		return ErrAlreadySettled
	}
	return c.settle(i)
}

func (c *Change) settle(i Invoice) error {
	if err := c.SettleInvoice(i, c.At); err != nil {
		return err
	}
	if err := c.audit("settle invoice", i.ID, ""); err != nil {
		return err
	}
	waiting, err := c.RequestsWaitingFor(i)
	return all(waiting, err, c.processIfSettled)
}

// SettleAll settles every invoice that was issued.
func (c *Change) SettleAll() error {
	issued, err := c.IssuedInvoices()
	return all(issued, err, c.settle)
}

func all[T any](read []T, err error, do func(T) error) error {
	for _, one := range read {
		if err == nil {
			err = do(one)
		}
	}
	return err
}
