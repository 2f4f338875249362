// Package basket is `tonne basket`: the cheapest basket over all order books. The
// arithmetic is that of package model/basket.
package basket

import (
	"cmp"
	"context"
	"errors"

	"github.com/spf13/cobra"

	"tonne/model"
	"tonne/model/basket"
	"tonne/model/market"
	"tonne/ui/cli/command"
	"tonne/ui/cli/listing"
	"tonne/ui/column"
	"tonne/ui/output"
)

type run struct {
	app *command.App
	listing.FilterFlags
	*listing.Connection
	tonnes, budget, maxPrice string
	caps, floors             []string
	// priced says that the price limit is the ask that the filter lets pass.
	priced bool
	format output.Format
}

// Command returns `tonne basket`.
func Command(a *command.App) *cobra.Command {
	b := &run{app: a}
	cmd := &cobra.Command{
		Use:   "basket (--tonnes N | --budget AMOUNT)",
		Short: "Print the cheapest basket over all order books",
		Long: "Prints the cheapest way to buy so many whole tonnes over the sell orders of all\n" +
			"vintages, or the most tonnes that so much money pays for. Nothing is bought.\n\n" +
			"A share is of the tonnes that the basket is to have: a cap is rounded down to whole\n" +
			"tonnes, a floor up. If limits leave less than was asked for, as much as there can be is\n" +
			"printed, the limit to blame is told, and the exit status is 4.\n\n" +
			"A floor by label counts the vintages to which `tonne attributes` gives the label, as\n" +
			"the filter does; what is not known counts as not labelled.\n\n" + listing.FilterHelp + "\n\n" +
			"The ask that a filter asks for is the price limit as well, unless --max-price is given:\n" +
			"with ask<10 no sell order of $10.00 or more is taken.",
		Example: "  tonne basket --tonnes 5000 --filter 'type:cookstoves ask<10'\n" +
			"  tonne basket --tonnes 5000 --cap project=40% --cap country=50% --floor type:Biochar=10%\n" +
			"  tonne basket --budget 25000.00 --max-price 10.00 -o csv > basket.csv",
		RunE: command.Do(b.run),
	}
	a.ConnectionFlags(cmd)
	a.ListFlags(cmd, &b.format)
	b.AddFlag(cmd)
	f := cmd.Flags()
	f.StringVar(&b.tonnes, "tonnes", "", "buy `N` whole tonnes, such as 5000, 5,000 or 5k")
	f.StringVar(&b.budget, "budget", "", "buy the most tonnes that `AMOUNT` pays for: $25000.00, or whole cents")
	f.StringVar(&b.maxPrice, "max-price", "", "take no sell order above `PRICE` per tonne: $6.20, or whole cents")
	f.StringArrayVar(&b.caps, "cap", nil, "take at most a share of each, `project=40%`, type=50% or country=50%; repeatable")
	f.StringArrayVar(&b.floors, "floor", nil, "take at least a share of a type, `type:NAME=10%`, repeatable, or of credits with a label, label:ccp=50%")
	return a.Describe(cmd, command.Description{Effect: command.Reads, Outputs: []command.OutputForm{
		{Formats: []output.Format{output.JSON}, Fields: jsonColumns.Fields("")}, command.RowForm("", column.Basket.Header(), output.JSONL, output.CSV),
	}})
}

func (b *run) request() (r basket.Request, err error) {
	if (b.tonnes == "") == (b.budget == "") {
		return r, command.Usage("give --tonnes N, or --budget AMOUNT", "one of --tonnes and --budget is needed")
	}
	if b.tonnes != "" {
		if r.Tonnes, err = basket.ParseTonnes(b.tonnes); err != nil {
			return r, command.Usage("give whole tonnes above 0", "--tonnes %q: %v", b.tonnes, err)
		}
	}
	budget, err := command.Amount("--budget", b.budget)
	if err != nil {
		return r, err
	}
	price, err := command.Amount("--max-price", b.maxPrice)
	if err != nil {
		return r, err
	}
	r.Budget = budget
	for _, text := range b.caps {
		if err := r.Limits.AddCap(text); err != nil {
			return r, command.Usage("write it like --cap project=40%, each once", "--cap: %v", err)
		}
	}
	for _, text := range b.floors {
		if err := r.Limits.AddFloor(text); err != nil {
			return r, command.Usage("write it like --floor type:Biochar=10% or --floor label:ccp=50%", "--floor: %v", err)
		}
	}
	b.Labelled = r.Limits.Label() != ""
	if err := b.Parse(); err != nil {
		return r, err
	}
	most := model.PriceCents(price)
	if most == 0 {
		most, b.priced = b.Expr.MaxAsk()
	}
	r.Limits.SetMaxPrice(most)
	return r, nil
}

func (b *run) run(ctx context.Context, _ *cobra.Command, _ []string) (err error) {
	wanted, err := b.request()
	if err != nil {
		return err
	}
	if b.Connection, err = listing.Connect(ctx, b.app); err != nil {
		return err
	}
	defer b.Close()
	if err := b.ReadLabels(ctx, b.ProjectDetails); err != nil {
		return err
	}
	book, err := b.book(ctx)
	if err != nil {
		return err
	}
	found, err := book.Buy(ctx, wanted)
	switch {
	case errors.Is(err, model.ErrOverflow):
		return command.Failed("ask for less", "the basket cannot be computed: the %v", err)
	case err != nil:
		return err
	}
	b.tellUnknown(book, found)
	return cmp.Or(b.printBasket(found), b.Unseen(), b.notFilled(book, wanted, found))
}

func (b *run) book(ctx context.Context) (book *basket.Book, err error) {
	held := b.StartHoldings(ctx, &b.FilterFlags)
	b.Market, err = b.Client.Market(ctx, 0, func(_ *market.Page, page model.Page) {
		b.Progress.Tell("page %d of %d", page.Current, page.TotalPages)
	})
	if err := b.Partly(err); err != nil {
		return nil, err
	}
	b.ProjectDetails.Need(ctx, b.Market.ProjectIDs())
	if err := b.Partly(held()); err != nil {
		return nil, err
	}
	b.Progress.Clear()
	passing := b.Passing(b.Market, b.ProjectDetails)
	keep := make([]bool, b.Market.Vintages())
	for _, vintage := range passing {
		keep[vintage] = true
	}
	book = basket.NewBook(b.Market, b.ProjectDetails.Known, func(vintage int) bool { return keep[vintage] })
	book.Labels = b.Facts.Labels
	listing.TellNone(b.app, &b.FilterFlags, len(passing), b.Market.Vintages())
	return book, nil
}

func (b *run) tellUnknown(book *basket.Book, found basket.Basket) {
	doubts := book.Doubts(found)
	if book.Unread > 0 {
		b.Unread, doubts = append(b.Unread, doubts[0]), doubts[1:]
	}
	for _, doubt := range doubts {
		b.app.Warn("%s", doubt)
	}
	old := make(map[string]bool)
	for _, line := range found.Lines {
		if id := line.Vintage.ProjectID; b.ProjectDetails.Stale[id] {
			old[id] = true
		}
	}
	if len(old) > 0 {
		b.app.Warn("projects in the basket whose details are old and could not be read again: %d", len(old))
	}
}

func (b *run) notFilled(book *basket.Book, r basket.Request, found basket.Basket) error {
	what, todo := book.NotFilled(r, found, basket.Wording{
		Tonnes: listing.TonnesText, Limit: b.limitName, Filtered: !b.Expr.Empty(),
	})
	if what == "" {
		return nil
	}
	return command.Unmet("too_little", todo, "%s", what)
}
