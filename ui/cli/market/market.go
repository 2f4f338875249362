// Package market implements the command `tonne market`: it prints all sell orders, or with
// --watch their changes. Start reading at Command.
package market

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"github.com/spf13/cobra"

	"tonne/api/session"
	"tonne/model"
	"tonne/model/field"
	"tonne/model/market"
	"tonne/ui/cli/command"
	"tonne/ui/cli/listing"
	"tonne/ui/column"
	"tonne/ui/output"
)

type options struct {
	app    *command.App
	paging listing.PagingFlags
	filter listing.FilterFlags
	past   listing.Past
}

type reading struct {
	*options
	*listing.Connection
}

// Command returns `tonne market`.
func Command(a *command.App) *cobra.Command {
	o := &options{app: a}
	cmd := &cobra.Command{
		Use:   "market",
		Short: "Print the sell orders and your last paid prices",
		Long: "Prints the available sell orders by project and vintage, with the price that you last\n" +
			"paid for each vintage. All pages are read unless you request one.\n\n" +
			"With -o csv or jsonl, a row is a sell order. If --columns names a column of a vintage, such as\n" +
			"best_ask_cents, and none of a sell order, a row is a vintage; so it is with --view. Rows are\n" +
			"printed as pages arrive. If a page then fails, the rows before it stay, and the status is not 0.\n\n" +
			listing.IncompleteHelp + "\n\n" + listing.PastHelp + "\n\n" + listing.FilterHelp +
			a.Local(listing.LabelHelp+listing.WatchHelp+"\n"+
				"With --page or --per-page, prices are not recorded and rules are not checked."),
		Example: a.Examples(
			"%s market",
			"%s market -o csv > market.csv",
			a.Local("%s market -o json | jq '.projects[].vintages[] | select(.best_ask_cents)'"),
			"%s market --page 2 --per-page 50 -o jsonl",
			a.Local("%s market --filter 'type:cookstoves ask<10 country:kenya'"),
			a.Local("%s market --watch -o jsonl"),
			"%s market --at 2026-11-20T14:02:00Z -o csv",
		),
		RunE: command.Do(o.run),
	}
	a.ConnectionFlags(cmd)
	o.paging.AddFlags(a, cmd, session.MarketInterval)
	o.filter.AddFlag(cmd)
	o.past.AddFlag(cmd)
	command.ViewFlag(a, cmd)
	return a.Describe(cmd, command.Description{Effect: command.Reads, Outputs: []command.OutputForm{
		listing.DocumentForm("projects", jsonColumns.Fields),
		command.RowForm("", column.Offers.RowFields(), output.JSONL, output.CSV).Select(column.Offers.Extras()).
			In("projects[].vintages[].sell_orders[]"),
		command.RowForm("--watch", changeColumns.RowFields(), output.JSONL),
	}})
}

func (o *options) run(ctx context.Context, cmd *cobra.Command, _ []string) error {
	if err := o.past.Parse(cmd, "watch", "every", "page", "per-page"); err != nil {
		return err
	}
	connection, err := listing.Open(ctx, o.app, cmd, &o.paging, &o.filter)
	if err != nil {
		return err
	}
	defer connection.Close()
	r := &reading{o, connection}
	switch rows := o.paging.Format == output.CSV || o.paging.Format == output.JSONL; {
	case o.paging.Watch:
		return r.watch(ctx)
	case rows && o.app.Selection.Sort == "" && !o.past.Given():
		return r.stream(ctx)
	}
	return r.print(ctx)
}

func (r *reading) print(ctx context.Context) error {
	at := r.app.Now()
	market, total, err := r.read(ctx)
	if err != nil {
		return err
	}
	r.app.ClearProgress()
	r.app.TellFaults(market.Faults())
	r.filter.Market = market
	listings := r.listings(market)
	in := listing.NewFormats(r.app, column.Offers, r.rows(listings))
	in.Document = func() error {
		envelope := listing.NewEnvelope(at, r.BaseURL, total, len(r.Missing) == 0)
		if r.past.Given() {
			envelope.FetchedAt, envelope.At = r.past.ReadAt(), r.past.Asked()
		}
		return output.Document(r.app.Data(), envelope, "projects", jsonColumns.Objects(r.projects(market)))
	}
	if r.past.Given() {
		in.Tables = func(rows iter.Seq[column.Offer]) []*output.Grid {
			return append(r.past.Table(), output.GridOf(column.Offers, rows))
		}
	}
	in.None = r.paging.NoneOf("nothing is for sale")
	if listing.TellNone(r.app, &r.filter, len(listings), market.Vintages()) || len(r.Missing) > 0 {
		in.None = ""
	}
	return cmp.Or(in.Print(r.paging.Format), r.Unseen())
}

func (r *reading) read(ctx context.Context) (m *market.Market, total int, err error) {
	if !r.past.Given() {
		return r.ReadMarket(ctx, &r.paging, &r.filter)
	}
	if m, r.filter.Paid, err = r.past.Market(ctx, r.Connection); err != nil {
		return nil, 0, err
	}
	return m, m.Projects(), nil
}

func (r *reading) rows(listings []column.Listing) iter.Seq[column.Offer] {
	chosen := func(c field.Column[column.Offer]) bool { return slices.Contains(r.app.Selection.Names(), c.Name) }
	extra := func(name string) bool { return slices.Contains(r.app.Selection.Columns, name) }
	vintages := r.paging.Format == output.Table || r.app.View != "" || slices.ContainsFunc(column.Offers.Extras(), extra)
	vintages = vintages && !slices.ContainsFunc(column.OfferOrders, chosen)
	return func(yield func(column.Offer) bool) {
		for _, l := range listings {
			offers := l.Orders()
			if vintages {
				offers = slices.Values([]column.Offer{{Listing: l}})
			}
			for o := range offers {
				if !yield(o) {
					return
				}
			}
		}
	}
}

type project struct {
	column.Vintage
	listings []column.Listing
}

func (p project) named() column.Vintage { return p.Vintage }

func (p project) vintages() iter.Seq[column.Listing] { return slices.Values(p.listings) }

var jsonColumns = column.Projects(project.named).With(field.Items("vintages", project.vintages,
	column.Listings.Include("vintage_id", "vintage_year", "best_ask_cents", "available_grams").With(
		field.Nested("last_paid", column.Listing.LastPaid, column.LastPaid),
		field.Items("sell_orders", column.Listing.Orders, column.OfferOrders),
	)))

func (r *reading) listing(market *market.Market, i int) column.Listing {
	return column.Listing{Market: market, At: i, Projects: r.ProjectDetails.Known, Paid: r.filter.Paid}
}

func (r *reading) listings(market *market.Market) (all []column.Listing) {
	for _, i := range r.filter.Passing(market, r.ProjectDetails) {
		all = append(all, r.listing(market, i))
	}
	return all
}

func (r *reading) projects(market *market.Market) iter.Seq[project] {
	return func(yield func(project) bool) {
		for i := range market.Projects() {
			of := market.Project(i)
			p := project{Vintage: column.Vintage{Key: model.VintageKey{ProjectID: of.ID}, Projects: r.ProjectDetails.Known}}
			for v := of.First; v < of.End; v++ {
				if r.filter.Lets(market.Key(v), r.ProjectDetails) {
					p.listings = append(p.listings, r.listing(market, v))
				}
			}
			if (len(p.listings) > 0 || of.First == of.End) && !yield(p) {
				return
			}
		}
	}
}
