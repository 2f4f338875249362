package cli

import (
	"context"

	"tonne/api"
	"tonne/model"
)

// pendingClient is a client of a marketplace that is still being made: calls
// wait until it is there, so that the dashboard does not have to.
type pendingClient struct {
	ready  chan struct{}
	client *api.Client
	err    error
}

func newPendingClient() *pendingClient { return &pendingClient{ready: make(chan struct{})} }

// arrive lets the calls go on. It is called once.
func (p *pendingClient) arrive(client *api.Client, err error) {
	p.client, p.err = client, err
	close(p.ready)
}

func (p *pendingClient) wait(ctx context.Context) (*api.Client, error) {
	select {
	case <-p.ready:
		return p.client, p.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *pendingClient) Market(ctx context.Context, perPage int, each func(*model.MarketPage, model.Page)) (*model.Market, error) {
	c, err := p.wait(ctx)
	if err != nil {
		return nil, err
	}
	return c.Market(ctx, perPage, each)
}

func (p *pendingClient) InventoryPage(ctx context.Context, q api.InventoryQuery) (*model.Inventory, model.Page, error) {
	c, err := p.wait(ctx)
	if err != nil {
		return nil, model.Page{}, err
	}
	return c.InventoryPage(ctx, q)
}

func (p *pendingClient) Holdings(ctx context.Context) (model.LastPaidPrices, model.Balances, error) {
	c, err := p.wait(ctx)
	if err != nil {
		return nil, nil, err
	}
	return c.Holdings(ctx)
}

func (p *pendingClient) Retirement(ctx context.Context, id string) (model.Retirement, error) {
	c, err := p.wait(ctx)
	if err != nil {
		return model.Retirement{}, err
	}
	return c.Retirement(ctx, id)
}

func (p *pendingClient) Projects(ctx context.Context, ids ...string) ([]model.Project, error) {
	c, err := p.wait(ctx)
	if err != nil {
		return nil, err
	}
	return c.Projects(ctx, ids...)
}

func (p *pendingClient) Certificate(ctx context.Context, rawURL, dir, id string, progress func(received, total int64)) (api.Certificate, error) {
	c, err := p.wait(ctx)
	if err != nil {
		return api.Certificate{}, err
	}
	return c.Certificate(ctx, rawURL, dir, id, progress)
}
