package session

import (
	"context"
	"time"

	"tonne/api"
	"tonne/model"
)

type inventoryPoll struct {
	resource
	query     api.InventoryQuery
	inventory *model.Inventory
	purchases *model.Inventory
	page      model.Page
}

func newInventoryPoll(l *loop) *inventoryPoll {
	i := &inventoryPoll{}
	i.resource = resource{l: l, name: "inventory", every: l.options.InventoryEvery, prepare: i.read, publish: i.send}
	return i
}

func (i *inventoryPoll) send() {
	if i.plan.on {
		i.l.tell(InventoryEvent{
			Status: i.shown(), Query: i.query, Inventory: i.inventory, Page: i.page, Purchases: i.purchases,
		})
	}
}

func (i *inventoryPoll) show(q api.InventoryQuery) {
	if i.plan.on && q == i.query {
		i.refresh()
		return
	}
	i.stop()
	i.query, i.inventory, i.purchases, i.page = q, nil, nil, model.Page{}
	switch was := i.status; {
	case i.refused:
		i.status.At = time.Time{}
	case was.Asked:
		i.status = Status{Err: was.Err, RetryAt: was.RetryAt, Asked: true}
	default:
		i.status = Status{}
	}
	if !i.status.Asked {
		i.plan.in(0, i.l.wall())
	}
	i.plan.on, i.forced = true, true
	i.publish()
}

func (i *inventoryPoll) hide() {
	i.stop()
	i.plan.on = false
}

func (p *polls) keepPage(q api.InventoryQuery) {
	page, kept := p.pages[q]
	if !kept {
		page = newInventoryPoll(p.l)
		if p.market.refused {
			page.refused, page.status = true, p.market.status
			page.status.At = time.Time{}
		}
		p.pages[q] = page
	}
	page.show(q)
}

func (p *polls) dropPage(q api.InventoryQuery) {
	if page, kept := p.pages[q]; kept {
		page.hide()
		delete(p.pages, q)
	}
}

func (i *inventoryPoll) read(uint64) work {
	query := i.query
	return func(ctx context.Context) (func(), error) {
		inv, page, err := i.l.client.InventoryPage(ctx, query)
		var purchases *model.Inventory
		if all := allPurchases(query); err == nil && all != query {
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

func allPurchases(q api.InventoryQuery) api.InventoryQuery {
	q.TradesPerWallet = 0
	if q.TradeType != "" {
		q.TradeType = model.Buy
	}
	return q
}
