// Package basket implements the command `tonne basket`: it prints the cheapest basket over
// all order books. The calculation is in package model/basket.
package basket

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"tonne/model"
	"tonne/model/advice"
	"tonne/model/basket"
	"tonne/model/field"
	"tonne/model/file/localfile"
	"tonne/model/file/spreadsheet"
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
	batch, reference         string
	overwrite                bool
	// priced reports that the price limit is the ask condition of the filter.
	priced bool
	format output.Format
	past   listing.Past
}

// Command returns `tonne basket`.
func Command(a *command.App) *cobra.Command {
	b := &run{app: a}
	cmd := &cobra.Command{
		Use:   "basket (--tonnes N | --budget AMOUNT)",
		Short: "Print the cheapest basket over all order books",
		Long: "Prints the cheapest basket of N whole tonnes over the sell orders of all vintages, or\n" +
			"the most tonnes a budget will buy. Nothing is bought.\n\n" +
			"Caps and floors are shares of the requested tonnes: a cap is rounded down to whole\n" +
			"tonnes, a floor up. If the limits do not allow the requested tonnes, the command prints\n" +
			"the largest possible basket, names the binding limit and exits with status 4.\n\n" +
			a.Local("A floor by label counts the vintages that have the label in `tonne attributes`, as the\n"+
				"filter does. Vintages with unknown labels do not count.\n\n") + listing.FilterHelp + a.Local(listing.LabelHelp) +
			"\n\n" +
			"An ask condition in the filter is also the price limit, unless you give --max-price:\n" +
			"ask<10 excludes every sell order of $10.00 or more.\n\n" + listing.PastHelp,
		Example: a.Examples(
			a.Local("%s basket --tonnes 5000 --filter 'type:cookstoves ask<10'"),
			"%s basket --tonnes 5000 --cap project=40%% --cap country=50%% --floor type:Biochar=10%%",
			"%s basket --budget 25000.00 --max-price 10.00 -o csv > basket.csv",
			a.Local("%s basket --tonnes 500 --batch q4.csv --reference Q4"),
		),
		RunE: command.Do(b.run),
	}
	a.ConnectionFlags(cmd)
	a.ListFlags(cmd, &b.format)
	b.AddFlag(cmd)
	b.past.AddFlag(cmd)
	f := cmd.Flags()
	f.StringVar(&b.tonnes, "tonnes", "", "buy `N` whole tonnes, such as 5000, 5,000 or 5k")
	f.StringVar(&b.budget, "budget", "", "buy the most tonnes for `AMOUNT`: $25000.00, or 2500000c")
	f.StringVar(&b.maxPrice, "max-price", "", "use no sell order above `PRICE` per tonne: $6.20, or 620c")
	f.StringVar(&b.batch, "batch", "", "write the basket to a new `FILE.csv`, a batch for 'tonne retire --file'")
	command.OverwriteFlag(cmd, &b.overwrite)
	f.StringVar(&b.reference, "reference", "", "begin the references in the batch with `PREFIX`: Q4 gives Q4-1, Q4-2")
	f.StringArrayVar(&b.caps, "cap", nil,
		"maximum share per project, type or country: `project=40%`, type=50% or country=50%; repeatable")
	f.StringArrayVar(&b.floors, "floor", nil,
		"minimum share of a type or label: `type:NAME=10%` or label:ccp=50%; repeatable")
	return a.Describe(cmd, command.Description{Effect: command.WritesLocal, Outputs: []command.OutputForm{
		{Formats: []output.Format{output.JSON}, Fields: document.Fields("")},
		command.RowForm("", column.Basket.RowFields(), output.JSONL, output.CSV).In("lines[]"),
	}})
}

func (b *run) request() (r basket.Request, err error) {
	if (b.tonnes == "") == (b.budget == "") {
		return r, command.Usage("give --tonnes N, or --budget AMOUNT", "one of --tonnes and --budget is needed")
	}
	if b.tonnes != "" {
		r.Tonnes, err = basket.ParseTonnes(b.tonnes, model.UnknownGrams)
		if model.IsAmbiguous(err) {
			return r, command.Usage("write it as one of them", "--tonnes %v", err)
		}
		if err != nil {
			return r, command.Usage("give whole tonnes above 0", "--tonnes %q: %v", b.tonnes, err)
		}
	}
	budget, err := command.AmountAboveZero("--budget", b.budget)
	if err != nil {
		return r, err
	}
	price, err := command.AmountAboveZero("--max-price", b.maxPrice)
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

func (b *run) run(ctx context.Context, cmd *cobra.Command, _ []string) (err error) {
	if err := b.past.Parse(cmd, "batch", "reference"); err != nil {
		return err
	}
	wanted, err := b.request()
	if err != nil {
		return err
	}
	if err := b.checkBatch(); err != nil {
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
	if err := cmp.Or(b.printBasket(found), b.Unseen(), b.notFilled(book, wanted, found)); err != nil {
		if b.batch != "" {
			b.app.Warn("%s was not written: the basket is incomplete", b.batch)
		}
		return err
	}
	return b.writeBatch(found)
}

// read reads the market and what is known of the user's credits.
func (b *run) read(ctx context.Context) (err error) {
	if b.past.Given() {
		b.Market, b.Paid, err = b.past.Market(ctx, b.Connection)
		return err
	}
	held := b.StartHoldings(ctx, &b.FilterFlags)
	b.Market, err = b.Client.Market(ctx, 0, func(_ *market.Page, page model.Page) {
		b.app.ShowProgress("page %d of %d", page.Current, page.TotalPages)
	})
	if err := b.Partly(err); err != nil {
		return err
	}
	b.ProjectDetails.Need(ctx, b.Market.ProjectIDs())
	return b.Partly(held())
}

func (b *run) book(ctx context.Context) (book *basket.Book, err error) {
	if err := b.read(ctx); err != nil {
		return nil, err
	}
	b.app.ClearProgress()
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

var jsonColumns = field.Columns[basket.Basket]{
	{Name: "tonnes", Is: "string", Value: func(b basket.Basket) field.Value { return field.Tonnes(b.Tonnes) }},
	{Name: "cost_cents", Is: "string", Value: func(b basket.Basket) field.Value { return field.Cost(b.Cost) }},
	{Name: "average_price_cents", Value: func(b basket.Basket) field.Value { return field.Price(b.Average()) }},
	{Name: "short_tonnes", Is: "string", Value: func(b basket.Basket) field.Value { return field.Tonnes(b.Short) }},
	field.Items("lines", func(b basket.Basket) iter.Seq[*column.BasketLine] {
		return slices.Values(column.NewBasketLines(b, nil, nil))
	},
		column.Basket.Pick("project_id", "vintage_id", "sell_order_id", "tonnes", "price_cents", "cost_cents")),
	field.Items("limits", func(b basket.Basket) iter.Seq[basket.Limit] { return slices.Values(b.Limits) },
		field.Columns[basket.Limit]{
			{Name: "limit", Is: "string", Value: func(l basket.Limit) field.Value { return field.Text(l.String()) }},
			{Name: "binds", Is: "boolean", Value: func(l basket.Limit) field.Value { return field.Flag(l.Binds) }},
			// There is no cost if the basket without the limit would have more tonnes.
			{Name: "costs_cents",
				Value: func(l basket.Limit) field.Value { return field.If(l.Fills == 0, field.Cost(l.Costs)) }},
			{Name: "fills_tonnes", Is: "string|absent",
				Value: func(l basket.Limit) field.Value { return field.If(l.Fills > 0, field.Tonnes(l.Fills)) }},
		}),
}

// printed is the document of a basket.
type printed struct {
	basket.Basket
	past *listing.Past
}

var document = field.Over(jsonColumns, func(p printed) (basket.Basket, bool) { return p.Basket, true }).
	With(listing.PastColumns(func(p printed) *listing.Past { return p.past })...)

func (b *run) printBasket(found basket.Basket) error {
	lines := slices.Values(column.NewBasketLines(found, b.ProjectDetails.Known, b.Paid))
	in := listing.NewFormats(b.app, column.Basket, lines)
	in.Document = func() error { return output.Object(b.app.Data(), document.JSON(printed{found, &b.past})) }
	in.Tables = func(lines iter.Seq[*column.BasketLine]) []*output.Grid {
		return append(b.past.Table(), output.GridOf(column.Basket, lines), b.sums(found))
	}
	return in.Print(b.format)
}

func (b *run) sums(found basket.Basket) *output.Grid {
	sum := output.NewGrid(output.Heading{}, output.Heading{Right: true}, output.Heading{Drop: 1})
	sum.Add("tonnes", listing.TonnesText(found.Tonnes),
		model.Count(len(found.Lines), "sell order", "sell orders")+" of "+
			model.Count(found.Projects(), "project", "projects"))
	if found.Short > 0 {
		sum.Add("not filled", listing.TonnesText(found.Short), "")
	}
	sum.Add("cost", found.Cost.FormatDollars(), "")
	sum.Add("average price", command.Dollars(found.Average()), "")
	if v, ok := found.Versus(b.Paid); ok {
		if d, ok := v.Difference(); ok {
			sum.Add("against last paid", d.String(), "where you bought before: "+listing.TonnesText(v.Tonnes))
		}
	}
	words := basket.Wording{Tonnes: listing.TonnesText, Project: b.ProjectDetails.Known.Name, Of: found}
	for _, l := range found.Limits {
		if does := words.Does(l); does != "" {
			sum.Add(b.limitName(l), does, words.At(l))
		}
	}
	return sum
}

// limitName names a limit, with a price in dollars, and marks a price of the filter.
func (b *run) limitName(l basket.Limit) string {
	switch {
	case l.Kind != basket.MaxPrice:
		return l.String()
	case b.priced:
		return "max-price " + l.Price.FormatDollars() + " (by the filter)"
	}
	return "max-price " + l.Price.FormatDollars()
}

func (b *run) target() localfile.Target {
	return localfile.Target{Path: b.batch, Overwrite: b.overwrite}
}

// checkBatch refuses, before any request, a batch that could not be written.
func (b *run) checkBatch() error {
	switch {
	case b.batch == "" && b.reference != "":
		return command.Usage("add --batch FILE.csv, or leave it out", "--reference is given without --batch")
	case b.batch == "":
		return nil
	case strings.TrimSpace(b.reference) == "":
		return command.Usage("add --reference, such as --reference Q4; the lines become Q4-1, Q4-2 and so on",
			"--reference is missing")
	}
	return b.target().Check()
}

func (b *run) writeBatch(found basket.Basket) error {
	if b.batch == "" || len(found.Lines) == 0 {
		return nil
	}
	var content bytes.Buffer
	w := csv.NewWriter(&content)
	_ = w.Write([]string{"reference", "vintage_id", "quantity_grams", "sell_order_id", "max_price_cents"})
	for i, line := range found.Lines {
		grams, err := model.WholeTonnes(line.Tonnes)
		if err != nil {
			return fmt.Errorf("%s was not written: %w", b.batch, err)
		}
		_ = w.Write([]string{
			spreadsheet.Guard(b.reference + "-" + strconv.Itoa(i+1)), spreadsheet.Guard(line.Vintage.VintageID), grams.String(),
			spreadsheet.Guard(line.Order.ID), line.Order.Price.String(),
		})
	}
	w.Flush()
	if err := b.target().WriteBytes(content.Bytes()); err != nil {
		return err
	}
	b.app.Note(command.Notice{
		Code: command.SavedCode,
		Message: b.app.Advice(advice.Format("wrote %s to %s; check the plan with %s",
			model.Count(len(found.Lines), "line", "lines"),
			b.batch, advice.Tonne("retire --file", b.batch, "--dry-run"))),
	})
	return nil
}
