package session

import (
	"fmt"
	"reflect"
	"slices"
	"time"

	"tonne/api"
	"tonne/model"
	"tonne/model/alert"
	"tonne/model/file/store"
	"tonne/model/market"
	"tonne/model/portfolio"
	"tonne/model/retirement"
)

// Event is one of the types whose names end in Event. The latest event of a topic replaces
// the earlier ones.
type Event any

type topic struct {
	kind reflect.Type
	id   string
}

func topicOf(e Event) topic {
	id := ""
	switch e := e.(type) {
	case CertificateEvent:
		id = e.ID
	case VerifiedEvent:
		id = e.ID
	}
	return topic{reflect.TypeOf(e), id}
}

// accumulating is an event with changes. If a newer event replaces it before it is read, its
// changes must not get lost.
type accumulating interface {
	// after returns the event with the changes of an unread one added. It modifies neither.
	after(unread Event) Event
}

// MarketEvent carries the market.
type MarketEvent struct {
	Status
	// Generation grows with each complete read of a new market. A poll that confirms the
	// market changes only At.
	Generation uint64
	// Market is nil before the first read. While Partial, it has the pages that have arrived.
	Market  *market.Market
	Partial bool
	// Changes is the difference from the previous complete read. It is set once per
	// generation, and empty in repeated events.
	Changes market.MarketChanges
	// Before is when the market that Changes compares with was last confirmed. The changes
	// happened after that. It is zero without such a market.
	Before time.Time
	// compared is not nil if the event goes to several readers.
	compared *diffCache
}

// PortfolioEvent carries the whole inventory, regardless of the page and filter of the
// Inventory tab.
type PortfolioEvent struct {
	Status
	// LastPaid and Balances are nil before the first complete read.
	LastPaid portfolio.LastPaidPrices
	Balances portfolio.Balances
	// Unusable are the wallets that a retirement is not known to use.
	Unusable map[model.VintageKey][]portfolio.Wallet
	// Positions are all wallets with their trades. They are nil before the first read and in
	// a session without Options.Portfolio. While Partial, they are those of the pages that
	// have arrived.
	Positions *portfolio.Positions
	Partial   bool
}

// InventoryEvent carries the requested page of the inventory.
type InventoryEvent struct {
	Status
	// Query is the query of Inventory, or the one in flight while Inventory is nil.
	Query     api.InventoryQuery
	Inventory *portfolio.Inventory
	Page      model.Page
	// Purchases is the same page with all BUY trades, if Query omits some, so that no filter
	// changes the prices paid. Otherwise it is nil.
	Purchases *portfolio.Inventory
}

// ProjectsEvent carries all project details known so far.
type ProjectsEvent struct {
	Projects model.Projects
	// Fetched are those received since the last event that was read.
	Fetched []model.Project
	// Err is the error of the last request for details, or nil after a success.
	Err error
}

// CertificateEvent carries the progress and the result of a download.
type CertificateEvent struct {
	ID string
	// Received and Total are in bytes. Total is 0 while unknown.
	Received, Total int64
	// Saved is set when the file is complete.
	Saved *retirement.Certificate
	Err   error
}

// WatchlistEvent carries the watch list.
type WatchlistEvent struct {
	Watchlist
	// Edits counts the calls of Watch, AddRule and RemoveRule that the list includes. A
	// screen that shows an edit early uses it to ignore older lists.
	Edits int
}

// AlertsEvent carries the alerts stored on this machine by any program, newest first. The
// first event is sent when the session records. Both lists are immutable.
type AlertsEvent struct {
	Alerts []store.Alert
	// Fired are those that fired since the last event that was read, oldest first. It has
	// each rule on a vintage once.
	Fired []store.Alert
}

// TrendsEvent carries the trend of the best ask of each vintage during the TrendTime before
// At: TrendPoints prices each, as returned by store.Store.Trends.
type TrendsEvent struct {
	At     time.Time
	Prices map[model.VintageKey][]model.PriceCents
	// Opened are the best asks at the start of the day, or the first recorded ones if there
	// are no older ones. Since is their time. Days begin in the zone of the market's clock.
	Opened map[model.VintageKey]model.PriceCents
	Since  time.Time
}

// Opening returns the baseline for the changes of the day.
func (e TrendsEvent) Opening() portfolio.Opening {
	return portfolio.Opening{At: e.Since, Asks: e.Opened}
}

// PricesEvent carries the recorded prices of the vintages of LoadPrices, oldest first.
type PricesEvent struct {
	Observations map[model.VintageKey][]store.Observation
	// Gaps are the periods without observations, oldest first.
	Gaps []store.Gap
	// Err is the error of reading the prices.
	Err error
}

// LedgerEvent carries the retirement requests in the order of entry.
type LedgerEvent struct {
	// Requests are immutable: a request that changes is replaced.
	Requests []*Request
	// Changed are the requests that reached another state, and Answered the outcomes of
	// look-ups, since the last event that was read. Each id occurs once.
	Changed  []Change
	Answered []Outcome
	// Err is the error of reading the store. It is sent once until a read succeeds.
	Err error
}

// PresenceEvent carries the users of a shared session.
type PresenceEvent struct {
	// People has one entry per session, sorted by name and time of joining. It is
	// immutable.
	People []Person
}

// Person is a user of a shared session.
type Person struct {
	// ID identifies the user. Users may have the same name.
	ID, Name string
	Since    time.Time
}

// Change is a request that reached another state.
type Change struct {
	ID      string
	Was, Is retirement.Status
}

// Outcome is the result of a look-up: a response, or an error.
type Outcome struct {
	ID  string
	Err error
}

// VerifiedEvent carries the result of verifying a certificate.
type VerifiedEvent struct {
	ID string
	// FileStatus is the status of the file.
	FileStatus FileStatus
	// Served is the SHA-256 of the certificate that the service serves now, in hexadecimal.
	// It is empty if the download failed with Err.
	Served string
	Err    error
}

// StoreEvent reports data that is not saved.
type StoreEvent struct {
	// Problem is why this run saves nothing. It is sent once.
	Problem error
	// Lost reports that the file of the store has lost its content. It is sent once.
	Lost error
	// Failed are the failed writes since the last event that was read.
	Failed []WriteError
}

func (e ProjectsEvent) after(unread Event) Event {
	e.Fetched = append(slices.Clip(unread.(ProjectsEvent).Fetched), e.Fetched...)
	return e
}

func (e AlertsEvent) after(unread Event) Event {
	e.Fired = latest(unread.(AlertsEvent).Fired, e.Fired, func(a store.Alert) alertKey {
		if a.OnRequests() {
			return alertKey{a.Rule, a.ID}
		}
		return alertKey{Rule: a.Rule}
	})
	return e
}

// HoldingEvent is the reply to CheckRules.
type HoldingEvent struct {
	// Holding are the rules that hold, those on vintages first.
	Holding []store.Alert
	// Err is the error of checking or reading the rules.
	Err error
}

type alertKey struct {
	alert.Rule
	id int64
}

func (e LedgerEvent) after(unread Event) Event {
	before := unread.(LedgerEvent)
	was := make(map[string]retirement.Status, len(before.Changed))
	for _, c := range before.Changed {
		was[c.ID] = c.Was
	}
	changed := slices.Clone(e.Changed)
	for i, c := range changed {
		if first, again := was[c.ID]; again {
			changed[i].Was = first
		}
	}
	e.Changed = latest(before.Changed, changed, func(c Change) string { return c.ID })
	e.Answered = latest(before.Answered, e.Answered, func(o Outcome) string { return o.ID })
	if e.Err == nil {
		e.Err = before.Err
	}
	return e
}

func (e StoreEvent) after(unread Event) Event {
	before := unread.(StoreEvent)
	if e.Problem == nil {
		e.Problem = before.Problem
	}
	if e.Lost == nil {
		e.Lost = before.Lost
	}
	e.Failed = append(slices.Clip(before.Failed), e.Failed...)
	return e
}

func latest[T any, K comparable](older, newer []T, key func(T) K) []T {
	again := make(map[K]bool, len(newer))
	for _, item := range newer {
		again[key(item)] = true
	}
	all := make([]T, 0, len(older)+len(newer))
	for _, item := range older {
		if !again[key(item)] {
			all = append(all, item)
		}
	}
	return append(all, newer...)
}

// Subject names the data of a failed write.
type Subject string

// The subjects that a user can change.
const (
	WatchlistWrites Subject = "watch list"
	LedgerWrites    Subject = "ledger"
	ChoiceWrites    Subject = "choice"
)

// WriteError is the error of a failed write.
type WriteError struct {
	Subject Subject
	Err     error
}

// Error names the subject and the cause.
func (e WriteError) Error() string { return fmt.Sprintf("the %s was not saved: %v", e.Subject, e.Err) }

// Unwrap returns the cause.
func (e WriteError) Unwrap() error { return e.Err }
