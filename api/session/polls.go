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

// Client is what a session needs of the marketplace. *api.Client is one.
type Client interface {
	Market(ctx context.Context, perPage int, each func(*market.Page, model.Page)) (*market.Market, error)
	InventoryPage(ctx context.Context, q api.InventoryQuery) (*portfolio.Inventory, model.Page, error)
	Inventory(ctx context.Context, q api.InventoryQuery, each func(*portfolio.Inventory, model.Page)) (*portfolio.Inventory, error)
	Retirement(ctx context.Context, id string) (retirement.Request, error)
	Projects(ctx context.Context, ids ...string) ([]model.Project, error)
	Certificate(ctx context.Context, rawURL, dir, id string, progress func(received, total int64)) (retirement.Certificate, error)
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

	market   *marketPoll
	lastPaid *lastPaidPoll
	projects *projectDetails
	// pages are those of the inventory that are polled; shown is the one that
	// ShowInventory named, nil for none.
	pages    map[api.InventoryQuery]*inventoryPoll
	shown    *api.InventoryQuery
	recalled bool
}

func newPolls(l *loop) *polls {
	p := &polls{l: l, focused: true, pages: make(map[api.InventoryQuery]*inventoryPoll)}
	p.market, p.lastPaid, p.projects = newMarketPoll(l), newLastPaidPoll(l), newProjectDetails(l)
	return p
}

func (p *polls) recall() {
	if p.recalled || p.l.options.KeyMark == "" || p.market.market != nil && !p.lastPaid.status.At.IsZero() {
		return
	}
	p.recalled = true
	p.l.spawn(func() {
		e := p.l.earlier(p.l.ctx)
		p.l.whileRunning(func(*loop) {
			if p.market.market == nil && e.market != nil {
				p.market.market = e.market
				p.market.recalled(e.marketAt)
			}
			if last := p.lastPaid; last.status.At.IsZero() && last.wallets == nil && e.inventory != nil {
				last.show(portfolio.NewPositions(e.inventory, e.inventory), false)
				last.prices, last.balances = last.wallets.LastPaid(), e.inventory.Balances()
				last.recalled(e.inventoryAt)
			}
		})
	})
}

func (p *polls) resources() []*resource {
	all := []*resource{&p.market.resource, &p.lastPaid.resource, &p.projects.resource}
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

// collect returns what takes the pages of one read of a listing, in its goroutine. It
// tells of a partial listing when there are enough new pages to be worth one: each has
// half as many pages again as the one before, so that a long read costs no more than a
// few of its own. first says that nothing is shown yet.
func collect[P, T any](p *resource, flight uint64, first bool, join func(...P) T, arrived func(partial T)) func(P, model.Page) {
	var parts []P
	var toldAt time.Time
	done, told := 0, 0
	return func(part P, page model.Page) {
		if page.Current == 1 {
			parts, done, told = nil, 0, 0
		}
		done++
		if first {
			parts = append(parts, part)
		}
		if page.TotalPages <= 1 || done > 1 && time.Since(toldAt) < progressGap {
			return
		}
		toldAt = time.Now()
		var partial T
		if first && len(parts) >= told+told/2 {
			told = len(parts)
			partial = join(parts...)
		}
		done, total := done, page.TotalPages
		p.l.whileRunning(func(*loop) {
			if flight == p.flight {
				p.status.Done, p.status.Total = done, total
				arrived(partial)
				p.publish()
			}
		})
	}
}
