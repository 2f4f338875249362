package session

import (
	"context"
	"time"

	"tonne/api"
	"tonne/model"
	"tonne/model/portfolio"
)

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
