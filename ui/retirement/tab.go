// Package retirement is the Retirements tab: the ledger of requests that were
// looked up, and the details of the selected one.
package retirement

import (
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"tonne/api/feed"
	"tonne/model"
	"tonne/model/store"
	"tonne/ui/effect"
	"tonne/ui/tab"
	"tonne/ui/table"
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

// Options say what the tab begins with. The zero value has no ledger but the
// one that is typed in.
type Options struct {
	// Origin names the service in the store.
	Origin string
	// Store remembers the ledger; nil remembers nothing.
	Store *store.Store
	// Hints returns what is offered, or nil while that is not known yet. It
	// must not wait. Nil offers nothing.
	Hints func() []Hint
	// CertificateDir is where certificates are saved. Where it is empty the
	// person is asked.
	CertificateDir string
	// Safe returns the host that an address from data leads to, or why it is
	// not opened. Nil links to nothing.
	Safe func(url string) (host string, err error)
	// WriteEvidence writes audit evidence to a file. Nil writes none.
	WriteEvidence func(EvidenceFile) error
}

// EvidenceFile is audit evidence that is to be written.
type EvidenceFile struct {
	// Path ends in .csv, .json or .xlsx. Where a file is there already and
	// Replace is false, nothing is written and the error is fs.ErrExist.
	Path    string
	Replace bool
	// ShowTaxIDs writes tax ids in full.
	ShowTaxIDs bool
	Of         []model.EvidenceSource
}

// Tab is the Retirements tab.
type Tab struct {
	view   *tab.View
	feed   Feed
	o      Options
	keeper *keeper
	ledger ledger
	table  *table.Table[string, *entry]
	// input takes ids, search narrows the ledger or the serial numbers.
	input  tab.Entry
	search search
	// doc is the details of the request shown; focused says that keys walk
	// them.
	doc     *document
	detail  tab.Detail
	shown   string
	focused bool
	// unfolded names the lines of the details whose rest is shown, taxIDs
	// says that tax ids are shown in full.
	unfolded map[string]bool
	taxIDs   bool
	reading  reading

	// batch is what the person waits for, saving the certificates that are
	// being downloaded, removed what can be brought back.
	batch   batch
	saving  map[string]*saving
	removed []*entry
	// looks reads certificates for the preview, idsTurn is held by the command
	// that reads a long text for ids.
	looks   looks
	idsTurn sync.Mutex
	// directory is where the last certificate was saved, or would be.
	directory string
	chosen    bool

	// changed lists requests that reached another state and have not been
	// told of, due says that the ledger is about to be settled.
	changed []string
	due     bool
	badge   bool
	active  bool
	// recalled says that the store was read, problem why nothing is kept, and
	// told that this was said.
	recalled, told bool
	problem        string
	// frame is what was drawn last, cursor where the text cursor stands in it.
	frame  string
	cursor *tea.Cursor
	// split is how the last frame was divided, width how wide it was.
	split split
	width int
	// needed is the width that the ledger as it is now needs.
	needed need
}

// New returns the tab. Start reads its ledger.
func New(v *tab.View, f Feed, o Options) *Tab {
	t := &Tab{
		view: v, feed: f, o: o, keeper: &keeper{store: o.Store, origin: o.Origin}, input: tab.NewEntry(), search: newSearch(),
		unfolded: make(map[string]bool), saving: make(map[string]*saving), directory: o.CertificateDir, chosen: o.CertificateDir != "",
	}
	t.table = table.New[string](spec(v))
	t.settle()
	return t
}

// Badge says that a request reached another state while nobody looked.
func (t *Tab) Badge() string {
	if t.badge {
		return "•"
	}
	return ""
}

// Enter looks up what the demo offers, once, and takes over what another
// dashboard has changed in the ledger.
func (t *Tab) Enter() effect.Effect {
	t.active, t.badge = true, false
	cmds := []effect.Effect{t.takeHints(), t.settle(), t.tellProblem()}
	if t.recalled {
		cmds = append(cmds, t.keeper.read())
	}
	return effect.Batch(cmds...)
}

func (t *Tab) takeHints() effect.Effect {
	if t.o.Hints == nil {
		return nil
	}
	hints := t.o.Hints()
	if len(hints) == 0 {
		return nil
	}
	t.o.Hints = nil
	var added []*entry
	for i := len(hints) - 1; i >= 0; i-- {
		if h := hints[i]; t.ledger.find(h.ID) == nil {
			e := &entry{id: h.ID, label: h.Label, first: t.view.Now()}
			t.ledger.put(e)
			added = append(added, e)
			t.feed.LookUp(h.ID)
		}
	}
	cmds := []effect.Effect{t.remember(added...)}
	for _, e := range added {
		cmds = append(cmds, t.rememberLabel(e.id, e.label))
	}
	return effect.Batch(cmds...)
}

// Leave ends typing, and the reading of a certificate.
func (t *Tab) Leave() {
	t.active = false
	t.looks.stop()
	t.input.Blur()
	t.search.entry.Blur()
}

// Receive takes answers, and names that the details show.
func (t *Tab) Receive(e feed.Event) effect.Effect {
	switch e := e.(type) {
	case feed.RetirementEvent:
		return t.answered(e)
	case feed.CertificateEvent:
		return t.saved(e)
	case feed.ProjectsEvent:
		return t.later()
	case feed.MarketEvent:
		// The demo's data may have been made meanwhile.
		if t.active && t.o.Hints != nil {
			return effect.Batch(t.takeHints(), t.later())
		}
	}
	return nil
}

// result takes what came of work, and what was answered to a dialog.
func (t *Tab) result(result any) effect.Effect {
	switch result := result.(type) {
	case tab.Arranged:
		return result.Apply()
	case settleDue:
		return t.settleNow()
	case ledgerRead:
		return t.recall(result.kept, t.keeper.current(result))
	case directoryFound:
		if t.directory == "" {
			t.directory = string(result)
		}
	case proved:
		return t.takeProofs(result)
	case fileProved:
		return t.compare(result)
	case looked:
		result.take()
	case fileTaken:
		return result.askAgain()
	case pasteRead:
		return t.pasted(result.sheet)
	case fileRead:
		return t.preview(result.name, result.sheet)
	case effect.Toggled:
		t.table.Show(result.Key, result.On)
	default:
		return t.typed(result)
	}
	return nil
}

// typed takes what was typed in a dialog.
func (t *Tab) typed(answer any) effect.Effect {
	switch answer := answer.(type) {
	case directoryTyped:
		return t.saveIn(answer)
	case importTyped:
		return t.readFile(string(answer))
	case labelTyped:
		return t.setLabel(answer)
	}
	return nil
}

// refresh makes the details of the selected request.
func (t *Tab) refresh() {
	id, _ := t.table.CurrentKey()
	if id != t.shown {
		clear(t.unfolded)
	}
	next := t.details(t.ledger.find(id))
	if t.doc != nil && id == t.shown {
		next.keepPlace(t.doc)
	} else {
		next.keepPlace(&document{})
	}
	t.doc, t.shown = next, id
}

// selected returns the request of the cursor as it is now.
func (t *Tab) selected() (*entry, bool) {
	id, ok := t.table.CurrentKey()
	if !ok {
		return nil, false
	}
	e := t.ledger.find(id)
	return e, e != nil
}

// Expire returns when the status reads differently by itself.
func (t *Tab) Expire(now time.Time) (time.Time, bool) {
	_, next := t.followed()
	left := time.Unix(0, next).Sub(now)
	if !t.active || next == 0 || left <= 0 {
		return time.Time{}, false
	}
	return now.Add(left - countdown(left) + 1), true
}

// roomy is the width from which the details stand beside the ledger, and the
// status may be long.
const roomy = 100

// Status counts the requests, and says when the next of them is looked up.
func (t *Tab) Status() string {
	all := t.ledger.len()
	if all == 0 {
		return ""
	}
	if b := t.batch; b.total > 1 {
		return "looked up " + tab.Number(int64(b.total-len(b.waiting))) + " of " + tab.Number(int64(b.total))
	}
	n, next := t.followed()
	if n == 0 {
		return tab.Count(all, "request", "requests")
	}
	status := tab.Number(int64(n)) + " followed"
	if left := time.Unix(0, next).Sub(t.view.Now()); left > 0 && t.width >= roomy {
		status += " · next look-up in " + tab.Age(countdown(left)+time.Second)
	}
	return status
}

// countdown returns the time that a countdown still shows for what is left:
// whole seconds below a minute, and whole minutes above.
func countdown(left time.Duration) time.Duration {
	unit := time.Second
	if left > time.Minute {
		unit = time.Minute
	}
	return (left - 1) / unit * unit
}
