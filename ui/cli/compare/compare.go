// Package compare implements the command `tonne compare`: vintages next to each other.
package compare

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tonne/api/wire"
	"tonne/api/worker"
	"tonne/model"
	"tonne/model/attribute"
	"tonne/model/market"
	"tonne/model/portfolio"
	"tonne/ui/cli/command"
	"tonne/ui/cli/listing"
	"tonne/ui/column"
	"tonne/ui/output"
)

const fewest, most = 2, 4

// history is how far back recorded prices are compared.
const history = 30 * 24 * time.Hour

type run struct {
	app *command.App
	*listing.Connection
	format   output.Format
	market   *market.Market
	paid     portfolio.LastPaidPrices
	balances portfolio.Balances
	facts    *attribute.Facts
}

// Command returns `tonne compare`.
func Command(a *command.App) *cobra.Command {
	r := &run{app: a}
	cmd := &cobra.Command{
		Use:   "compare VINTAGE VINTAGE...",
		Short: "Compare two to four vintages",
		Long: "Prints two to four vintages next to each other: best ask, the cost of 1, 100 and 1,000\n" +
			"tonnes and of all that are for sale, last paid, holdings, the project, and your own\n" +
			"attributes. A row that differs is marked. \"-\" means unknown, or that the order book is\n" +
			"too thin. The asks in 30 days are those that were recorded.",
		Example: "  tonne compare 004mrioohazvurrwl6 004l7tv0ybkecc0ndy\n" +
			"  tonne compare 004mrioohazvurrwl6 004l7tv0ybkecc0ndy -o json",
		ValidArgsFunction: a.Complete(command.Vintages),
		RunE:              command.Do(r.run),
	}
	a.ConnectionFlags(cmd)
	a.ListFlags(cmd, &r.format)
	return a.Describe(cmd, command.Description{
		Effect:    command.Reads,
		Arguments: []command.Argument{{Name: "VINTAGE", Description: "id of a vintage, two to four", Required: true, Repeated: true}},
		Outputs: []command.OutputForm{
			{Formats: []output.Format{output.JSON}, Fields: documentColumns.Fields("")}, command.RowForm("", column.Comparison.Header(), output.JSONL, output.CSV),
		},
	})
}

var documentColumns = output.Columns[[]*column.Compared]{
	output.Array("vintages", func(all []*column.Compared) iter.Seq[*column.Compared] { return slices.Values(all) }, column.ComparisonJSON),
	{Name: "different", Is: "array", Value: func(all []*column.Compared) output.Value { return output.Texts(column.Different(all)) }},
}

func checkArguments(ids []string) error {
	if len(ids) < fewest || len(ids) > most {
		return command.Usage("give two to four ids; `tonne market` lists them", "%s given", model.Count(len(ids), "vintage is", "vintages are"))
	}
	for i, id := range ids {
		if slices.Contains(ids[:i], id) {
			return command.Usage("give each vintage once", "the vintage %s is given twice", wire.Clean(id))
		}
	}
	return nil
}

func (r *run) run(ctx context.Context, _ *cobra.Command, ids []string) (err error) {
	if err := checkArguments(ids); err != nil {
		return err
	}
	if r.Connection, err = listing.Connect(ctx, r.app); err != nil {
		return err
	}
	defer r.Close()
	if err := r.read(ctx); err != nil {
		return err
	}
	var all []*column.Compared
	for _, id := range ids {
		c, err := r.compared(ctx, id)
		if err != nil {
			return err
		}
		all = append(all, c)
	}
	r.app.ClearProgress()
	return cmp.Or(r.print(all), r.Unseen())
}

func (r *run) read(ctx context.Context) (err error) {
	held := worker.Start(func() (err error) {
		r.paid, r.balances, err = r.Client.Holdings(ctx)
		return err
	})
	r.market, err = r.Client.Market(ctx, 0, func(_ *market.Page, page model.Page) {
		r.app.ShowProgress("page %d of %d", page.Current, page.TotalPages)
	})
	if err := cmp.Or(r.Partly(err), r.Partly(held())); err != nil {
		return err
	}
	facts, err := r.ProjectDetails.Store.Of(r.ProjectDetails.Origin).Annotations.Facts(ctx)
	r.facts = attribute.NewFacts(facts)
	return err
}

func (r *run) compared(ctx context.Context, id string) (*column.Compared, error) {
	c := &column.Compared{BestAsk: model.UnknownPrice, Available: model.UnknownGrams, Held: model.UnknownGrams, Low: model.UnknownPrice, Facts: r.facts}
	at, forSale := r.market.FindVintage(id)
	switch {
	case forSale:
		if err := r.addBook(c, at); err != nil {
			return nil, err
		}
	case len(r.Missing) > 0:
		return nil, r.Unseen()
	default:
		// It may have been bought.
		for key := range r.balances {
			if key.VintageID == id {
				c.Key, c.Available = key, 0
			}
		}
		if c.Key.VintageID == "" {
			return nil, listing.NotForSale(id)
		}
	}
	if held, ok := r.balances[c.Key]; ok || len(r.Missing) == 0 {
		c.Held = held
	}
	_, c.Bought = r.paid[c.Key]
	c.Paid = r.paid.Of(c.Key)
	r.ProjectDetails.Need(ctx, []string{c.Key.ProjectID})
	c.Project = r.ProjectDetails.Known[c.Key.ProjectID]
	c.Year = cmp.Or(c.Year, int32(c.Project.Year(c.Key.VintageID)))
	return c, r.addHistory(ctx, c)
}

func (r *run) addBook(c *column.Compared, at int) (err error) {
	v, book := r.market.Vintage(at), r.market.Book(at)
	c.Key, c.Year, c.BestAsk, c.Available = r.market.Key(at), v.Year, v.BestAsk, v.Available
	if book.Unread > 0 {
		r.Unread = append(r.Unread, fmt.Sprintf("sell orders of %s that cannot be read: %d", c.Key.VintageID, book.Unread))
	}
	if c.Depth, err = column.NewDepth(book); errors.Is(err, model.ErrOverflow) {
		return command.Failed("compare other vintages", "the cost of all tonnes of %s cannot be computed: the %v", c.Key.VintageID, err)
	}
	return err
}

func (r *run) addHistory(ctx context.Context, c *column.Compared) error {
	since := r.app.Now().Add(-history)
	prices, err := r.ProjectDetails.Store.Of(r.ProjectDetails.Origin).History.Prices(ctx, c.Key, since)
	for _, p := range prices {
		if !p.BestAsk.Known() {
			continue
		}
		if !c.Low.Known() {
			c.Low, c.High, c.Since = p.BestAsk, p.BestAsk, p.At
		}
		c.Low, c.High = min(c.Low, p.BestAsk), max(c.High, p.BestAsk)
	}
	if c.Since.Before(since) && !c.Since.IsZero() {
		c.Since = since
	}
	return err
}

func (r *run) print(all []*column.Compared) error {
	in := listing.NewFormats(r.app, column.Comparison, slices.Values(all))
	in.Document = func() error { return output.Object(r.app.Data(), documentColumns.JSON(all)) }
	in.Tables = func(sorted iter.Seq[*column.Compared]) []*output.Grid {
		return []*output.Grid{table(slices.Collect(sorted))}
	}
	return in.Print(r.format)
}

func table(all []*column.Compared) *output.Grid {
	headings := []output.Heading{{Title: "VINTAGE"}}
	for _, c := range all {
		headings = append(headings, output.Heading{Title: wire.Clean(c.Key.VintageID), Shrink: 12, Right: true})
	}
	g := output.NewGrid(append(headings, output.Heading{})...)
	for _, row := range column.Comparison.Compare(all) {
		mark := ""
		if row.Differs {
			mark = "≠"
		}
		g.Add(slices.Concat([]string{strings.ToLower(row.Title)}, row.Cells, []string{mark})...)
	}
	return g
}
