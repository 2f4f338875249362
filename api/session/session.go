// Package session keeps one marketplace up to date for a screen or a command: it polls the
// market, the inventory and the ledger, records prices in the store, checks rules, and saves
// certificates. It draws nothing and sends no retirements; those are in api/retire. One
// goroutine owns the state (see loop); everything else posts to it. Start reading at Session,
// then loop.
package session

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"time"

	"tonne/api"
	"tonne/model/retirement"
	"tonne/model/store"
)

// Options configures a Session.
type Options struct {
	// Origin identifies the service in the store.
	Origin string
	// Account identifies the portfolio in the store, if several tenants use one service. The
	// default is Origin.
	Account string
	// KeyMark identifies the API key. If not empty, the last market and inventory are saved
	// for it, and a later run shows them until the service responds.
	KeyMark string
	// Store is the local store, which the caller closes after Run. If nil, the data is in
	// memory.
	Store *store.Store
	// MarketEvery and InventoryEvery are the intervals between polls; 0 means the default.
	MarketEvery, InventoryEvery time.Duration
	// Portfolio makes the session read all wallets with their trades, and report and record
	// their value after each read.
	Portfolio bool
	// Journal returns the finished calls of the journal of this machine, or is nil without
	// one. It may wait for the disk.
	Journal func(context.Context) ([]retirement.JournalEntry, error)
	// Now is the wall clock. The default is time.Now. Several goroutines call it.
	Now func() time.Time
	// Log receives one line per poll, and the errors of the store, if it is not nil.
	Log *slog.Logger
	// Trouble, if not nil, is called by a shared session with the reason why the marketplace
	// sends no market, whenever the kind of error changes, and with nil when it sends one
	// again. It must not call the session.
	Trouble func(err error)
}

// Session polls a marketplace and records what it sees. Its methods may be called from any
// goroutine and return immediately; their results are events. A user's changes are shown
// before they are written: a StoreEvent reports failed writes.
type Session struct {
	options Options
	client  Client
	// subscriber is not nil if the session belongs to a shared one. It then has the rules of
	// one user, uses no file except its store, and the host polls and records. host reports
	// that the session polls for subscribers and checks no rules.
	subscriber *subscriber
	host       bool

	out    sink
	outbox *outbox
	mail   *mailbox[func(*loop)]
	store  *store.Store
	// memory is the store's data of the service, and market that of prices and projects,
	// which may be the one of the host.
	memory, market store.Origin
	// limiter limits how many subscribers check their rules at once.
	limiter *limiter
	origin  string
	now     func() time.Time
	log     *slog.Logger
}

// sink takes events one by one. It must not block.
type sink interface{ put(e Event) }

// New returns a session that does nothing until Run.
func New(c Client, o Options) *Session {
	o.Account = cmp.Or(o.Account, o.Origin)
	o.MarketEvery = cmp.Or(max(o.MarketEvery, 0), MarketInterval)
	o.InventoryEvery = cmp.Or(max(o.InventoryEvery, 0), InventoryInterval)
	s := &Session{
		options: o, client: c, outbox: newOutbox(), mail: newMailbox[func(*loop)](), store: o.Store, origin: o.Origin,
		now: o.Now, log: cmp.Or(o.Log, slog.New(slog.DiscardHandler)),
	}
	s.out = s.outbox
	if s.now == nil {
		s.now = time.Now
	}
	if s.store == nil {
		s.store = store.Open("")
	}
	s.memory = s.store.Of(s.origin)
	s.market = s.memory
	return s
}

func (s *Session) post(f func(*loop)) { s.mail.post(f) }

func (s *Session) tell(e Event) { s.post(func(l *loop) { l.receive(e) }) }

// Run polls until ctx ends, and then writes the pending changes, for up to 10 s. It returns
// when all goroutines of the session have ended. The error is a *PanicError, which ends the
// session, or the error of the last failed write. A session runs once.
func (s *Session) Run(ctx context.Context) error {
	err := newLoop(ctx, s).run()
	if s.options.Store == nil {
		err = errors.Join(err, s.store.Close())
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

// LookUp fetches a retirement request of the ledger once.
func (s *Session) LookUp(id string) { s.post(func(l *loop) { l.lookUps.want(id) }) }

// ChoicesEvent carries the display choices of the user from the store: the last value of each
// name given to Choose. It is sent when the session begins to record, and
// after changes.
type ChoicesEvent struct{ Choices map[string]string }

// Choose saves a display choice of the user for later runs. An empty value deletes it.
func (s *Session) Choose(name, value string) {
	s.post(func(l *loop) {
		l.keep(ChoiceWrites, func(ctx context.Context) error { return l.memory.Cache.SetChoice(ctx, name, value) })
		if l.recorder.on {
			l.readChoices()
		}
	})
}
