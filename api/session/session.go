// Package session keeps one marketplace up to date for a screen or a command: it polls the
// market, the inventory and the ledger, records prices in the store, checks rules, and saves
// certificates. It draws nothing and sends no retirements; those are in api/retire. One
// goroutine owns the state (see loop); everything else posts to it. Start reading at Session,
// then newLoop, which makes the parts and connects them.
package session

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"time"

	"tonne/api"
	"tonne/model"
	"tonne/model/file/store"
)

// Session polls a marketplace and records what it sees. Its methods may be called from any
// goroutine and return immediately; their results are events. A user's changes are shown
// before they are written: a StoreEvent reports failed writes.
type Session struct {
	config config
	outbox *outbox
	mail   *mailbox[func(*loop)]
	// ownStore reports that the session closes its store.
	ownStore bool
}

// New returns a session that does nothing until Run.
func New(c Client, o Options) *Session {
	s := &Session{outbox: newOutbox(), mail: newMailbox[func(*loop)](), ownStore: o.Store == nil}
	o.Account = cmp.Or(o.Account, o.Origin)
	o.MarketEvery = cmp.Or(max(o.MarketEvery, 0), MarketInterval)
	o.InventoryEvery = cmp.Or(max(o.InventoryEvery, 0), InventoryInterval)
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Store == nil {
		o.Store = store.Open("")
	}
	memory := o.Store.Of(o.Origin)
	s.config = config{
		Options: o, client: c, memory: memory, market: memory, account: o.Store.Of(o.Account), out: s.outbox,
	}
	return s
}

func (s *Session) post(f func(*loop)) { s.mail.post(f) }

func (s *Session) tell(e Event) { s.post(func(l *loop) { l.receive(e) }) }

// Run polls until ctx ends, and then writes the pending changes, for up to 10 s. It returns
// when all goroutines of the session have ended. The error is a *PanicError, which ends the
// session, or the error of the last failed write. A session runs once.
func (s *Session) Run(ctx context.Context) error {
	err := newLoop(ctx, s.config, s.mail).run()
	if s.ownStore {
		err = errors.Join(err, s.config.Store.Close())
	}
	s.outbox.close(err)
	return err
}

// Next returns the latest event of each topic that changed since the previous call, oldest
// first, so that a slow reader skips steps but does not lag. It waits until there is one. The
// error is that of ctx, or after the end of the session ErrEnded or the error of Run. Only
// one goroutine may call it.
func (s *Session) Next(ctx context.Context) ([]Event, error) { return s.outbox.next(ctx) }

// whileRunning posts a function that is not needed after the end of the session.
func (s *Session) whileRunning(f func(*loop)) {
	s.post(func(l *loop) {
		if l.ctx.Err() == nil {
			f(l)
		}
	})
}

// ShowInventory polls a page of the inventory instead of the previous one, whose request is
// cancelled.
func (s *Session) ShowInventory(q api.InventoryQuery) {
	s.whileRunning(func(l *loop) { l.source.showInventory(q) })
}

// HideInventory stops the polls of ShowInventory. Last paid prices are still polled.
func (s *Session) HideInventory() { s.whileRunning(func(l *loop) { l.source.hideInventory() }) }

// ShowProjects requests the details of these projects first, because they are on the screen.
func (s *Session) ShowProjects(ids []string) {
	s.whileRunning(func(l *loop) { l.source.showProjects(ids) })
}

// Refresh polls everything now, even if the service rejected the key or demanded a wait.
// A resource that was polled within the last second is polled after that second.
func (s *Session) Refresh() {
	s.whileRunning(func(l *loop) {
		l.refreshed = time.Now()
		l.source.refresh()
		l.lookUps.refresh()
	})
}

// Pause stops or resumes polling. Requests in flight continue; look-ups and certificates are
// still fetched.
func (s *Session) Pause(paused bool) {
	s.whileRunning(func(l *loop) {
		l.source.pause(paused)
		l.lookUps.paused = paused
	})
}

// Focus sets whether the screen is watched. If not, polls are less frequent.
func (s *Session) Focus(focused bool) { s.whileRunning(func(l *loop) { l.source.focus(focused) }) }

// Record starts recording the prices of each complete market, reporting trends and checking
// the rules of the store, until the session ends. Further calls have no effect.
func (s *Session) Record() {
	s.post(func(l *loop) {
		if l.recorder.on {
			return
		}
		l.recorder.on, l.alerts.recording = true, true
		l.watch.load()
		l.alerts.load()
		l.choices.reread()
	})
}

// LoadPrices reads the recorded prices of vintages, and again whenever more are recorded,
// until it is called for other vintages. Of several calls in a row only the last is served.
func (s *Session) LoadPrices(keys ...model.VintageKey) {
	s.post(func(l *loop) { l.prices.load(keys) })
}

// CheckRules checks all rules once and reports those that hold in a HoldingEvent. The session
// must record, and must have read the market.
func (s *Session) CheckRules() { s.post(func(l *loop) { l.alerts.checking = true }) }

// OpenLedger reads the ledger and follows pending requests until the session ends. Later
// calls read it again, including changes by other processes. The session does so every minute.
func (s *Session) OpenLedger() {
	s.post(func(l *loop) { l.ledger.opened, l.ledger.reading.due, l.alerts.following = true, true, true })
}

// LookUp fetches a retirement request of the ledger once.
func (s *Session) LookUp(id string) { s.post(func(l *loop) { l.ledger.want(id) }) }
