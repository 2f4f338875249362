package session

import (
	"slices"
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
	// service asked to wait until then; only a refresh polls earlier.
	RetryAt time.Time
	Asked   bool
	// Fetching says that a request is under way; Done and Total count the
	// pages of it. Total is 0 while it is not known.
	Fetching    bool
	Done, Total int
	// Earlier says that an earlier run read the value: it is shown until there is
	// a newer one, and nothing is recorded or decided by it.
	Earlier bool
}

// Event is news of one resource. A poller sends the types below.
type Event interface {
	// Resource names what the event is about. Of several events with one name
	// the latest says how things stand.
	Resource() string
}

// MarketEvent carries the market.
type MarketEvent struct {
	Status
	// Generation grows with each complete read that brought a new market. A
	// poll that confirmed the market leaves both as they are: only At is new.
	Generation uint64
	// Market is nil until something was read. While Partial, it holds the
	// pages that have arrived of the first read.
	Market  *model.Market
	Partial bool
	// Changes is the difference to the complete read before, the first time
	// that a read is sent; empty in repeated events of one generation.
	Changes model.MarketChanges
	// Before is when the market that Changes differs from was last seen as it was:
	// what changed did so at some time since. It is zero without such a market.
	Before time.Time
	// compared is nil unless the event is for several readers.
	compared *diffCache
}

// LastPaidEvent carries the last paid prices and the balances over the whole
// inventory, whatever the inventory tab is filtering. Both are nil until they
// were read.
type LastPaidEvent struct {
	Status
	Prices   model.LastPaidPrices
	Balances model.Balances
}

// PortfolioEvent carries all wallets with their trades, once somebody keeps the book.
type PortfolioEvent struct {
	Status
	// Positions is nil until something was read. While Partial, it holds the
	// wallets of the pages that have arrived of the first read.
	Positions *model.Positions
	Partial   bool
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
	// Fetched are those that the service sent since the event that was read
	// before.
	Fetched []model.Project
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

// Resource is the market.
func (MarketEvent) Resource() string { return "market" }

// Resource is what was last paid.
func (LastPaidEvent) Resource() string { return "last paid" }

// Resource is the book.
func (PortfolioEvent) Resource() string { return "book" }

// Resource is the inventory.
func (InventoryEvent) Resource() string { return "inventory" }

// Resource is the project details.
func (ProjectsEvent) Resource() string { return "projects" }

// After adds what was fetched before.
func (e ProjectsEvent) After(unread Event) Event {
	e.Fetched = append(slices.Clip(unread.(ProjectsEvent).Fetched), e.Fetched...)
	return e
}

// Resource is the retirement request.
func (e RetirementEvent) Resource() string { return "retirement " + e.ID }

// Resource is the certificate of the request.
func (e CertificateEvent) Resource() string { return "certificate " + e.ID }

// Old reports whether the value shown is older than it should be.
func (s Status) Old() bool { return s.State == Stale || s.State == Refused }
