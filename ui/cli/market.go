package cli

import (
	"cmp"
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"tonne/api"
	"tonne/model"
	"tonne/ui/cli/output"
)

// marketRun is one run of `tonne market`.
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
		documentForm[marketProject]("projects"),
		rowForm("", marketHeader, output.JSONL, output.CSV),
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

// whole reads the market and prints what was read.
func (m *marketRun) whole(ctx context.Context) error {
	at := m.Now()
	market, total, err := m.readAll(ctx)
	if err != nil {
		return err
	}
	m.progress.clear()
	m.tellFaults(market.Faults())
	m.market = market
	shown := m.vintages(market)
	in := formats{
		document: func() error {
			return output.Document(m.data(), envelope{rfc3339(at), m.baseURL, total, len(m.missing) == 0}, "projects", m.projects(market))
		},
		header: marketHeader,
		rows:   func(rows output.Rows) { m.orders(rows, market, shown) },
		table:  func() *output.Grid { return m.table(market, shown) },
		none:   m.noneOf("nothing is for sale"),
	}
	if m.tellNone(&m.narrowing, len(shown), market.Vintages()) || len(m.missing) > 0 {
		in.none = ""
	}
	return cmp.Or(m.print(m.format, in), m.unseen())
}

// readAll returns the market with all that belongs to it, and the number of
// projects on all pages.
func (m *marketRun) readAll(ctx context.Context) (*model.Market, int, error) {
	held := m.startHoldings(ctx, &m.narrowing)
	market, total, err := m.readPages(ctx, func(_ *model.MarketPage, page model.Page) {
		m.progress.tell("page %d of %d", page.Current, page.TotalPages)
	})
	if err := m.partly(err); err != nil {
		return nil, 0, err
	}
	if market.Unreadable() {
		m.unread = append(m.unread, "no price or no quantity of the market can be read")
	}
	m.details.need(ctx, market.ProjectIDs())
	return market, total, m.beside(&m.listing, held())
}

// readPages reads the page that was asked for, or all of them. With an error of
// kind api.Incomplete it returns what was read.
func (m *marketRun) readPages(ctx context.Context, each func(*model.MarketPage, model.Page)) (*model.Market, int, error) {
	if m.allPages() {
		market, err := m.client.Market(ctx, 0, each)
		if market == nil {
			return nil, 0, err
		}
		return market, listed(market.Projects(), err), err
	}
	part, page, err := m.client.MarketPage(ctx, api.MarketQuery{Page: m.page, PerPage: m.perPage})
	if err != nil {
		return nil, 0, err
	}
	each(part, page)
	return model.NewMarket(part), page.TotalItems, nil
}

const marketHeader = "project_id,project_name,vintage_id,vintage_year,sell_order_id,quantity_grams,price_cents,last_paid_price_cents,last_paid_date"

// vintages returns the vintages that the filter lets pass, by their index.
func (m *marketRun) vintages(market *model.Market) []int {
	shown, _ := m.passing(market, m.details)
	return shown
}

// orders writes a row per sell order.
func (m *marketRun) orders(rows output.Rows, market *model.Market, shown []int) {
	for _, i := range shown {
		v, key := market.Vintage(i), market.Key(i)
		name := output.Optional(m.details.known[key.ProjectID].Name)
		paid := m.paid.Of(key)
		for o := int(v.First); o < int(v.End); o++ {
			order := market.Order(o)
			rows.Write(output.Text(key.ProjectID), name, output.Text(v.ID), output.Year(v.Year), output.Text(order.ID),
				output.Grams(order.Quantity), output.Price(order.Price), output.Price(paid.Price), output.Time(paid.ExecutionDate))
		}
	}
}

// table shows a row per vintage.
func (m *marketRun) table(market *model.Market, shown []int) *output.Grid {
	g := output.NewGrid(
		output.Column{Title: "PROJECT", Shrink: 12},
		output.Column{Title: "TYPE", Spare: true},
		output.Column{Title: "CC", Spare: true},
		output.Column{Title: "YEAR", Right: true},
		output.Column{Title: "VINTAGE ID", Drop: 2},
		output.Column{Title: "BEST ASK", Right: true},
		output.Column{Title: "LAST PAID", Right: true, Drop: 1},
		output.Column{Title: "VS PAID", Right: true, Drop: 3},
		output.Column{Title: "AVAILABLE", Right: true},
		output.Column{Title: "ASKS", Right: true, Drop: 4},
	)
	for _, i := range shown {
		v, key := market.Vintage(i), market.Key(i)
		paid, project := m.paid.Of(key), m.details.known[key.ProjectID]
		g.Add(m.details.known.Name(key.ProjectID), dash(project.Type), dash(project.Country), yearText(v.Year), v.ID, dollars(v.BestAsk), dollars(paid.Price),
			versusText(v.BestAsk, paid.Price), v.Available.FormatTonnes(), strconv.Itoa(v.Asks()))
	}
	return g
}
