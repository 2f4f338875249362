package session

import (
	"reflect"
	"slices"
	"time"

	"tonne/api"
	"tonne/model"
	"tonne/model/alert"
	"tonne/model/market"
	"tonne/model/portfolio"
	"tonne/model/retirement"
	"tonne/model/store"
)

// Event is news of a session: one of the types whose names end so. Of several events on one
// topic the latest says how things are.
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

// accumulating is an event with changes that a newer event must not replace
// unread.
type accumulating interface {
	// after returns the event with the changes of an unread one. Neither is
	// changed.
	after(unread Event) Event
}

// MarketEvent carries the market.
type MarketEvent struct {
	Status
	// Generation grows with each complete read that brought a new market. A
	// poll that confirmed the market leaves both as they are: only At is new.
	Generation uint64
	// Market is nil until something was read. While Partial, it holds the
	// pages that have arrived of the first read.
	Market  *market.Market
	Partial bool
	// Changes is the difference to the complete read before, the first time
	// that a read is sent; empty in repeated events of one generation.
	Changes market.MarketChanges
	// Before is when the market that Changes differs from was last seen as it was:
	// what changed did so at some time since. It is zero without such a market.
	Before time.Time
	// compared is nil unless the event is for several readers.
	compared *diffCache
}

// PortfolioEvent carries what is owned, over the whole inventory, whatever the inventory tab
// is filtering.
type PortfolioEvent struct {
	Status
	// LastPaid and Balances are nil until everything was read.
	LastPaid portfolio.LastPaidPrices
	Balances portfolio.Balances
	// Positions are all wallets with their trades, nil until something was read, and in a
	// session that does not keep the portfolio. While Partial, they are those of the pages
	// that have arrived of the first read.
	Positions *portfolio.Positions
	Partial   bool
}

// InventoryEvent carries the page of the inventory that was asked for last.
type InventoryEvent struct {
	Status
	// Query is what Inventory answers, or what is being fetched while
	// Inventory is nil.
	Query     api.InventoryQuery
	Inventory *portfolio.Inventory
	Page      model.Page
	// Purchases is the same page with all of its BUY trades where Query leaves
	// some out, so that no filter changes what was paid; nil where it does not.
	Purchases *portfolio.Inventory
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

// CertificateEvent carries the progress and the end of a certificate's
// download.
type CertificateEvent struct {
	ID string
	// Received and Total count bytes; Total is 0 while it is not known.
	Received, Total int64
	// Saved is set once the file is in place.
	Saved *retirement.Certificate
	Err   error
}

// WatchlistEvent carries the watch list.
type WatchlistEvent struct {
	Watchlist
	// Edits is how many calls of Watch, and of those that add and remove rules, it
	// has in it.
	// Whoever shows an edit before it is told knows by it which lists are older.
	Edits int
}

// AlertsEvent carries the alerts that this machine remembers, whichever program noticed
// them, newest first. The first comes once the session records. Neither list is ever changed.
type AlertsEvent struct {
	Alerts []store.Alert
	// Fired are those that fired since the event that was read before, oldest first; each
	// rule on a vintage once.
	Fired []store.Alert
}

// TrendsEvent carries how the best ask of each vintage moved within TrendTime
// up to a moment: TrendPoints prices each, as store.Store.Trends returns them.
type TrendsEvent struct {
	At     time.Time
	Prices map[model.VintageKey][]model.PriceCents
	// Opened are the best asks at the start of the day, or where nothing is
	// remembered from before it, those that were observed first; Since is the
	// moment that they are of. Days begin in the zone of the market's clock.
	Opened map[model.VintageKey]model.PriceCents
	Since  time.Time
}

// Opening is what the moves of the day are counted from.
func (e TrendsEvent) Opening() portfolio.Opening {
	return portfolio.Opening{At: e.Since, Asks: e.Opened}
}

// PricesEvent carries what is remembered of the prices of the vintage that
// LoadPrices named last, oldest first.
type PricesEvent struct {
	Vintage      model.VintageKey
	Observations []store.Observation
	// Gaps are the times in which nobody looked, oldest first.
	Gaps []store.Gap
	// Err is why they could not be read.
	Err error
}

// LedgerEvent carries the retirement requests in the order in which they were
// entered.
type LedgerEvent struct {
	// Requests are never changed: a request that changes is another one.
	Requests []*Request
	// Changed are the requests that reached another state, and Answered what
	// look-ups led to, since the event that was read before; each id once.
	Changed  []Change
	Answered []Outcome
	// Err is why what the store has could not be read. It is told once until
	// that succeeds.
	Err error
}

// PresenceEvent tells who is in a shared session.
type PresenceEvent struct {
	// People are one for each session, by name and then by when they came. It is
	// never changed.
	People []Person
}

// Person is a person in a shared session.
type Person struct {
	Name  string
	Since time.Time
}

// Change is a request that reached another state.
type Change struct {
	ID      string
	Was, Is retirement.Status
}

// Outcome is what a look-up led to: an answer, or an error.
type Outcome struct {
	ID  string
	Err error
}

// VerifiedEvent tells what came of verifying a certificate.
type VerifiedEvent struct {
	ID string
	// FileStatus is what is known of the file.
	FileStatus FileStatus
	// Served is the SHA-256 of what the service serves now, in hexadecimal;
	// empty if that could not be fetched, for which Err is why.
	Served string
	Err    error
}

// StoreEvent tells that something is not remembered.
type StoreEvent struct {
	// Problem is why nothing outlives this run. It is told once.
	Problem error
	// Lost says that the file of the store had lost its content. It is told once.
	Lost error
	// Failed is what was not written since the event that was read before.
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

// HoldingEvent answers CheckRules.
type HoldingEvent struct {
	// Holding are the rules that hold, those on vintages first.
	Holding []store.Alert
	// Err is why rules were not checked or not read.
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
