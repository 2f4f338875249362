package demo

import (
	"context"

	"tonne/api"
	"tonne/ui/cli/listing"
)

func (d *DemoRun) printDemo(ctx context.Context) error {
	if err := d.OpenDebug(); err != nil {
		return err
	}
	begin := make(chan struct{})
	close(begin)
	return d.withMarket(ctx, begin, func(ctx context.Context, market *DemoMarket, client *api.Client) error {
		select {
		case <-market.Key.ready:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		for _, hint := range market.hints {
			if err := market.Store.Remember(ctx, market.BaseURL, d.Now(), hint.ID); err != nil {
				return err
			}
			if err := market.Store.SetLabel(ctx, market.BaseURL, hint.ID, hint.Label, d.Now()); err != nil {
				return err
			}
		}
		r := &listing.Connection{Client: client, BaseURL: market.BaseURL + ", synthetic data", ProjectDetails: listing.NewDetails(d.Dashboard.App, ctx, client, market.Store), Progress: d.NewProgress()}
		if !d.Linear() {
			return d.Table(ctx, r)
		}
		return d.PrintTabOf(ctx, r)
	})
}
