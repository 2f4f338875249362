// Package compare implements the command `tonne compare`: vintages next to each other.
package compare

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tonne/api/wire"
	"tonne/api/worker"
	"tonne/model"
	"tonne/model/advice"
	"tonne/model/attribute"
	"tonne/model/field"
	"tonne/model/file/store"
	"tonne/model/market"
	"tonne/ui/cli/command"
	"tonne/ui/cli/listing"
	"tonne/ui/column"
	"tonne/ui/output"
)

type run struct {
	app *command.App
	*listing.Connection
	format  output.Format
	sources column.Sources
	past    listing.Past
}

// Command returns `tonne compare`.
func Command(a *command.App) *cobra.Command {
	r := &run{app: a}
	cmd := &cobra.Command{
		Use:   "compare VINTAGE VINTAGE...",
		Short: "Compare two to four vintages",
		Long: "Prints two to four vintages next to each other: best ask, the cost of 1, 100 and 1,000\n" +
			"tonnes and of all that are for sale, last paid, holdings, the project, and your own\n" +
			"attributes. A row that differs is marked. \"-\" means unknown, \"short 40 t\" that the order\n" +
			"book is 40 tonnes too thin. The asks in 30 days are those that were recorded, with the\n" +
			"number of days if fewer.\n\n" + listing.PastHelp + " Holdings of an earlier time are not known.",
		Example: a.Examples(
			"%s compare 004mrioohazvurrwl6 004l7tv0ybkecc0ndy",
			"%s compare 004mrioohazvurrwl6 004l7tv0ybkecc0ndy -o json",
		),
		ValidArgsFunction: a.Complete(command.Vintages),
		RunE:              command.Do(r.run),
	}
	a.ConnectionFlags(cmd)
	a.ListFlags(cmd, &r.format)
	r.past.AddFlag(cmd)
	return a.Describe(cmd, command.Description{
		Effect: command.Reads,
		Arguments: []command.Argument{{Name: "VINTAGE", Description: "id of a vintage, two to four", Required: true,
			Repeated: true}},
		Outputs: []command.OutputForm{
			{Formats: []output.Format{output.JSON}, Fields: document.Fields("")},
			command.RowForm("", column.Comparison.RowFields(), output.JSONL, output.CSV).In("vintages[]"),
		},
	})
}

func checkArguments(ids []string) error {
	if len(ids) < column.Fewest || len(ids) > column.Most {
		return command.Usage(advice.Format("give two to four ids; %s lists them", advice.Tonne("market")), "%s given",
			model.Count(len(ids), "vintage is", "vintages are"))
	}
	for i, id := range ids {
		if slices.Contains(ids[:i], id) {
			return command.Usage("give each vintage once", "the vintage %s is given twice", wire.Clean(id))
		}
	}
	return nil
}

func (r *run) run(ctx context.Context, cmd *cobra.Command, ids []string) (err error) {
	if err := cmp.Or(r.past.Parse(cmd), checkArguments(ids)); err != nil {
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
	in := &r.sources
	facts, err := r.ProjectDetails.Store.Of(r.ProjectDetails.Origin).Annotations.Facts(ctx)
	in.Facts = attribute.NewFacts(facts)
	if err != nil {
		return err
	}
	if r.past.Given() {
		in.Market, in.Paid, err = r.past.Market(ctx, r.Connection)
		in.At = r.past.At()
		return err
	}
	held := worker.Start(func() (err error) {
		in.Paid, in.Balances, err = r.Client.Holdings(ctx)
		return err
	})
	in.Market, err = r.Client.Market(ctx, 0, func(_ *market.Page, page model.Page) {
		r.app.ShowProgress("page %d of %d", page.Current, page.TotalPages)
	})
	if err := cmp.Or(r.Partly(err), r.Partly(held())); err != nil {
		return err
	}
	in.Partial, in.At = len(r.Missing) > 0, r.app.Now()
	return nil
}

func (r *run) compared(ctx context.Context, id string) (*column.Compared, error) {
	key, err := r.find(id)
	if err != nil {
		return nil, err
	}
	r.ProjectDetails.Need(ctx, []string{key.ProjectID})
	r.sources.Projects = r.ProjectDetails.Known
	prices, err := r.ProjectDetails.Store.Of(r.ProjectDetails.Origin).History.Prices(ctx, key, r.sources.Since())
	if err != nil {
		return nil, err
	}
	if r.past.Given() {
		prices = slices.DeleteFunc(prices, func(p store.Observation) bool { return p.At.After(r.past.At()) })
	}
	c := r.sources.Compare(key, prices)
	if c.Unread > 0 {
		r.Unread = append(r.Unread, fmt.Sprintf("sell orders of %s that cannot be read: %d", key.VintageID, c.Unread))
	}
	if tonnes := c.Unpriced(); tonnes > 0 {
		r.app.Warn("the cost of %s of %s is out of range", listing.TonnesText(tonnes), wire.Clean(key.VintageID))
	}
	if held, ok := r.sources.Balances[key]; ok && !held.Known() {
		r.app.Warn("the balance of %s is unknown: a wallet cannot be read, or the sum is out of range",
			wire.Clean(key.VintageID))
	}
	return c, nil
}

// find finds a vintage among those for sale and those that were bought.
func (r *run) find(id string) (model.VintageKey, error) {
	if projects := r.sources.Market.ProjectsOf(id); len(projects) > 1 {
		return model.VintageKey{}, listing.Ambiguous(&market.AmbiguousError{VintageID: id, Projects: projects},
			advice.Format("look at them one by one with %s", advice.Tonne("quote --vintage ID --project ID")).Needs("project"))
	}
	if at, forSale := r.sources.Market.FindVintage(id); forSale {
		return r.sources.Market.Key(at), nil
	}
	if len(r.Missing) > 0 {
		return model.VintageKey{}, r.Unseen()
	}
	for key := range r.sources.Balances {
		if key.VintageID == id {
			return key, nil
		}
	}
	for key := range r.sources.Paid {
		if key.VintageID == id {
			return key, nil
		}
	}
	return model.VintageKey{}, listing.NotForSale(id)
}

// printed is the document of a comparison.
type printed struct {
	all  []*column.Compared
	past *listing.Past
}

var document = field.Over(column.ComparisonDocument, func(p printed) ([]*column.Compared, bool) { return p.all, true }).
	With(listing.PastColumns(func(p printed) *listing.Past { return p.past })...)

func (r *run) print(all []*column.Compared) error {
	in := listing.NewFormats(r.app, column.Comparison, slices.Values(all))
	in.Document = func() error { return output.Object(r.app.Data(), document.JSON(printed{all, &r.past})) }
	in.Tables = func(sorted iter.Seq[*column.Compared]) []*output.Grid {
		return append(r.past.Table(), table(slices.Collect(sorted)))
	}
	return in.Print(r.format)
}

func table(all []*column.Compared) *output.Grid {
	headings := []output.Heading{{Title: "VINTAGE"}}
	for _, c := range all {
		headings = append(headings, output.Heading{Title: wire.Clean(c.Key.VintageID), Shrink: 12, Right: true})
	}
	g := output.NewGrid(append(headings, output.Heading{})...)
	for _, row := range column.Comparison.Compare(all, time.Local) {
		mark := ""
		if row.Differs {
			mark = "≠"
		}
		g.AddValues(slices.Concat([]field.Value{field.Words(strings.ToLower(row.Title))}, row.Cells,
			[]field.Value{field.Words(mark)})...)
	}
	return g
}
