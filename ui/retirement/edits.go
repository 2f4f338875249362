package retirement

import (
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
}

// told takes the ledger as the session has it.
func (e *edits) told(requests []*session.Request) {
	e.ledger = requests
	if len(e.added) == 0 {
		return
	}
	there := make(map[string]bool, len(requests))
	for _, r := range requests {
		there[r.ID] = true
	}
	e.added = slices.DeleteFunc(e.added, func(r *session.Request) bool { return there[r.ID] })
}

// requests are those of the ledger as it will be, oldest first.
func (e *edits) requests() []*session.Request {
	all := slices.Concat(e.ledger, e.added)
	return slices.DeleteFunc(all, func(r *session.Request) bool { return slices.Contains(e.removed, r) })
}

// add adds requests, the first of them as the newest.
func (e *edits) add(entries []session.Entry, now time.Time) {
	for _, entry := range slices.Backward(entries) {
		e.added = append(e.added, &session.Request{ID: entry.ID, Label: entry.Label, FirstSeen: now})
	}
}

func (e *edits) remove(r *session.Request) {
	e.added = slices.DeleteFunc(e.added, func(other *session.Request) bool { return other == r })
	e.removed = append(e.removed, r)
}

// restore returns what was removed last, and shows it again unless a request
// with its id is there already.
func (e *edits) restore() (r *session.Request, there bool) {
	last := len(e.removed) - 1
	r = e.removed[last]
	e.removed = e.removed[:last]
	for _, other := range e.requests() {
		if other.ID == r.ID {
			return r, other != r
		}
	}
	e.added = append(e.added, r)
	return r, false
}
