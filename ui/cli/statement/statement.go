// Package statement implements the command `tonne statement`: it prints purchases and
// retirements of a period. The sums are in package model/statement.
package statement

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tonne/api/audit"
	"tonne/model/advice"
	"tonne/model/field"
	"tonne/model/file/localfile"
	"tonne/model/statement"
	"tonne/ui/cli/command"
	"tonne/ui/cli/filing"
	"tonne/ui/cli/listing"
	"tonne/ui/column"
	"tonne/ui/output"
)

type run struct {
	App                     *command.App
	period                  filing.Period
	by, xlsx, pdf           string
	beneficiary             string
	fiscalYear, fiscalMonth int
	format                  output.Format
	overwrite               bool
}

func (r *run) target(path string) localfile.Target {
	return localfile.Target{Path: path, Overwrite: r.overwrite}
}

// Command returns `tonne statement`.
func Command(a *command.App) *cobra.Command {
	r := &run{App: a}
	cmd := &cobra.Command{
		Use:   "statement",
		Short: "Print purchases and retirements of a period, with totals and shares",
		Long: "Sums up the trades of the inventory and the requests of the ledger between two UTC days:\n" +
			"--from is inclusive, --to exclusive. A fiscal year begins in the year --fiscal-year with\n" +
			"the month --fiscal-year-start.\n\n" +
			"Retired tonnes are unknown in a row of which no request of the ledger was created or retired\n" +
			"in the period. The total is \"at least\" what it says if a row is unknown or the ledger lacks\n" +
			"requests of credits that were bought.\n\n" +
			"The shares divide the retired tonnes by standard, country group, removal or reduction, CCP\n" +
			"label and Article 6 status, using the project details and your attributes. The cost of what\n" +
			"was retired is computed from your purchases, first in, first out per vintage; it is unknown if\n" +
			"a gram of the vintage is not accounted for. docs/accounting.md explains the method.",
		Example: a.Examples(
			"%s statement --from 2026-01-01 --to 2026-04-01",
			"%s statement --fiscal-year 2025 --fiscal-year-start 4 --by project -o csv",
			"%s statement --from 2026-01-01 --by beneficiary -o json",
			a.Local("%s statement --fiscal-year 2025 --xlsx statement.xlsx"),
			a.Local("%s statement --fiscal-year 2025 --by beneficiary --beneficiary 'Your Customer' --pdf customer.pdf"),
		),
		RunE: command.Do(func(ctx context.Context, cmd *cobra.Command, _ []string) error { return r.run(ctx, cmd) }),
	}
	a.ConnectionFlags(cmd)
	a.ListFlags(cmd, &r.format)
	f := cmd.Flags()
	r.period.AddFlags(f, "statement")
	f.StringVar(&r.by, "by", string(statement.PerMonth), "one row per `month|project|type|beneficiary`")
	f.IntVar(&r.fiscalYear, "fiscal-year", 0, "the fiscal year that begins in `YEAR`, instead of --from and --to")
	f.IntVar(&r.fiscalMonth, "fiscal-year-start", 1, "first `MONTH` of a fiscal year, 1 to 12")
	f.StringVar(&r.beneficiary, "beneficiary", "", "only what was retired for beneficiaries with `TEXT` in their name")
	f.StringVar(&r.xlsx, "xlsx", "", "also write the statement to a new `FILE.xlsx`")
	f.StringVar(
		&r.pdf,
		"pdf",
		"",
		"also write the statement to a new `FILE.pdf`, with pages for each project or beneficiary",
	)
	command.OverwriteFlag(cmd, &r.overwrite)
	return a.Describe(cmd, command.Description{Effect: command.Reads, Outputs: []command.OutputForm{
		{
			Formats: []output.Format{output.JSON},
			Fields:  jsonColumns.Fields(""),
		}, command.RowForm("", column.StatementOf(statement.Source{}).RowFields(), output.JSONL, output.CSV).In("rows[]"),
	}})
}

func (r *run) readFlags(cmd *cobra.Command) (err error) {
	const todo = "give --from 2026-01-01 --to 2026-04-01, or --fiscal-year 2026"
	switch {
	case !slices.Contains(statement.Groupings(), r.by):
		return command.Usage("permitted: "+strings.Join(statement.Groupings(), ", "), "--by %q is unknown", r.by)
	case r.fiscalMonth < 1 || r.fiscalMonth > 12:
		return command.Usage("give a month from 1 to 12", "--fiscal-year-start %d is not a month", r.fiscalMonth)
	case cmd.Flags().Changed("fiscal-year"):
		if r.period.From != "" || r.period.To != "" {
			return command.Usage(todo, "--fiscal-year excludes --from and --to")
		}
		if r.fiscalYear < 1000 || r.fiscalYear > 9998 {
			return command.Usage("give a year of four digits, such as 2026", "--fiscal-year %d is not a year", r.fiscalYear)
		}
		r.period.Begin = time.Date(r.fiscalYear, time.Month(r.fiscalMonth), 1, 0, 0, 0, 0, time.UTC)
		r.period.End = r.period.Begin.AddDate(1, 0, 0)
		return r.period.CheckBegun(r.App.Now())
	}
	return r.period.Read(r.App, todo)
}

func (r *run) run(ctx context.Context, cmd *cobra.Command) error {
	if err := r.readFlags(cmd); err != nil {
		return err
	}
	if err := cmp.Or(filing.CheckNew("xlsx", r.target(r.xlsx)), filing.CheckNew("pdf", r.target(r.pdf))); err != nil {
		return err
	}
	reading, err := listing.Connect(ctx, r.App)
	if err != nil {
		return err
	}
	defer reading.Close()
	s, err := r.make(ctx, reading)
	if err != nil {
		return err
	}
	if err := r.printStatement(s); err != nil {
		return err
	}
	encode := func(path string) ([]byte, error) {
		defer r.App.ClearProgress()
		return column.EncodeStatement(path, s.of, s.Statement, func(printed, all int) error {
			r.App.ShowProgress("printing %d of %d", printed, all)
			return ctx.Err()
		})
	}
	return cmp.Or(
		filing.WriteNew(ctx, r.target(r.xlsx), "the statement", encode),
		filing.WriteNew(ctx, r.target(r.pdf), "the statement", encode),
	)
}

func (r *run) make(ctx context.Context, reading *listing.Connection) (made printed, err error) {
	auditor := filing.Auditor(reading)
	inv, err := auditor.Inventory(ctx)
	if err != nil {
		return made, err
	}
	ledger, err := filing.FreshLedger(ctx, reading)
	if err != nil {
		return made, err
	}
	source, err := auditor.Statement(ctx, inv, ledger)
	if err != nil {
		return made, err
	}
	source.From, source.To, source.By = r.period.Begin, r.period.End, statement.Grouping(r.by)
	source.Beneficiary, source.Account = strings.TrimSpace(r.beneficiary), reading.Statements
	r.App.ClearProgress()
	r.App.TellFaults(inv.Faults)
	made.of = source
	made.Statement, err = statement.New(source)
	return made, err
}

type printed struct {
	statement.Statement
	of statement.Source
}

var totalColumns = field.Over(statement.Columns[1:], func(s printed) (statement.Row, bool) { return s.Total, true }).
	With(
		field.Column[printed]{Name: "balance_grams", Value: func(s printed) field.Value { return field.Grams(s.Balance) }})

var jsonColumns = field.Columns[printed]{
	{
		Name:  "from",
		Is:    "string",
		Value: func(s printed) field.Value { return field.Text(s.of.From.Format(time.DateOnly)) },
	},
	{Name: "to", Is: "string", Value: func(s printed) field.Value { return field.Text(s.of.To.Format(time.DateOnly)) }},
	field.Items("rows", func(s printed) iter.Seq[statement.Row] { return slices.Values(s.Rows) }, statement.Columns),
	field.Nested("total", func(s printed) (printed, bool) { return s, true }, totalColumns).Always(),
	field.Items(
		"shares",
		func(s printed) iter.Seq[statement.DisclosureShare] { return slices.Values(s.Shares) },
		field.Columns[statement.DisclosureShare]{
			{Name: "share", Is: "string", Value: func(s statement.DisclosureShare) field.Value { return field.Text(s.Name) }},
			field.Items(
				"parts",
				func(s statement.DisclosureShare) iter.Seq[statement.SharePart] { return slices.Values(s.Parts) },
				field.Columns[statement.SharePart]{
					{Name: "value", Is: "string", Value: func(p statement.SharePart) field.Value { return field.Text(p.Value) }},
					{Name: "retired_grams", Value: func(p statement.SharePart) field.Value { return field.Grams(p.Grams) }},
				},
			),
			{
				Name:  "unclassified_grams",
				Value: func(s statement.DisclosureShare) field.Value { return field.Grams(s.Unclassified) },
			},
		},
	),
	{Name: "notes", Is: "array", Value: func(s printed) field.Value { return field.Texts(advice.Strings(s.Notes)) }},
}.With(field.Over(statement.AccountColumns, func(s printed) (statement.Account, bool) { return s.of.Account, true })...)

func (r *run) printStatement(s printed) error {
	in := listing.NewFormats(r.App, column.StatementOf(s.of), slices.Values(s.Rows))
	in.Document = func() error { return output.Object(r.App.Data(), jsonColumns.JSON(s)) }
	in.Tables = func(rows iter.Seq[statement.Row]) []*output.Grid {
		sorted := s.Statement
		sorted.Rows = slices.Collect(rows)
		figures := audit.StatementRows(s.of, sorted, field.Units{})
		headings := []output.Heading{{Title: figures[0][0], Shrink: 12}}
		for _, title := range figures[0][1:] {
			headings = append(headings, output.Heading{Title: title, Right: true})
		}
		tables := []*output.Grid{accountGrid(s.of), gridOf(figures[1:], headings...)}
		if s.Total.Retired > 0 {
			tables = append(
				tables,
				gridOf(audit.ShareRows(s.Statement, field.Units{}), output.Heading{Title: "RETIRED BY", Shrink: 12},
					output.Heading{Title: "VALUE", Shrink: 8}, output.Heading{Title: "TONNES", Right: true}),
			)
		}
		return tables
	}
	err := in.Print(r.format)
	if r.format == output.CSV || r.format == output.JSONL {
		r.App.Warn("total, balance and shares are missing from %s: -o json and -o table include them", r.format)
	}
	for _, note := range s.Notes {
		r.App.Warn("%s", note)
	}
	return err
}

func accountGrid(of statement.Source) *output.Grid {
	var headings []output.Heading
	var cells []string
	for _, row := range audit.AccountRows(of) {
		headings, cells = append(headings, output.Heading{Title: strings.ToUpper(row[0]), Shrink: 12}), append(cells, row[1])
	}
	grid := output.NewGrid(headings...)
	grid.Add(cells...)
	return grid
}

func gridOf(rows [][]string, headings ...output.Heading) *output.Grid {
	grid := output.NewGrid(headings...)
	for _, row := range rows {
		grid.Add(row[:len(headings)]...)
	}
	return grid
}
