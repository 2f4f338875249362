package session

import (
	"context"
	"log/slog"
	"time"

	"tonne/api"
	"tonne/model"
	"tonne/model/file/store"
	"tonne/model/market"
	"tonne/model/portfolio"
	"tonne/model/retirement"
)

// Client is the part of *api.Client that a session uses.
type Client interface {
	Market(ctx context.Context, perPage int, each func(*market.Page, model.Page)) (*market.Market, error)
	InventoryPage(ctx context.Context, q api.InventoryQuery) (*portfolio.Inventory, model.Page, error)
	Inventory(
		ctx context.Context, q api.InventoryQuery, each func(*portfolio.Inventory, model.Page),
	) (*portfolio.Inventory, error)
	Retirement(ctx context.Context, id string) (retirement.Request, error)
	Projects(ctx context.Context, ids ...string) ([]model.Project, error)
	Certificate(
		ctx context.Context, rawURL, dir, id string, progress func(received, total int64),
	) (retirement.Certificate, error)
}

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

// config is what a session gives to its loop. It does not change.
type config struct {
	// Options have all defaults.
	Options
	// client is nil in a session with a source: it sends no requests and saves no certificates.
	client Client
	// source replaces the session's own polls, if it belongs to a shared session. The session
	// then has the rules of one user, and the host polls and records. limiter limits how many
	// of these sessions check their rules at once.
	source  source
	limiter *limiter
	// host reports that the session polls for others and checks no rules.
	host bool
	// memory is the store's data of the service, account that of the portfolio, and market
	// that of prices and projects, which may be the one of the host.
	memory, account, market store.Origin
	out                     sink
}

// source is the origin of the events of a session: its own polls or a shared session.
type source interface {
	begin()
	end()
	// ended is closed after the last event, and cause is then the reason. It is nil if events
	// do not end before the session.
	ended() <-chan struct{}
	cause() error
	// startDue starts the requests that are due, and returns when the next one is.
	startDue() (next time.Duration, planned bool)

	showInventory(q api.InventoryQuery)
	hideInventory()
	showProjects(ids []string)
	refresh()
	pause(paused bool)
	focus(focused bool)
	// refuse ends all requests, because the service rejected the key.
	refuse(err error)
	// retirement fetches a retirement request. It is called from any goroutine.
	retirement(ctx context.Context, id string) (retirement.Request, error)
	wantProject(id string)
}
