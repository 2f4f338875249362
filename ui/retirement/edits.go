package retirement

import (
	"maps"
	"slices"
	"time"

	"tonne/api/session"
)

// edits are what the person changed in the ledger of which the session has not
// told yet: the next key must find it as it will be.
type edits struct {
	// ledger is what the session told last, oldest first. added are not in it
	// yet, removed can be brought back.
	ledger, added, removed []*session.Request
	// leaving are the ids of those that were removed and are in the ledger still.
	// What comes back later, by another terminal of the person, is shown.
	leaving map[string]bool
}

func (e *edits) told(requests []*session.Request) {
	e.ledger = requests
	if len(e.added) == 0 && len(e.leaving) == 0 {
		return
	}
	there := make(map[string]bool, len(requests))
	for _, r := range requests {
		there[r.ID] = true
	}
	e.added = slices.DeleteFunc(e.added, func(r *session.Request) bool { return there[r.ID] })
	maps.DeleteFunc(e.leaving, func(id string, _ bool) bool { return !there[id] })
}

func (e *edits) requests() []*session.Request {
	stay := slices.DeleteFunc(slices.Clone(e.ledger), func(r *session.Request) bool { return e.leaving[r.ID] })
	return append(stay, e.added...)
}

func (e *edits) add(entries []session.Entry, now time.Time) {
	for _, entry := range slices.Backward(entries) {
		e.enter(&session.Request{ID: entry.ID, Label: entry.Label, FirstSeen: now})
	}
}

func (e *edits) enter(r *session.Request) {
	if e.leaving[r.ID] {
		e.ledger = slices.DeleteFunc(slices.Clone(e.ledger), func(other *session.Request) bool { return other.ID == r.ID })
		delete(e.leaving, r.ID)
	}
	e.added = append(e.added, r)
}

func (e *edits) remove(r *session.Request) {
	e.added = slices.DeleteFunc(e.added, func(other *session.Request) bool { return other.ID == r.ID })
	e.removed = append(e.removed, r)
	if e.leaving == nil {
		e.leaving = make(map[string]bool)
	}
	e.leaving[r.ID] = true
}

// restore returns what was removed last, and shows it again unless a request
// with its id is there already.
func (e *edits) restore() (r *session.Request, there bool) {
	last := len(e.removed) - 1
	r = e.removed[last]
	e.removed = e.removed[:last]
	if slices.ContainsFunc(e.requests(), func(other *session.Request) bool { return other.ID == r.ID }) {
		return r, true
	}
	e.enter(r)
	return r, false
}
