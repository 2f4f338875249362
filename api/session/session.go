// Package session does the work of this machine for one marketplace: it polls,
// records prices, checks rules, keeps project details and follows retirement
// requests.
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

// Options say which marketplace a session is of and what it remembers.
type Options struct {
	// Origin names the service in the store.
	Origin string
	// Account names whose book it is in the store, where several tenants look at
	// one service; Origin if it is empty.
	Account string
	// KeyMark names the API key. The last market and inventory are kept for it and
	// shown by a later run until the service answers; empty keeps none.
	KeyMark string
	// Store remembers; the caller closes it after Run. nil stands for a memory
	// of this run alone.
	Store *store.Store
	// MarketEvery and InventoryEvery are the times between two polls, those of
	// Options if they are 0.
	MarketEvery, InventoryEvery time.Duration
	// Portfolio has all wallets read with their trades, their value reported with each
	// market and each read of them, and remembered.
	Portfolio bool
	// Journal returns the calls of the journal of this machine that are done; nil
	// for a machine without one. It may wait for the disk.
	Journal func(context.Context) ([]retirement.JournalEntry, error)
	// Now is the wall clock, nil for time.Now. It is read from several
	// goroutines.
	Now func() time.Time
	// Log gets a line for each poll, and why the store failed; nil for none.
	Log *slog.Logger
	// Trouble is called by a shared session with the reason why its marketplace sends
	// no market, each time that the kind of error changes, and with nil when it sends
	// one again. It may be nil, and must not call the session.
	Trouble func(err error)
}

// Session polls a marketplace and remembers what it sees. Its methods may be
// called from any goroutine and return at once; their results are events. A
// person's changes show before they are written: a StoreEvent reports what was not
// written.
type Session struct {
	options Options
	client  Client
	// subscriber is nil unless the session is one of a shared one. It holds the rules
	// of one person then, touches no file except its store, and the host polls and
	// records. host says that the session polls for subscribers: it holds no rules.
	subscriber *subscriber
	host       bool

	out    sink
	outbox *outbox
	mail   *mailbox[func(*loop)]
	store  *store.Store
	// memory is what the store has of the service, market where prices and projects are
	// remembered: the same, or that of the host.
	memory, market store.Origin
	// limiter limits how many subscribers check their rules at once.
	limiter *limiter
	origin  string
	now     func() time.Time
	log     *slog.Logger
}

// sink takes events, each as it comes. It must not wait.
type sink interface{ put(e Event) }

// New returns a session that does nothing until Run.
func New(c Client, o Options) *Session {
	o.Account = cmp.Or(o.Account, o.Origin)
	o.MarketEvery = cmp.Or(max(o.MarketEvery, 0), marketEvery)
	o.InventoryEvery = cmp.Or(max(o.InventoryEvery, 0), inventoryEvery)
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

// Run polls until ctx ends, and then writes what was asked for before that,
// for up to 10 s. It returns when every goroutine of the session has ended.
// The error is a *PanicError, which ends the session, or why something
// was not written in the end. A session runs once.
func (s *Session) Run(ctx context.Context) error {
	err := newLoop(ctx, s).run()
	if s.options.Store == nil {
		err = errors.Join(err, s.store.Close())
	}
	s.outbox.close(err)
	return err
}

// Next returns the news of each topic that has some since the call before,
// oldest first: only the latest event of each, so that a slow reader misses
// steps but never lags. It waits until there is one. The error is that of ctx, or
// ErrEnded or the error of Run once the session has ended. It is meant for one
// reader.
func (s *Session) Next(ctx context.Context) ([]Event, error) { return s.outbox.next(ctx) }

// whileRunning posts what is of no use once the session has ended.
func (s *Session) whileRunning(f func(*loop)) {
	s.post(func(l *loop) {
		if l.ctx.Err() == nil {
			f(l)
		}
	})
}

// ShowInventory polls a page of the inventory from now on, at once and instead
// of the one before, whose request is cancelled.
func (s *Session) ShowInventory(q api.InventoryQuery) {
	s.whileRunning(func(l *loop) { l.source.showInventory(q) })
}

// HideInventory ends what ShowInventory started. Last paid prices are polled on.
func (s *Session) HideInventory() { s.whileRunning(func(l *loop) { l.source.hideInventory() }) }

// ShowProjects requests the details of these projects first, if they are not known:
// they are on the screen.
func (s *Session) ShowProjects(ids []string) {
	s.whileRunning(func(l *loop) { l.source.showProjects(ids) })
}

// Refresh polls everything now, also after the key was refused or the service
// asked to wait. A resource that was polled within the last second waits until
// that second is over.
func (s *Session) Refresh() {
	s.whileRunning(func(l *loop) {
		l.refreshed = time.Now()
		l.source.refresh()
		l.lookUps.refresh()
	})
}

// Pause stops or resumes polling. Requests under way are finished, and look-ups and
// certificates are still fetched.
func (s *Session) Pause(paused bool) {
	s.whileRunning(func(l *loop) {
		l.source.pause(paused)
		l.lookUps.paused = paused
	})
}

// Focus sets whether a person looks. If not, polls are less frequent.
func (s *Session) Focus(focused bool) { s.whileRunning(func(l *loop) { l.source.focus(focused) }) }

// LookUp fetches a retirement request of the ledger once.
func (s *Session) LookUp(id string) { s.post(func(l *loop) { l.lookUps.want(id) }) }

// ChoicesEvent carries how a person likes to see things: what Choose was called
// with the last time, by name, as far as this machine remembers. It comes once,
// when the session begins to record.
type ChoicesEvent struct{ Choices map[string]string }

// Choose keeps how a person likes to see something, for the next time.
func (s *Session) Choose(name, value string) {
	s.post(func(l *loop) {
		l.keep(ChoiceWrites, func(ctx context.Context) error { return l.memory.Cache.SetChoice(ctx, name, value) })
	})
}
