package session

import (
	"slices"
	"time"

	"tonne/model"
	"tonne/model/store"
)

// WatchlistEvent carries the watch list.
type WatchlistEvent struct {
	Watchlist
	// Edits is how many calls of Watch, and of those that add and remove rules, it
	// has in it.
	// Whoever shows an edit before it is told knows by it which lists are older.
	Edits int
}

// FiredEvent carries the rules that began to hold since the event that was
// read before, oldest first; each rule on a vintage once.
type FiredEvent struct{ Fired []store.Fired }

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
func (e TrendsEvent) Opening() model.Opening { return model.Opening{At: e.Since, Asks: e.Opened} }

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

// Change is a request that reached another state.
type Change struct {
	ID      string
	Was, Is model.RetirementStatus
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

// Resource is the watch list.
func (WatchlistEvent) Resource() string { return "watch list" }

// Resource is the rules that fired.
func (FiredEvent) Resource() string { return "fired" }

// Resource is the trends.
func (TrendsEvent) Resource() string { return "trends" }

// Resource is the prices of one vintage.
func (PricesEvent) Resource() string { return "prices" }

// Resource is the ledger.
func (LedgerEvent) Resource() string { return "ledger" }

// Resource is the file of one certificate.
func (e VerifiedEvent) Resource() string { return "verified " + e.ID }

// Resource is the store.
func (StoreEvent) Resource() string { return "store" }

// After adds the rules that fired before, but for those on vintages that did again.
func (e FiredEvent) After(unread Event) Event {
	type rule struct {
		store.Alert
		id int64
	}
	e.Fired = latest(unread.(FiredEvent).Fired, e.Fired, func(f store.Fired) rule {
		r := rule{Alert: store.Alert{Vintage: f.Vintage, Request: f.Request, Rule: f.Rule}}
		if f.Rule.OnRequests() {
			r.id = f.ID
		}
		return r
	})
	return e
}

// After adds what changed, what was answered and what failed before.
func (e LedgerEvent) After(unread Event) Event {
	before := unread.(LedgerEvent)
	was := make(map[string]model.RetirementStatus, len(before.Changed))
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

// After adds what was not written before.
func (e StoreEvent) After(unread Event) Event {
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
