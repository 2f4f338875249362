// Package retirement is the Retirements tab. It shows the local ledger of requests that were
// looked up and the details of the selected one, and opens the dialogs for certificates,
// evidence, statements, rules and observations. It looks nothing up itself: it calls a session
// and shows the session's events. Start reading at Tab in tab.go; the keys are in keys.go, the
// list is in package ledger and the details are in package details.
package retirement

import (
	"context"
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"tonne/api/audit"
	"tonne/api/audit/pdftext"
	"tonne/api/audit/reconcile"
	"tonne/api/session"
	"tonne/model"
	"tonne/model/alert"
	"tonne/model/retirement"
	"tonne/model/statement"
	"tonne/ui/effect"
	"tonne/ui/retirement/details"
	"tonne/ui/retirement/importer"
	"tonne/ui/retirement/ledger"
	"tonne/ui/tab"
)

// Session is the part of an api/session session that the tab uses. Results arrive as events.
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
	AddRule(a alert.Rule)
	RemoveRule(a alert.Rule)
	SeeAlerts(id int64, requestsAlone bool)
	Look(id string)
	See(seen retirement.Observation)
}

// Options configure a tab. The zero value is valid.
type Options struct {
	// Hints returns requests to add to the ledger, or nil if they are not known yet. It must
	// not block. If Hints is nil, nothing is added.
	Hints func() []session.Entry
	// CertificateDir is the directory for certificates. If it is empty, the tab prompts for it.
	CertificateDir string
	// Safe returns the host of a web address, or an error if the address must not be opened.
	// If Safe is nil, there are no links.
	Safe func(url string) (host string, err error)
	// WriteEvidence writes a file of audit evidence or an evidence pack. If it is nil, the keys
	// for evidence are disabled.
	WriteEvidence func(context.Context, audit.File) (audit.Written, error)
	// ReadCertificate reads the text of a saved certificate, see audit.ReadCertificate. If it is
	// nil, certificates are neither previewed nor compared.
	ReadCertificate func(ctx context.Context, path string) (pdftext.Content, error)
	// ReadStatementData reads the data of statements, without period and grouping. If it is nil, the key
	// for statements is disabled.
	ReadStatementData func(context.Context) (statement.Source, error)
	// Reconcile compares the user's own records with the ledger. If it is nil, files are only
	// read for ids.
	Reconcile func(context.Context, []reconcile.Record) (reconcile.Reconciliation, error)
	// Account is the owner of statements.
	Account statement.Account
	// Who is the name of the user, or "" if it is unknown.
	Who string
}

// Tab is the Retirements tab.
type Tab struct {
	view    *tab.View
	session Session
	o       Options

	panes        panes
	certificates *certificates
	texts        textChecks
	// stopReading cancels reading the certificate of the preview.
	stopReading context.CancelFunc
	storage     storage
	entries     entries
	rules       rules
	// annotations are the local notes on requests, nil before they are loaded.
	annotations *session.AnnotationsEvent
	visit       visit
	// verifiedFile is the request whose certificate file was verified last.
	verifiedFile string
	// active is whether the tab is shown, badge whether a request changed its state since then.
	active, badge bool
}

// New returns the tab.
func New(v *tab.View, s Session, o Options) *Tab {
	list := ledger.New(v)
	t := &Tab{
		view: v, session: s, o: o, entries: entries{ledger: list}, rules: rules{ledger: list},
		stopReading: func() {},
		certificates: &certificates{session: s, downloads: make(map[string]string), directory: o.CertificateDir,
			chosen: o.CertificateDir != ""},
		texts: textChecks{read: o.ReadCertificate, done: make(map[textSubject]retirement.Check)},
	}
	list.Read = t.texts.of
	var room func() int
	if v.Shared {
		room = t.entries.room
	}
	t.panes = panes{view: v, ledger: list, details: details.New(v, o.Safe), importer: importer.New(v, room, list.State)}
	if o.Reconcile != nil {
		t.panes.importer.Compare = t.reconcile
	}
	return t
}

// Info returns the title, status and badge of the tab.
func (t *Tab) Info() tab.Info {
	p := &t.panes
	info := tab.Info{Title: "Retirements", Status: p.ledger.Status(p.split.width >= roomy), Health: p.ledger.Health(),
		Typing: p.typing()}
	if p.focused {
		info.Close = effect.Do(p.leaveDetails)
	}
	if n := len(t.rules.unseen); n > 0 {
		info.Badge = tab.NewsBadge(n)
	} else if t.badge {
		info.Badge = "•"
	}
	if _, ok := p.ledger.Selected(); ok {
		info.Of = "request"
	}
	return info
}

// Layout draws the tab.
func (t *Tab) Layout(width, height int) { t.panes.layout(width, height, t.storage.problem) }

// Render returns the frame of the last Layout and the position of the cursor.
func (t *Tab) Render() (string, *tea.Cursor) { return t.panes.frame, t.panes.cursor }

// Input handles mouse events, pastes and typed text.
func (t *Tab) Input(msg tea.Msg) effect.Effect {
	p := &t.panes
	switch msg := msg.(type) {
	case tab.Click:
		return t.click(msg.X, msg.Y)
	case tab.Wheel:
		if msg.Y < p.split.top && msg.X < p.split.left {
			p.ledger.Table.Scroll(msg.Lines)
			return t.refreshed(nil)
		}
		p.details.Scroll(msg.Lines)
		return nil
	case tea.PasteMsg:
		if !p.typing() {
			return p.importer.Paste(msg.Content)
		}
	}
	switch {
	case p.ledger.Search.Focused():
		e := search(&p.ledger.Search, msg)
		return t.refreshed(effect.Batch(p.ledger.Narrow(), e))
	case p.details.Search.Focused():
		e := search(&p.details.Search, msg)
		p.details.Build()
		return e
	}
	return p.importer.Type(msg)
}

func (t *Tab) click(x, y int) effect.Effect {
	p := &t.panes
	switch {
	case y >= p.split.top || x >= p.split.left:
		p.focused = true
		p.details.Click(y - p.split.above)
		return nil
	case y < p.split.input:
		return t.refreshed(p.startInput(""))
	}
	selected, sorting := tab.ClickTable(p.ledger.Table, x, y-p.split.input)
	if !selected {
		return sorting
	}
	p.leaveDetails()
	return t.moved()
}

// Handle processes messages of the app and events of the session.
func (t *Tab) Handle(msg any) effect.Effect {
	switch msg := msg.(type) {
	case tab.Started:
		t.session.OpenLedger()
		return t.certificates.findDirectory(t.view.Files)
	case tab.Shown:
		return t.enter()
	case tab.Hidden:
		t.active, t.verifiedFile, t.rules.marked = false, "", nil
		t.stopReading()
		t.panes.blur()
	case tab.UnitChanged:
		t.panes.ledger.Remeasure()
		t.panes.details.Remeasure()
	case tab.Arranged:
		return t.refreshed(msg.Apply())
	case *ledger.Index:
		return t.refreshed(t.panes.ledger.Take(msg))
	case importer.Found:
		return t.add(msg)
	default:
		return t.receive(msg)
	}
	return nil
}

// enter reloads the ledger, because another process may have changed it.
func (t *Tab) enter() effect.Effect {
	t.active, t.badge = true, false
	t.session.OpenLedger()
	t.takeHints()
	var said effect.Effect
	if len(t.rules.unseen) > 0 {
		said = effect.Say(t.rules.say(t.rules.unseen))
		t.seeRules()
	}
	return t.refreshed(effect.Batch(said, t.markRules(), t.storage.warn()))
}

func (t *Tab) takeHints() {
	if t.o.Hints == nil {
		return
	}
	if hints := t.o.Hints(); len(hints) > 0 {
		t.o.Hints = nil
		t.session.Add(t.entries.missing(hints)...)
	}
}

func (t *Tab) receive(e session.Event) effect.Effect {
	switch e := e.(type) {
	case session.LedgerEvent:
		t.entries.receive(e.Requests)
		t.badge = t.badge || !t.active && slices.ContainsFunc(e.Requests, (*session.Request).Changed)
		return effect.Batch(t.panes.ledger.LookedUp(e.Answered), t.show(), t.announce(e.Changed), unread(e.Err))
	case session.AnnotationsEvent:
		t.annotations = &e
		t.panes.ledger.Journal = e.Journal
		return t.show()
	case session.StoreEvent:
		warning := t.storage.receive(e, t.active)
		if e.Problem == nil {
			return warning
		}
		t.panes.ledger.Lost = true
		return t.refreshed(effect.Batch(warning, t.panes.ledger.Tally()))
	case session.WatchlistEvent:
		t.rules.set = e.Rules
	case session.AlertsEvent:
		fired := t.rules.fired(e)
		t.rules.take(e, t.active)
		if t.active {
			// The user sees rules that fire while the tab is shown.
			t.seeRules()
		}
		return effect.Batch(fired, t.markRules())
	case session.VerifiedEvent:
		if r, there := t.panes.ledger.Find(e.ID); there {
			return t.refreshed(t.certificates.verified(e, r.Certificate.SHA256))
		}
	case session.CertificateEvent:
		return t.refreshed(t.certificates.saved(e))
	case session.ProjectsEvent:
		return t.show()
	case session.PortfolioEvent:
		return t.refreshed(t.panes.ledger.Reprice())
	case session.MarketEvent:
		// The demo creates its data in the background; it may be ready now.
		if t.active {
			t.takeHints()
		}
	}
	return nil
}

func (t *Tab) announce(changed []session.Change) effect.Effect {
	if len(changed) == 0 {
		return nil
	}
	t.badge = !t.active
	r, there := t.panes.ledger.Find(changed[0].ID)
	if !there {
		return nil
	}
	text := fmt.Sprintf("Retirement %s is %s.", r.Name(), changed[0].Is.Words())
	if more := len(changed) - 1; more > 0 {
		text += fmt.Sprintf(" %s changed too.", model.Count(more, "other", "others"))
	}
	return effect.Notify{Text: text}
}

func (t *Tab) markRules() effect.Effect {
	if !t.panes.ledger.MarkFired(t.rules.marked) {
		return nil
	}
	return t.show()
}

func (t *Tab) seeRules() {
	if len(t.rules.unseen) > 0 {
		t.session.SeeAlerts(t.rules.unseen[0].ID, true)
		t.rules.unseen = nil
	}
}

func (t *Tab) show() effect.Effect {
	return effect.Batch(t.refreshed(t.panes.ledger.Show(t.entries.requests())), t.readOn())
}

func (t *Tab) refreshed(e effect.Effect) effect.Effect {
	p := &t.panes
	r, ok := p.ledger.Selected()
	if !ok {
		p.details.ShowBatch(p.ledger.BatchLines(), p.ledger.Len())
		return e
	}
	p.details.Show(&details.Subject{
		Row: r, Download: t.certificates.downloads[r.ID], Findings: p.ledger.Findings(r), Annotations: t.annotations,
		Was: t.visit.was(r),
	}, p.ledger.Len())
	if !t.active {
		return e
	}
	if t.verifiedFile != r.ID {
		t.verifiedFile = r.ID
		t.session.CheckCertificateFile(r.ID)
	}
	return effect.Batch(e, t.readText(r))
}

func (t *Tab) moved() effect.Effect {
	r, ok := t.panes.ledger.Selected()
	if ok && (r.ID != t.visit.id || r.Changed()) {
		t.visit = visit{id: r.ID}
		if r.Changed() {
			t.visit.before = r.Looked
			t.session.Look(r.ID)
		}
	}
	return t.refreshed(nil)
}

// visit is the request that the user is viewing, and its state when they last viewed it.
type visit struct {
	id     string
	before retirement.Status
}

func (v visit) was(r ledger.Row) retirement.Status {
	switch {
	case r.Changed():
		return r.Looked
	case r.ID == v.id && r.Answer != nil && r.Answer.Status != v.before:
		return v.before
	}
	return ""
}

// Expire returns when the status text changes next.
func (t *Tab) Expire(now time.Time) (time.Time, bool) {
	if !t.active {
		return time.Time{}, false
	}
	return t.panes.ledger.Expire(now)
}
