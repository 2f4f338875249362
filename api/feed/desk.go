package feed

import (
	"context"
	"log/slog"
	"time"

	"tonne/api"
	"tonne/model"
)

// Client is what a desk needs of the marketplace. *api.Client is one.
type Client interface {
	Market(ctx context.Context, perPage int, each func(*model.MarketPart, model.Page)) (*model.Market, error)
	InventoryPage(ctx context.Context, q api.InventoryQuery) (*model.Inventory, model.Page, error)
	Owned(ctx context.Context) (model.LastPaidPrices, model.Balances, error)
	Retirement(ctx context.Context, id string) (model.Retirement, error)
	Projects(ctx context.Context, ids ...string) ([]model.Project, error)
	Certificate(ctx context.Context, rawURL, dir, id string, progress func(received, total int64)) (api.Certificate, error)
}

// Options say how a desk polls. The zero value suits a dashboard.
type Options struct {
	// MarketEvery and InventoryEvery are the times from the end of one poll
	// to the start of the next, 5 s and 15 s where they are 0.
	MarketEvery, InventoryEvery time.Duration
	// PerPage is the page size for reading the market, 0 for one that suits.
	PerPage int
	// Projects are the details that are known already; they are not asked
	// for again.
	Projects model.Projects
	// Now is the wall clock, nil for time.Now.
	Now func() time.Time
	// Log gets a line for each poll, with why it failed; nil for none.
	Log *slog.Logger
}

const (
	marketEvery    = 5 * time.Second
	inventoryEvery = 15 * time.Second
	// blurred is how much slower a desk polls that nobody looks at.
	blurred = 4
	// refreshGap is the time between two polls of one resource, however often
	// a refresh is asked for.
	refreshGap = time.Second
	// progressGap is the time between two events that only tell of progress.
	progressGap = 100 * time.Millisecond
)

// Desk polls a marketplace and tells what changed. Its methods may be called
// from any goroutine and return at once; what they start shows in events.
type Desk struct {
	client  Client
	options Options
	mail    *mailbox
	out     *outbox
	now     func() time.Time
	log     *slog.Logger
}

// NewDesk returns a desk that does nothing until Run.
func NewDesk(c Client, o Options) *Desk {
	if o.MarketEvery <= 0 {
		o.MarketEvery = marketEvery
	}
	if o.InventoryEvery <= 0 {
		o.InventoryEvery = inventoryEvery
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Desk{client: c, options: o, mail: newMailbox(), out: newOutbox(), now: o.Now, log: o.Log}
}

// Run polls until ctx ends and then returns nil, when every goroutine of the
// desk has ended. The error is a *PanicError, a panic in one of them, which
// ends the desk. A desk runs once.
func (d *Desk) Run(ctx context.Context) error {
	l := newLoop(ctx, d)
	err := l.run()
	d.out.close(err)
	return err
}

// Next returns the news of each resource that has some since the call before,
// oldest first: only the latest event of each, so that a slow reader misses
// steps but never lags. It waits until there is one. The error is that of ctx,
// or ErrEnded or the panic of Run once the desk has ended. It is meant for one
// reader.
func (d *Desk) Next(ctx context.Context) ([]Event, error) { return d.out.take(ctx) }

// ShowInventory polls a page of the inventory from now on, at once and instead
// of the one before, whose request is cancelled.
func (d *Desk) ShowInventory(q api.InventoryQuery) {
	d.mail.post(func(l *loop) { l.inventory.show(q) })
}

// HideInventory ends what ShowInventory started. Last paid prices are polled on.
func (d *Desk) HideInventory() { d.mail.post(func(l *loop) { l.inventory.hide() }) }

// Refresh polls everything now, also after the key was refused. A resource
// that was polled within the last second waits until that second is over, and
// one that the service asked to leave alone waits as long as it asked.
func (d *Desk) Refresh() { d.mail.post((*loop).refresh) }

// Pause ends polling or takes it up again. What is under way is finished, and
// look-ups and certificates that are asked for are fetched.
func (d *Desk) Pause(paused bool) { d.mail.post(func(l *loop) { l.pause(paused) }) }

// Focus tells whether somebody looks. Without, polls are rarer.
func (d *Desk) Focus(focused bool) { d.mail.post(func(l *loop) { l.focused = focused }) }

// LookUp fetches a retirement request once.
func (d *Desk) LookUp(id string) { d.mail.post(func(l *loop) { l.retirements.lookUp(id) }) }

// Follow fetches a retirement request now and again until it reaches a final
// state, the rarer the longer it takes. since is when it was first waited for.
func (d *Desk) Follow(id string, since time.Time) {
	d.mail.post(func(l *loop) { l.retirements.follow(id, since) })
}

// Unfollow ends Follow.
func (d *Desk) Unfollow(id string) { d.mail.post(func(l *loop) { l.retirements.unfollow(id) }) }

// SaveCertificate fetches the certificate of a retirement request into a
// directory. One that is under way already is not started again.
func (d *Desk) SaveCertificate(id, url, dir string) {
	d.mail.post(func(l *loop) { l.certificates.save(id, url, dir) })
}
