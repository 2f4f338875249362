package session

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"tonne/api"
	"tonne/model/store"
)

// Desk is a marketplace that several people look at: it is polled once, and
// each snapshot is recorded once and handed to all of them. Its methods may be
// called from any goroutine; only Run waits.
type Desk struct {
	host *Session

	// turns are those of the stores of the people.
	turns *Turns

	mu    sync.Mutex
	seats map[*seat]bool
	// newest is what whoever joins is told, by resource.
	newest map[string]Event
	pages  map[api.InventoryQuery]*page
	// requests are the retirement requests that somebody waits for.
	requests map[string]*followed
	// ended is closed when there will be no more news, because of err.
	ended chan struct{}
	err   error

	// trouble is told why there is no market, failing is what it was told last.
	trouble func(error)
	failing error
}

// NewDesk returns a desk that does nothing until Run. Its store holds prices
// and project details, and nothing of a person.
func NewDesk(c Client, o Options) *Desk {
	d := &Desk{
		seats: make(map[*seat]bool), newest: make(map[string]Event),
		pages: make(map[api.InventoryQuery]*page), requests: make(map[string]*followed), ended: make(chan struct{}), turns: NewTurns(0),
		trouble: o.Trouble,
	}
	d.host = New(c, o)
	d.host.host, d.host.out = true, deskSink{d}
	d.host.Focus(false)
	d.host.Record()
	return d
}

// Run polls and records until ctx ends, as Session.Run does, and ends the
// sessions that sit at the desk. While nobody looks, polls are rarer.
func (d *Desk) Run(ctx context.Context) error {
	err := d.host.Run(ctx)
	d.err = err
	close(d.ended)
	return err
}

// MostRequests is how many requests the ledger of one person at a desk takes: all
// who sit there share the memory of its machine.
const MostRequests = 20_000

// Join returns a session of one person at the desk, which does nothing until its
// Run and leaves the desk at the end of it. Rules, watch list and ledger are in
// their own store, nil for a memory of this visit alone. It saves and reads no files:
// SaveCertificate fails, and VerifyCertificate does nothing.
func (d *Desk) Join(name string, own *store.Store) *Session {
	s := New(nil, Options{Origin: d.host.origin, Store: own, Now: d.host.now, Log: d.host.log})
	s.market, s.turns = d.host.market, d.turns
	s.seat = &seat{desk: d, session: s, person: Person{Name: name, Since: d.host.now()}}
	return s
}

// PresenceEvent tells who is at the desk.
type PresenceEvent struct {
	// People are one for each session, by name and then by when they came. It is
	// never changed.
	People []Person
}

// Person is somebody at a desk.
type Person struct {
	Name  string
	Since time.Time
}

// Resource is who is at the desk.
func (PresenceEvent) Resource() string { return "presence" }

// deskSink hands what the host of a desk finds out to everybody.
type deskSink struct{ *Desk }

// Put keeps the newest event of each resource for whoever comes later.
func (d deskSink) Put(e Event) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch e := e.(type) {
	case InventoryEvent:
		d.toPage(e)
	case RetirementEvent:
		d.toFollowers(e)
	case ProjectsEvent:
		d.toAll(ProjectsEvent{Projects: e.Projects, Err: e.Err})
	case MarketEvent:
		d.report(e.Err)
		d.toAll(e.ForMany())
	case LastPaidEvent, PortfolioEvent, PortfolioValueEvent, PortfolioHistoryEvent, TrendsEvent, StoreEvent:
		d.toAll(e)
	}
}

// report tells whoever runs the desk how the marketplace stands, once for each
// change.
func (d *Desk) report(err error) {
	same := (err == nil) == (d.failing == nil) && api.KindOf(err) == api.KindOf(d.failing)
	if same || d.trouble == nil {
		return
	}
	d.failing = err
	d.trouble(err)
}

func (d *Desk) toAll(e Event) {
	d.newest[e.Resource()] = e
	for s := range d.seats {
		s.tell(e)
	}
}

func (d *Desk) sit(s *seat) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.seats[s] = true
	for _, e := range d.newest {
		s.tell(e)
	}
	d.changed()
}

func (d *Desk) leave(s *seat) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.seats, s)
	d.turnPage(s, nil)
	s.lookUps = nil
	for id, r := range d.requests {
		delete(r.asked, s)
		d.unfollow(s, id, r)
	}
	d.changed()
}

func (d *Desk) changed() {
	people := make([]Person, 0, len(d.seats))
	for s := range d.seats {
		people = append(people, s.person)
	}
	slices.SortFunc(people, func(a, b Person) int {
		if by := strings.Compare(a.Name, b.Name); by != 0 {
			return by
		}
		return a.Since.Compare(b.Since)
	})
	d.toAll(PresenceEvent{people})
	d.looking()
}

func (d *Desk) looking() {
	looks := false
	for s := range d.seats {
		looks = looks || !s.away
	}
	d.host.Focus(looks)
}
