// Package ledger is the list of the Retirements tab: a table of the requests in the local
// ledger that can be searched and sorted, with the progress of look-ups and the results of
// checks. It stores nothing and looks nothing up; the tab passes in the requests of the
// session. Start reading at Ledger in ledger.go.
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

// Ledger is the list. Use New to create one.
type Ledger struct {
	batch
	// Table shows the requests that match the search.
	Table *table.Table[string, Row]
	view  *tab.View
	// rows are all requests, newest first. places maps their ids to positions in rows.
	rows    []Row
	places  map[string]int
	pricing pricing
	// Search is the search field. Call Narrow after changing it.
	Search   tab.Entry
	searched bool
	// matched are the requests that match the search, whole is whether there is no search.
	matched []Row
	whole   bool
	// open are the batches that are open.
	open map[string]bool
	// Invalid is why a condition of the search is invalid, or "".
	Invalid string
	// index is the last computed index; working is whether a new one is being computed.
	index   *Index
	working bool
	// Journal has the journal entries of requests by request id. Changes take effect at the
	// next Show.
	Journal map[string]retirement.Journaled
	// fired are the requests with alerts that the user has not seen.
	fired map[string]bool
	// Read returns the check of the text of a certificate, or the zero value if there is none
	// yet. It must not block. If Read is nil, there is no such check.
	Read func(Row) retirement.Check
	// Lost is whether the stored ledger is unusable, so that other requests may be missing.
	Lost bool
	// wanted is the id of the request to select as soon as it is in the list.
	wanted string
	// natural is the width of the uncut list, 0 if it is not measured.
	natural int
}

// New returns an empty list.
func New(v *tab.View) *Ledger {
	l := &Ledger{view: v, Search: tab.NewEntry(), index: newIndex(nil, nil)}
	l.Table = table.New[string](spec(v))
	l.Table.SelectColumn("id")
	return l
}

// Show replaces the requests, given oldest first, and refreshes the names of projects. The
// caller must not change the requests afterwards.
func (l *Ledger) Show(requests []*session.Request) effect.Effect {
	l.rows, l.places = make([]Row, 0, len(requests)), make(map[string]int, len(requests))
	project := l.view.Projects.ByVintage()
	for _, r := range slices.Backward(requests) {
		made := l.Journal[r.ID]
		row := Row{
			Request: r, LookingUp: r.Fetching || l.waiting[r.ID], fired: l.fired[r.ID],
			reference: made.Reference(), brief: made.Brief(), batch: made.Batch,
		}
		if r.Answer == nil {
			row.planned = made.Plan(project)
		}
		row.project = l.view.Projects.Name(row.answer().ProjectID)
		if r.Answer != nil {
			row.checks = l.tallied(row)
		}
		l.places[r.ID] = len(l.rows)
		l.rows = append(l.rows, row)
	}
	l.price()
	work := l.work()
	shown := l.Narrow()
	l.natural = 0
	l.Select(l.wanted)
	return effect.Batch(shown, work)
}

// MarkFired sets the ids of the requests with unseen alerts. The marks appear at the next Show.
// It reports whether the set changed. The caller must not change the map afterwards.
func (l *Ledger) MarkFired(requests map[string]bool) (changed bool) {
	changed = !maps.Equal(l.fired, requests)
	l.fired = requests
	return changed
}

// Len returns the number of requests, including those that do not match the search.
func (l *Ledger) Len() int { return len(l.rows) }

// Find returns a request by its id.
func (l *Ledger) Find(id string) (Row, bool) {
	place, ok := l.places[id]
	if !ok {
		return Row{}, false
	}
	return l.rows[place], true
}

// State returns the state of a request in a word or two. It returns false if the request is not
// in the ledger.
func (l *Ledger) State(id string) (string, bool) {
	r, ok := l.Find(id)
	if !ok {
		return "", false
	}
	return r.State(), true
}

// Selected returns the selected request with its latest values.
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

// Select moves the cursor to a request, now or as soon as it is in the list.
func (l *Ledger) Select(id string) {
	l.wanted = id
	r, ok := l.Find(id)
	if !ok {
		return
	}
	if l.wanted = ""; !l.Table.Select(id) && r.batch != "" {
		l.openBatch(r.batch, true)
		l.Table.Select(id)
	}
}

// Shown returns the requests that match the search, in their order on the screen, also those
// of closed batches.
func (l *Ledger) Shown() iter.Seq[Row] {
	return func(yield func(Row) bool) {
		for id, shown := range l.Table.Rows() {
			if r, ok := l.Find(id); ok && !yield(r) {
				return
			}
			if shown.group == nil || shown.group.open {
				continue
			}
			for _, m := range shown.group.members {
				if !yield(m) {
					return
				}
			}
		}
	}
}

// Remeasure computes the widths of the columns again.
func (l *Ledger) Remeasure() {
	l.Table.Remeasure()
	l.natural = 0
}

func (l *Ledger) tracked() (n int, next time.Time) {
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
