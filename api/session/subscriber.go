package session

import (
	"time"

	"tonne/api"
)

// subscriber is the source of one session of a shared one, whose lock guards it.
type subscriber struct {
	shared  *SharedSession
	session *Session
	person  Person
	// page is the page of the inventory that is shown, nil for none.
	page *page
	// away says that the person does not look, paused that nothing is to move.
	away, paused bool
	// lookUps are the requests that the poller is still to be asked for, in order;
	// asking is how many it is looking up.
	lookUps []string
	asking  int
}

func (s *subscriber) tell(e Event) {
	if s.paused {
		frozen, held := freeze(e)
		if _, page := e.(InventoryEvent); held && !(page && s.page.fresh(s)) {
			return
		}
		e = frozen
	}
	s.session.tell(e)
}

// freeze reports whether an event is held back while a subscriber pauses, and
// returns the event as it is shown then.
func freeze(e Event) (frozen Event, held bool) {
	switch e := e.(type) {
	case MarketEvent:
		e.Status = e.pausedIf(true)
		return e, true
	case LastPaidEvent:
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

func (s *subscriber) tellAgain() {
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
	if s.page != nil && s.page.newest != nil {
		again(*s.page.newest)
	}
}

func (s *subscriber) locked(do func()) {
	s.shared.mu.Lock()
	defer s.shared.mu.Unlock()
	do()
}

// showInventory shows a page instead of the one before. One that another
// subscriber looks at is not read for it.
func (s *subscriber) showInventory(q api.InventoryQuery) {
	s.locked(func() { s.shared.turnPage(s, q) })
}

func (s *subscriber) hideInventory() { s.locked(func() { s.shared.leavePage(s) }) }

func (s *subscriber) showProjects(ids []string) { s.shared.host.ShowProjects(ids) }

func (s *subscriber) refresh() {
	s.shared.host.Refresh()
	s.locked(func() {
		if s.paused {
			s.tellAgain()
		}
	})
}

// pause keeps what is shown as it is. The shared session polls on.
func (s *subscriber) pause(paused bool) {
	s.locked(func() {
		s.paused = paused
		s.tellAgain()
	})
}

func (s *subscriber) focus(focused bool) {
	s.locked(func() {
		s.away = !focused
		s.shared.focus()
	})
}

func (s *subscriber) lookUp(id string) {
	s.locked(func() {
		s.lookUps = append(s.lookUps, id)
		s.shared.ask(s)
	})
}

func (s *subscriber) follow(id string, since time.Time) {
	s.locked(func() {
		r := s.shared.request(id)
		r.following[s] = true
		if r.newest.ID != "" {
			r.tell(s)
		}
	})
	s.shared.host.ask(func(of source) { of.follow(id, since) })
}

func (s *subscriber) unfollow(id string) {
	s.locked(func() {
		if r, known := s.shared.requests[id]; known {
			s.shared.unfollow(s, id, r)
		}
	})
}

// page is a page of the inventory that subscribers look at.
type page struct {
	query api.InventoryQuery
	// readers are true once they were told what is on it.
	readers map[*subscriber]bool
	newest  *InventoryEvent
}

func (p *page) fresh(s *subscriber) bool { return p != nil && !p.readers[s] }

func (p *page) tell(s *subscriber) {
	s.tell(*p.newest)
	p.readers[s] = p.newest.Inventory != nil
}

func (d *SharedSession) turnPage(s *subscriber, q api.InventoryQuery) {
	if s.page != nil && s.page.query != q {
		d.leavePage(s)
	}
	p, kept := d.pages[q]
	if !kept {
		p = &page{query: q, readers: make(map[*subscriber]bool)}
		d.pages[q] = p
		d.host.post(func(l *loop) { l.polls.keepPage(q) })
	}
	s.page, p.readers[s] = p, false
	if p.newest != nil {
		p.tell(s)
	}
}

func (d *SharedSession) leavePage(s *subscriber) {
	p := s.page
	if s.page = nil; p == nil {
		return
	}
	delete(p.readers, s)
	if len(p.readers) == 0 {
		delete(d.pages, p.query)
		d.host.post(func(l *loop) { l.polls.dropPage(p.query) })
	}
}

func (d *SharedSession) toPage(e InventoryEvent) {
	p, kept := d.pages[e.Query]
	if !kept {
		return
	}
	p.newest = &e
	for s := range p.readers {
		p.tell(s)
	}
}
