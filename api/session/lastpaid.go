package session

import (
	"context"
	"time"

	"tonne/api"
	"tonne/model"
)

// lastPaidPoll polls the last paid prices and the balances, and if somebody
// keeps the book, all wallets with their trades: the rest follows from them.
type lastPaidPoll struct {
	resource
	prices   model.LastPaidPrices
	balances model.Balances
	// keeping says that the book is read. It is nil until something of it was;
	// while partial, it holds the pages that have arrived of the first read.
	keeping bool
	wallets *model.Positions
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
	p.sendPortfolio()
}

func (p *lastPaidPoll) sendPortfolio() {
	if !p.keeping {
		return
	}
	status := p.shown()
	if (p.wallets == nil || p.partial) && (status.State == Live || status.State == Stale) {
		// What was read is less than the book.
		status.State, status.At = Loading, time.Time{}
	}
	p.l.tell(PortfolioEvent{Status: status, Positions: p.wallets, Partial: p.partial})
}

func (p *lastPaidPoll) keep() {
	if p.keeping {
		return
	}
	p.stop()
	p.keeping = true
	if !p.status.Asked && !p.refused {
		p.forced = true
		p.plan.in(0, p.l.wall())
	}
	p.publish()
}

func (p *lastPaidPoll) read(flight uint64) work {
	if p.keeping {
		return p.readPortfolio(flight)
	}
	return func(ctx context.Context) (func(), error) {
		prices, balances, err := p.l.client.Holdings(ctx)
		if err != nil {
			return nil, err
		}
		return func() {
			p.prices, p.balances = prices, balances
			if p.status.Earlier {
				p.wallets = nil
			}
		}, nil
	}
}

func (p *lastPaidPoll) readPortfolio(flight uint64) work {
	pages := newPageCollector(p.wallets == nil || p.partial, func(parts ...*model.Inventory) *model.Positions {
		inv := model.JoinInventory(parts...)
		return model.NewPositions(inv, inv)
	})
	return func(ctx context.Context) (func(), error) {
		inv, err := p.l.client.Inventory(ctx, api.InventoryQuery{}, func(part *model.Inventory, page model.Page) {
			if partial, tell := pages.add(part, page); tell {
				done, total := pages.done, page.TotalPages
				p.progress(flight, func() {
					p.arrived(partial, done, total)
					p.sendPortfolio()
				})
			}
		})
		if inv == nil {
			return nil, err
		}
		book, balances := model.NewPositions(inv, inv), inv.Balances()
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

func (p *lastPaidPoll) arrived(partial *model.Positions, done, total int) {
	p.status.Done, p.status.Total = done, total
	if partial != nil && !p.status.Earlier && (p.wallets == nil || partial.Len() >= p.wallets.Len()) {
		p.show(partial, true)
	}
}

func (p *lastPaidPoll) show(wallets *model.Positions, partial bool) {
	p.wallets, p.partial = wallets, partial
	p.l.polls.projects.want(wallets.ProjectIDs())
}
