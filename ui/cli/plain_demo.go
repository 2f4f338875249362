package cli

import (
	"context"

	"tonne/api"
)

func (d *demoRun) printDemo(ctx context.Context) error {
	if err := d.openDebug(); err != nil {
		return err
	}
	begin := make(chan struct{})
	close(begin)
	return d.withMarket(ctx, begin, func(ctx context.Context, market *demoMarket, client *api.Client) error {
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
		r := &reading{client: client, baseURL: market.baseURL + ", synthetic data", details: d.newDetails(ctx, client, market.store), progress: d.newProgress()}
		if !d.linear() {
			return d.table(ctx, r)
		}
		return d.printTabOf(ctx, r)
	})
}
