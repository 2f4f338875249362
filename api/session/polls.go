package session

import (
	"context"
	"time"

	"tonne/api"
	"tonne/api/wire"
	"tonne/model"
	"tonne/model/market"
	"tonne/model/portfolio"
	"tonne/model/retirement"
)

// The default intervals between polls, for the dashboard and for commands. Four times
// MarketInterval, for a dashboard without the focus, must be less than store.Unwatched.
const (
	MarketInterval    = 5 * time.Second
	InventoryInterval = 15 * time.Second
)

// answerSoon is how long a response may take before the listing of an earlier run is shown.
const answerSoon = 250 * time.Millisecond

// polls are all requests to the marketplace. They run in their own goroutines and post their
// results to the loop.
type polls struct {
	polling
	// every is the interval of a page of the inventory.
	every   time.Duration
	earlier *snapshots

	market    *listingPoll[*market.Page, *market.Market]
	portfolio *listingPoll[*portfolio.Inventory, *portfolio.Positions]
	projects  *projectDetails
	// pages are the polled pages of the inventory. shown is the page of ShowInventory,
	// or nil.
	pages map[api.InventoryQuery]*inventoryPoll
	shown *api.InventoryQuery
	// late is the timer for the listings of an earlier run, and recalled reports that they
	// were read.
	late     *time.Timer
	recalled bool
}

// newPolls returns the polls of a session. unauthorized is called after the service rejected
// the key.
func newPolls(e *env, c config, earlier *snapshots, tell func(Event), unauthorized func(error)) *polls {
	p := &polls{every: c.InventoryEvery, earlier: earlier, pages: make(map[api.InventoryQuery]*inventoryPoll)}
	p.polling = polling{
		env: e, client: c.client, focused: true, tell: tell, refuse: unauthorized, recall: p.showEarlier,
	}
	p.market = newMarketPoll(&p.polling, c.MarketEvery)
	p.portfolio = newPortfolioPoll(&p.polling, c.InventoryEvery, c.Portfolio)
	p.projects = newProjectDetails(&p.polling, c.market.Cache)
	p.want = p.projects.request
	return p
}

func (p *polls) begin() {
	p.late = time.AfterFunc(answerSoon, func() { p.post(p.recall) })
	p.projects.load()
}

func (p *polls) end() { p.late.Stop() }

func (p *polls) ended() <-chan struct{} { return nil }

func (p *polls) cause() error { return nil }

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

func (p *polls) refuse(err error) {
	for _, r := range p.resources() {
		r.refuse(err)
	}
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

func (p *polls) newInventoryPoll(q api.InventoryQuery) *inventoryPoll {
	i := &inventoryPoll{query: q}
	i.resource = resource{
		polling: &p.polling, name: "inventory", every: p.every, prepare: i.read,
		publish: func() {
			i.tell(InventoryEvent{
				Status: i.shown(), Query: i.query, Inventory: i.inventory, Page: i.page, Purchases: i.purchases,
			})
		},
	}
	i.plan.in(0, p.wall())
	i.forced = true
	if p.market.refused {
		i.refused, i.status = true, p.market.status
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
	p.pages[q] = p.newInventoryPoll(q)
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
		inv, page, err := i.client.InventoryPage(ctx, query)
		var purchases *portfolio.Inventory
		if err == nil && all != query {
			purchases, _, err = i.client.InventoryPage(ctx, all)
		}
		if err != nil {
			return nil, err
		}
		return func() {
			i.inventory, i.purchases, i.page = inv, purchases, page
			i.want(inv.ProjectIDs())
		}, nil
	}
}

func (p *polls) retirement(ctx context.Context, id string) (retirement.Request, error) {
	return p.client.Retirement(ctx, id)
}

func (p *polls) wantProject(id string) { p.want([]string{id}) }

// showEarlier shows the listings of an earlier run until the service responds.
func (p *polls) showEarlier() {
	if p.recalled || p.earlier.key == "" || p.market.value != nil && !p.portfolio.status.At.IsZero() {
		return
	}
	p.recalled = true
	p.spawn(func() {
		ctx, cancel := context.WithTimeout(p.ctx, patience)
		defer cancel()
		body, at := p.earlier.load(ctx, "market")
		if page, _, err := wire.DecodeMarket(body); err == nil {
			earlier := market.New(page)
			p.whileRunning(func() {
				if p.market.value == nil {
					p.market.value = earlier
					p.market.recalled(at)
				}
			})
		}
		body, bookAt := p.earlier.load(ctx, "inventory")
		if inv, _, err := wire.DecodeInventory(body); err == nil {
			earlier := portfolio.NewPositions(inv, inv)
			p.whileRunning(func() {
				if p.portfolio.value == nil {
					p.portfolio.take(earlier, false)
					p.portfolio.recalled(bookAt)
				}
			})
		}
	})
}
