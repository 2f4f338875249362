package retirement

import (
	"errors"
	"slices"
	"time"

	"tonne/api"
	"tonne/model"
	"tonne/model/store"
)

// entry is one request of the ledger. What the ledger holds is never changed:
// whoever changes a request puts another entry in its place.
type entry struct {
	id, label string
	// first is when the request was entered.
	first time.Time
	// answer is the last good one, at when it came; err why the last look-up
	// failed.
	answer   *model.Retirement
	at       time.Time
	err      error
	fetching bool
	// project is the name of the project whose credits it retires.
	project string
	// nextAt is when a followed request is looked up again.
	nextAt time.Time
	// certificate is the file that was saved, proof what is known of it.
	certificate store.Certificate
	proof       proof
}

// newEntry returns what the store remembers of a request.
func newEntry(kept store.LedgerEntry) *entry {
	e := &entry{
		id: kept.ID, label: plainLabel(kept.Label), first: kept.FirstSeen,
		answer: kept.Answer, at: kept.AnsweredAt, certificate: kept.Certificate,
	}
	if kept.Error != "" {
		e.err = errors.New(kept.Error)
	}
	return e
}

// pending reports whether the request is worth another look later.
func (e *entry) pending() bool { return e.answer != nil && !e.answer.Status.Final() }

// name is the label of a request, or its id.
func (e *entry) name() string {
	if e.label != "" {
		return e.label
	}
	return e.id
}

// hopeless reports whether looking the id up again would fail again: the
// service knows no such request.
func hopeless(err error) bool {
	kind := api.KindOf(err)
	return kind == api.NotFound || kind == api.Invalid
}

// ledger is the requests in the order in which they were entered. The zero
// value is an empty one.
type ledger struct {
	entries []*entry
	places  map[string]int
	// shared says that a table reads entries: the list is copied before it is
	// changed.
	shared bool
}

func (l *ledger) len() int { return len(l.entries) }

func (l *ledger) find(id string) *entry {
	if place, ok := l.places[id]; ok {
		return l.entries[place]
	}
	return nil
}

// put adds a request, or takes the place of the one with its id.
func (l *ledger) put(e *entry) {
	if l.shared {
		l.entries, l.shared = slices.Clone(l.entries), false
	}
	if place, ok := l.places[e.id]; ok {
		l.entries[place] = e
		return
	}
	if l.places == nil {
		l.places = make(map[string]int)
	}
	l.places[e.id] = len(l.entries)
	l.entries = append(l.entries, e)
}

// change puts a changed copy of a request in its place, if it is there.
func (l *ledger) change(id string, change func(*entry)) {
	if e := l.find(id); e != nil {
		next := *e
		change(&next)
		l.put(&next)
	}
}

// remove takes requests out.
func (l *ledger) remove(gone func(*entry) bool) {
	kept := make([]*entry, 0, len(l.entries))
	places := make(map[string]int, len(l.entries))
	for _, e := range l.entries {
		if !gone(e) {
			places[e.id] = len(kept)
			kept = append(kept, e)
		}
	}
	l.entries, l.places, l.shared = kept, places, false
}

// rows returns the requests as they are now, for a table.
func (l *ledger) rows() rows {
	l.shared = true
	return l.entries
}

// rows is what the table shows: the newest request first.
type rows []*entry

func (r rows) Len() int         { return len(r) }
func (r rows) Key(i int) string { return r.At(i).id }
func (r rows) At(i int) *entry  { return r[len(r)-1-i] }
