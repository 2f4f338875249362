// Package market is `tonne market`: the sell orders of all vintages, or what changes in
// them.
package market

import (
	"cmp"
	"context"
	"slices"

	"github.com/spf13/cobra"

	"tonne/ui/cli/command"
	"tonne/ui/cli/listing"
	"tonne/ui/cli/output"
)

type run struct {
	*command.App
	listing.PagingFlags
	*listing.Connection
	listing.FilterFlags
}

// Command returns `tonne market`.
func Command(a *command.App) *cobra.Command {
	m := &run{App: a}
	cmd := &cobra.Command{
		Use:   "market",
		Short: "Print what is for sale and what was last paid for it",
		Long: "Prints the sell orders that are available, by project and vintage, with the price\n" +
			"that you last paid for each. All pages are read unless one is asked for.\n\n" +
			listing.IncompleteHelp + "\n\n" + listing.FilterHelp + "\n\n" +
			listing.WatchHelp + "\n" +
			"With --page or --per-page no prices are recorded, and no rules are held.",
		Example: "  tonne market\n" +
			"  tonne market -o csv > market.csv\n" +
			"  tonne market -o json | jq '.projects[].vintages[] | select(.best_ask_cents)'\n" +
			"  tonne market --page 2 --per-page 50 -o jsonl\n" +
			"  tonne market --filter 'type:cookstoves ask<10 country:kenya'\n" +
			"  tonne market --watch -o jsonl",
		Args: cobra.NoArgs,
		RunE: command.Do(m.run),
	}
	a.ConnectionFlags(cmd)
	m.AddFlags(a, cmd, listing.MarketPace)
	m.AddFlag(cmd)
	return a.Describe(cmd, command.Description{Effect: command.Reads, Outputs: []command.OutputForm{
		listing.DocumentForm("projects", jsonColumns.Fields),
		command.RowForm("", offerColumns.Header(), output.JSONL, output.CSV),
		command.RowForm("--watch", changeHeader, output.JSONL),
	}})
}

func (m *run) run(ctx context.Context, cmd *cobra.Command, _ []string) (err error) {
	if err := m.CheckFlags(cmd); err != nil {
		return err
	}
	if err := m.Parse(); err != nil {
		return err
	}
	if m.Connection, err = listing.Connect(ctx, m.App); err != nil {
		return err
	}
	defer m.Close()
	if err := m.ReadLabels(ctx, m.ProjectDetails); err != nil {
		return err
	}
	if m.Watch {
		return m.watchMarket(ctx)
	}
	return m.whole(ctx)
}

func (m *run) whole(ctx context.Context) error {
	at := m.Now()
	market, total, err := m.ReadMarket(ctx, &m.PagingFlags, &m.FilterFlags)
	if err != nil {
		return err
	}
	m.Progress.Clear()
	m.TellFaults(market.Faults())
	m.Market = market
	offers := m.offers(market)
	rows := ordersOf(offers)
	if m.Format == output.Table && !slices.ContainsFunc(m.Selection.Names(), isOfOrder) {
		rows = slices.Values(offers)
	}
	in := listing.NewFormats(m.App, offerColumns, rows)
	in.Document = func() error {
		return output.Document(m.Data(), listing.NewEnvelope(at, m.BaseURL, total, len(m.Missing) == 0), "projects", jsonColumns.Objects(m.projects(market)))
	}
	in.None = m.NoneOf("nothing is for sale")
	if listing.TellNone(m.App, &m.FilterFlags, len(offers), market.Vintages()) || len(m.Missing) > 0 {
		in.None = ""
	}
	return cmp.Or(in.Print(m.Format), m.Unseen())
}

// Print prints all of the market as a table.
func Print(ctx context.Context, a *command.App, r *listing.Connection) error {
	m := &run{App: a, PagingFlags: listing.PagingFlags{Format: output.Table}, Connection: r}
	return m.whole(ctx)
}
