package session

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"tonne/api"
	"tonne/model/file/store"
	"tonne/model/retirement"
)

// SharedSession is a marketplace that several users watch. It is polled and recorded once,
// and each snapshot goes to all of them. Its methods may be called from any goroutine; only
// Run blocks.
type SharedSession struct {
	host *Session
	// checks limits how many sessions check rules at once, and frames how many show events.
	checks, frames *limiter

	mu          sync.Mutex
	subscribers map[*subscriber]bool
	// newest is what a new subscriber receives.
	newest map[topic]Event
	// pages are the shown pages of the inventory, with the newest version of each.
	pages map[api.InventoryQuery]*InventoryEvent
	// readers are the subscribers that looked up a request that is not final, by its id.
	readers map[string]map[*subscriber]bool
	// ended is closed after the last event. err is the reason.
	ended chan struct{}
	err   error

	// trouble is Options.Trouble. failing is the last error sent to it.
	trouble func(error)
	failing error
}

// NewShared returns a shared session that does nothing until Run. Its store has prices and
// project details, and no personal data.
func NewShared(c Client, o Options) *SharedSession {
	d := &SharedSession{
		subscribers: make(map[*subscriber]bool), newest: make(map[topic]Event),
		pages: make(map[api.InventoryQuery]*InventoryEvent), readers: make(map[string]map[*subscriber]bool),
		ended: make(chan struct{}), checks: newLimiter(), frames: newLimiter(), trouble: o.Trouble,
	}
	d.host = New(c, o)
	d.host.config.host, d.host.config.out = true, hostSink{d}
	d.host.Focus(false)
	d.host.Record()
	return d
}

// Run polls and records until ctx ends, like Session.Run, and then ends the sessions that
// joined. While no user watches, it polls less often.
func (d *SharedSession) Run(ctx context.Context) error {
	d.err = d.host.Run(ctx)
	close(d.ended)
	return d.err
}

// MostRequests limits the requests in the ledger of one user of a shared session, because
// all users share the memory.
const MostRequests = 20_000

// Join returns a session of one user. It leaves when its Run ends. Rules, watch list and
// ledger are in the user's own store, or in memory if own is nil. The session uses no other
// files: SaveCertificate fails, and VerifyCertificate has no effect.
func (d *SharedSession) Join(id, name string, own *store.Store) *Session {
	host := d.host.config
	s := New(nil, Options{Origin: host.Origin, Store: own, Now: host.Now, Log: host.Log})
	s.config.market, s.config.limiter, s.outbox.limiter = host.market, d.checks, d.frames
	s.config.source = &subscriber{shared: d, session: s, person: Person{id, name, host.Now()}}
	return s
}

// hostSink passes the events of the host to the subscribers.
type hostSink struct{ *SharedSession }

func (d hostSink) put(e Event) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch e := e.(type) {
	case InventoryEvent:
		d.toPage(e)
	case ProjectsEvent:
		d.toAll(ProjectsEvent{Projects: e.Projects, Err: e.Err})
	case MarketEvent:
		if d.trouble != nil && ((e.Err == nil) != (d.failing == nil) || api.KindOf(e.Err) != api.KindOf(d.failing)) {
			d.failing = e.Err
			d.trouble(e.Err)
		}
		e.compared = new(diffCache)
		d.toAll(e)
	case PortfolioEvent, PortfolioValueEvent, PortfolioHistoryEvent, TrendsEvent, StoreEvent:
		d.toAll(e)
	}
}

func (d *SharedSession) toAll(e Event) {
	d.newest[topicOf(e)] = e
	for s := range d.subscribers {
		s.tell(e)
	}
}

func (d *SharedSession) subscribe(s *subscriber) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.subscribers[s] = true
	for _, e := range d.newest {
		s.tell(e)
	}
	d.changed()
}

func (d *SharedSession) unsubscribe(s *subscriber) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.subscribers, s)
	s.turnPage(nil)
	for id, readers := range d.readers {
		if delete(readers, s); len(readers) == 0 {
			delete(d.readers, id)
		}
	}
	d.changed()
}

func (d *SharedSession) changed() {
	people := make([]Person, 0, len(d.subscribers))
	for s := range d.subscribers {
		people = append(people, s.person)
	}
	slices.SortFunc(people, func(a, b Person) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID), a.Since.Compare(b.Since))
	})
	d.toAll(PresenceEvent{people})
	d.focus()
}

func (d *SharedSession) focus() {
	focused := false
	for s := range d.subscribers {
		focused = focused || !s.away
	}
	d.host.Focus(focused)
}

// subscriber is the source of one session of a shared one. The mutex of shared guards it.
type subscriber struct {
	shared  *SharedSession
	session *Session
	person  Person
	// page is the shown page of the inventory, or nil. fresh reports that it has not
	// arrived.
	page  *api.InventoryQuery
	fresh bool
	// away reports that the screen is not watched, and paused that updates are paused.
	away, paused bool
}

func (s *subscriber) tell(e Event) {
	page, isPage := e.(InventoryEvent)
	if s.paused {
		frozen, held := freeze(e)
		if held && !(isPage && s.fresh) {
			return
		}
		e = frozen
	}
	s.fresh = s.fresh && !(isPage && page.Inventory != nil)
	s.session.tell(e)
}

func freeze(e Event) (frozen Event, held bool) {
	switch e := e.(type) {
	case MarketEvent:
		e.Status = e.pausedIf(true)
		return e, true
	case PortfolioEvent:
		e.Status = e.pausedIf(true)
		return e, true
	case InventoryEvent:
		e.Status = e.pausedIf(true)
		return e, true
	case PortfolioValueEvent, TrendsEvent:
		return e, true
	}
	return e, false
}

func (s *subscriber) resend() {
	again := func(e Event) {
		frozen, held := freeze(e)
		switch {
		case held && s.paused:
			s.session.tell(frozen)
		case held:
			s.session.tell(e)
		}
	}
	for _, e := range s.shared.newest {
		again(e)
	}
	if s.page != nil && s.shared.pages[*s.page] != nil {
		again(*s.shared.pages[*s.page])
	}
}

func (s *subscriber) locked(do func()) {
	s.shared.mu.Lock()
	defer s.shared.mu.Unlock()
	do()
}

func (s *subscriber) begin() { s.shared.subscribe(s) }

func (s *subscriber) end() { s.shared.unsubscribe(s) }

func (s *subscriber) ended() <-chan struct{} { return s.shared.ended }

func (s *subscriber) cause() error { return s.shared.err }

// startDue and refuse do nothing: the host sends the requests.
func (s *subscriber) startDue() (next time.Duration, planned bool) { return 0, false }

func (s *subscriber) refuse(error) {}

func (s *subscriber) showInventory(q api.InventoryQuery) {
	s.locked(func() { s.turnPage(&q) })
}

func (s *subscriber) hideInventory() { s.locked(func() { s.turnPage(nil) }) }

func (s *subscriber) showProjects(ids []string) { s.shared.host.ShowProjects(ids) }

func (s *subscriber) refresh() {
	s.shared.host.Refresh()
	s.locked(func() {
		if s.paused {
			s.resend()
		}
	})
}

func (s *subscriber) pause(paused bool) {
	s.locked(func() {
		s.paused = paused
		s.resend()
	})
}

func (s *subscriber) focus(focused bool) {
	s.locked(func() {
		s.away = !focused
		s.shared.focus()
	})
}

// turnPage shows another page of the inventory, or none. The host polls a page while a
// subscriber shows it.
func (s *subscriber) turnPage(q *api.InventoryQuery) {
	d, was := s.shared, s.page
	s.page, s.fresh = q, true
	if was != nil && !d.shown(*was) {
		delete(d.pages, *was)
		d.host.post(func(l *loop) { l.polls.dropPage(*was) })
	}
	if q == nil {
		return
	}
	switch newest, kept := d.pages[*q]; {
	case !kept:
		d.pages[*q] = nil
		d.host.post(func(l *loop) { l.polls.keepPage(*q) })
	case newest != nil:
		s.tell(*newest)
	}
}

func (d *SharedSession) shown(q api.InventoryQuery) bool {
	for s := range d.subscribers {
		if s.page != nil && *s.page == q {
			return true
		}
	}
	return false
}

func (d *SharedSession) toPage(e InventoryEvent) {
	if _, kept := d.pages[e.Query]; !kept {
		return
	}
	d.pages[e.Query] = &e
	for s := range d.subscribers {
		if s.page != nil && *s.page == e.Query {
			s.tell(e)
		}
	}
}

// retirement fetches a retirement request for a subscriber, and passes the response to all
// others that looked it up before.
func (s *subscriber) retirement(ctx context.Context, id string) (retirement.Request, error) {
	d := s.shared
	s.locked(func() {
		if d.readers[id] == nil {
			d.readers[id] = make(map[*subscriber]bool)
		}
		d.readers[id][s] = true
	})
	found, err := d.host.config.client.Retirement(api.OnBehalfOf(ctx, s.person.Name), id)
	if err != nil {
		return found, err
	}
	s.locked(func() {
		for other := range d.readers[id] {
			if other != s {
				other.session.post(func(l *loop) { l.ledger.answered(id, &found, nil) })
			}
		}
		if found.Status.Final() {
			delete(d.readers, id)
		}
	})
	return found, nil
}

func (s *subscriber) wantProject(id string) {
	s.shared.host.post(func(l *loop) { l.source.wantProject(id) })
}
