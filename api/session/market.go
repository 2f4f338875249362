package session

import (
	"context"

	"tonne/model/market"
)

type marketPoll struct {
	resource
	generation uint64
	market     *market.Market
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
	each := collect(&m.resource, flight, m.market == nil || m.partial, market.New, m.arrived)
	return func(ctx context.Context) (func(), error) {
		market, err := m.l.client.Market(ctx, 0, each)
		return func() {
			switch {
			case err == nil:
				m.complete(market)
			case m.market == nil || m.partial:
				m.take(market, true)
			}
		}, err
	}
}

func (m *marketPoll) arrived(partial *market.Market) {
	if partial != nil && !m.status.Earlier && (m.market == nil || partial.Projects() >= m.market.Projects()) {
		m.take(partial, true)
	}
}

// complete takes a whole market. One that is the same again is no new
// generation: only its age is.
func (m *marketPoll) complete(market *market.Market) {
	if market != m.market || m.partial {
		m.generation++
	}
	m.take(market, false)
}

func (m *marketPoll) take(market *market.Market, partial bool) {
	m.market, m.partial = market, partial
	m.l.polls.projects.want(market.ProjectIDs())
}
