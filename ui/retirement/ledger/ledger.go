// Package ledger is the list of retirement requests that the person keeps: a
// table that is searched and sorted, and what is being looked up.
package ledger

import (
	"iter"
	"maps"
	"slices"
	"time"

	"tonne/api/session"
	"tonne/model/retirement"
	"tonne/ui/effect"
	"tonne/ui/tab"
	"tonne/ui/table"
)

// Ledger is the list. New makes one.
type Ledger struct {
	batch
	// Table shows the requests that match the search.
	Table *table.Table[string, Row]
	view  *tab.View
	// rows are all requests, newest first, and places where they are, by their ids.
	rows   []Row
	places map[string]int
	// Search narrows the list. Narrow is to be called after it was changed.
	Search   tab.Entry
	searched bool
	// index is of the requests as they were last; working says that a new one is
	// being made.
	index   *Index
	working bool
	// Journal is what the journal has of requests, by their ids. It shows at the
	// next Show.
	Journal map[string]retirement.Journaled
	// fired are the requests on which a rule has fired that the person has not
	// looked at.
	fired map[string]bool
	// Read returns the check of the text of a certificate, the zero value if it was
	// not made. It must not wait; nil reads none.
	Read func(Row) retirement.Check
	// Lost says that what this machine kept cannot be used: nobody knows what other
	// requests it has.
	Lost bool
	// wanted is the request to select once it is there.
	wanted string
	// natural is the width that the list as it is now needs, 0 before it is measured.
	natural int
}

// New returns an empty list.
func New(v *tab.View) *Ledger {
	l := &Ledger{view: v, Search: tab.NewEntry(), index: newIndex(nil, nil)}
	l.Table = table.New[string](spec(v))
	l.Table.SelectColumn("id")
	return l
}

// Show shows requests, oldest first, and names projects anew. The requests
// must not be changed any more.
func (l *Ledger) Show(requests []*session.Request) effect.Effect {
	l.rows, l.places = make([]Row, 0, len(requests)), make(map[string]int, len(requests))
	for _, r := range slices.Backward(requests) {
		made := l.Journal[r.ID]
		row := Row{
			Request: r, LookingUp: r.Fetching || l.waiting[r.ID], fired: l.fired[r.ID],
			reference: made.Reference(), brief: made.Brief(),
		}
		if r.Answer != nil {
			row.project = l.view.Projects.Name(r.Answer.ProjectID)
			row.checks = l.tallied(row)
		}
		l.places[r.ID] = len(l.rows)
		l.rows = append(l.rows, row)
	}
	work := l.work()
	shown := l.Narrow()
	l.natural = 0
	l.Select(l.wanted)
	return effect.Batch(shown, work)
}

// MarkFired marks the rows of the requests on which a rule has fired, at the next
// Show, and reports whether that is worth one. The map must not be changed any more.
func (l *Ledger) MarkFired(requests map[string]bool) (changed bool) {
	changed = !maps.Equal(l.fired, requests)
	l.fired = requests
	return changed
}

// Len is the number of requests, those included that do not match the search.
func (l *Ledger) Len() int { return len(l.rows) }

// Find returns a request by its id.
func (l *Ledger) Find(id string) (Row, bool) {
	place, ok := l.places[id]
	if !ok {
		return Row{}, false
	}
	return l.rows[place], true
}

// State returns what is known of a request, in a word or two, and false if it
// is not in the ledger.
func (l *Ledger) State(id string) (string, bool) {
	r, ok := l.Find(id)
	if !ok {
		return "", false
	}
	return r.State(), true
}

// Selected returns the request of the cursor as it is now.
func (l *Ledger) Selected() (Row, bool) {
	id, ok := l.Table.CurrentKey()
	if !ok {
		return Row{}, false
	}
	r, ok := l.Find(id)
	if shown, _ := l.Table.Current(); ok {
		r.Found = shown.Found
	}
	return r, ok
}

// Select moves to a request, once it is there.
func (l *Ledger) Select(id string) {
	l.wanted = id
	if _, ok := l.Find(id); ok {
		l.Table.Select(id)
		l.wanted = ""
	}
}

// Shown returns the requests that match the search, as they stand.
func (l *Ledger) Shown() iter.Seq[Row] {
	return func(yield func(Row) bool) {
		for id := range l.Table.Rows() {
			if r, ok := l.Find(id); ok && !yield(r) {
				return
			}
		}
	}
}

// Remeasure lets the columns take their widths anew.
func (l *Ledger) Remeasure() {
	l.Table.Remeasure()
	l.natural = 0
}

func (l *Ledger) followed() (n int, next time.Time) {
	for _, r := range l.rows {
		if r.NextAt.IsZero() {
			continue
		}
		n++
		if next.IsZero() || r.NextAt.Before(next) {
			next = r.NextAt
		}
	}
	return n, next
}
