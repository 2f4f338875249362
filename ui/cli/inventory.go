package cli

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tonne/api"
	"tonne/model"
	"tonne/ui/cli/output"
)

type inventoryRun struct {
	*app
	listing
	trades             bool
	tradesPerWallet    int
	tradeType, atLeast string
	query              api.InventoryQuery
	*reading
	narrowing
}

func (a *app) inventoryCommand() *cobra.Command {
	r := &inventoryRun{app: a}
	cmd := &cobra.Command{
		Use:   "inventory",
		Short: "Print the credits that you own and have not retired",
		Long: "Prints what you own by project, vintage and wallet, with what was last paid, or every\n" +
			"trade with --trades. All pages are read unless one is asked for. What was last paid\n" +
			"does not depend on the filters. The table tells what that is worth at the best ask and\n" +
			"what it cost on average, and ends with the totals.\n\n" +
			incompleteHelp + "\n\n" + filterHelp + "\n\n" +
			watchHelp,
		Example: "  tonne inventory\n" +
			"  tonne inventory --trades -o csv > trades.csv\n" +
			"  tonne inventory --wallet-min-quantity 1 -o json\n" +
			"  tonne inventory --trade-type BUY --trades-per-wallet 5 --trades\n" +
			"  tonne inventory --filter 'held>=1 ask>10'\n" +
			"  tonne inventory --watch -o jsonl",
		Args: cobra.NoArgs,
		RunE: do(r.run),
	}
	a.connectionFlags(cmd)
	r.addFlags(cmd, inventoryPace)
	r.addFlag(cmd)
	f := cmd.Flags()
	f.BoolVar(&r.trades, "trades", false, "a row per trade in place of one per wallet")
	f.IntVar(&r.tradesPerWallet, "trades-per-wallet", 0, "ask for the `N` latest trades of each wallet (default all)")
	f.StringVar(&r.tradeType, "trade-type", "", "ask for trades of one type, `BUY|SELL`")
	f.StringVar(&r.atLeast, "wallet-min-quantity", "", "ask for wallets that hold at least so many `GRAMS`")
	return a.describe(cmd, description{effect: reads, outputs: []outputForm{
		documentForm("projects", inventoryJSON.Fields),
		rowForm("", walletColumns.Header(), output.JSONL, output.CSV),
		rowForm("--trades", tradeColumns.Header(), output.JSONL, output.CSV),
		rowForm("--watch", walletChangeHeader, output.JSONL),
	}})
}

func (r *inventoryRun) readFlags(cmd *cobra.Command) error {
	if err := r.checkFlags(cmd); err != nil {
		return err
	}
	if err := r.parse(); err != nil {
		return err
	}
	if cmd.Flags().Changed("trades-per-wallet") && r.tradesPerWallet < 1 {
		return usage("leave --trades-per-wallet out to get all trades", "--trades-per-wallet %d is not a number of trades", r.tradesPerWallet)
	}
	tradeType := model.TradeType(strings.ToUpper(r.tradeType))
	if tradeType != "" && tradeType != model.Buy && tradeType != model.Sell {
		return usage("permitted: BUY, SELL", "--trade-type %q is not a type of trade", r.tradeType)
	}
	var least model.Grams
	if r.atLeast != "" {
		var err error
		if least, err = model.ParseGrams(r.atLeast); err != nil {
			return usage("give grams in digits, such as 1 for wallets that hold anything", "--wallet-min-quantity %q %v", r.atLeast, err)
		}
	}
	r.query = api.InventoryQuery{
		Page: r.page, PerPage: r.perPage, TradesPerWallet: r.tradesPerWallet, TradeType: tradeType, WalletMinQuantity: least,
	}
	return nil
}

func (r *inventoryRun) run(ctx context.Context, cmd *cobra.Command, _ []string) (err error) {
	if err := r.readFlags(cmd); err != nil {
		return err
	}
	if r.reading, err = r.read(ctx); err != nil {
		return err
	}
	defer r.close()
	if err := r.readLabels(ctx, r.details); err != nil {
		return err
	}
	if r.watch {
		return r.watchInventory(ctx)
	}
	return r.whole(ctx)
}

func (r *inventoryRun) whole(ctx context.Context) error {
	at := r.Now()
	held, market := r.startHoldings(ctx, &r.narrowing), r.startAsks(ctx)
	inv, total, err := r.readPages(ctx, func(_ *model.Inventory, page model.Page) {
		r.progress.tell("page %d of %d", page.Current, page.TotalPages)
	})
	if err := r.partly(err); err != nil {
		return err
	}
	if inv.Unreadable() {
		r.unread = append(r.unread, noneReadable)
	}
	r.details.need(ctx, inv.ProjectIDs())
	if err := errors.Join(r.beside(&r.listing, held()), r.beside(&r.listing, market())); err != nil {
		return err
	}
	r.progress.clear()
	r.tellFaults(inv.Faults)
	inv, toldNone := r.narrow(inv)
	in := r.formats(inv)
	in.document = func() error {
		return output.Document(r.data(), envelope{rfc3339(at), r.baseURL, total, len(r.missing) == 0}, "projects", inventoryJSON.Objects(r.projects(inv)))
	}
	in.none = r.noneOf("you own no credits that are not retired")
	switch {
	case toldNone || len(r.missing) > 0:
		in.none = ""
	case r.atLeast != "" || r.tradeType != "":
		in.none = "the filters leave nothing"
	}
	return cmp.Or(r.print(r.format, in), r.unseen())
}

// noneReadable says of an inventory that it is unreadable.
const noneReadable = "no price or no quantity of the inventory can be read"

// narrow returns what the filter lets pass of an inventory, and whether it told
// that this is nothing.
func (r *inventoryRun) narrow(inv *model.Inventory) (*model.Inventory, bool) {
	if r.expr.Empty() {
		return inv, false
	}
	left := &model.Inventory{}
	passed, of := 0, 0
	for _, p := range inv.Projects {
		of += len(p.Vintages)
		p.Vintages = slices.DeleteFunc(slices.Clone(p.Vintages), func(v model.InventoryVintage) bool {
			return !r.lets(model.VintageKey{ProjectID: p.ID, VintageID: v.ID}, r.details)
		})
		if passed += len(p.Vintages); len(p.Vintages) > 0 {
			left.Projects = append(left.Projects, p)
		}
	}
	return left, r.tellNone(&r.narrowing, passed, of)
}

func (r *inventoryRun) readPages(ctx context.Context, each func(*model.Inventory, model.Page)) (*model.Inventory, int, error) {
	if r.allPages() {
		inv, err := r.client.Inventory(ctx, r.query, each)
		if inv == nil {
			return nil, 0, err
		}
		return inv, listed(len(inv.Projects), err), err
	}
	inv, page, err := r.client.InventoryPage(ctx, r.query)
	if err != nil {
		return nil, 0, err
	}
	each(inv, page)
	return inv, page.TotalItems, nil
}

func vintages(inv *model.Inventory) iter.Seq2[model.VintageKey, model.InventoryVintage] {
	return func(yield func(model.VintageKey, model.InventoryVintage) bool) {
		for _, p := range inv.Projects {
			for _, v := range p.Vintages {
				if !yield(model.VintageKey{ProjectID: p.ID, VintageID: v.ID}, v) {
					return
				}
			}
		}
	}
}
