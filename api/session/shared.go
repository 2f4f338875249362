package session

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"tonne/api"
	"tonne/model/store"
)

// SharedSession is a marketplace that several people watch. It is polled and recorded once,
// and each snapshot goes to all of them. Its methods may be called from any goroutine; only
// Run waits.
type SharedSession struct {
	host *Session
	// checks limits how many sessions check rules at once, frames how many show news.
	checks, frames *limiter

	mu          sync.Mutex
	subscribers map[*subscriber]bool
	// newest is what a new subscriber receives.
	newest map[topic]Event
	// pages are the shown pages of the inventory, with the newest version of each.
	pages map[api.InventoryQuery]*InventoryEvent
	// readers are the subscribers that looked up a request that is not final, by its id.
	readers map[string]map[*subscriber]bool
	// ended is closed when there will be no more news, because of err.
	ended chan struct{}
	err   error

	// trouble receives the reason why there is no market; failing is the last one sent.
	trouble func(error)
	failing error
}

// NewShared returns a shared session that does nothing until Run. Its store has prices and
// project details, and no personal data.
func NewShared(c Client, o Options) *SharedSession {
	d := &SharedSession{
		subscribers: make(map[*subscriber]bool), newest: make(map[topic]Event), pages: make(map[api.InventoryQuery]*InventoryEvent),
		readers: make(map[string]map[*subscriber]bool), ended: make(chan struct{}), checks: newLimiter(), frames: newLimiter(), trouble: o.Trouble,
	}
	d.host = New(c, o)
	d.host.host, d.host.out = true, hostSink{d}
	d.host.Focus(false)
	d.host.Record()
	return d
}

// Run polls and records until ctx ends, as Session.Run does, and ends the sessions that
// joined. While no one watches, polls are less frequent.
func (d *SharedSession) Run(ctx context.Context) error {
	d.err = d.host.Run(ctx)
	close(d.ended)
	return d.err
}

// MostRequests is the most requests in the ledger of one person in a shared session: all
// share the memory of its machine.
const MostRequests = 20_000

// Join returns a session of one person. It does nothing until its Run, and leaves when that
// ends. Rules, watch list and ledger are in the person's own store, nil for memory only. It
// uses no other files: SaveCertificate fails, and VerifyCertificate does nothing.
func (d *SharedSession) Join(name string, own *store.Store) *Session {
	s := New(nil, Options{Origin: d.host.origin, Store: own, Now: d.host.now, Log: d.host.log})
	s.market, s.limiter, s.outbox.limiter = d.host.market, d.checks, d.frames
	s.subscriber = &subscriber{shared: d, session: s, person: Person{Name: name, Since: d.host.now()}}
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
	slices.SortFunc(people, func(a, b Person) int { return cmp.Or(cmp.Compare(a.Name, b.Name), a.Since.Compare(b.Since)) })
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
