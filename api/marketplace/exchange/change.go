package exchange

import (
	"io"
	"time"
)

// Books are what the exchange keeps, in a transaction that writes.
type Books interface {
	tenants
	catalogue
	keys
	wallets
	orders
	transfers
	invoices
	periods
	requests
	items
	serials
	// Audit writes down who did what to the subject, an id.
	Audit(at time.Time, actor, action, subject, detail string) error
}

// Change changes the books: everything in it happens at one time and in the
// name of one actor. An error leaves it half done: its transaction is then to
// be rolled back.
type Change struct {
	Books
	// At is in UTC and in whole milliseconds.
	At    time.Time
	Actor string
	// Random is where ids and the names of certificates come from.
	Random io.Reader
}

func (c *Change) audit(action, subject, detail string) error {
	return c.Audit(c.At, c.Actor, action, subject, detail)
}
