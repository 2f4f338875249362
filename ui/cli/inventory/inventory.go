// Package inventory is `tonne inventory`: wallets or trades, or what changes in them.
package inventory

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tonne/api"
	"tonne/model"
	"tonne/ui/cli/command"
	"tonne/ui/cli/listing"
	"tonne/ui/cli/output"
)

type run struct {
	*command.App
	listing.PagingFlags
	trades             bool
	tradesPerWallet    int
	tradeType, atLeast string
	query              api.InventoryQuery
	*listing.Connection
	listing.FilterFlags
}

// Command returns `tonne inventory`.
func Command(a *command.App) *cobra.Command {
	r := &run{App: a}
	cmd := &cobra.Command{
		Use:   "inventory",
		Short: "Print the credits that you own and have not retired",
		Long: "Prints what you own by project, vintage and wallet, with what was last paid, or every\n" +
			"trade with --trades. All pages are read unless one is asked for. What was last paid\n" +
			"does not depend on the filters. The table tells what that is worth at the best ask and\n" +
			"what it cost on average, and ends with the totals.\n\n" +
			listing.IncompleteHelp + "\n\n" + listing.FilterHelp + "\n\n" +
			listing.WatchHelp,
		Example: "  tonne inventory\n" +
			"  tonne inventory --trades -o csv > trades.csv\n" +
			"  tonne inventory --wallet-min-quantity 1 -o json\n" +
			"  tonne inventory --trade-type BUY --trades-per-wallet 5 --trades\n" +
			"  tonne inventory --filter 'held>=1 ask>10'\n" +
			"  tonne inventory --watch -o jsonl",
		Args: cobra.NoArgs,
		RunE: command.Do(r.run),
	}
	a.ConnectionFlags(cmd)
	r.AddFlags(a, cmd, listing.InventoryPace)
	r.AddFlag(cmd)
	f := cmd.Flags()
	f.BoolVar(&r.trades, "trades", false, "a row per trade in place of one per wallet")
	f.IntVar(&r.tradesPerWallet, "trades-per-wallet", 0, "ask for the `N` latest trades of each wallet (default all)")
	f.StringVar(&r.tradeType, "trade-type", "", "ask for trades of one type, `BUY|SELL`")
	f.StringVar(&r.atLeast, "wallet-min-quantity", "", "ask for wallets that hold at least so many `GRAMS`")
	return a.Describe(cmd, command.Description{Effect: command.Reads, Outputs: []command.OutputForm{
		listing.DocumentForm("projects", jsonColumns.Fields),
		command.RowForm("", walletColumns.Header(), output.JSONL, output.CSV),
		command.RowForm("--trades", tradeColumns.Header(), output.JSONL, output.CSV),
		command.RowForm("--watch", changeHeader, output.JSONL),
	}})
}

func (r *run) readFlags(cmd *cobra.Command) error {
	if err := r.CheckFlags(cmd); err != nil {
		return err
	}
	if err := r.Parse(); err != nil {
		return err
	}
	if cmd.Flags().Changed("trades-per-wallet") && r.tradesPerWallet < 1 {
		return command.Usage("leave --trades-per-wallet out to get all trades", "--trades-per-wallet %d is not a number of trades", r.tradesPerWallet)
	}
	tradeType := model.TradeType(strings.ToUpper(r.tradeType))
	if tradeType != "" && tradeType != model.Buy && tradeType != model.Sell {
		return command.Usage("permitted: BUY, SELL", "--trade-type %q is not a type of trade", r.tradeType)
	}
	var least model.Grams
	if r.atLeast != "" {
		var err error
		if least, err = model.ParseGrams(r.atLeast); err != nil {
			return command.Usage("give grams in digits, such as 1 for wallets that hold anything", "--wallet-min-quantity %q %v", r.atLeast, err)
		}
	}
	r.query = api.InventoryQuery{
		Page: r.Page, PerPage: r.PerPage, TradesPerWallet: r.tradesPerWallet, TradeType: tradeType, WalletMinQuantity: least,
	}
	return nil
}

func (r *run) run(ctx context.Context, cmd *cobra.Command, _ []string) (err error) {
	if err := r.readFlags(cmd); err != nil {
		return err
	}
	if r.Connection, err = listing.Connect(ctx, r.App); err != nil {
		return err
	}
	defer r.Close()
	if err := r.ReadLabels(ctx, r.ProjectDetails); err != nil {
		return err
	}
	if r.Watch {
		return r.watchInventory(ctx)
	}
	return r.whole(ctx)
}

func (r *run) whole(ctx context.Context) error {
	at := r.Now()
	held, market := r.StartHoldings(ctx, &r.FilterFlags), r.startAsks(ctx)
	inv, total, err := r.readPages(ctx, func(_ *model.Inventory, page model.Page) {
		r.Progress.Tell("page %d of %d", page.Current, page.TotalPages)
	})
	if err := r.Partly(err); err != nil {
		return err
	}
	if inv.Unreadable() {
		r.Unread = append(r.Unread, listing.NoneReadable)
	}
	r.ProjectDetails.Need(ctx, inv.ProjectIDs())
	if err := errors.Join(r.Beside(&r.PagingFlags, held()), r.Beside(&r.PagingFlags, market())); err != nil {
		return err
	}
	r.Progress.Clear()
	r.TellFaults(inv.Faults)
	inv, toldNone := r.narrow(inv)
	in := r.formats(inv)
	in.Document = func() error {
		return output.Document(r.Data(), listing.NewEnvelope(at, r.BaseURL, total, len(r.Missing) == 0), "projects", jsonColumns.Objects(r.projects(inv)))
	}
	in.None = r.NoneOf("you own no credits that are not retired")
	switch {
	case toldNone || len(r.Missing) > 0:
		in.None = ""
	case r.atLeast != "" || r.tradeType != "":
		in.None = "the filters leave nothing"
	}
	return cmp.Or(in.Print(r.Format), r.Unseen())
}

// narrow returns what the filter lets pass of an inventory, and whether it told
// that this is nothing.
func (r *run) narrow(inv *model.Inventory) (*model.Inventory, bool) {
	if r.Expr.Empty() {
		return inv, false
	}
	left := &model.Inventory{}
	passed, of := 0, 0
	for _, p := range inv.Projects {
		of += len(p.Vintages)
		p.Vintages = slices.DeleteFunc(slices.Clone(p.Vintages), func(v model.InventoryVintage) bool {
			return !r.Lets(model.VintageKey{ProjectID: p.ID, VintageID: v.ID}, r.ProjectDetails)
		})
		if passed += len(p.Vintages); len(p.Vintages) > 0 {
			left.Projects = append(left.Projects, p)
		}
	}
	return left, listing.TellNone(r.App, &r.FilterFlags, passed, of)
}

func (r *run) readPages(ctx context.Context, each func(*model.Inventory, model.Page)) (*model.Inventory, int, error) {
	if r.AllPages() {
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
