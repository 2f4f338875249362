package session

import (
	"context"
	"time"

	"tonne/api"
)

// seat is the source of one session at a desk. The desk's lock guards it.
type seat struct {
	desk   *Desk
	to     sink
	person Person
	// page is the page of the inventory that is shown, nil for none.
	page *page
	// away says that the person does not look, paused that nothing is to move.
	away, paused bool
	// lookUps are the requests that the poller is still to be asked for, in order;
	// asking is how many it is looking up.
	lookUps []string
	asking  int
}

// Run sits at the desk until ctx ends, or the desk does.
func (s *seat) Run(ctx context.Context) error {
	s.desk.sit(s)
	defer s.desk.leave(s)
	select {
	case <-ctx.Done():
		return nil
	case <-s.desk.ended:
		return s.desk.err
	}
}

// tell hands news on. While the seat is paused, what is shown stays.
func (s *seat) tell(e Event) {
	if s.paused {
		switch e := e.(type) {
		case MarketEvent, LastPaidEvent, PortfolioEvent, PortfolioValueEvent, TrendsEvent:
			return
		case InventoryEvent:
			if !s.page.fresh(s) {
				return
			}
			s.to.Put(frozen(e))
			return
		}
	}
	s.to.Put(e)
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
			s.to.Put(e)
		}
	}
	if s.page != nil && s.page.known {
		e := Event(s.page.newest)
		if s.paused {
			e = frozen(e)
		}
		s.to.Put(e)
	}
}

func (s *seat) locked(do func()) {
	s.desk.mu.Lock()
	defer s.desk.mu.Unlock()
	do()
}

// ShowInventory shows a page in place of the one before. One that somebody else
// looks at is not read for it.
func (s *seat) ShowInventory(q api.InventoryQuery) { s.locked(func() { s.desk.turnPage(s, &q) }) }

// HideInventory ends ShowInventory.
func (s *seat) HideInventory() { s.locked(func() { s.desk.turnPage(s, nil) }) }

// KeepPortfolio has the desk read and value the book, for everybody.
func (s *seat) KeepPortfolio() { s.desk.host.KeepPortfolio() }

// ShowProjects asks for the details of some projects before those of others.
func (s *seat) ShowProjects(ids []string) { s.desk.poller.ShowProjects(ids) }

// Refresh polls now, for everybody.
func (s *seat) Refresh() {
	s.desk.poller.Refresh()
	s.locked(func() {
		if s.paused {
			s.tellAgain()
		}
	})
}

// Pause keeps what is shown as it is. The desk polls on.
func (s *seat) Pause(paused bool) {
	s.locked(func() {
		s.paused = paused
		s.tellAgain()
	})
}

// Focus tells whether the person looks. Polls are rarer while nobody does.
func (s *seat) Focus(focused bool) {
	s.locked(func() {
		s.away = !focused
		s.desk.looking()
	})
}

// LookUp fetches a retirement request once.
func (s *seat) LookUp(id string) {
	s.locked(func() {
		s.lookUps = append(s.lookUps, id)
		s.desk.ask(s)
	})
}

// Follow fetches a retirement request until it reaches an end state.
func (s *seat) Follow(id string, since time.Time) {
	s.locked(func() {
		r := s.desk.request(id)
		r.following[s] = true
		if r.newest.ID != "" {
			r.tell(s)
		}
	})
	s.desk.poller.Follow(id, since)
}

// Unfollow ends Follow.
func (s *seat) Unfollow(id string) {
	s.locked(func() {
		if r, known := s.desk.requests[id]; known {
			s.desk.unfollow(s, id, r)
		}
	})
}

// SaveCertificate fails: the files are the host's.
func (s *seat) SaveCertificate(id, _, _ string) {
	s.to.Put(CertificateEvent{ID: id, Err: errNoFiles})
}
