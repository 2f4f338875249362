package session

import (
	"time"

	"tonne/api"
)

// seat is the source of one session at a desk. The desk's lock guards it.
type seat struct {
	desk    *Desk
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

func (s *seat) tell(e Event) {
	if s.paused {
		switch e := e.(type) {
		case MarketEvent, LastPaidEvent, PortfolioEvent, PortfolioValueEvent, TrendsEvent:
			return
		case InventoryEvent:
			if !s.page.fresh(s) {
				return
			}
			s.session.tell(frozen(e))
			return
		}
	}
	s.session.tell(e)
}

func frozen(e Event) Event {
	pause := func(s *Status) {
		if s.State != Refused {
			s.State = Paused
		}
	}
	switch e := e.(type) {
	case MarketEvent:
		pause(&e.Status)
		return e
	case LastPaidEvent:
		pause(&e.Status)
		return e
	case PortfolioEvent:
		pause(&e.Status)
		return e
	case InventoryEvent:
		pause(&e.Status)
		return e
	}
	return e
}

func (s *seat) tellAgain() {
	for _, e := range s.desk.newest {
		switch e.(type) {
		case MarketEvent, LastPaidEvent, PortfolioEvent, PortfolioValueEvent, TrendsEvent:
			if s.paused {
				e = frozen(e)
			}
			s.session.tell(e)
		}
	}
	if s.page != nil && s.page.known {
		e := Event(s.page.newest)
		if s.paused {
			e = frozen(e)
		}
		s.session.tell(e)
	}
}

func (s *seat) locked(do func()) {
	s.desk.mu.Lock()
	defer s.desk.mu.Unlock()
	do()
}

// showInventory shows a page in place of the one before. One that somebody else
// looks at is not read for it.
func (s *seat) showInventory(q api.InventoryQuery) { s.locked(func() { s.desk.turnPage(s, &q) }) }

func (s *seat) hideInventory() { s.locked(func() { s.desk.turnPage(s, nil) }) }

func (s *seat) showProjects(ids []string) { s.desk.host.ShowProjects(ids) }

func (s *seat) refresh() {
	s.desk.host.Refresh()
	s.locked(func() {
		if s.paused {
			s.tellAgain()
		}
	})
}

// pause keeps what is shown as it is. The desk polls on.
func (s *seat) pause(paused bool) {
	s.locked(func() {
		s.paused = paused
		s.tellAgain()
	})
}

func (s *seat) focus(focused bool) {
	s.locked(func() {
		s.away = !focused
		s.desk.looking()
	})
}

func (s *seat) lookUp(id string) {
	s.locked(func() {
		s.lookUps = append(s.lookUps, id)
		s.desk.ask(s)
	})
}

func (s *seat) follow(id string, since time.Time) {
	s.locked(func() {
		r := s.desk.request(id)
		r.following[s] = true
		if r.newest.ID != "" {
			r.tell(s)
		}
	})
	s.desk.host.ask(func(of source) { of.follow(id, since) })
}

func (s *seat) unfollow(id string) {
	s.locked(func() {
		if r, known := s.desk.requests[id]; known {
			s.desk.unfollow(s, id, r)
		}
	})
}
