package session

import (
	"maps"
	"slices"

	"tonne/api"
)

// followed is a retirement request that somebody at a desk waits for.
type followed struct {
	// asked are those who wait for one answer, following those who wait for an
	// end state.
	asked, following map[*seat]bool
	newest           RetirementEvent
}

// lookUpsEach is how many look-ups of one seat wait at the poller: who asks for
// thousands is served beside the others, and not before them.
const lookUpsEach = 4

func (d *Desk) ask(s *seat) {
	for s.asking < lookUpsEach && len(s.lookUps) > 0 {
		id := s.lookUps[0]
		s.lookUps = s.lookUps[1:]
		if r := d.request(id); !r.asked[s] {
			r.asked[s] = true
			s.asking++
		}
		d.host.LookUp(id)
	}
}

func (d *Desk) request(id string) *followed {
	r, known := d.requests[id]
	if !known {
		r = &followed{asked: make(map[*seat]bool), following: make(map[*seat]bool)}
		d.requests[id] = r
	}
	return r
}

// tell hands the newest news to one seat: when the request is looked up again
// matters to those who follow it.
func (r *followed) tell(s *seat) {
	e := r.newest
	if !r.following[s] {
		e.NextAt = RetirementEvent{}.NextAt
	}
	s.tell(e)
}

func (d *Desk) toFollowers(e RetirementEvent) {
	r, known := d.requests[e.ID]
	if !known {
		return
	}
	r.newest = e
	for s := range r.following {
		r.tell(s)
	}
	for s := range r.asked {
		if !r.following[s] {
			r.tell(s)
		}
	}
	if e.Retirement != nil && e.Retirement.Status.Final() {
		clear(r.following)
	}
	// What came too soon is asked for again.
	if !e.Fetching && api.KindOf(e.Err) != api.RateLimited {
		d.answered(r, e.Err)
	}
	d.forget(e.ID, r)
}

// answered lets those who waited for one answer ask for the next, unless the key
// or the role is refused: so would that be.
func (d *Desk) answered(r *followed, err error) {
	asked := slices.Collect(maps.Keys(r.asked))
	clear(r.asked)
	kind := api.KindOf(err)
	for _, s := range asked {
		s.asking--
		if kind == api.Unauthorized || kind == api.Forbidden {
			for _, id := range s.lookUps {
				s.tell(RetirementEvent{ID: id, Err: err})
			}
			s.lookUps = nil
		}
		d.ask(s)
	}
}

func (d *Desk) unfollow(s *seat, id string, r *followed) {
	if r.following[s] {
		delete(r.following, s)
		if r.newest.ID != "" && d.seats[s] {
			r.tell(s)
		}
		if len(r.following) == 0 {
			d.host.ask(func(of source) { of.unfollow(id) })
		}
	}
	d.forget(id, r)
}

func (d *Desk) forget(id string, r *followed) {
	if len(r.asked) == 0 && len(r.following) == 0 {
		delete(d.requests, id)
	}
}
