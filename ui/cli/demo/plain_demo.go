package demo

import (
	"context"

	"tonne/api"
	"tonne/ui/cli/listing"
)

func (d *run) printDemo(ctx context.Context) error {
	if err := d.OpenDebug(); err != nil {
		return err
	}
	begin := make(chan struct{})
	close(begin)
	return d.withMarket(ctx, begin, func(ctx context.Context, market *syntheticMarket, client *api.Client) error {
		select {
		case <-market.key.ready:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		for _, hint := range market.hints {
			if err := market.store.Remember(ctx, market.baseURL, d.Now(), hint.ID); err != nil {
				return err
			}
			if err := market.store.SetLabel(ctx, market.baseURL, hint.ID, hint.Label, d.Now()); err != nil {
				return err
			}
		}
		r := &listing.Connection{Client: client, BaseURL: market.baseURL + ", synthetic data", ProjectDetails: listing.NewDetails(ctx, d.Dashboard.App, client, market.store), Progress: d.NewProgress()}
		if !d.Linear() {
			return d.Table(ctx, r)
		}
		return d.PrintTabOf(ctx, r)
	})
}
