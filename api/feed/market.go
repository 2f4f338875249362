package feed

import (
	"context"
	"time"

	"tonne/model"
)

// marketPoll polls the whole market.
type marketPoll struct {
	resource
	generation uint64
	market     *model.Market
	partial    bool
}

func newMarketPoll(l *loop) *marketPoll {
	m := &marketPoll{}
	m.resource = resource{l: l, name: "market", every: l.options.MarketEvery, prepare: m.read, publish: m.send}
	m.plan.in(0, l.wall())
	return m
}

func (m *marketPoll) send() {
	m.l.out.Put(MarketEvent{
		Status: m.shown(), Generation: m.generation, Market: m.market, Partial: m.partial,
	})
}

// read fetches the market. The pages of the first read are shown as they come.
func (m *marketPoll) read(flight uint64) work {
	arrival := &arrival{first: m.generation == 0}
	perPage := m.l.options.PerPage
	return func(ctx context.Context) (func(), error) {
		market, err := m.l.client.Market(ctx, perPage, func(part *model.MarketPage, page model.Page) {
			if partial, tell := arrival.add(part, page); tell {
				done, total := arrival.done, page.TotalPages
				m.progress(flight, func() { m.arrived(partial, done, total) })
			}
		})
		return func() { m.complete(market) }, err
	}
}

func (m *marketPoll) arrived(partial *model.Market, done, total int) {
	m.status.Done, m.status.Total = done, total
	if partial != nil && (m.market == nil || partial.Projects() >= m.market.Projects()) {
		m.market, m.partial = partial, true
		m.l.projects.want(partial.ProjectIDs())
	}
}

// complete takes a whole market. One that is the same again is no new
// generation: only its age is.
func (m *marketPoll) complete(market *model.Market) {
	if market != m.market || m.partial {
		m.generation++
	}
	m.market, m.partial = market, false
	m.l.projects.want(market.ProjectIDs())
}

// arrival collects the pages of one read and decides when to tell of them. It
// belongs to the goroutine of the read.
type arrival struct {
	first bool // nothing is shown yet
	parts []*model.MarketPage
	done  int
	// told is how many parts the last partial market had.
	told   int
	toldAt time.Time
}

// add takes a page. It returns a partial market when there are enough new
// pages to be worth one: each has half as many pages again as the one before,
// so that a long read costs no more than a few of its own.
func (a *arrival) add(part *model.MarketPage, page model.Page) (partial *model.Market, tell bool) {
	if page.Current == 1 {
		a.parts, a.done, a.told = nil, 0, 0
	}
	a.done++
	if page.TotalPages <= 1 || a.done > 1 && time.Since(a.toldAt) < progressGap {
		a.keep(part)
		return nil, false
	}
	a.keep(part)
	a.toldAt = time.Now()
	if a.first && len(a.parts) >= a.told+a.told/2 {
		a.told = len(a.parts)
		partial = model.NewMarket(a.parts...)
	}
	return partial, true
}

func (a *arrival) keep(part *model.MarketPage) {
	if a.first {
		a.parts = append(a.parts, part)
	}
}
