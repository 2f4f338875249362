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
	// page is the shown page of the inventory, nil for none; fresh says that it has not
	// arrived.
	page  *api.InventoryQuery
	fresh bool
	// away says that the screen is not watched, paused that updates are paused.
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
	if s.page != nil && s.shared.pages[*s.page] != nil {
		again(*s.shared.pages[*s.page])
	}
}

func (s *subscriber) locked(do func()) {
	s.shared.mu.Lock()
	defer s.shared.mu.Unlock()
	do()
}

func (s *subscriber) showInventory(q api.InventoryQuery) {
	s.locked(func() { s.turnPage(&q) })
}

func (s *subscriber) hideInventory() { s.locked(func() { s.turnPage(nil) }) }

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

// turnPage shows another page of the inventory, nil for none. The host polls a page as long
// as a subscriber shows it.
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
// others who looked it up before.
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
