package session

import (
	"context"

	"tonne/api"
	"tonne/model/portfolio"
)

// lastPaidPoll polls all wallets, with their trades if the session keeps the portfolio.
// The last paid prices and the balances follow from them.
type lastPaidPoll struct {
	resource
	prices   portfolio.LastPaidPrices
	balances portfolio.Balances
	// wallets is nil until something of the book was read; while partial, it holds the
	// pages that have arrived of the first read.
	wallets *portfolio.Positions
	partial bool
}

func newLastPaidPoll(l *loop) *lastPaidPoll {
	p := &lastPaidPoll{}
	p.resource = resource{l: l, name: "last paid", every: l.options.InventoryEvery, prepare: p.read, publish: p.send}
	p.plan.in(0, l.wall())
	return p
}

func (p *lastPaidPoll) send() {
	p.l.tell(LastPaidEvent{Status: p.shown(), Prices: p.prices, Balances: p.balances})
	if p.l.options.Portfolio {
		p.l.tell(PortfolioEvent{Status: p.shown(), Positions: p.wallets, Partial: p.partial})
	}
}

func (p *lastPaidPoll) read(flight uint64) work {
	var query api.InventoryQuery
	if !p.l.options.Portfolio {
		query = api.LastPaidQuery
	}
	join := func(parts ...*portfolio.Inventory) *portfolio.Positions {
		inv := portfolio.JoinInventory(parts...)
		return portfolio.NewPositions(inv, inv)
	}
	each := collect(&p.resource, flight, p.wallets == nil || p.partial, join, p.arrived)
	return func(ctx context.Context) (func(), error) {
		inv, err := p.l.client.Inventory(ctx, query, each)
		if inv == nil {
			return nil, err
		}
		book, balances := portfolio.NewPositions(inv, inv), inv.Balances()
		return func() {
			switch {
			case err == nil:
				p.prices, p.balances = book.LastPaid(), balances
				p.show(book, false)
			case p.wallets == nil || p.partial:
				p.show(book, true)
			}
		}, err
	}
}

func (p *lastPaidPoll) arrived(partial *portfolio.Positions) {
	if partial != nil && !p.status.Earlier && (p.wallets == nil || partial.Len() >= p.wallets.Len()) {
		p.show(partial, true)
	}
}

func (p *lastPaidPoll) show(wallets *portfolio.Positions, partial bool) {
	p.wallets, p.partial = wallets, partial
	p.l.polls.projects.want(wallets.ProjectIDs())
}
