// Package session is what this machine does for one marketplace, whoever
// looks: it polls, records prices, holds rules against the market, keeps
// project details and follows retirement requests.
package session

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"time"

	"tonne/api"
	"tonne/api/mailbox"
	"tonne/model"
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
	// Journal returns the calls of the journal of this machine that are done; nil
	// for a machine without one. It may wait for the disk.
	Journal func(context.Context) ([]model.JournalEntry, error)
	// Now is the wall clock, nil for time.Now. It is read from several
	// goroutines.
	Now func() time.Time
	// Log gets a line for each poll, and why the store failed; nil for none.
	Log *slog.Logger
	// Trouble is told by a desk why its marketplace sends no market, each time that
	// the kind of error is another, and nil when it sends one again; nil for
	// nobody. It must not call the desk.
	Trouble func(err error)
}

// Session polls a marketplace and remembers what it sees. Its methods may be
// called from any goroutine and return at once; what they lead to shows in
// events. A person's changes show before they are written: what fails to be
// written is told by a StoreEvent.
type Session struct {
	poller   source
	out      Sink
	outbox   *Outbox
	mail     *mailbox.Mailbox[func(*loop)]
	role     role
	store    *store.Store
	ownStore bool
	// market remembers prices and projects: the store, but for a session that
	// sits at a desk.
	market *store.Store
	// turns are those in which stores hold rules at a desk, nil for a session alone.
	turns    *Turns
	projects *ProjectCache
	origin   string
	account  string
	keyMark  string
	journal  func(context.Context) ([]model.JournalEntry, error)
	now      func() time.Time
	log      *slog.Logger
}

// New returns a session that does nothing until Run.
func New(c Client, o Options) *Session {
	s := newSession(o)
	of := PollerOptions{
		MarketEvery: o.MarketEvery, InventoryEvery: o.InventoryEvery,
		Projects: s.knownProjects, Now: o.Now, Log: o.Log,
	}
	if s.keyMark = o.KeyMark; s.keyMark != "" {
		of.Earlier = s.earlier
	}
	s.poller = NewPoller(c, sink{s.mail}, of)
	return s
}

func newSession(o Options) *Session {
	s := &Session{
		outbox: NewOutbox(), mail: mailbox.New[func(*loop)](),
		store: o.Store, origin: o.Origin, account: cmp.Or(o.Account, o.Origin), now: o.Now, log: o.Log, journal: o.Journal,
	}
	s.out = s.outbox
	if s.now == nil {
		s.now = time.Now
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.store == nil {
		s.store, s.ownStore = store.Open(""), true
	}
	s.market = s.store
	s.projects = NewProjectCache(s.market, s.origin, s.now)
	return s
}

// sink hands the events of the poller to the loop.
type sink struct{ mail *mailbox.Mailbox[func(*loop)] }

func (s sink) Put(e Event) { s.mail.Post(func(l *loop) { l.receive(e) }) }

// Run polls until ctx ends, and then writes what was asked for before that,
// for up to 10 s. It returns when every goroutine of the session has ended.
// The error is a *PanicError, which ends the session, or why something
// was not written in the end. A session runs once.
func (s *Session) Run(ctx context.Context) error {
	err := newLoop(ctx, s).run()
	if s.ownStore {
		err = errors.Join(err, s.store.Close())
	}
	s.outbox.Close(err)
	return err
}

// Next returns the news of each resource that has some since the call before,
// as Outbox does. The error is that of ctx, or ErrEnded or the error
// of Run once the session has ended. It is meant for one reader.
func (s *Session) Next(ctx context.Context) ([]Event, error) { return s.outbox.Next(ctx) }

// ShowInventory polls a page of the inventory from now on, at once and instead
// of the one before.
func (s *Session) ShowInventory(q api.InventoryQuery) { s.poller.ShowInventory(q) }

// HideInventory ends what ShowInventory started.
func (s *Session) HideInventory() { s.poller.HideInventory() }

// ShowProjects asks for the details of these projects before those of others.
func (s *Session) ShowProjects(ids []string) { s.poller.ShowProjects(ids) }

// Refresh polls everything now.
func (s *Session) Refresh() { s.poller.Refresh() }

// Pause ends polling or takes it up again.
func (s *Session) Pause(paused bool) { s.poller.Pause(paused) }

// Focus tells whether somebody looks. Without, polls are rarer.
func (s *Session) Focus(focused bool) { s.poller.Focus(focused) }

// LookUp fetches a retirement request once. The answer shows in the ledger if
// the request stands there, and in a RetirementEvent if not.
func (s *Session) LookUp(id string) { s.poller.LookUp(id) }
