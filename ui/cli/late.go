package cli

import (
	"context"

	"tonne/api"
	"tonne/model"
)

// lateClient is a client of a marketplace that is still being made: calls
// wait until it is there, so that the dashboard does not have to.
type lateClient struct {
	ready  chan struct{}
	client *api.Client
	err    error
}

func newLateClient() *lateClient { return &lateClient{ready: make(chan struct{})} }

// arrive lets the calls go on. It is called once.
func (l *lateClient) arrive(client *api.Client, err error) {
	l.client, l.err = client, err
	close(l.ready)
}

func (l *lateClient) wait(ctx context.Context) (*api.Client, error) {
	select {
	case <-l.ready:
		return l.client, l.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (l *lateClient) Market(ctx context.Context, perPage int, each func(*model.MarketPart, model.Page)) (*model.Market, error) {
	c, err := l.wait(ctx)
	if err != nil {
		return nil, err
	}
	return c.Market(ctx, perPage, each)
}

func (l *lateClient) InventoryPage(ctx context.Context, q api.InventoryQuery) (*model.Inventory, model.Page, error) {
	c, err := l.wait(ctx)
	if err != nil {
		return nil, model.Page{}, err
	}
	return c.InventoryPage(ctx, q)
}

func (l *lateClient) Owned(ctx context.Context) (model.LastPaidPrices, model.Balances, error) {
	c, err := l.wait(ctx)
	if err != nil {
		return nil, nil, err
	}
	return c.Owned(ctx)
}

func (l *lateClient) Retirement(ctx context.Context, id string) (model.Retirement, error) {
	c, err := l.wait(ctx)
	if err != nil {
		return model.Retirement{}, err
	}
	return c.Retirement(ctx, id)
}

func (l *lateClient) Projects(ctx context.Context, ids ...string) ([]model.Project, error) {
	c, err := l.wait(ctx)
	if err != nil {
		return nil, err
	}
	return c.Projects(ctx, ids...)
}

func (l *lateClient) Certificate(ctx context.Context, rawURL, dir, id string, progress func(received, total int64)) (api.Certificate, error) {
	c, err := l.wait(ctx)
	if err != nil {
		return api.Certificate{}, err
	}
	return c.Certificate(ctx, rawURL, dir, id, progress)
}
