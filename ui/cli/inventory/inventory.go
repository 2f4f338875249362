// Package inventory implements the command `tonne inventory`: it prints wallets or trades,
// or with --watch their changes. Start reading at Command.
package inventory

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tonne/api"
	"tonne/api/session"
	"tonne/model"
	"tonne/model/portfolio"
	"tonne/ui/cli/command"
	"tonne/ui/cli/listing"
	"tonne/ui/column"
	"tonne/ui/output"
)

type options struct {
	app                *command.App
	paging             listing.PagingFlags
	filter             listing.FilterFlags
	trades             bool
	tradesPerWallet    int
	tradeType, atLeast string
}

type reading struct {
	*options
	*listing.Connection
	query api.InventoryQuery
}

// Command returns `tonne inventory`.
func Command(a *command.App) *cobra.Command {
	o := &options{app: a}
	cmd := &cobra.Command{
		Use:   "inventory",
		Short: "Print the credits that you own and have not retired",
		Long: "Prints your credits by project, vintage and wallet with the last paid price, or every\n" +
			"trade with --trades. All pages are read unless you request one. The filters do not change\n" +
			"the last paid price. The table also shows the value at the best ask, the average cost and\n" +
			"the totals.\n\n" +
			listing.IncompleteHelp + "\n\n" + listing.FilterHelp + a.Local(listing.LabelHelp+listing.WatchHelp),
		Example: a.Examples(
			"%s inventory",
			"%s inventory --trades -o csv > trades.csv",
			"%s inventory --wallet-min-quantity 1 -o json",
			"%s inventory --trade-type BUY --trades-per-wallet 5 --trades",
			a.Local("%s inventory --filter 'held>=1 ask>10'"),
			a.Local("%s inventory --watch -o jsonl"),
		),
		RunE: command.Do(o.run),
	}
	a.ConnectionFlags(cmd)
	o.paging.AddFlags(a, cmd, session.InventoryInterval)
	o.filter.AddFlag(cmd)
	command.ViewFlag(a, cmd)
	f := cmd.Flags()
	f.BoolVar(&o.trades, "trades", false, "one row per trade instead of one per wallet")
	f.IntVar(&o.tradesPerWallet, "trades-per-wallet", 0, "request only the `N` latest trades of each wallet (default all)")
	f.StringVar(&o.tradeType, "trade-type", "", "request only trades of one type, `BUY|SELL`")
	f.StringVar(&o.atLeast, "wallet-min-quantity", "", "request only wallets with at least `GRAMS` grams")
	return a.Describe(cmd, command.Description{Effect: command.Reads, Outputs: []command.OutputForm{
		listing.DocumentForm("projects", jsonColumns.Fields),
		command.RowForm("", column.Wallets.RowFields(), output.JSONL, output.CSV).Select(column.Wallets.Extras()).
			In("projects[].vintages[].wallets[]"),
		command.RowForm("--trades", column.Trades.RowFields(), output.JSONL, output.CSV).
			In("projects[].vintages[].wallets[].trades[]"),
		command.RowForm("--watch", changeColumns.RowFields(), output.JSONL),
	}})
}

func (o *options) parse(cmd *cobra.Command) (q api.InventoryQuery, err error) {
	if cmd.Flags().Changed("trades-per-wallet") && o.tradesPerWallet < 1 {
		return q, command.Usage("leave --trades-per-wallet out to get all trades",
			"--trades-per-wallet %d is not a number of trades", o.tradesPerWallet)
	}
	if o.paging.Watch && !o.paging.AllPages() {
		return q, command.Usage("leave them out", "--watch follows the whole inventory: --page and --per-page do not apply")
	}
	tradeType := portfolio.TradeType(strings.ToUpper(o.tradeType))
	if tradeType != "" && tradeType != portfolio.Buy && tradeType != portfolio.Sell {
		return q, command.Usage("permitted: BUY, SELL", "--trade-type %q is not a type of trade", o.tradeType)
	}
	q = api.InventoryQuery{Page: o.paging.Page, PerPage: o.paging.PerPage, TradesPerWallet: o.tradesPerWallet,
		TradeType: tradeType}
	if o.atLeast != "" {
		if q.WalletMinQuantity, err = model.ParseGrams(o.atLeast); err != nil {
			return q, command.Usage("give grams in digits, such as 1 for wallets that hold anything",
				"--wallet-min-quantity %q %v", o.atLeast, err)
		}
	}
	return q, nil
}

func (o *options) run(ctx context.Context, cmd *cobra.Command, _ []string) error {
	query, err := o.parse(cmd)
	if err != nil {
		return err
	}
	connection, err := listing.Open(ctx, o.app, cmd, &o.paging, &o.filter)
	if err != nil {
		return err
	}
	defer connection.Close()
	r := &reading{o, connection, query}
	if o.paging.Watch {
		return r.watch(ctx)
	}
	return r.print(ctx)
}

func (r *reading) print(ctx context.Context) error {
	at := r.app.Now()
	held, market := r.StartHoldings(ctx, &r.filter), r.startAsks(ctx)
	inv, total, err := r.readPages(ctx, func(_ *portfolio.Inventory, page model.Page) {
		r.app.ShowProgress("page %d of %d", page.Current, page.TotalPages)
	})
	if err := r.Partly(err); err != nil {
		return err
	}
	if inv.Unreadable() {
		r.Unread = append(r.Unread, "no price or no quantity of the inventory is readable")
	}
	r.ProjectDetails.Need(ctx, inv.ProjectIDs())
	if err := errors.Join(r.Beside(&r.paging, held()), r.Beside(&r.paging, market())); err != nil {
		return err
	}
	r.app.ClearProgress()
	r.app.TellFaults(inv.Faults)
	inv, toldNone := r.narrow(inv)
	none := r.paging.NoneOf("you own no credits that are not retired")
	switch {
	case toldNone || len(r.Missing) > 0:
		none = ""
	case r.atLeast != "" || r.tradeType != "":
		none = "the filters leave nothing"
	}
	document := func() error {
		return output.Document(r.app.Data(), listing.NewEnvelope(at, r.BaseURL, total, len(r.Missing) == 0), "projects",
			jsonColumns.Objects(r.projects(inv)))
	}
	return cmp.Or(r.printRows(inv, document, none), r.Unseen())
}

// narrow returns the matching part, and whether it warned that nothing matches.
func (r *reading) narrow(inv *portfolio.Inventory) (*portfolio.Inventory, bool) {
	if r.filter.Expr.Empty() {
		return inv, false
	}
	left := &portfolio.Inventory{}
	passed, of := 0, 0
	for _, p := range inv.Projects {
		of += len(p.Vintages)
		p.Vintages = slices.DeleteFunc(slices.Clone(p.Vintages), func(v portfolio.Vintage) bool {
			return !r.filter.Lets(model.VintageKey{ProjectID: p.ID, VintageID: v.ID}, r.ProjectDetails)
		})
		if passed += len(p.Vintages); len(p.Vintages) > 0 {
			left.Projects = append(left.Projects, p)
		}
	}
	return left, listing.TellNone(r.app, &r.filter, passed, of)
}

func (r *reading) readPages(ctx context.Context, each func(*portfolio.Inventory, model.Page)) (*portfolio.Inventory,
	int, error) {
	if r.paging.AllPages() {
		inv, err := r.Client.Inventory(ctx, r.query, each)
		if inv == nil {
			return nil, 0, err
		}
		return inv, listing.Listed(len(inv.Projects), err), err
	}
	inv, page, err := r.Client.InventoryPage(ctx, r.query)
	if err != nil {
		return nil, 0, err
	}
	each(inv, page)
	return inv, page.TotalItems, nil
}
