package demo

import (
	"context"

	"github.com/spf13/cobra"

	"tonne/api"
	"tonne/model/store"
	"tonne/ui/cli/command"
	"tonne/ui/cli/config"
)

func (d *options) printDemo(ctx context.Context, cmd *cobra.Command) error {
	if err := d.dash.App.OpenDebug(); err != nil {
		return err
	}
	return d.withMarket(ctx, func(ctx context.Context, market *syntheticMarket, client *api.Client) error {
		select {
		case <-market.key.ready:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		for _, hint := range market.hints {
			if err := market.store.Of(market.baseURL).Ledger.Remember(ctx, d.dash.App.Now(), hint.ID); err != nil {
				return err
			}
			if err := market.store.Of(market.baseURL).Ledger.SetLabel(ctx, hint.ID, hint.Label, d.dash.App.Now()); err != nil {
				return err
			}
			found, err := client.Retirement(ctx, hint.ID)
			if err != nil {
				continue
			}
			if err := market.store.Of(market.baseURL).Ledger.Record(ctx, store.LookUp{ID: hint.ID, At: d.dash.App.Now(), Answer: &found}); err != nil {
				return err
			}
		}
		settings := &command.Settings{File: new(config.File), BaseURL: config.BaseURL(market.baseURL)}
		d.dash.App.Desk = &command.Desk{Store: market.store, Connect: func() (*command.Settings, *api.Client, error) { return settings, client, nil }}
		d.dash.App.Warn("this is synthetic data")
		return d.dash.PrintTab(ctx, cmd)
	})
}
