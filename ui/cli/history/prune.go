package history

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"tonne/api"
	"tonne/model"
	"tonne/model/portfolio"
	"tonne/ui/cli/command"
	"tonne/ui/cli/listing"
)

type prune struct {
	app    *command.App
	before string
	dry    bool
}

func pruneCommand(a *command.App) *cobra.Command {
	p := &prune{app: a}
	cmd := &cobra.Command{
		Use:   "prune --before DAY",
		Short: "Remove what was recorded before a day, except for purchases",
		Long: "Removes the sell orders that had ended and the reads that were made before the UTC day. What\n" +
			"`execution` shows of your purchases remains: the command reads your inventory, and removes nothing\n" +
			"if it cannot (status 5). Nothing expires by itself.",
		Example: "  tonne history prune --before 2025-01-01 --dry-run",
		RunE:    command.Do(func(ctx context.Context, _ *cobra.Command, _ []string) error { return p.run(ctx) }),
	}
	a.ConnectionFlags(cmd)
	cmd.Flags().StringVar(&p.before, "before", "", "remove what ended before the `DAY`, such as 2025-01-01")
	cmd.Flags().BoolVar(&p.dry, "dry-run", false, "say what would be removed, and remove nothing")
	return a.Describe(cmd, command.Description{Effect: command.WritesLocal})
}

func (p *prune) run(ctx context.Context) error {
	before, err := listing.ParseDay("--before", p.before)
	switch {
	case err != nil:
		return err
	case before.IsZero():
		return command.Usage("give --before 2025-01-01", "--before is missing")
	}
	client, settings, err := p.app.Connect()
	if err != nil {
		return err
	}
	defer p.app.Disconnect(client)
	inv, err := client.Inventory(ctx, api.InventoryQuery{}, nil)
	if err == nil && len(inv.Faults) > 0 {
		p.app.TellFaults(inv.Faults)
		err = &api.Error{Kind: api.Incomplete, Message: "a part of the inventory is not readable"}
	}
	if err != nil {
		return command.Incomplete("nothing was removed, because the inventory could not be read: %s",
			command.Explain(err).What)
	}
	done, err := p.app.Record().Of(string(settings.BaseURL)).Prune(ctx, before, bought(inv), p.dry)
	if err != nil {
		return err
	}
	does := "removed"
	if p.dry {
		does = "would remove"
	}
	p.app.Say(does + " " + model.Count(int(done.Intervals), "interval", "intervals") + " and " +
		model.Count(int(done.Reads), "read", "reads") + ": " + model.FormatNumber(done.Bytes) + " bytes\n")
	return nil
}

// bought returns the times of the purchases.
func bought(inv *portfolio.Inventory) (times []time.Time) {
	for _, w := range inv.AllWallets() {
		for _, t := range w.Trades {
			if t.Type == portfolio.Buy && t.ExecutionDate.Known() {
				times = append(times, t.ExecutionDate.Time)
			}
		}
	}
	return times
}
