// Package history implements the command `tonne history`: the periods in which the market was
// recorded, and the removal of old ones. The record is in package model/file/record.
package history

import (
	"context"
	"iter"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"tonne/model"
	"tonne/model/field"
	"tonne/model/file/record"
	"tonne/ui/cli/command"
	"tonne/ui/cli/listing"
	"tonne/ui/output"
)

type run struct {
	app      *command.App
	from, to string
	format   output.Format
}

// Command returns `tonne history`.
func Command(a *command.App) *cobra.Command {
	r := &run{app: a}
	cmd := &cobra.Command{
		Use:   "history",
		Short: "Print the periods in which the market was recorded",
		Long: "tonne records every complete market that it reads: the dashboard, `market`, `quote`, `basket`,\n" +
			"`watch` and the others. `market --at TIME` shows the market of a recorded minute, and `execution`\n" +
			"compares each of your purchases with it.\n\n" +
			"A period is a run of reads at most two minutes apart. Its changes are the sell orders that\n" +
			"appeared, vanished or changed between its reads. Outside the periods, nothing is known about\n" +
			"the market. --from and --to are UTC days; --from is inclusive, --to exclusive.",
		Example: a.Examples("%s history", "%s history --from 2026-11-01 --to 2026-12-01 -o csv",
			a.Local("%s history prune --before 2025-01-01 --dry-run")),
		RunE: command.Do(func(ctx context.Context, _ *cobra.Command, _ []string) error { return r.print(ctx) }),
	}
	a.ConnectionFlags(cmd)
	a.ListFlags(cmd, &r.format)
	f := cmd.Flags()
	f.StringVar(&r.from, "from", "", "only reads from the `DAY` on, such as 2026-11-01")
	f.StringVar(&r.to, "to", "", "only reads before the `DAY`")
	cmd.AddCommand(pruneCommand(a))
	return a.Describe(cmd, command.Description{Effect: command.Reads, Outputs: []command.OutputForm{
		{Formats: []output.Format{output.JSON}, Fields: document.Fields("")},
		command.RowForm("", columns.RowFields(), output.JSONL, output.CSV).In("periods[]"),
	}})
}

// printed is a document of `tonne history`.
type printed struct {
	bytes, intervals int64
	periods          []record.Period
}

func at(t time.Time) field.Value { return field.UTC(model.At(t)) }

var columns = field.Columns[record.Period]{
	{Name: "from", Is: "string", Value: func(p record.Period) field.Value { return at(p.From) }},
	{Name: "to", Is: "string", Value: func(p record.Period) field.Value { return at(p.To) }},
	{Name: "reads", Is: "number", Right: true,
		Value: func(p record.Period) field.Value { return field.Number(int(p.Reads)) }},
	{Name: "changes", Is: "number", Right: true,
		Value: func(p record.Period) field.Value { return field.Number(int(p.Changes)) }},
}

var document = field.Columns[printed]{
	{Name: "file_bytes", Is: "number", Value: func(p printed) field.Value { return field.Number(int(p.bytes)) }},
	{Name: "intervals", Is: "number", Value: func(p printed) field.Value { return field.Number(int(p.intervals)) }},
	field.Items("periods", func(p printed) iter.Seq[record.Period] { return slices.Values(p.periods) }, columns),
}

func (r *run) print(ctx context.Context) error {
	from, to, err := listing.ParseDays(r.app, r.from, r.to)
	if err != nil {
		return err
	}
	url, err := r.app.MarketplaceURL()
	if err != nil {
		return err
	}
	var p printed
	service := r.app.Record().Of(url)
	if p.periods, err = service.Periods(ctx, from, to); err == nil {
		p.intervals, err = service.Intervals(ctx)
	}
	if err == nil {
		p.bytes, err = r.app.Record().Size(ctx)
	}
	if err != nil {
		return err
	}
	in := listing.NewFormats(r.app, columns, slices.Values(p.periods))
	in.Document = func() error { return output.Object(r.app.Data(), document.JSON(p)) }
	in.Tables = func(rows iter.Seq[record.Period]) []*output.Grid { return []*output.Grid{grid(rows)} }
	in.None = "no market was recorded"
	return in.Print(r.format)
}

// grid shows the times in the zone of the user, as --at reads them.
func grid(rows iter.Seq[record.Period]) *output.Grid {
	g := output.NewGrid(output.Heading{Title: "FROM"}, output.Heading{Title: "TO"},
		output.Heading{Title: "READS", Right: true}, output.Heading{Title: "CHANGES", Right: true})
	for p := range rows {
		g.Add(p.From.Local().Format(time.DateTime), p.To.Local().Format(time.DateTime), model.FormatNumber(p.Reads),
			model.FormatNumber(p.Changes))
	}
	return g
}
