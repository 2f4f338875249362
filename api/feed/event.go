// Package feed turns calls of the marketplace into a stream of immutable
// snapshots that know their age and state.
package feed

import (
	"time"

	"tonne/api"
	"tonne/model"
)

// State is the condition of one polled resource.
type State int8

// The states. Loading is before the first answer; Stale keeps the last good
// value while tries fail; Refused means that the key or the role was not
// accepted and polling has ended.
const (
	Loading State = iota
	Live
	Stale
	Refused
	Paused
)

// Status says how a resource stands.
type Status struct {
	State State
	// At is when the value shown was fetched, on the wall clock; zero while
	// there is none.
	At time.Time
	// Err is why the last try failed; nil after a good one.
	Err error
	// RetryAt is when the next try is due after a failure. Asked says that the
	// service asked to wait until then: a refresh does not shorten it.
	RetryAt time.Time
	Asked   bool
	// Fetching says that a request is under way; Done and Total count the
	// pages of it. Total is 0 while it is not known.
	Fetching    bool
	Done, Total int
}

// Event is news of one resource. It is one of the types below.
type Event interface{ event() }

// MarketEvent carries the market.
type MarketEvent struct {
	Status
	// Generation grows with each complete read.
	Generation uint64
	// Market is nil until something was read. While Partial, it holds the
	// pages that have arrived of the first read.
	Market  *model.Market
	Partial bool
	// Changes is the difference to the complete read before, the first time
	// that a read is sent; empty in repeated events of one generation.
	Changes model.MarketChanges
}

// LastPaidEvent carries the last paid prices and the balances over the whole
// inventory, whatever the inventory tab is filtering. Both are nil until they
// were read.
type LastPaidEvent struct {
	Status
	Prices   model.LastPaidPrices
	Balances model.Balances
}

// InventoryEvent carries the page of the inventory that was asked for last.
type InventoryEvent struct {
	Status
	// Query is what Inventory answers, or what is being fetched while
	// Inventory is nil.
	Query     api.InventoryQuery
	Inventory *model.Inventory
	Page      model.Page
	// Purchases is the same page with all of its BUY trades where Query leaves
	// some out, so that no filter changes what was paid; nil where it does not.
	Purchases *model.Inventory
}

// ProjectsEvent carries all project details that are known so far.
type ProjectsEvent struct {
	Projects model.Projects
	// Err is why the last request for details failed; nil after a good one.
	Err error
}

// RetirementEvent carries the answer to one look-up of a retirement request.
type RetirementEvent struct {
	ID string
	// Fetching says that a request is under way; the rest is as it was.
	Fetching bool
	// Retirement is nil until the request was found.
	Retirement *model.Retirement
	// At is when Retirement was fetched.
	At time.Time
	// Err is why the last look-up failed; nil after a good one.
	Err error
	// NextAt is when a followed request is polled again; zero for one that is
	// not followed.
	NextAt time.Time
}

// CertificateEvent carries the progress and the end of a certificate's
// download.
type CertificateEvent struct {
	ID string
	// Received and Total count bytes; Total is 0 while it is not known.
	Received, Total int64
	// Saved is set once the file is in place.
	Saved *api.Certificate
	Err   error
}

func (MarketEvent) event()      {}
func (LastPaidEvent) event()    {}
func (InventoryEvent) event()   {}
func (ProjectsEvent) event()    {}
func (RetirementEvent) event()  {}
func (CertificateEvent) event() {}

// Age returns how old the value shown is at the time now, never less than
// nothing: the clock may have been set back.
func (s Status) Age(now time.Time) time.Duration {
	if s.At.IsZero() {
		return 0
	}
	return max(now.Round(0).Sub(s.At), 0)
}
