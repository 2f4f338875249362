package session

import (
	"context"
	"log/slog"
	"time"

	"tonne/api"
	"tonne/api/mailbox"
	"tonne/model"
)

// Client is what a poller needs of the marketplace. *api.Client is one.
type Client interface {
	Market(ctx context.Context, perPage int, each func(*model.MarketPage, model.Page)) (*model.Market, error)
	InventoryPage(ctx context.Context, q api.InventoryQuery) (*model.Inventory, model.Page, error)
	Inventory(ctx context.Context, q api.InventoryQuery, each func(*model.Inventory, model.Page)) (*model.Inventory, error)
	Holdings(ctx context.Context) (model.LastPaidPrices, model.Balances, error)
	Retirement(ctx context.Context, id string) (model.Retirement, error)
	Projects(ctx context.Context, ids ...string) ([]model.Project, error)
	Certificate(ctx context.Context, rawURL, dir, id string, progress func(received, total int64)) (api.Certificate, error)
}

// PollerOptions say how a poller polls. The zero value suits a dashboard.
type PollerOptions struct {
	// MarketEvery and InventoryEvery are the times from the end of one poll
	// to the start of the next, 5 s and 15 s where they are 0.
	MarketEvery, InventoryEvery time.Duration
	// PerPage is the page size for reading the market, 0 for one that suits.
	PerPage int
	// Projects reads the project details that are known already, in a
	// goroutine of its own; none are asked for until it returns. nil if none
	// are known.
	Projects func(ctx context.Context) KnownProjects
	// Earlier reads what an earlier run read last, in a goroutine of its own, once
	// the service fails or does not answer soon. nil if nothing is known.
	Earlier func(ctx context.Context) Earlier
	// Now is the wall clock, nil for time.Now.
	Now func() time.Time
	// Log gets a line for each poll, with why it failed; nil for none.
	Log *slog.Logger
}

// KnownProjects are project details that were fetched earlier.
type KnownProjects struct {
	Projects model.Projects
	// Stale are the ids of those that are asked for again when they turn up.
	// Until there is an answer they are shown as they are.
	Stale []string
}

// Earlier is what an earlier run read last, each with the time that it was read
// at; nil for what is not known.
type Earlier struct {
	Market                *model.Market
	Inventory             *model.Inventory
	MarketAt, InventoryAt time.Time
}

const (
	// answerSoon is how long an answer may take before what an earlier run read is
	// shown.
	answerSoon     = 250 * time.Millisecond
	marketEvery    = 5 * time.Second
	inventoryEvery = 15 * time.Second
	// unfocused is how much slower a poller polls that nobody looks at.
	unfocused = 4
	// refreshGap is the time between two polls of one resource, however often
	// a refresh is asked for.
	refreshGap = time.Second
	// progressGap is the time between two events that only tell of progress.
	progressGap = 100 * time.Millisecond
)

// Sink takes the events of a poller, each as it comes. An Outbox is one.
type Sink interface {
	// Put must not wait.
	Put(e Event)
}

// Poller polls a marketplace and tells what changed. Its methods may be called
// from any goroutine and return at once; what they start shows in events.
type Poller struct {
	client  Client
	options PollerOptions
	mail    *mailbox.Mailbox[func(*pollLoop)]
	out     Sink
	now     func() time.Time
	log     *slog.Logger
}

// NewPoller returns a poller that does nothing until Run.
func NewPoller(c Client, out Sink, o PollerOptions) *Poller {
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
	return &Poller{client: c, options: o, mail: mailbox.New[func(*pollLoop)](), out: out, now: o.Now, log: o.Log}
}

// Run polls until ctx ends and then returns nil, when every goroutine of the
// poller has ended. The error is a *PanicError, a panic in one of them, which
// ends the poller. A poller runs once.
func (p *Poller) Run(ctx context.Context) error {
	return newPollLoop(ctx, p).run()
}

// ShowInventory polls a page of the inventory from now on, at once and instead
// of the one before, whose request is cancelled.
func (p *Poller) ShowInventory(q api.InventoryQuery) {
	p.mail.Post(func(l *pollLoop) { l.inventory.show(q) })
}

// HideInventory ends what ShowInventory started. Last paid prices are polled on.
func (p *Poller) HideInventory() { p.mail.Post(func(l *pollLoop) { l.inventory.hide() }) }

// KeepPortfolio reads all wallets with their trades from now on, where without it
// only what was last paid is: BookEvents carry them. More calls change nothing.
func (p *Poller) KeepPortfolio() { p.mail.Post(func(l *pollLoop) { l.lastPaid.keep() }) }

// KeepPage polls a page of the inventory beside the one that ShowInventory
// names, until DropPage, for several people who look at pages of their own. Its
// news are InventoryEvents with that query.
func (p *Poller) KeepPage(q api.InventoryQuery) { p.mail.Post(func(l *pollLoop) { l.keepPage(q) }) }

// DropPage ends KeepPage.
func (p *Poller) DropPage(q api.InventoryQuery) { p.mail.Post(func(l *pollLoop) { l.dropPage(q) }) }

// ShowProjects asks for the details of these projects before those of others, as
// far as they are not known: somebody looks at them.
func (p *Poller) ShowProjects(ids []string) {
	p.mail.Post(func(l *pollLoop) { l.projects.show(ids) })
}

// Refresh polls everything now, also after the key was refused or the service
// asked to wait. A resource that was polled within the last second waits until
// that second is over.
func (p *Poller) Refresh() { p.mail.Post((*pollLoop).refresh) }

// Pause ends polling or takes it up again. What is under way is finished, and
// look-ups and certificates that are asked for are fetched.
func (p *Poller) Pause(paused bool) { p.mail.Post(func(l *pollLoop) { l.pause(paused) }) }

// Focus tells whether somebody looks. Without, polls are rarer.
func (p *Poller) Focus(focused bool) { p.mail.Post(func(l *pollLoop) { l.focused = focused }) }

// LookUp fetches a retirement request once.
func (p *Poller) LookUp(id string) { p.mail.Post(func(l *pollLoop) { l.retirements.lookUp(id) }) }

// Follow fetches a retirement request now and again until it reaches a final
// state, the rarer the longer it takes. since is when it was first waited for.
func (p *Poller) Follow(id string, since time.Time) {
	p.mail.Post(func(l *pollLoop) { l.retirements.follow(id, since) })
}

// Unfollow ends Follow.
func (p *Poller) Unfollow(id string) { p.mail.Post(func(l *pollLoop) { l.retirements.unfollow(id) }) }

// SaveCertificate fetches the certificate of a retirement request into a
// directory. One that is under way already is not started again.
func (p *Poller) SaveCertificate(id, url, dir string) {
	p.mail.Post(func(l *pollLoop) { l.certificates.save(id, url, dir) })
}
