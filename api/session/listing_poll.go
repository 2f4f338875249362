package session

import (
	"context"
	"time"

	"tonne/api"
	"tonne/model"
	"tonne/model/market"
	"tonne/model/portfolio"
)

// listingPoll polls all pages P of a listing and joins them to a T.
type listingPoll[P any, T interface {
	comparable
	ProjectIDs() []string
}] struct {
	resource
	// value is zero before the first read. While partial, it has the pages that have arrived.
	value      T
	partial    bool
	generation uint64
	fetch      func(ctx context.Context, each func(P, model.Page)) (T, error)
	join       func(...P) T
	size       func(T) int
}

func newMarketPoll(shared *polling, every time.Duration) *listingPoll[*market.Page, *market.Market] {
	m := &listingPoll[*market.Page, *market.Market]{join: market.New, size: (*market.Market).Projects}
	m.fetch = func(ctx context.Context, each func(*market.Page, model.Page)) (*market.Market, error) {
		return m.client.Market(ctx, 0, each)
	}
	m.resource = resource{polling: shared, name: "market", every: every, prepare: m.read, publish: func() {
		m.tell(MarketEvent{Status: m.shown(), Generation: m.generation, Market: m.value, Partial: m.partial})
	}}
	m.plan.in(0, m.wall())
	return m
}

// newPortfolioPoll polls all wallets, with their trades if the session keeps the portfolio.
func newPortfolioPoll(
	shared *polling, every time.Duration, trades bool,
) *listingPoll[*portfolio.Inventory, *portfolio.Positions] {
	p := &listingPoll[*portfolio.Inventory, *portfolio.Positions]{size: (*portfolio.Positions).Len}
	p.join = func(parts ...*portfolio.Inventory) *portfolio.Positions {
		inv := portfolio.JoinInventory(parts...)
		return portfolio.NewPositions(inv, inv)
	}
	query := api.LastPaidQuery
	if trades {
		query = api.InventoryQuery{}
	}
	p.fetch = func(ctx context.Context, each func(*portfolio.Inventory, model.Page)) (*portfolio.Positions, error) {
		inv, err := p.client.Inventory(ctx, query, each)
		if inv == nil {
			return nil, err
		}
		return portfolio.NewPositions(inv, inv), err
	}
	p.resource = resource{polling: shared, name: "portfolio", every: every, prepare: p.read, publish: func() {
		e := PortfolioEvent{Status: p.shown(), Partial: p.partial}
		if p.value != nil && !p.partial {
			e.LastPaid, e.Balances, e.Unusable = p.value.LastPaid(), p.value.Balances(), p.value.Unusable()
		}
		if trades {
			e.Positions = p.value
		}
		p.tell(e)
	}}
	p.plan.in(0, p.wall())
	return p
}

// whole reports whether a complete listing has been read.
func (p *listingPoll[P, T]) whole() bool { return p.value != *new(T) && !p.partial }

func (p *listingPoll[P, T]) read(flight uint64) work {
	each := p.pages(flight)
	return func(ctx context.Context) (func(), error) {
		value, err := p.fetch(ctx, each)
		return func() {
			if err == nil || !p.whole() {
				p.take(value, err != nil)
			}
		}, err
	}
}

// take sets the listing. A complete one that equals the previous one is not a new
// generation; only its time is new.
func (p *listingPoll[P, T]) take(value T, partial bool) {
	if !partial && (value != p.value || p.partial) {
		p.generation++
	}
	p.value, p.partial = value, partial
	p.want(value.ProjectIDs())
}

// pages returns a function that collects the pages of one read, in its goroutine. Before
// the first complete listing it shows partial ones. Each has half as many pages again as
// the previous one, so that a long read costs little more.
func (p *listingPoll[P, T]) pages(flight uint64) func(P, model.Page) {
	var parts []P
	var shownAt time.Time
	done, shown, first := 0, 0, !p.whole()
	return func(part P, page model.Page) {
		if page.Current == 1 {
			parts, done, shown = nil, 0, 0
		}
		done++
		if first {
			parts = append(parts, part)
		}
		if page.TotalPages <= 1 || done > 1 && time.Since(shownAt) < progressGap {
			return
		}
		shownAt = time.Now()
		var partial T
		if first && len(parts) >= shown+shown/2 {
			shown = len(parts)
			partial = p.join(parts...)
		}
		done, total := done, page.TotalPages
		p.whileRunning(func() { p.arrived(flight, partial, done, total) })
	}
}

func (p *listingPoll[P, T]) arrived(flight uint64, partial T, done, total int) {
	var none T
	if flight != p.flight {
		return
	}
	p.status.Done, p.status.Total = done, total
	if partial != none && !p.status.Earlier && (p.value == none || p.size(partial) >= p.size(p.value)) {
		p.take(partial, true)
	}
	p.publish()
}
