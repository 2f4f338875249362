// Package quote implements the command `tonne quote`: it prints the cost of buying or
// retiring a quantity. The calculation is in package model/market.
package quote

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tonne/api"
	"tonne/api/wire"
	"tonne/api/worker"
	"tonne/model"
	"tonne/model/advice"
	"tonne/model/field"
	"tonne/model/market"
	"tonne/model/portfolio"
	"tonne/ui/cli/command"
	"tonne/ui/cli/listing"
	"tonne/ui/output"
)

type run struct {
	app *command.App
	*listing.Connection
	vintage, tonnes, grams string
	project                string
	format                 output.Format
	// paid are the last paid prices. They are empty if unknown or not printed.
	paid portfolio.LastPaidPrices
	past listing.Past
}

var addProject = advice.Plain("add --project ID").Needs("project")

// Command returns `tonne quote`.
func Command(a *command.App) *cobra.Command {
	q := &run{app: a}
	cmd := &cobra.Command{
		Use:   "quote ID TONNES | quote --vintage ID (--tonnes N | --grams N)",
		Short: "Print the cost of buying or retiring a quantity",
		Long: "With --tonnes: the cost of buying N whole tonnes of a vintage, cheapest sell orders\n" +
			"first. With --grams: the cost of retiring N grams, from your inventory first, with the\n" +
			"rest bought in whole tonnes. Nothing is bought. The exit status is 4 if the order book\n" +
			"is too thin.\n\n" + listing.PastHelp,
		Example: a.Examples(
			"%s quote 004mrioohazvurrwl6 500",
			"%s quote --vintage 004mrioohazvurrwl6 --tonnes 1,000",
			"%s quote --vintage 004mrioohazvurrwl6 --grams 20 -o json",
		),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return a.Complete(command.Vintages)(cmd, args, typed)
		},
		RunE: command.Do(q.run),
	}
	a.ConnectionFlags(cmd)
	command.OutputFlag(cmd, &q.format)
	f := cmd.Flags()
	f.StringVar(&q.vintage, "vintage", "", "`ID` of the vintage")
	f.StringVar(&q.project, "project", "", "`ID` of the project, if several projects have a vintage with this id")
	f.StringVar(&q.tonnes, "tonnes", "", "buy `N` whole tonnes")
	f.StringVar(&q.grams, "grams", "", "retire `N` grams")
	q.past.AddFlag(cmd)
	return a.Describe(cmd, command.Description{
		Effect: command.Reads,
		Arguments: []command.Argument{
			{Name: "ID", Description: "id of the vintage, instead of --vintage"},
			{Name: "TONNES", Description: "whole tonnes to buy, instead of --tonnes"},
		},
		Outputs: []command.OutputForm{
			{Formats: []output.Format{output.JSON, output.JSONL}, Fields: quoteJSON.Fields("")},
			command.RowForm("", fillColumns.RowFields(), output.CSV).In("fills[]"),
		},
	})
}

func (q *run) take(args []string) error {
	for i, target := range []*string{&q.vintage, &q.tonnes} {
		switch {
		case i >= len(args):
		case *target != "":
			return command.Usage("give only one of them", "%q and %s exclude each other", args[i],
				[]string{"--vintage", "--tonnes"}[i])
		default:
			*target = args[i]
		}
	}
	return nil
}

func (q *run) quantity() (model.Grams, error) {
	switch {
	case q.vintage == "":
		return 0, command.Usage(advice.Format("%s lists the ids of vintages", advice.Tonne("market")),
			"the vintage is missing")
	case (q.tonnes == "") == (q.grams == ""):
		return 0, command.Usage(advice.Format("give the tonnes to buy, as in %s, or --grams N to retire",
			advice.Tonne("quote ID 500")), "one of --tonnes and --grams is needed")
	}
	if q.tonnes != "" {
		return listing.ParseWholeTonnes("--tonnes", q.tonnes)
	}
	return listing.ParseGrams("--grams", q.grams)
}

func (q *run) run(ctx context.Context, cmd *cobra.Command, args []string) error {
	if err := q.past.Parse(cmd, "grams"); err != nil {
		return err
	}
	if err := q.take(args); err != nil {
		return err
	}
	wanted, err := q.quantity()
	if err != nil {
		return err
	}
	if q.Connection, err = listing.Connect(ctx, q.app); err != nil {
		return err
	}
	defer q.Close()
	current, paid, err := q.read(ctx)
	if err != nil {
		return err
	}
	quote, err := q.quote(ctx, q.Client, current, wanted)
	if errors.Is(err, model.ErrOverflow) {
		return command.Failed("ask for less", "the quote cannot be computed: the %v", err)
	}
	if err != nil {
		return err
	}
	paid()
	return cmp.Or(q.print(ctx, current, quote), q.Unseen(), q.short(quote))
}

// read returns the market, and what waits for the last paid prices.
func (q *run) read(ctx context.Context) (current *market.Market, paid func(), err error) {
	if q.past.Given() {
		current, q.paid, err = q.past.Market(ctx, q.Connection)
		return current, func() {}, err
	}
	paid = q.startPaid(ctx)
	current, err = q.Client.Market(ctx, 0, nil)
	return current, paid, q.Partly(err)
}

func (q *run) short(quote market.Quote) error {
	if quote.Short == 0 {
		return nil
	}
	todo := advice.Plain("ask for less").Or("watch the vintage with %s", advice.Tonne("market --watch")).Needs("watch")
	if quote.BuyTonnes > 0 {
		todo = advice.Format("ask for less: %s t can be bought", model.FormatNumber(quote.BuyTonnes))
	}
	return command.Unmet("too_little", todo, "short by %s t", model.FormatNumber(quote.Short))
}

func (q *run) quote(ctx context.Context, client *api.Client, current *market.Market, wanted model.Grams) (market.Quote,
	error) {
	at, onSale, err := q.find(current)
	if err != nil {
		return market.Quote{}, listing.Ambiguous(err, addProject)
	}
	var book market.Book
	if onSale {
		book = current.Book(at)
	}
	if book.Unread > 0 {
		q.Unread = append(q.Unread,
			fmt.Sprintf("sell orders of the vintage that cannot be read and are left out: %d", book.Unread))
	}
	if q.tonnes != "" {
		if !onSale {
			return market.Quote{}, cmp.Or(q.Unseen(), q.notForSale(current))
		}
		return book.Buy(wanted.Tonnes())
	}
	// Requests only non-empty wallets, with as few trades as possible.
	inv, err := client.Inventory(ctx, api.InventoryQuery{TradesPerWallet: 1, WalletMinQuantity: 1}, nil)
	if err != nil {
		return market.Quote{}, err
	}
	held, owned, err := q.held(inv, current)
	switch {
	case err != nil:
		return market.Quote{}, listing.Ambiguous(err, addProject)
	case !held.Known():
		return market.Quote{}, command.Incomplete("a wallet of the vintage %s cannot be read", q.vintage)
	case !onSale && !owned:
		return market.Quote{}, cmp.Or(q.Unseen(), q.notForSale(current))
	}
	return book.Retire(wanted, held)
}

// notForSale is the failure of a vintage without sell orders in the project that was asked for.
func (q *run) notForSale(current *market.Market) error {
	if projects := current.ProjectsOf(q.vintage); len(projects) > 0 {
		return command.Unmet("not_found", "add --project with one of these: "+strings.Join(projects, ", "),
			"the vintage %s is not for sale in the project %s", q.vintage, q.project)
	}
	return listing.NotForSale(q.vintage)
}

// find returns the vintage in the market. The error is a *market.AmbiguousError.
func (q *run) find(current *market.Market) (at int, onSale bool, err error) {
	project := q.project
	if project == "" {
		projects := current.ProjectsOf(q.vintage)
		if len(projects) > 1 {
			return 0, false, &market.AmbiguousError{VintageID: q.vintage, Projects: projects}
		}
		project = strings.Join(projects, "")
	}
	at, onSale = current.Find(model.VintageKey{ProjectID: project, VintageID: q.vintage})
	return at, onSale, nil
}

// held returns the balance of the usable wallets of the vintage, and warns of the others.
func (q *run) held(inv *portfolio.Inventory, current *market.Market) (held model.Grams, owned bool, err error) {
	var wallets []portfolio.Wallet
	projects := current.ProjectsOf(q.vintage)
	for key, w := range inv.AllWallets() {
		if key.VintageID != q.vintage || q.project != "" && key.ProjectID != q.project {
			continue
		}
		wallets = append(wallets, w)
		if !slices.Contains(projects, key.ProjectID) {
			projects = append(projects, key.ProjectID)
		}
	}
	if q.project == "" && len(projects) > 1 {
		return 0, false, &market.AmbiguousError{VintageID: q.vintage, Projects: projects}
	}
	held, others := portfolio.Split(wallets)
	if len(others) > 0 {
		q.app.Warn("%s", portfolio.NotCounted(others))
	}
	return held, len(wallets) > 0, nil
}

type fill struct {
	vintage string
	market.Fill
}

var fillColumns = field.Columns[fill]{
	{Name: "vintage_id", Value: func(f fill) field.Value { return field.Text(f.vintage) }},
	{Name: "sell_order_id", Is: "string", Title: "SELL ORDER",
		Value: func(f fill) field.Value { return field.Text(f.Order.ID) }},
	{Name: "tonnes", Is: "string", Title: "TONNES", Right: true,
		Value: func(f fill) field.Value { return field.Tonnes(f.Tonnes) }},
	{Name: "price_cents", Title: "PRICE/t", Right: true,
		Value: func(f fill) field.Value { return field.Price(f.Order.Price) }},
	{Name: "cost_cents", Is: "string", Title: "COST", Right: true,
		Value: func(f fill) field.Value { return field.Cost(f.Cost) }},
}

type quoted struct {
	vintage string
	past    *listing.Past
	market.Quote
}

func (q quoted) fills() iter.Seq[fill] {
	return field.Each(slices.Values(q.Fills), func(f market.Fill) fill { return fill{q.vintage, f} })
}

var quoteJSON = field.Columns[quoted]{
	{Name: "vintage_id", Is: "string", Value: func(q quoted) field.Value { return field.Text(q.vintage) }},
	{Name: "requested_grams", Value: func(q quoted) field.Value { return field.Grams(q.Requested) }},
	{Name: "from_inventory_grams", Value: func(q quoted) field.Value { return field.Grams(q.FromInventory) }},
	{Name: "buy_tonnes", Is: "string", Value: func(q quoted) field.Value { return field.Tonnes(q.BuyTonnes) }},
	{Name: "cost_cents", Is: "string", Value: func(q quoted) field.Value { return field.Cost(q.Cost) }},
	{Name: "average_price_cents", Value: func(q quoted) field.Value { return field.Price(q.Average) }},
	{Name: "marginal_price_cents", Value: func(q quoted) field.Value { return field.Price(q.Marginal) }},
	{Name: "remainder_grams", Value: func(q quoted) field.Value { return field.Grams(q.Remainder) }},
	field.Items("fills", quoted.fills, fillColumns.Pick("sell_order_id", "tonnes", "price_cents", "cost_cents")),
	{Name: "short_tonnes", Is: "string", Value: func(q quoted) field.Value { return field.Tonnes(q.Short) }},
}.With(listing.PastColumns(func(q quoted) *listing.Past { return q.past })...)

func (q *run) print(ctx context.Context, current *market.Market, quote market.Quote) error {
	of := quoted{wire.Clean(q.vintage), &q.past, quote}
	if q.format == output.JSONL {
		q.format = output.JSON
	}
	in := listing.NewFormats(q.app, fillColumns, of.fills())
	in.Document = func() error { return output.Object(q.app.Data(), quoteJSON.JSON(of)) }
	in.Tables = func(fills iter.Seq[fill]) []*output.Grid {
		return append(append(q.past.Table(), q.vintageTable(ctx, current)...), output.GridOf(fillColumns, fills), sums(quote))
	}
	return in.Print(q.format)
}

func sums(quote market.Quote) *output.Grid {
	buys, _ := model.WholeTonnes(quote.BuyTonnes)
	sum := output.NewGrid(output.Heading{}, output.Heading{Right: true})
	sum.Add("requested", quote.Requested.FormatTonnes())
	sum.Add("from inventory", quote.FromInventory.FormatTonnes())
	sum.Add("to buy", buys.FormatTonnes())
	if short, err := model.WholeTonnes(quote.Short); err == nil && short > 0 {
		sum.Add("short by", short.FormatTonnes())
	}
	sum.Add("cost", quote.Cost.FormatDollars())
	sum.Add("average price", command.Dollars(quote.Average))
	sum.Add("marginal price", command.Dollars(quote.Marginal))
	sum.Add("stays in the wallet", quote.Remainder.FormatTonnes())
	return sum
}

func (q *run) startPaid(ctx context.Context) func() {
	if q.format != output.Table {
		return func() {}
	}
	var paid portfolio.LastPaidPrices
	held := worker.Start(func() (err error) {
		paid, _, err = q.Client.Holdings(ctx)
		return err
	})
	return func() {
		if err := held(); err != nil {
			q.app.Warn("what was last paid is not known: %s", command.Explain(err).What)
			return
		}
		q.paid = paid
	}
}

func (q *run) vintageTable(ctx context.Context, market *market.Market) []*output.Grid {
	at, onSale, err := q.find(market)
	if err != nil || !onSale {
		return nil
	}
	g := output.NewGrid(output.Heading{}, output.Heading{})
	key := market.Key(at)
	q.ProjectDetails.Need(ctx, []string{key.ProjectID})
	g.Add("vintage",
		q.ProjectDetails.Known.Name(key.ProjectID)+" "+command.Dash(command.YearText(market.Vintage(at).Year)))
	if paid := q.paid.Of(key); paid.Price.Known() {
		g.Add("last paid", command.PerTonne(paid.Price)+" on "+field.Day(paid.ExecutionDate))
	}
	return []*output.Grid{g}
}
