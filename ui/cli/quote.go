package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"strconv"

	"github.com/spf13/cobra"

	"tonne/api"
	"tonne/api/wire"
	"tonne/model"
	"tonne/ui/cli/output"
)

type quoteRun struct {
	*app
	*reading
	vintage, tonnes, grams string
	format                 output.Format
	// paid is what was last paid, where that is printed and known.
	paid model.LastPaidPrices
}

func (a *app) quoteCommand() *cobra.Command {
	q := &quoteRun{app: a}
	cmd := &cobra.Command{
		Use:   "quote ID TONNES | quote --vintage ID (--tonnes N | --grams N)",
		Short: "Print what buying or retiring a quantity costs",
		Long: "With --tonnes: what buying so many whole tonnes of a vintage costs, cheapest sell\n" +
			"orders first. With --grams: what retiring so much costs, from your inventory first,\n" +
			"the rest bought in whole tonnes. Nothing is bought. The exit status is 4 if the book\n" +
			"does not have so much.",
		Example: "  tonne quote 004mrioohazvurrwl6 500\n" +
			"  tonne quote --vintage 004mrioohazvurrwl6 --tonnes 1,000\n" +
			"  tonne quote --vintage 004mrioohazvurrwl6 --grams 20 -o json",
		Args:              cobra.MaximumNArgs(2),
		ValidArgsFunction: a.completeQuote,
		RunE:              do(q.run),
	}
	a.connectionFlags(cmd)
	outputFlag(cmd, &q.format)
	f := cmd.Flags()
	f.StringVar(&q.vintage, "vintage", "", "`ID` of the vintage")
	f.StringVar(&q.tonnes, "tonnes", "", "buy `N` whole tonnes")
	f.StringVar(&q.grams, "grams", "", "retire `N` grams")
	return a.describe(cmd, description{
		effect: reads,
		arguments: []argument{
			{Name: "ID", Description: "id of the vintage, in place of --vintage"}, {Name: "TONNES", Description: "whole tonnes to buy, in place of --tonnes"},
		},
		outputs: []outputForm{
			{Formats: []output.Format{output.JSON, output.JSONL}, Fields: quoteJSON.Fields("")}, rowForm("", fillColumns.Header(), output.CSV),
		},
	})
}

func (q *quoteRun) take(args []string) error {
	for i, target := range []*string{&q.vintage, &q.tonnes} {
		switch {
		case i >= len(args):
		case *target != "":
			return usage("give it once", "%q is given beside %s", args[i], []string{"--vintage", "--tonnes"}[i])
		default:
			*target = args[i]
		}
	}
	return nil
}

func (q *quoteRun) quantity() (model.Grams, error) {
	switch {
	case q.vintage == "":
		return 0, usage("`tonne market` lists the ids of vintages", "the vintage is missing")
	case (q.tonnes == "") == (q.grams == ""):
		return 0, usage("give the tonnes to buy, as in `tonne quote ID 500`, or --grams N to retire", "one of --tonnes and --grams is needed")
	}
	text, flag, unit := q.grams, "--grams", int64(1)
	if q.tonnes != "" {
		text, flag, unit = q.tonnes, "--tonnes", model.GramsPerTonne
	}
	return parseQuantity(text, flag, unit)
}

func parseQuantity(text, flag string, unit int64) (model.Grams, error) {
	n, err := model.ParseNumber(text)
	switch most := math.MaxInt64 / unit; {
	case errors.Is(err, model.ErrOutOfRange) || err == nil && n > most:
		return 0, usage("give at most "+model.FormatNumber(most), "the number of %s is too large", flag)
	case err != nil || n == 0:
		return 0, usage("give a whole number above 0, such as 500 or 1,000", "%s %q is not a quantity", flag, text)
	}
	return model.Grams(n * unit), nil
}

func (q *quoteRun) run(ctx context.Context, _ *cobra.Command, args []string) error {
	if err := q.take(args); err != nil {
		return err
	}
	wanted, err := q.quantity()
	if err != nil {
		return err
	}
	if q.reading, err = q.read(ctx); err != nil {
		return err
	}
	defer q.close()
	paid := q.startPaid(ctx)
	market, err := q.client.Market(ctx, 0, nil)
	if err := q.partly(err); err != nil {
		return err
	}
	quote, err := q.quote(ctx, q.client, market, wanted)
	if errors.Is(err, model.ErrOverflow) {
		return failed("ask for less", "the quote cannot be computed: the %v", err)
	}
	if err != nil {
		return err
	}
	paid()
	if err := q.printVintage(ctx, market); err != nil {
		return err
	}
	return cmp.Or(q.print(quote), q.unseen(), q.short(quote))
}

func (q *quoteRun) short(quote model.Quote) error {
	if quote.Short == 0 {
		return nil
	}
	todo := "ask for less, or watch the vintage with `tonne market --watch`"
	if quote.BuyTonnes > 0 {
		todo = fmt.Sprintf("ask for less: %s t can be bought", model.FormatNumber(quote.BuyTonnes))
	}
	return unmet("too_little", todo, "short by %s t", model.FormatNumber(quote.Short))
}

func (q *quoteRun) quote(ctx context.Context, client *api.Client, market *model.Market, wanted model.Grams) (model.Quote, error) {
	at, onSale := market.FindVintage(q.vintage)
	var book model.Book
	if onSale {
		book = market.Book(at)
	}
	if book.Unread > 0 {
		q.unread = append(q.unread, fmt.Sprintf("sell orders of the vintage that cannot be read and are left out: %d", book.Unread))
	}
	if q.tonnes != "" {
		if !onSale {
			return model.Quote{}, cmp.Or(q.unseen(), notForSale(q.vintage))
		}
		return book.Buy(wanted.Tonnes())
	}
	inv, err := client.Inventory(ctx, inventoryBalances, nil)
	if err != nil {
		return model.Quote{}, err
	}
	held, owned := balance(inv, q.vintage)
	switch {
	case !held.Known():
		return model.Quote{}, incomplete("a wallet of the vintage %s cannot be read", q.vintage)
	case !onSale && !owned:
		return model.Quote{}, cmp.Or(q.unseen(), notForSale(q.vintage))
	}
	return book.Retire(wanted, held)
}

func notForSale(vintage string) error {
	return unmet("not_found", "check the id: `tonne market` lists the vintages that are for sale", "nothing of the vintage %s is for sale", vintage)
}

// fill is a sell order that a quote buys from.
type fill struct {
	vintage string
	model.Fill
}

var fillColumns = output.Columns[fill]{
	{Name: "vintage_id", Value: func(f fill) output.Value { return output.Text(f.vintage) }},
	{Name: "sell_order_id", Is: "string", Title: "SELL ORDER", Value: func(f fill) output.Value { return output.Text(f.Order.ID) }},
	{
		Name: "tonnes", Is: "string", Value: func(f fill) output.Value { return output.Text(tonnes(f.Tonnes)) },
		Title: "TONNES", Right: true, Cell: func(f fill) string { return tonnesText(f.Tonnes) },
	},
	{Name: "price_cents", Title: "PRICE/t", Right: true, Value: func(f fill) output.Value { return output.Price(f.Order.Price) }},
	{
		Name: "cost_cents", Is: "string", Value: func(f fill) output.Value { return output.Text(f.Cost.String()) },
		Title: "COST", Right: true, Cell: func(f fill) string { return f.Cost.FormatDollars() },
	},
}

// quoted is a quote and the vintage that it is for.
type quoted struct {
	vintage string
	model.Quote
}

func (q quoted) fills() iter.Seq[fill] {
	return func(yield func(fill) bool) {
		for _, f := range q.Fills {
			if !yield(fill{q.vintage, f}) {
				return
			}
		}
	}
}

var quoteJSON = output.Columns[quoted]{
	{Name: "vintage_id", Is: "string", Value: func(q quoted) output.Value { return output.Text(q.vintage) }},
	{Name: "requested_grams", Value: func(q quoted) output.Value { return output.Grams(q.Requested) }},
	{Name: "from_inventory_grams", Value: func(q quoted) output.Value { return output.Grams(q.FromInventory) }},
	{Name: "buy_tonnes", Is: "string", Value: func(q quoted) output.Value { return output.Text(tonnes(q.BuyTonnes)) }},
	{Name: "cost_cents", Is: "string", Value: func(q quoted) output.Value { return output.Text(q.Cost.String()) }},
	{Name: "average_price_cents", Value: func(q quoted) output.Value { return output.Price(q.Average) }},
	{Name: "marginal_price_cents", Value: func(q quoted) output.Value { return output.Price(q.Marginal) }},
	{Name: "remainder_grams", Value: func(q quoted) output.Value { return output.Grams(q.Remainder) }},
	output.Array("fills", quoted.fills, fillColumns.Pick("sell_order_id", "tonnes", "price_cents", "cost_cents")),
	{Name: "short_tonnes", Is: "string", Value: func(q quoted) output.Value { return output.Text(tonnes(q.Short)) }},
}

func tonnes(n int64) string { return strconv.FormatInt(n, 10) }

func (q *quoteRun) print(quote model.Quote) error {
	of := quoted{wire.Clean(q.vintage), quote}
	switch q.format {
	case output.JSON, output.JSONL:
		return output.Object(q.data(), quoteJSON.JSON(of))
	case output.CSV:
		return q.app.print(q.format, rowFormats(fillColumns, of.fills()))
	}
	if err := q.grid(fillColumns.Grid(of.fills())); err != nil {
		return err
	}
	buys, _ := model.WholeTonnes(quote.BuyTonnes)
	if _, err := fmt.Fprintln(q.data()); err != nil {
		return err
	}
	sum := output.NewGrid(output.Heading{}, output.Heading{Right: true})
	sum.Add("requested", quote.Requested.FormatTonnes())
	sum.Add("from inventory", quote.FromInventory.FormatTonnes())
	sum.Add("to buy", buys.FormatTonnes())
	if short, err := model.WholeTonnes(quote.Short); err == nil && short > 0 {
		sum.Add("short by", short.FormatTonnes())
	}
	sum.Add("cost", quote.Cost.FormatDollars())
	sum.Add("average price", dollars(quote.Average))
	sum.Add("marginal price", dollars(quote.Marginal))
	sum.Add("stays in the wallet", quote.Remainder.FormatTonnes())
	return q.grid(sum)
}
