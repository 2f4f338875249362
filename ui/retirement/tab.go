// Package retirement is the Retirements tab: the ledger of requests that were
// looked up, and the details of the selected one.
package retirement

import (
	"context"
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"tonne/api/audit"
	"tonne/api/audit/pdftext"
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

// Session is what the tab asks of the session. The results come in events.
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
	SeeAlerts(id int64, requestsAlone bool)
	Look(id string)
	See(seen retirement.Observation)
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
	// ReadCertificate reads the text of a certificate that was saved, as
	// audit.ReadCertificate does. Nil reads none.
	ReadCertificate func(ctx context.Context, path string) (pdftext.Content, error)
	// ReadBooks reads all that statements are made of, but for their time and
	// grouping. Nil makes no statements.
	ReadBooks func(context.Context) (statement.Source, error)
	// Who is the person at the terminal, as they call themselves; empty where
	// nobody knows.
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
	// stopReading ends the reading of the certificate that is shown.
	stopReading context.CancelFunc
	memory      memory
	entries     entries
	rules       rules
	// annotations are what people and this machine know of requests; nil while
	// nothing is.
	annotations *session.AnnotationsEvent
	looked      looked
	// verifiedFile is the request whose file was verified when it came to be shown.
	verifiedFile string
	// active says that the tab is shown, badge that a request reached another
	// state since somebody looked at it, and that the tab was not shown since.
	active, badge bool
}

// New returns the tab.
func New(v *tab.View, s Session, o Options) *Tab {
	list := ledger.New(v)
	t := &Tab{
		view: v, session: s, o: o, entries: entries{ledger: list}, rules: rules{ledger: list},
		stopReading:  func() {},
		certificates: &certificates{session: s, downloads: make(map[string]string), directory: o.CertificateDir, chosen: o.CertificateDir != ""},
		texts:        textChecks{read: o.ReadCertificate, done: make(map[textSubject]retirement.Check)},
	}
	list.Read = t.texts.of
	var room func() int
	if v.Shared {
		room = t.entries.room
	}
	t.panes = panes{view: v, ledger: list, details: details.New(v, o.Safe), importer: importer.New(v, room, list.State)}
	return t
}

// Info is what stands around the tab.
func (t *Tab) Info() tab.Info {
	p := &t.panes
	info := tab.Info{Title: "Retirements", Status: p.ledger.Status(p.split.width >= roomy), Health: p.ledger.Health(), Typing: p.typing()}
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
func (t *Tab) Layout(width, height int) { t.panes.layout(width, height, t.memory.problem) }

// Render returns what was drawn.
func (t *Tab) Render() (string, *tea.Cursor) { return t.panes.frame, t.panes.cursor }

// Input takes ids and searches, and the mouse.
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
		told := search(&p.ledger.Search, msg)
		return t.refreshed(effect.Batch(p.ledger.Narrow(), told))
	case p.details.Search.Focused():
		told := search(&p.details.Search, msg)
		p.details.Build()
		return told
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

// Handle takes news.
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

// enter takes over what another process has changed in the ledger.
func (t *Tab) enter() effect.Effect {
	t.active, t.badge = true, false
	t.session.OpenLedger()
	t.takeHints()
	var said effect.Effect
	if len(t.rules.unseen) > 0 {
		said = effect.Say(t.rules.say(t.rules.unseen))
		t.seeRules()
	}
	return t.refreshed(effect.Batch(said, t.markRules(), t.memory.tell()))
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
		told := t.memory.receive(e, t.active)
		if e.Problem == nil {
			return told
		}
		t.panes.ledger.Lost = true
		return t.refreshed(effect.Batch(told, t.panes.ledger.Tally()))
	case session.WatchlistEvent:
		t.rules.set = e.Rules
	case session.AlertsEvent:
		fired := t.rules.fired(e)
		t.rules.take(e, t.active)
		if t.active {
			// What fires before the eyes of the person is seen.
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
	case session.MarketEvent:
		// The demo's data may have been made meanwhile.
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

func (t *Tab) readOn() effect.Effect {
	if !t.active || t.texts.busy {
		return nil
	}
	for r := range t.panes.ledger.Shown() {
		if e := t.readText(r); e != nil {
			return e
		}
	}
	return nil
}

func (t *Tab) readText(r ledger.Row) effect.Effect {
	c, now := &t.texts, subjectOf(r)
	if _, done := c.done[now]; c.busy || done || !c.applies(r) || now.file.Wrong() != "" {
		return nil
	}
	c.busy = true
	subject := audit.Subject{Answer: r.Answer, Certificate: r.Certificate, File: r.FileStatus}
	return effect.Work(func(ctx context.Context) any {
		check := subject.CheckText(func(path string) (pdftext.Content, error) { return c.read(ctx, path) })
		return effect.Then(func() effect.Effect {
			c.busy, c.done[now] = false, check
			return effect.Batch(t.refreshed(t.panes.ledger.Tally()), t.readOn())
		})
	})
}

func (t *Tab) refreshed(e effect.Effect) effect.Effect {
	p := &t.panes
	r, ok := p.ledger.Selected()
	if !ok {
		p.details.Show(nil, p.ledger.Len())
		return e
	}
	p.details.Show(&details.Subject{
		Row: r, Download: t.certificates.downloads[r.ID], Findings: p.ledger.Findings(r), Annotations: t.annotations, Was: t.looked.was(r),
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
	if ok && (r.ID != t.looked.id || r.Changed()) {
		t.looked = looked{id: r.ID}
		if r.Changed() {
			t.looked.before = r.Looked
			t.session.Look(r.ID)
		}
	}
	return t.refreshed(nil)
}

// looked is the request that the person looks at, and its state when they did before.
type looked struct {
	id     string
	before retirement.Status
}

func (l looked) was(r ledger.Row) retirement.Status {
	switch {
	case r.Changed():
		return r.Looked
	case r.ID == l.id && r.Answer != nil && r.Answer.Status != l.before:
		return l.before
	}
	return ""
}

// Expire returns when the status reads differently by itself.
func (t *Tab) Expire(now time.Time) (time.Time, bool) {
	if !t.active {
		return time.Time{}, false
	}
	return t.panes.ledger.Expire(now)
}
