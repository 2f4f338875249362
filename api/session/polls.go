package session

import (
	"context"
	"time"

	"tonne/api"
	"tonne/model"
	"tonne/model/market"
	"tonne/model/portfolio"
	"tonne/model/retirement"
)

// Client is the part of *api.Client that a session uses.
type Client interface {
	Market(ctx context.Context, perPage int, each func(*market.Page, model.Page)) (*market.Market, error)
	InventoryPage(ctx context.Context, q api.InventoryQuery) (*portfolio.Inventory, model.Page, error)
	Inventory(ctx context.Context, q api.InventoryQuery, each func(*portfolio.Inventory, model.Page)) (*portfolio.Inventory, error)
	Retirement(ctx context.Context, id string) (retirement.Request, error)
	Projects(ctx context.Context, ids ...string) ([]model.Project, error)
	Certificate(ctx context.Context, rawURL, dir, id string, progress func(received, total int64)) (retirement.Certificate, error)
}

// The default intervals between polls, for the dashboard and for commands. Four times
// MarketInterval, for a dashboard without the focus, must be less than store.Unwatched.
const (
	MarketInterval    = 5 * time.Second
	InventoryInterval = 15 * time.Second
)

const (
	// answerSoon is how long a response may take before the listing of an earlier run is
	// shown.
	answerSoon = 250 * time.Millisecond
	// unfocused is how much slower polls are while the screen is not watched.
	unfocused = 4
	// refreshGap is the least time between two polls of one resource, however often a refresh
	// is requested.
	refreshGap  = time.Second
	progressGap = 100 * time.Millisecond
	// longestNap is how long the loop sleeps at most while something is due: timers stop
	// while the machine sleeps, the wall clock does not.
	longestNap = 30 * time.Second
)

// polls are all requests to the marketplace. They run in their own goroutines and post their
// results to the loop.
type polls struct {
	l               *loop
	focused, paused bool

	market    *listingPoll[*market.Page, *market.Market]
	portfolio *listingPoll[*portfolio.Inventory, *portfolio.Positions]
	projects  *projectDetails
	// pages are the polled pages of the inventory. shown is the page of ShowInventory,
	// or nil.
	pages    map[api.InventoryQuery]*inventoryPoll
	shown    *api.InventoryQuery
	recalled bool
}

func newPolls(l *loop) *polls {
	p := &polls{l: l, focused: true, pages: make(map[api.InventoryQuery]*inventoryPoll)}
	p.market, p.portfolio, p.projects = newMarketPoll(l), newPortfolioPoll(l), newProjectDetails(l)
	return p
}

func (p *polls) resources() []*resource {
	all := []*resource{&p.market.resource, &p.portfolio.resource, &p.projects.resource}
	for _, page := range p.pages {
		all = append(all, &page.resource)
	}
	return all
}

func (p *polls) startDue() (next time.Duration, planned bool) {
	for _, r := range p.resources() {
		if wait, due := r.startIfDue(); due {
			next, planned = soonest(next, planned, wait), true
		}
	}
	return next, planned
}

func soonest(next time.Duration, planned bool, wait time.Duration) time.Duration {
	if !planned || wait < next {
		return wait
	}
	return next
}

func (p *polls) refuse(err error) {
	for _, r := range p.resources() {
		r.refuse(err)
	}
	p.l.lookUps.refused = true
}

func (p *polls) refresh() {
	for _, r := range p.resources() {
		r.refresh()
	}
}

func (p *polls) pause(paused bool) {
	if p.paused == paused {
		return
	}
	p.paused = paused
	for _, r := range p.resources() {
		r.publish()
	}
}

func (p *polls) focus(focused bool)        { p.focused = focused }
func (p *polls) showProjects(ids []string) { p.projects.show(ids) }

type inventoryPoll struct {
	resource
	query     api.InventoryQuery
	inventory *portfolio.Inventory
	purchases *portfolio.Inventory
	page      model.Page
}

func newInventoryPoll(l *loop, q api.InventoryQuery) *inventoryPoll {
	i := &inventoryPoll{query: q}
	i.resource = resource{l: l, name: "inventory", every: l.options.InventoryEvery, prepare: i.read, publish: func() {
		l.tell(InventoryEvent{Status: i.shown(), Query: i.query, Inventory: i.inventory, Page: i.page, Purchases: i.purchases})
	}}
	i.plan.in(0, l.wall())
	i.forced = true
	if l.polls.market.refused {
		i.refused, i.status = true, l.polls.market.status
		i.status.At = time.Time{}
	}
	return i
}

func (p *polls) showInventory(q api.InventoryQuery) {
	if p.shown != nil && *p.shown != q {
		p.dropPage(*p.shown)
	}
	p.shown = &q
	p.keepPage(q)
}

func (p *polls) hideInventory() {
	if p.shown != nil {
		p.dropPage(*p.shown)
		p.shown = nil
	}
}

func (p *polls) keepPage(q api.InventoryQuery) {
	if page, kept := p.pages[q]; kept {
		page.refresh()
		return
	}
	p.pages[q] = newInventoryPoll(p.l, q)
	p.pages[q].publish()
}

func (p *polls) dropPage(q api.InventoryQuery) {
	if page, kept := p.pages[q]; kept {
		page.stop()
		delete(p.pages, q)
	}
}

func (i *inventoryPoll) read(uint64) work {
	query, all := i.query, i.query
	if all.TradesPerWallet = 0; all.TradeType != "" {
		all.TradeType = portfolio.Buy
	}
	return func(ctx context.Context) (func(), error) {
		inv, page, err := i.l.client.InventoryPage(ctx, query)
		var purchases *portfolio.Inventory
		if err == nil && all != query {
			purchases, _, err = i.l.client.InventoryPage(ctx, all)
		}
		if err != nil {
			return nil, err
		}
		return func() {
			i.inventory, i.purchases, i.page = inv, purchases, page
			i.l.polls.projects.want(inv.ProjectIDs())
		}, nil
	}
}
