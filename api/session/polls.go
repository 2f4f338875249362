package session

import (
	"context"
	"time"

	"tonne/api"
	"tonne/model"
)

// Client is what a session needs of the marketplace. *api.Client is one.
type Client interface {
	Market(ctx context.Context, perPage int, each func(*model.MarketPage, model.Page)) (*model.Market, error)
	InventoryPage(ctx context.Context, q api.InventoryQuery) (*model.Inventory, model.Page, error)
	Inventory(ctx context.Context, q api.InventoryQuery, each func(*model.Inventory, model.Page)) (*model.Inventory, error)
	Holdings(ctx context.Context) (model.LastPaidPrices, model.Balances, error)
	Retirement(ctx context.Context, id string) (model.Retirement, error)
	Projects(ctx context.Context, ids ...string) ([]model.Project, error)
	Certificate(ctx context.Context, rawURL, dir, id string, progress func(received, total int64)) (api.Certificate, error)
}

const (
	// answerSoon is how long an answer may take before what an earlier run read is
	// shown.
	answerSoon     = 250 * time.Millisecond
	marketEvery    = 5 * time.Second
	inventoryEvery = 15 * time.Second
	// unfocused is how much slower polls are while nobody looks.
	unfocused = 4
	// refreshGap is the time between two polls of one resource, however often
	// a refresh is asked for.
	refreshGap  = time.Second
	progressGap = 100 * time.Millisecond
	// longestNap is how long the loop sleeps at most while something is due: a
	// timer stands still while the machine sleeps, the wall clock does not.
	longestNap = 30 * time.Second
)

// polls are all that is asked of the marketplace. Requests run in goroutines of
// their own and post their results to the loop.
type polls struct {
	l               *loop
	focused, paused bool
	// refreshed is when everything was last to be polled at once.
	refreshed time.Time

	market      *marketPoll
	inventory   *inventoryPoll
	lastPaid    *lastPaidPoll
	projects    *projectDetails
	retirements *retirements
	pages       map[api.InventoryQuery]*inventoryPoll
	recalled    bool
}

func newPolls(l *loop) *polls {
	p := &polls{l: l, focused: true, pages: make(map[api.InventoryQuery]*inventoryPoll), retirements: newRetirements(l)}
	p.market, p.inventory, p.lastPaid, p.projects = newMarketPoll(l), newInventoryPoll(l), newLastPaidPoll(l), newProjectDetails(l)
	return p
}

func (p *polls) recall() {
	if p.recalled || p.l.options.KeyMark == "" || p.market.market != nil && !p.lastPaid.status.At.IsZero() {
		return
	}
	p.recalled = true
	p.l.spawn(func() {
		e := p.l.earlier(p.l.ctx)
		p.l.postNews(func(*loop) {
			if p.market.market == nil && e.market != nil {
				p.market.market = e.market
				p.market.recalled(e.marketAt)
			}
			if last := p.lastPaid; last.status.At.IsZero() && last.wallets == nil && e.inventory != nil {
				last.show(model.NewPositions(e.inventory, e.inventory), false)
				last.prices, last.balances = last.wallets.LastPaid(), e.inventory.Balances()
				last.recalled(e.inventoryAt)
			}
		})
	})
}

func (p *polls) resources() []*resource {
	all := []*resource{&p.market.resource, &p.inventory.resource, &p.lastPaid.resource, &p.projects.resource}
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
	if wait, due := p.retirements.startDue(); due {
		next, planned = soonest(next, planned, wait), true
	}
	return next, planned
}

func soonest(next time.Duration, planned bool, wait time.Duration) time.Duration {
	if !planned || wait < next {
		return wait
	}
	return next
}

func (p *polls) requests() context.Context { return api.Refreshed(p.l.ctx, p.refreshed) }

func (p *polls) refuse(err error) {
	for _, r := range p.resources() {
		r.refuse(err)
	}
	p.retirements.refused = true
}

func (p *polls) refresh() {
	p.refreshed = time.Now()
	for _, r := range p.resources() {
		r.refresh()
	}
	p.retirements.refresh()
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

func (p *polls) focus(focused bool)                 { p.focused = focused }
func (p *polls) showInventory(q api.InventoryQuery) { p.inventory.show(q) }
func (p *polls) hideInventory()                     { p.inventory.hide() }
func (p *polls) showProjects(ids []string)          { p.projects.show(ids) }
func (p *polls) lookUp(id string)                   { p.retirements.lookUp(id) }
func (p *polls) follow(id string, since time.Time)  { p.retirements.follow(id, since) }
func (p *polls) unfollow(id string)                 { p.retirements.unfollow(id) }
