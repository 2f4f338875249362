package cli

import (
	"cmp"
	"context"
	"slices"

	"github.com/spf13/cobra"

	"tonne/api"
	"tonne/model"
	"tonne/ui/cli/output"
)

type marketRun struct {
	*app
	listing
	*reading
	narrowing
}

func (a *app) marketCommand() *cobra.Command {
	m := &marketRun{app: a}
	cmd := &cobra.Command{
		Use:   "market",
		Short: "Print what is for sale and what was last paid for it",
		Long: "Prints the sell orders that are available, by project and vintage, with the price\n" +
			"that you last paid for each. All pages are read unless one is asked for.\n\n" +
			incompleteHelp + "\n\n" + filterHelp + "\n\n" +
			watchHelp + "\n" +
			"With --page or --per-page no prices are recorded, and no rules are held.",
		Example: "  tonne market\n" +
			"  tonne market -o csv > market.csv\n" +
			"  tonne market -o json | jq '.projects[].vintages[] | select(.best_ask_cents)'\n" +
			"  tonne market --page 2 --per-page 50 -o jsonl\n" +
			"  tonne market --filter 'type:cookstoves ask<10 country:kenya'\n" +
			"  tonne market --watch -o jsonl",
		Args: cobra.NoArgs,
		RunE: do(m.run),
	}
	a.connectionFlags(cmd)
	m.addFlags(cmd, marketPace)
	m.addFlag(cmd)
	return a.describe(cmd, description{effect: reads, outputs: []outputForm{
		documentForm("projects", marketJSON.Fields),
		rowForm("", offerColumns.Header(), output.JSONL, output.CSV),
		rowForm("--watch", orderChangeHeader, output.JSONL),
	}})
}

func (m *marketRun) run(ctx context.Context, cmd *cobra.Command, _ []string) (err error) {
	if err := m.checkFlags(cmd); err != nil {
		return err
	}
	if err := m.parse(); err != nil {
		return err
	}
	if m.reading, err = m.read(ctx); err != nil {
		return err
	}
	defer m.close()
	if err := m.readLabels(ctx, m.details); err != nil {
		return err
	}
	if m.watch {
		return m.watchMarket(ctx)
	}
	return m.whole(ctx)
}

func (m *marketRun) whole(ctx context.Context) error {
	at := m.Now()
	market, total, err := m.readMarket(ctx, &m.listing, &m.narrowing)
	if err != nil {
		return err
	}
	m.progress.clear()
	m.tellFaults(market.Faults())
	m.market = market
	offers := m.offers(market)
	in := formats{
		document: func() error {
			return output.Document(m.data(), envelope{rfc3339(at), m.baseURL, total, len(m.missing) == 0}, "projects", marketJSON.Objects(m.projects(market)))
		},
		header: offerColumns.Header(),
		rows: func(rows output.Rows) {
			for _, o := range offers {
				offerColumns.Write(rows, o.orders())
			}
		},
		table: func() *output.Grid { return offerColumns.Grid(slices.Values(offers)) },
		none:  m.noneOf("nothing is for sale"),
	}
	if m.tellNone(&m.narrowing, len(offers), market.Vintages()) || len(m.missing) > 0 {
		in.none = ""
	}
	return cmp.Or(m.print(m.format, in), m.unseen())
}

// printMarket prints all of the market as a table.
func printMarket(ctx context.Context, a *app, r *reading) error {
	m := &marketRun{app: a, listing: listing{format: output.Table}, reading: r}
	return m.whole(ctx)
}

// readMarket reads what the flags choose of the market, and what is held of it.
func (r *reading) readMarket(ctx context.Context, l *listing, n *narrowing) (*model.Market, int, error) {
	held := r.startHoldings(ctx, n)
	market, total, err := r.marketPages(ctx, l, func(_ *model.MarketPage, page model.Page) {
		r.progress.tell("page %d of %d", page.Current, page.TotalPages)
	})
	if err := r.partly(err); err != nil {
		return nil, 0, err
	}
	if market.Unreadable() {
		r.unread = append(r.unread, "no price or no quantity of the market can be read")
	}
	r.details.need(ctx, market.ProjectIDs())
	return market, total, r.beside(l, held())
}

func (r *reading) marketPages(ctx context.Context, l *listing, each func(*model.MarketPage, model.Page)) (*model.Market, int, error) {
	if l.allPages() {
		market, err := r.client.Market(ctx, 0, each)
		if market == nil {
			return nil, 0, err
		}
		return market, listed(market.Projects(), err), err
	}
	part, page, err := r.client.MarketPage(ctx, api.MarketQuery{Page: l.page, PerPage: l.perPage})
	if err != nil {
		return nil, 0, err
	}
	each(part, page)
	return model.NewMarket(part), page.TotalItems, nil
}
