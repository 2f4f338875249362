// Package retirement is the Retirements tab: the ledger of requests that were
// looked up, and the details of the selected one.
package retirement

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"tonne/api/audit"
	"tonne/api/session"
	"tonne/model"
	"tonne/model/spreadsheet"
	"tonne/model/store"
	"tonne/ui/effect"
	"tonne/ui/retirement/details"
	"tonne/ui/retirement/importer"
	"tonne/ui/retirement/ledger"
	"tonne/ui/tab"
)

// Session is what the tab asks of the session. What that leads to comes in
// events.
type Session interface {
	OpenLedger()
	Add(entries ...session.Entry)
	SetLabel(id, label string)
	Remove(ids ...string)
	Restore(removed ...*session.Request)
	LookUp(id string)
	SaveCertificate(id, url, dir string)
	VerifyCertificate(id string)
	CheckCertificateFile(ids ...string)
	AddRequestRule(a store.RequestAlert)
	SeeRequestAlerts(id int64)
	Look(id string)
	See(seen model.RegistryObservation)
	Tell(facts ...model.BuyerFact)
}

// Options say what the tab begins with.
type Options struct {
	// Hints returns requests that are offered, or nil while they are not known
	// yet. It must not wait. Nil offers nothing.
	Hints func() []session.Entry
	// CertificateDir is where certificates are saved. If it is empty the
	// person is asked.
	CertificateDir string
	// Safe returns the host that an address from data leads to, or why it is
	// not opened. Nil links to nothing.
	Safe func(url string) (host string, err error)
	// WriteEvidence writes audit evidence to a file, or an evidence pack. Nil
	// writes none.
	WriteEvidence func(context.Context, audit.File) (audit.Written, error)
	// CheckEvidence reads the certificates that were saved, and returns what
	// speaks against requests. Nil reads none.
	CheckEvidence func(context.Context, []audit.Request) []audit.FailedCheck
	// ReadCertificate reads the text of a certificate that was saved, as far as
	// it can be read. Nil reads none.
	ReadCertificate func(ctx context.Context, path string) audit.CertificateText
	// ReadBooks reads all that statements are made of, but for their time and
	// grouping. Nil makes no statements.
	ReadBooks func(context.Context) (model.StatementSource, error)
	// SaveBook writes a workbook to a new file; where one is there already, the
	// error is fs.ErrExist. Nil writes none.
	SaveBook func(path string, book spreadsheet.Workbook) error
	// Who is the person at the terminal, as they call themselves; empty where
	// nobody knows.
	Who string
}

// Tab is the Retirements tab.
type Tab struct {
	view    *tab.View
	session Session
	o       Options

	ledger            *ledger.Ledger
	details           *details.Pane
	importer          *importer.Importer
	certificates      *certificates
	certificateChecks certificateChecks
	viewer            viewer
	memory            memory
	edits             edits
	rules             rules
	// told is what people and this machine know of requests; nil while nothing
	// is.
	told *session.AnnotationsEvent
	// left are the lines of the last import in which there was no id.
	left leftOut
	// looked is the request that is looked at, and what it was before.
	looked looked
	// verifiedFile is the request whose file was looked at when it came to be shown.
	verifiedFile string
	// focused says that keys walk the details.
	focused bool
	// active says that the tab is shown, badge that a request reached another
	// state since somebody looked at it, and that the tab was not shown since.
	active, badge bool
	// frame is what was drawn last, cursor where the text cursor stands in it.
	frame  string
	cursor *tea.Cursor
	// split is how the last frame was divided.
	split split
}

// New returns the tab. Start opens its ledger.
func New(v *tab.View, s Session, o Options) *Tab {
	list := ledger.New(v)
	t := &Tab{
		view: v, session: s, o: o, ledger: list, details: details.New(v, o.Safe),
		certificates: newCertificates(s, o.CertificateDir), certificateChecks: certificateChecks{read: o.ReadCertificate, done: make(map[string]certificateCheck)},
	}
	list.Read = t.certificateChecks.of
	room := t.room
	if !v.Shared {
		room = nil
	}
	t.importer = importer.New(room, list.State)
	return t
}

// Badge counts the rules on requests that fired while nobody looked, or says that
// a request reached another state.
func (t *Tab) Badge() string {
	if n := len(t.rules.unseen); n > 0 {
		return tab.NewsBadge(n)
	}
	if t.badge {
		return "•"
	}
	return ""
}

// Start opens the ledger, whichever tab is shown: what may still change is
// followed.
func (t *Tab) Start() effect.Effect {
	t.session.OpenLedger()
	return t.thenRefresh(t.certificates.findDirectory())
}

// Enter takes over what another process has changed in the ledger, and adds
// what is offered, once.
func (t *Tab) Enter() effect.Effect {
	t.active, t.badge = true, false
	t.session.OpenLedger()
	t.takeHints()
	return t.thenRefresh(effect.Batch(t.lookAtRules(), t.markRules(), t.memory.tell()))
}

func (t *Tab) takeHints() {
	if t.o.Hints == nil {
		return
	}
	if hints := t.o.Hints(); len(hints) > 0 {
		t.o.Hints = nil
		t.session.Add(t.missing(hints)...)
	}
}

// Leave ends typing, and the reading of a certificate.
func (t *Tab) Leave() {
	t.active, t.verifiedFile, t.rules.marked = false, "", nil
	t.viewer.stop()
	for _, line := range t.lines() {
		line.Blur()
	}
}

// Receive takes the ledger, and names that it and the details show.
func (t *Tab) Receive(e session.Event) effect.Effect {
	switch e := e.(type) {
	case session.LedgerEvent:
		t.edits.told(e.Requests)
		t.badge = t.badge || !t.active && slices.ContainsFunc(e.Requests, (*session.Request).Changed)
		return effect.Batch(t.ledger.LookedUp(e.Answered), t.show(), t.announce(e.Changed), unread(e.Err))
	case session.AnnotationsEvent:
		t.told = &e
		t.ledger.Told(e.Journal)
		return t.show()
	case session.StoreEvent:
		told := t.memory.receive(e, t.active)
		if e.Problem == nil {
			return told
		}
		t.ledger.Lost = true
		return t.thenRefresh(effect.Batch(told, t.ledger.Tally()))
	case session.WatchlistEvent:
		t.rules.set = e.Requests
	case session.RequestsFiredEvent:
		return t.fired(e)
	case session.HistoryEvent:
		return t.history(e)
	case session.VerifiedEvent:
		return t.verified(e)
	case session.CertificateEvent:
		return t.thenRefresh(t.certificates.saved(e))
	case session.ProjectsEvent:
		return t.show()
	case session.MarketEvent:
		// The demo's data may have been made meanwhile.
		if t.active {
			t.takeHints()
		}
	}
	return nil
}

func (t *Tab) result(result any) effect.Effect {
	switch result := result.(type) {
	case tab.Arranged:
		return t.thenRefresh(result.Apply())
	case *ledger.Index:
		return t.thenRefresh(t.ledger.Take(result))
	case seenRead:
		return t.see(result)
	case confirmed:
		return t.confirm(result)
	case directoryFound:
		t.certificates.suggest(result)
	case directoryTyped:
		return t.saveIn(result)
	case certificateCheck:
		t.certificateChecks.take(result)
		return effect.Batch(t.thenRefresh(t.ledger.Tally()), t.readOn())
	case evidenceChecked:
		t.checkedEvidence(result)
	case fileTaken:
		return result.askAgain()
	case importer.Path:
		return t.importer.ReadFile(result)
	case importer.Read:
		return t.addFound(t.importer.Take(result))
	case importer.Found:
		return t.add(result)
	case ruleTyped:
		return t.addRule(result)
	case labelTyped:
		t.session.SetLabel(result.id, result.label)
	case effect.Toggled:
		t.ledger.ShowColumn(result)
	}
	return nil
}

func (t *Tab) show() effect.Effect {
	return effect.Batch(t.thenRefresh(t.ledger.Show(t.edits.requests())), t.readOn())
}

// readOn reads the next certificate that was saved, while somebody looks: a row
// shows what is wrong with it before the cursor comes to it.
func (t *Tab) readOn() effect.Effect {
	if !t.active || t.certificateChecks.busy {
		return nil
	}
	for r := range t.ledger.Shown() {
		if e := t.certificateChecks.start(r); e != nil {
			return e
		}
	}
	return nil
}

func (t *Tab) thenRefresh(e effect.Effect) effect.Effect {
	r, ok := t.ledger.Selected()
	if !ok {
		t.details.Show(nil, t.ledger.Len())
		return e
	}
	t.details.Show(&details.Subject{
		Row: r, Download: t.certificates.progress(r.ID), Findings: t.ledger.Findings(r),
		Told: t.told, Was: t.looked.was(r),
	}, t.ledger.Len())
	if !t.active {
		return e
	}
	if t.verifiedFile != r.ID {
		t.verifiedFile = r.ID
		t.session.CheckCertificateFile(r.ID)
	}
	return effect.Batch(e, t.certificateChecks.start(r))
}

// Remeasure writes the details and lets the columns take their widths anew:
// quantities are written in another unit.
func (t *Tab) Remeasure() {
	t.ledger.Remeasure()
	t.details.Remeasure()
}

// Health is the state of the selected request, or of the market's feed if none
// is selected.
func (t *Tab) Health() session.Status { return t.ledger.Health() }

// Expire returns when the status reads differently by itself.
func (t *Tab) Expire(now time.Time) (time.Time, bool) {
	if !t.active {
		return time.Time{}, false
	}
	return t.ledger.Expire(now)
}

// Status counts the requests, and says when the next of them is looked up.
func (t *Tab) Status() string { return t.ledger.Status(t.split.width >= roomy) }
