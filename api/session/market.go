package session

import (
	"context"

	"tonne/api"
	"tonne/model"
)

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
	m.l.tell(MarketEvent{
		Status: m.shown(), Generation: m.generation, Market: m.market, Partial: m.partial,
	})
}

func (m *marketPoll) read(flight uint64) work {
	pageCollector := newPageCollector(m.market == nil || m.partial, model.NewMarket)
	return func(ctx context.Context) (func(), error) {
		market, err := m.l.client.Market(ctx, 0, func(part *model.MarketPage, page model.Page) {
			if partial, tell := pageCollector.add(part, page); tell {
				done, total := pageCollector.done, page.TotalPages
				m.progress(flight, func() {
					m.arrived(partial, done, total)
					m.send()
				})
			}
		})
		if api.KindOf(err) == api.Incomplete {
			return func() { m.incomplete(market) }, err
		}
		return func() { m.complete(market) }, err
	}
}

func (m *marketPoll) arrived(partial *model.Market, done, total int) {
	m.status.Done, m.status.Total = done, total
	if partial != nil && !m.status.Earlier && (m.market == nil || partial.Projects() >= m.market.Projects()) {
		m.market, m.partial = partial, true
		m.l.polls.projects.want(partial.ProjectIDs())
	}
}

func (m *marketPoll) incomplete(market *model.Market) {
	if m.market == nil || m.partial {
		m.market, m.partial = market, true
		m.l.polls.projects.want(market.ProjectIDs())
	}
}

// complete takes a whole market. One that is the same again is no new
// generation: only its age is.
func (m *marketPoll) complete(market *model.Market) {
	if market != m.market || m.partial {
		m.generation++
	}
	m.market, m.partial = market, false
	m.l.polls.projects.want(market.ProjectIDs())
}
