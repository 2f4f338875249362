package session

import (
	"context"

	"tonne/api"
	"tonne/model/retirement"
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

// retirement fetches a retirement request for a subscriber, and hands the answer to
// all others who looked it up before.
func (s *subscriber) retirement(ctx context.Context, id string) (retirement.Request, error) {
	d := s.shared
	s.locked(func() {
		if d.readers[id] == nil {
			d.readers[id] = make(map[*subscriber]bool)
		}
		d.readers[id][s] = true
	})
	found, err := d.host.client.Retirement(api.OnBehalfOf(ctx, s.person.Name), id)
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
