// Package ledger is the list of retirement requests that the person keeps: a
// table that is searched and sorted, and what is being looked up.
package ledger

import (
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"tonne/api/session"
	"tonne/model"
	"tonne/ui/effect"
	"tonne/ui/tab"
	"tonne/ui/table"
)

// Ledger is the list. New makes one.
type Ledger struct {
	// Table shows the requests that match the search.
	Table *table.Table[string, Row]
	view  *tab.View
	// rows are all requests, newest first.
	rows []Row
	// places are those of the rows, in the order of their ids.
	places []int32
	// Search narrows the list. Narrow is to be called after it was changed.
	Search tab.Entry
	// searched says that the list is narrowed.
	searched bool
	// index is of the requests as they were last; working says that a new one is
	// being made.
	index   *Index
	working bool
	// fresh are the requests that the index does not have yet.
	fresh []Row
	// journal is what the journal has of requests, by their ids.
	journal map[string]model.Journaled
	batch   batch
	// fired are the requests on which a rule has fired that the person has not
	// looked at.
	fired map[string]bool
	// Read returns the check of the text of a certificate, the zero value if it was
	// not made. It must not wait; nil reads none.
	Read func(Row) model.Check
	// Lost says that what this machine kept cannot be used: nobody knows what other
	// requests it has.
	Lost bool
	// wanted is the request to select once it is there.
	wanted string
	// needed is the width that the list as it is now needs.
	needed need
}

// New returns an empty list.
func New(v *tab.View) *Ledger {
	l := &Ledger{view: v, Search: tab.NewEntry(), index: &Index{}}
	l.Table = table.New[string](spec(v))
	l.Table.SelectColumn("id")
	return l
}

// Show shows requests, oldest first, and names projects anew. The requests
// must not be changed any more.
func (l *Ledger) Show(requests []*session.Request) effect.Effect {
	l.place(requests)
	l.rows = make([]Row, len(requests))
	for i, r := range requests {
		row := Row{Request: r, lookingUp: r.Fetching || l.batch.waiting[r.ID], reference: l.journal[r.ID].Reference(), brief: l.journal[r.ID].Brief(), fired: l.fired[r.ID]}
		if r.Answer != nil {
			row.project = l.view.Projects.Name(r.Answer.ProjectID)
			row.checks = l.tallied(row)
		}
		l.rows[len(requests)-1-i] = row
	}
	work := l.work()
	shown := l.Narrow()
	l.needed = need{}
	l.Select(l.wanted)
	return effect.Batch(shown, work)
}

// Annotate takes what the journal has of requests. It shows at the next Show.
func (l *Ledger) Annotate(journal map[string]model.Journaled) { l.journal = journal }

// MarkFired marks the rows of the requests on which a rule has fired, and of no
// others. It shows at the next Show, and reports whether that is worth one; the map
// must not be changed any more.
func (l *Ledger) MarkFired(requests map[string]bool) (changed bool) {
	changed = !maps.Equal(l.fired, requests)
	l.fired = requests
	return changed
}

// place finds the places of requests anew, unless they are as they were: of
// ten thousand, mostly one has changed.
func (l *Ledger) place(requests []*session.Request) {
	n := len(requests)
	same := len(l.rows) == n
	for i := 0; i < n && same; i++ {
		same = l.rows[n-1-i].ID == requests[i].ID
	}
	if same {
		return
	}
	l.places = make([]int32, n)
	for i := range l.places {
		l.places[i] = int32(i)
	}
	slices.SortFunc(l.places, func(a, b int32) int { return strings.Compare(requests[n-1-int(a)].ID, requests[n-1-int(b)].ID) })
}

// LookedUp counts what look-ups led to, and says it once the last of several
// that the person waits for is there.
func (l *Ledger) LookedUp(outcomes []session.Outcome) effect.Effect {
	var said effect.Effect
	for _, o := range outcomes {
		if text := l.batch.done(o.ID, o.Err); text != "" {
			said = effect.Say(text)
		}
	}
	return said
}

// Wait says that the person waits for a look-up. It shows at the next Show.
func (l *Ledger) Wait(id string) { l.batch.add(id) }

// Forget says that nobody waits for a request any more.
func (l *Ledger) Forget(id string) { l.batch.leave(id) }

// Len is the number of requests, those included that do not match the search.
func (l *Ledger) Len() int { return len(l.rows) }

// Find returns a request by its id.
func (l *Ledger) Find(id string) (Row, bool) {
	n, ok := slices.BinarySearchFunc(l.places, id, func(place int32, id string) int { return strings.Compare(l.rows[place].ID, id) })
	if !ok {
		return Row{}, false
	}
	return l.rows[l.places[n]], true
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
		r.found = shown.found
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

// Reverse sorts the other way round.
func (l *Ledger) Reverse() effect.Effect {
	if column, _ := l.Table.Sorting(); column != "" {
		l.Table.ToggleSort(column)
		return tab.Work(l.Table)
	}
	return effect.Say("Press s first: it sorts by the marked column.")
}

// Remeasure lets the columns take their widths anew.
func (l *Ledger) Remeasure() {
	l.Table.Remeasure()
	l.needed = need{}
}

// ClickTitle sorts by the column at a place of the table's first line.
func (l *Ledger) ClickTitle(x int) effect.Effect {
	if key, ok := l.Table.HitColumn(x); ok {
		l.Table.ToggleSort(key)
		return tab.Work(l.Table)
	}
	return nil
}

// ClickRow moves to the request in a line of the table, and reports whether
// there is one.
func (l *Ledger) ClickRow(y int) bool {
	position, ok := l.Table.HitRow(y)
	if ok {
		l.Table.MoveTo(position)
	}
	return ok
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
