// Package retirement is the Retirements tab: the ledger of requests that were
// looked up, and the details of the selected one.
package retirement

import (
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"tonne/api/feed"
	"tonne/ui/paint"
	"tonne/ui/table"
	"tonne/ui/view"
)

// Feed is what the tab asks of the feed.
type Feed interface {
	LookUp(id string)
	Follow(id string, since time.Time)
	Unfollow(id string)
	SaveCertificate(id, url, dir string)
}

// Hint is a request that is offered to somebody who has none.
type Hint struct{ ID, Label string }

// Options say what the tab begins with.
type Options struct {
	// Origin names the service in the store.
	Origin string
	// Hints returns what is offered, or nil while that is not known yet. It
	// must not wait. Nil offers nothing.
	Hints func() []Hint
	// CertificateDir is where certificates are saved.
	CertificateDir string
	// Safe returns the host that an address from data leads to, or why it is
	// not opened. Nil links to nothing.
	Safe func(url string) (host string, err error)
}

// Tab is the Retirements tab.
type Tab struct {
	view   *view.View
	feed   Feed
	o      Options
	ledger ledger
	table  *table.Table[string, *entry]
	// input takes ids, search narrows the ledger or the serial numbers.
	input  view.Entry
	search search
	// doc is the details of the selected request; focused says that keys walk
	// them.
	doc     *document
	focused bool
	shown   string
	changed bool
	active  bool
	split   split
}

// New returns the tab.
func New(v *view.View, f Feed, o Options) *Tab {
	t := &Tab{view: v, feed: f, o: o, input: view.NewEntry(), search: newSearch()}
	t.table = table.New[string](spec(v))
	t.rebuild()
	return t
}

// Title is the tab's name.
func (t *Tab) Title() string { return "Retirements" }

// Badge says that a request reached another state while nobody looked.
func (t *Tab) Badge() string {
	if t.changed {
		return "•"
	}
	return ""
}

// Enter looks up what the demo offers, once, so that there is something to
// see.
func (t *Tab) Enter() tea.Cmd {
	t.active, t.changed = true, false
	t.takeHints()
	t.rebuild()
	return nil
}

func (t *Tab) takeHints() {
	if t.o.Hints == nil {
		return
	}
	hints := t.o.Hints()
	for _, h := range hints {
		if t.ledger.find(h.ID) == nil {
			e := &entry{id: h.ID, label: h.Label}
			t.ledger = append(t.ledger, e)
			t.lookUp(e)
		}
	}
	if len(hints) > 0 {
		t.o.Hints = nil
	}
}

// Leave ends typing.
func (t *Tab) Leave() {
	t.active = false
	t.input.Blur()
	t.search.entry.Blur()
}

// Health is the state of the market feed: look-ups tell of their own.
func (t *Tab) Health() feed.Status { return t.view.Market.Status }

// lookUp asks the service for a request and follows it while it may change.
func (t *Tab) lookUp(e *entry) {
	if e.first.IsZero() {
		e.first = t.view.Now()
	}
	e.fetching = true
	t.feed.LookUp(e.id)
}

// add puts ids into the ledger, newest first, and looks them up.
func (t *Tab) add(ids []string) tea.Cmd {
	if len(ids) == 0 {
		return nil
	}
	for i := len(ids) - 1; i >= 0; i-- {
		e := t.ledger.find(ids[i])
		if e == nil {
			e = &entry{id: ids[i]}
			t.ledger = append(ledger{e}, t.ledger...)
		}
		t.lookUp(e)
	}
	t.rebuild()
	t.table.Select(ids[0])
	t.refresh()
	if len(ids) > 1 {
		return view.Say(fmt.Sprintf("Looking up %d requests.", len(ids)))
	}
	return nil
}

// Receive takes answers, and names that the details show.
func (t *Tab) Receive(e feed.Event) tea.Cmd {
	switch e := e.(type) {
	case feed.RetirementEvent:
		return t.answered(e)
	case feed.CertificateEvent:
		return t.saved(e)
	case feed.ProjectsEvent, feed.MarketEvent:
		t.refresh()
	}
	return nil
}

func (t *Tab) answered(e feed.RetirementEvent) tea.Cmd {
	known := t.ledger.find(e.ID)
	if known == nil {
		return nil
	}
	next := *known
	next.fetching, next.err, next.nextAt = e.Fetching, e.Err, e.NextAt
	if e.Retirement != nil {
		next.answer, next.at = e.Retirement, e.At
	}
	t.replace(&next)
	if !e.Fetching && next.pending() && e.NextAt.IsZero() && e.Err == nil {
		t.feed.Follow(next.id, next.first)
	}
	t.rebuild()
	if known.answer == nil || next.answer == nil || known.answer.Status == next.answer.Status {
		return nil
	}
	t.changed = !t.active
	return view.Send(view.Notify{Text: fmt.Sprintf("Retirement %s is %s.", next.name(), stateName(next.answer.Status))})
}

// name is the label of a request, or its id.
func (e *entry) name() string {
	if e.label != "" {
		return e.label
	}
	return e.id
}

// replace puts another state of an entry in its place. Entries are not
// changed while the table may read them.
func (t *Tab) replace(e *entry) {
	list := make(ledger, len(t.ledger))
	for i, old := range t.ledger {
		list[i] = old
		if old.id == e.id {
			list[i] = e
		}
	}
	t.ledger = list
}

func (t *Tab) rebuild() {
	t.table.SetSource(append(ledger(nil), t.ledger...))
	t.refresh()
}

// refresh makes the details of the selected request.
func (t *Tab) refresh() {
	e, ok := t.table.Current()
	if !ok {
		e = nil
	}
	next := t.details(e)
	if t.doc != nil && e != nil && e.id == t.shown {
		next.keepPlace(t.doc)
	} else {
		next.keepPlace(&document{})
	}
	t.doc, t.shown = next, ""
	if e != nil {
		t.shown = e.id
	}
}

// selected returns the answer of the selected request.
func (t *Tab) selected() (*entry, bool) {
	e, ok := t.table.Current()
	return e, ok
}

// Expire has nothing to end.
func (t *Tab) Expire(time.Time) (time.Time, bool) { return time.Time{}, false }

// Status counts the requests.
func (t *Tab) Status() string {
	if len(t.ledger) == 0 {
		return ""
	}
	waiting := 0
	for _, e := range t.ledger {
		if e.pending() {
			waiting++
		}
	}
	status := view.Count(len(t.ledger), "request", "requests")
	if waiting > 0 {
		status += fmt.Sprintf(" · %d followed", waiting)
	}
	return status
}

// stale reports whether the details are older than they should be.
func stale(e *entry) bool { return e != nil && e.answer != nil && e.err != nil }

// draw draws the details beside or below the ledger.
func (t *Tab) drawDetails(width, height int) string {
	e, _ := t.selected()
	return t.doc.render(t.view.Theme, width, height, t.focused, stale(e))
}

// drawLedger draws the input line and the requests.
func (t *Tab) drawLedger(width, height int) (string, *tea.Cursor) {
	block := paint.NewBlock(t.view.Theme, width, height)
	cursor := t.drawInput(block)
	if len(t.ledger) == 0 {
		block.Blank(1)
		block.Put(paint.Muted, " The ledger is empty.")
		return block.String(), cursor
	}
	t.table.Render(block, block.Room(), table.Frame[string]{Focused: !t.focused})
	return block.String(), cursor
}
