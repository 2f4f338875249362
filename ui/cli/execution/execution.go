// Package execution implements the command `tonne execution`: it compares each purchase with the
// market that was recorded before it. The comparison is in package model/execution.
package execution

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"tonne/api"
	"tonne/model"
	"tonne/model/advice"
	"tonne/model/execution"
	"tonne/model/file/localfile"
	"tonne/model/filter"
	"tonne/ui/cli/command"
	"tonne/ui/cli/filing"
	"tonne/ui/cli/listing"
	"tonne/ui/column"
	"tonne/ui/output"
)

type run struct {
	app       *command.App
	from, to  string
	vintage   string
	request   string
	like      string
	xlsx, pdf string
	overwrite bool
	explain   explanation
	format    output.Format
}

// Command returns `tonne execution`.
func Command(a *command.App) *cobra.Command {
	r := &run{app: a}
	cmd := &cobra.Command{
		Use:   "execution",
		Short: "Compare each of your purchases with the recorded market",
		Long: "Prints a row for each purchase of the inventory, oldest first, with the cheapest cost of the\n" +
			"same tonnes in the last market that was recorded in the two minutes before it: over the\n" +
			"sell orders of the vintage, and over those of all vintages that count as the same (like).\n\n" +
			"The verdict is lowest if neither was cheaper, lowest_of_vintage if only others were, higher if\n" +
			"an order of the vintage was, and not_recorded if the market was not recorded, or if the order\n" +
			"appeared or changed after the read. The rows are evidence of what this marketplace showed to tonne:\n" +
			"they say nothing about other venues, or about what happened between two reads.\n\n" +
			"--like takes an expression as --filter of `market`; the default is the exact type of the project, and\n" +
			"a vintage that is not older, or the setting execution_like." +
			a.Local("\n\n--reason keeps your own explanation of a purchase, with --request, --external-id, or --vintage and\n"+
				"--bought. Earlier explanations are kept, and the last one is shown."),
		Example: a.Examples(
			"%s execution",
			"%s execution --from 2026-01-01 --to 2026-04-01 -o csv",
			a.Local("%s execution --like 'type:cookstoves vintage>=2022' -o json"),
			a.Local("%s execution --from 2026-01-01 --pdf execution.pdf"),
			a.Local("%s execution --request 007kcwlc3s2jjtsc48 --reason 'the customer asked for this project'"),
		),
		RunE: command.Do(func(ctx context.Context, cmd *cobra.Command, _ []string) error { return r.run(ctx, cmd) }),
	}
	a.ConnectionFlags(cmd)
	a.ListFlags(cmd, &r.format)
	f := cmd.Flags()
	f.StringVar(&r.from, "from", "", "only purchases from the `DAY` (UTC) on, such as 2026-01-01")
	f.StringVar(&r.to, "to", "", "only purchases before the `DAY`")
	f.StringVar(&r.vintage, "vintage", "", "only purchases of the vintage `ID`")
	f.StringVar(&r.request, "request", "", "only purchases of the calls in the retirement request `ID`")
	f.StringVar(&r.like, "like", "", "credits that count as the same: those that match `EXPR`")
	f.StringVar(&r.xlsx, "xlsx", "", "also write the rows to a new `FILE.xlsx`")
	f.StringVar(&r.pdf, "pdf", "", "also write a summary and the recorded books to a new `FILE.pdf`")
	command.OverwriteFlag(cmd, &r.overwrite)
	r.explain.addFlags(cmd)
	return a.Describe(cmd, command.Description{Effect: command.Reads, Outputs: []command.OutputForm{
		{Formats: []output.Format{output.JSON}, Fields: execution.Document.Fields("[].")},
		command.RowForm("", execution.Columns.RowFields(), output.JSONL, output.CSV).In("[]"),
	}})
}

func (r *run) target(path string) localfile.Target {
	return localfile.Target{Path: path, Overwrite: r.overwrite}
}

func (r *run) run(ctx context.Context, cmd *cobra.Command) error {
	if err := r.explain.check(cmd, r); err != nil {
		return err
	}
	from, to, err := listing.ParseDays(r.app, r.from, r.to)
	if err := cmp.Or(err, r.checkLike(), filing.CheckNew("xlsx", r.target(r.xlsx)),
		filing.CheckNew("pdf", r.target(r.pdf))); err != nil {
		return err
	}
	reading, err := listing.Connect(ctx, r.app)
	if err != nil {
		return err
	}
	defer reading.Close()
	inv, err := reading.Client.Inventory(ctx, api.InventoryQuery{}, nil)
	if err := reading.Partly(err); err != nil {
		return err
	}
	r.app.TellFaults(inv.Faults)
	if r.explain.text != "" {
		return r.explain.save(ctx, r, reading, inv)
	}
	rows, err := filing.Execution(ctx, reading, inv, r.like)
	if err != nil {
		return err
	}
	if err := r.checkFound(rows); err != nil {
		r.app.ClearProgress()
		return cmp.Or(reading.Unseen(), err)
	}
	of := column.ExecutionOf{Account: reading.Statements, From: from, To: to, Now: r.app.Now(),
		Vintage: r.vintageName(rows), Request: r.request, Like: r.like}
	rows = slices.DeleteFunc(rows, func(row execution.Row) bool { return !r.selects(row.Purchase, from, to) })
	r.app.ClearProgress()
	return cmp.Or(r.print(rows), r.write(ctx, reading, of, rows), reading.Unseen())
}

func (r *run) checkLike() error {
	if _, err := filter.Parse(r.like); err != nil {
		return command.Usage("see `tonne market --help` for the syntax of filters", "--like: %v", err)
	}
	return nil
}

const noneOfRequest = "no purchase of the inventory was made by a call of this machine in the retirement request %s"

// checkFound returns an error if no purchase, of any time, has the id of a flag.
func (r *run) checkFound(rows []execution.Row) error {
	has := func(is func(execution.Row) bool) bool { return slices.ContainsFunc(rows, is) }
	todo := listsPurchases()
	switch {
	case r.vintage != "" && !has(func(row execution.Row) bool { return row.Vintage.VintageID == r.vintage }):
		return command.Unmet("not_found", todo, "no purchase of the inventory is of the vintage %s", r.vintage)
	case r.request != "" && !has(func(row execution.Row) bool { return row.RequestID == r.request }):
		return command.Unmet("not_found", todo, noneOfRequest, r.request)
	}
	return nil
}

func listsPurchases() advice.Text {
	return advice.Format("%s lists the purchases", advice.Tonne("execution -o csv"))
}

// vintageName names the vintage that is selected, or returns "" if all are.
func (r *run) vintageName(rows []execution.Row) string {
	if r.vintage == "" {
		return ""
	}
	name, year := "", int32(0)
	for _, row := range rows {
		if row.Vintage.VintageID == r.vintage {
			name, year = cmp.Or(name, row.Project.Name, row.Vintage.ProjectID), max(year, row.Year)
		}
	}
	if year != 0 {
		name += " " + strconv.Itoa(int(year))
	}
	return name + " (" + r.vintage + ")"
}

func (r *run) selects(p execution.Purchase, from, to time.Time) bool {
	return !p.At().Before(from) && (to.IsZero() || p.At().Before(to)) &&
		(r.vintage == "" || p.Vintage.VintageID == r.vintage) && (r.request == "" || p.RequestID == r.request)
}

// tableColumns are the columns of the table, in its order.
var tableColumns = execution.Columns.Pick("execution_date", "project_name", "vintage_year",
	"quantity_grams", "price_cents", "cost_cents", "vintage_difference_cents", "like_difference_cents",
	"verdict", "reason")

func (r *run) print(rows []execution.Row) error {
	in := listing.NewFormats(r.app, execution.Columns, slices.Values(rows))
	in.Document = func() error { return output.Write(r.app.Data(), output.JSON, execution.Document, slices.Values(rows)) }
	in.Tables = func(rows iter.Seq[execution.Row]) []*output.Grid {
		return []*output.Grid{output.GridOf(tableColumns, rows)}
	}
	in.None = "no purchase was found"
	if slices.ContainsFunc(rows, func(row execution.Row) bool { return row.TooLarge }) {
		r.app.Warn("a cost is out of range, and left out")
	}
	return in.Print(r.format)
}

// write writes the files of the flags.
func (r *run) write(ctx context.Context, reading *listing.Connection, of column.ExecutionOf,
	rows []execution.Row) error {
	if r.pdf != "" {
		var cheaper []string
		for _, row := range rows {
			for _, f := range row.Cheaper {
				cheaper = append(cheaper, f.Vintage.ProjectID)
			}
		}
		reading.ProjectDetails.Need(ctx, model.Unique(cheaper))
		of.Projects = reading.ProjectDetails.Known
	}
	encode := func(path string) ([]byte, error) { return column.EncodeExecution(path, of, rows) }
	return cmp.Or(filing.WriteNew(ctx, r.target(r.xlsx), "the comparison", encode),
		filing.WriteNew(ctx, r.target(r.pdf), "the comparison", encode))
}
