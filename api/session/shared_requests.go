package session

import (
	"maps"
	"slices"

	"tonne/api"
)

// followed is a retirement request that subscribers wait for.
type followed struct {
	// asked wait for one answer, following for an end state.
	asked, following map[*subscriber]bool
	newest           RetirementEvent
}

// lookUpsEach is how many look-ups of one subscriber wait at the poller: thousands
// of them do not delay those of others.
const lookUpsEach = 4

func (d *SharedSession) ask(s *subscriber) {
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

func (d *SharedSession) request(id string) *followed {
	r, known := d.requests[id]
	if !known {
		r = &followed{asked: make(map[*subscriber]bool), following: make(map[*subscriber]bool)}
		d.requests[id] = r
	}
	return r
}

// tell leaves out when the request is looked up again for a subscriber that does
// not follow it.
func (r *followed) tell(s *subscriber) {
	e := r.newest
	if !r.following[s] {
		e.NextAt = RetirementEvent{}.NextAt
	}
	s.tell(e)
}

func (d *SharedSession) toFollowers(e RetirementEvent) {
	r, known := d.requests[e.ID]
	if !known {
		return
	}
	r.newest = e
	for s := range d.subscribers {
		if r.following[s] || r.asked[s] {
			r.tell(s)
		}
	}
	if e.Retirement != nil && e.Retirement.Status.Final() {
		clear(r.following)
	}
	// The poller repeats a look-up that came too soon.
	if !e.Fetching && api.KindOf(e.Err) != api.RateLimited {
		d.answered(r, e.Err)
	}
	d.forget(e.ID, r)
}

// answered lets those that waited for one answer ask for the next, unless the key
// or the role is refused: that would be refused too.
func (d *SharedSession) answered(r *followed, err error) {
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

func (d *SharedSession) unfollow(s *subscriber, id string, r *followed) {
	if r.following[s] {
		delete(r.following, s)
		if r.newest.ID != "" && d.subscribers[s] {
			r.tell(s)
		}
		if len(r.following) == 0 {
			d.host.ask(func(of source) { of.unfollow(id) })
		}
	}
	d.forget(id, r)
}

func (d *SharedSession) forget(id string, r *followed) {
	if len(r.asked) == 0 && len(r.following) == 0 {
		delete(d.requests, id)
	}
}
