package uitest

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode"

	"tonne/api/session"
	"tonne/model/retirement"
)

// Ledger is the ledger of a Feed. It executes requests immediately, but makes no
// look-ups by itself.
type Ledger struct {
	requests []*session.Request
	changed  []session.Change
	answered []session.Outcome
	news     []session.Event
}

// Requests returns the requests of the ledger, oldest first.
func (l *Ledger) Requests() []*session.Request { return l.requests }

// News returns the pending events, and removes them.
func (l *Ledger) News() []session.Event {
	due := l.news
	l.news, l.changed, l.answered = nil, nil, nil
	return due
}

// Tell adds a pending event.
func (l *Ledger) Tell(e session.Event) { l.news = append(l.news, e) }

// Change changes a request, if the ledger has it.
func (l *Ledger) Change(id string, change func(*session.Request)) {
	l.requests = slices.Clone(l.requests)
	for i, r := range l.requests {
		if r.ID == id {
			next := *r
			change(&next)
			l.requests[i] = &next
		}
	}
	l.tell()
}

// Answer is the outcome of a look-up, or a look-up in progress.
type Answer struct {
	ID         string
	Fetching   bool
	Retirement *retirement.Request
	At         time.Time
	Err        error
	NextAt     time.Time
}

// Answer records the outcome of a look-up, or a look-up in progress.
func (l *Ledger) Answer(news Answer) {
	l.Change(news.ID, func(r *session.Request) {
		was := r.Answer
		r.Fetching, r.NextAt = news.Fetching, news.NextAt
		if news.Retirement != nil {
			r.Answer, r.AnsweredAt = news.Retirement, news.At
			r.Looked = cmp.Or(r.Looked, r.Answer.Status)
		}
		if news.Fetching {
			return
		}
		r.Err = news.Err
		l.answered = append(l.answered, session.Outcome{ID: r.ID, Err: r.Err})
		if was != nil && was.Status != r.Answer.Status {
			l.changed = append(l.changed, session.Change{ID: r.ID, Was: was.Status, Is: r.Answer.Status})
		}
	})
}

func (l *Ledger) tell() {
	l.news = slices.DeleteFunc(l.news, func(e session.Event) bool {
		_, older := e.(session.LedgerEvent)
		return older
	})
	l.Tell(session.LedgerEvent{Requests: l.requests, Changed: l.changed, Answered: l.answered})
}

func (l *Ledger) add(entries []session.Entry) {
	l.requests = slices.Clip(l.requests)
	for _, e := range slices.Backward(entries) {
		if !l.has(e.ID) {
			l.requests = append(l.requests, &session.Request{ID: e.ID, Label: plain(e.Label), FirstSeen: Now})
		}
	}
	l.tell()
}

func (l *Ledger) has(id string) bool {
	return slices.ContainsFunc(l.requests, func(r *session.Request) bool { return r.ID == id })
}

func (l *Ledger) remove(ids []string) {
	l.requests = slices.DeleteFunc(slices.Clone(l.requests),
		func(r *session.Request) bool { return slices.Contains(ids, r.ID) })
	l.tell()
}

func (l *Ledger) restore(removed []*session.Request) {
	for _, r := range removed {
		if !l.has(r.ID) {
			back := *r
			back.Fetching, back.NextAt = false, time.Time{}
			l.requests = append(slices.Clip(l.requests), &back)
		}
	}
	l.tell()
}

// OpenLedger records the request.
func (f *Feed) OpenLedger() {
	f.note("open ledger")
	f.tell()
}

// Add notes the ids and the labels.
func (f *Feed) Add(entries ...session.Entry) {
	for _, e := range entries {
		f.note("%s", strings.TrimSpace("add "+e.ID+" "+e.Label))
	}
	f.add(entries)
}

// SetLabel notes the id and the label.
func (f *Feed) SetLabel(id, label string) {
	f.note("label %s %s", id, label)
	f.Change(id, func(r *session.Request) { r.Label = plain(label) })
}

func plain(label string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsGraphic(r) {
			return r
		}
		return -1
	}, label)
}

// Remove notes the ids.
func (f *Feed) Remove(ids ...string) {
	f.note("remove %s", strings.Join(ids, " "))
	f.remove(ids)
}

// Restore notes the ids.
func (f *Feed) Restore(removed ...*session.Request) {
	for _, r := range removed {
		f.note("restore %s", r.ID)
	}
	f.restore(removed)
}

// VerifyCertificate notes the id.
func (f *Feed) VerifyCertificate(id string) { f.note("verify %s", id) }

// CheckCertificateFile records the ids in Proved, because it is called whenever a
// request is shown.
func (f *Feed) CheckCertificateFile(ids ...string) { f.Proved = append(f.Proved, ids...) }

// Look notes the id.
func (f *Feed) Look(id string) {
	f.note("look at %s", id)
	f.Change(id, func(r *session.Request) { r.Looked = r.Answer.Status })
}

// See records an observation, and sends it as an event.
func (f *Feed) See(seen retirement.Observation) {
	f.note("seen %s by %s at %s", seen.Subject, seen.Who, seen.URL)
	f.Told.Observations = append(f.Told.Observations, seen)
	f.Ledger.Tell(f.Told)
}
