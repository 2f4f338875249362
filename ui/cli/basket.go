package cli

import (
	"cmp"
	"context"
	"errors"

	"github.com/spf13/cobra"

	"tonne/model"
	"tonne/model/basket"
	"tonne/ui/cli/output"
)

type basketRun struct {
	*app
	narrowing
	*reading
	tonnes, budget, maxPrice string
	caps, floors             []string
	// priced says that the price limit is the ask that the filter lets pass.
	priced bool
	format output.Format
}

func (a *app) basketCommand() *cobra.Command {
	b := &basketRun{app: a}
	cmd := &cobra.Command{
		Use:   "basket (--tonnes N | --budget AMOUNT)",
		Short: "Print the cheapest basket over all order books",
		Long: "Prints the cheapest way to buy so many whole tonnes over the sell orders of all\n" +
			"vintages, or the most tonnes that so much money pays for. Nothing is bought.\n\n" +
			"A share is of the tonnes that the basket is to have: a cap is rounded down to whole\n" +
			"tonnes, a floor up. If limits leave less than was asked for, as much as there can be is\n" +
			"printed, the limit to blame is told, and the exit status is 4.\n\n" +
			"A floor by label counts the vintages to which `tonne attributes` gives the label, as\n" +
			"the filter does; what is not known counts as not labelled.\n\n" + filterHelp + "\n\n" +
			"The ask that a filter asks for is the price limit as well, unless --max-price is given:\n" +
			"with ask<10 no sell order of $10.00 or more is taken.",
		Example: "  tonne basket --tonnes 5000 --filter 'type:cookstoves ask<10'\n" +
			"  tonne basket --tonnes 5000 --cap project=40% --cap country=50% --floor type:Biochar=10%\n" +
			"  tonne basket --budget 25000.00 --max-price 10.00 -o csv > basket.csv",
		Args: cobra.NoArgs,
		RunE: do(b.run),
	}
	a.connectionFlags(cmd)
	outputFlag(cmd, &b.format)
	b.addFlag(cmd)
	f := cmd.Flags()
	f.StringVar(&b.tonnes, "tonnes", "", "buy `N` whole tonnes, such as 5000, 5,000 or 5k")
	f.StringVar(&b.budget, "budget", "", "buy the most tonnes that `AMOUNT` pays for: $25000.00, or whole cents")
	f.StringVar(&b.maxPrice, "max-price", "", "take no sell order above `PRICE` per tonne: $6.20, or whole cents")
	f.StringArrayVar(&b.caps, "cap", nil, "take at most a share of each, `project=40%`, type=50% or country=50%; repeatable")
	f.StringArrayVar(&b.floors, "floor", nil, "take at least a share of a type, `type:NAME=10%`, repeatable, or of credits with a label, label:ccp=50%")
	return a.describe(cmd, description{effect: reads, outputs: []outputForm{
		{Formats: []output.Format{output.JSON}, Fields: basketJSON.Fields("")}, rowForm("", basketColumns.Header(), output.JSONL, output.CSV),
	}})
}

func (b *basketRun) request() (r basket.Request, err error) {
	if (b.tonnes == "") == (b.budget == "") {
		return r, usage("give --tonnes N, or --budget AMOUNT", "one of --tonnes and --budget is needed")
	}
	if b.tonnes != "" {
		if r.Tonnes, err = basket.ParseTonnes(b.tonnes); err != nil {
			return r, usage("give whole tonnes above 0", "--tonnes %q: %v", b.tonnes, err)
		}
	}
	budget, err := amount("--budget", b.budget)
	if err != nil {
		return r, err
	}
	price, err := amount("--max-price", b.maxPrice)
	if err != nil {
		return r, err
	}
	r.Budget, r.MaxPrice = budget, model.PriceCents(price)
	for _, text := range b.caps {
		if err := r.SetCap(text); err != nil {
			return r, usage("write it like --cap project=40%, each once", "--cap: %v", err)
		}
	}
	for _, text := range b.floors {
		if err := r.AddFloor(text); err != nil {
			return r, usage("write it like --floor type:Biochar=10% or --floor label:ccp=50%", "--floor: %v", err)
		}
	}
	b.labelled = r.Label.Share > 0
	if err := b.parse(); err != nil {
		return r, err
	}
	if r.MaxPrice == 0 {
		r.MaxPrice, b.priced = b.expr.MaxAsk()
	}
	return r, nil
}

// amountAdvice is how an amount is written in a flag.
const amountAdvice = "give dollars, such as $6.20, or whole cents, such as 620"

func amount(flag, text string) (model.Cents, error) {
	if text == "" {
		return 0, nil
	}
	n, err := model.ParseAmount(text)
	if err == nil && n != 0 {
		return n, nil
	}
	next := amountAdvice
	if cents, err := model.ParseMoney(text); err == nil && cents > 0 {
		next = "give whole cents, " + cents.String() + ", or dollars, " + cents.FormatDollars()
	}
	return 0, usage(next, "%s %q is not an amount above 0", flag, text)
}

func (b *basketRun) run(ctx context.Context, _ *cobra.Command, _ []string) (err error) {
	wanted, err := b.request()
	if err != nil {
		return err
	}
	if b.reading, err = b.read(ctx); err != nil {
		return err
	}
	defer b.close()
	if err := b.readLabels(ctx, b.details); err != nil {
		return err
	}
	book, err := b.book(ctx)
	if err != nil {
		return err
	}
	found, err := book.Buy(ctx, wanted)
	var refused *basket.RequestError
	switch {
	case errors.As(err, &refused):
		return usage("change the limits", "there can be no such basket: %v", err)
	case errors.Is(err, model.ErrOverflow):
		return failed("ask for less", "the basket cannot be computed: the %v", err)
	case err != nil:
		return err
	}
	b.tellUnknown(book, wanted, found)
	return cmp.Or(b.printBasket(found), b.unseen(), b.notFilled(book, wanted, found))
}

func (b *basketRun) book(ctx context.Context) (book *basket.Book, err error) {
	held := b.startHoldings(ctx, &b.narrowing)
	b.market, err = b.client.Market(ctx, 0, func(_ *model.MarketPage, page model.Page) {
		b.progress.tell("page %d of %d", page.Current, page.TotalPages)
	})
	if err := b.partly(err); err != nil {
		return nil, err
	}
	b.details.need(ctx, b.market.ProjectIDs())
	if err := b.partly(held()); err != nil {
		return nil, err
	}
	b.progress.clear()
	// Who names something does not mean the letters of an id, unless nothing else
	// has them.
	passing, byID := b.passing(b.market, b.details)
	if byID < len(passing) {
		passing = passing[:len(passing)-byID]
	}
	keep := make([]bool, b.market.Vintages())
	for _, vintage := range passing {
		keep[vintage] = true
	}
	book = basket.NewBook(b.market, b.details.known, func(vintage int) bool { return keep[vintage] })
	book.Labels = b.facts.Labels
	b.tellNone(&b.narrowing, len(passing), b.market.Vintages())
	return book, nil
}

func (b *basketRun) tellUnknown(book *basket.Book, r basket.Request, found basket.Basket) {
	doubts := book.Doubts(r, found)
	if book.Unread > 0 {
		b.unread, doubts = append(b.unread, doubts[0]), doubts[1:]
	}
	for _, doubt := range doubts {
		b.warn("%s", doubt)
	}
	old := make(map[string]bool)
	for _, line := range found.Lines {
		if id := line.Vintage.ProjectID; b.details.stale[id] {
			old[id] = true
		}
	}
	if len(old) > 0 {
		b.warn("projects in the basket whose details are old and could not be read again: %d", len(old))
	}
}

func (b *basketRun) notFilled(book *basket.Book, r basket.Request, found basket.Basket) error {
	what, todo := book.NotFilled(r, found, basket.Wording{
		Tonnes: tonnesText, Limit: b.limitName, Filtered: !b.expr.Empty(),
	})
	if what == "" {
		return nil
	}
	return unmet("too_little", todo, "%s", what)
}
