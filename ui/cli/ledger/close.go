package ledger

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"tonne/api/audit"
	"tonne/model"
	"tonne/ui/cli/command"
	"tonne/ui/cli/filing"
	"tonne/ui/cli/listing"
	"tonne/ui/output"
)

func closeCommand(a *command.App) *cobra.Command {
	r := &run{App: a}
	cmd := &cobra.Command{
		Use:   "close YYYY-MM",
		Short: "Print the requests of a month by state, with the sums to compare with its invoices",
		Long: a.Local("Refreshes the requests of the ledger that may have changed, and prints those made in a month\n" +
			"(UTC) by state: waiting and for what, with failed checks, and complete with a saved\n" +
			"certificate. A request may be retired in a later month; `tonne statement` counts it there.\n" +
			"The purchases of the month must equal the sum of its invoices. --pack contains everything as\n" +
			"close.csv, close.json and close.xlsx."),
		Example: a.Examples(
			"%s ledger close 2026-10",
			a.Local("%s ledger close 2026-10 --pack october.zip --sign ~/.ssh/id_ed25519"),
			"%s ledger close 2026-10 -o json",
		),
		RunE: command.Do(func(ctx context.Context, _ *cobra.Command, args []string) error { return r.close(ctx, args[0]) }),
	}
	a.ConnectionFlags(cmd)
	a.ListFlags(cmd, &r.format)
	r.pack.AddFlags(cmd)
	return a.Describe(cmd, command.Description{
		Effect:    command.WritesLocal,
		Arguments: []command.Argument{{Name: "YYYY-MM", Description: "the month, such as 2026-10", Required: true}},
		Outputs: []command.OutputForm{
			command.ObjectForm[audit.Month]("", output.JSON),
			command.RowForm("", audit.MonthColumns.RowFields(), output.JSONL, output.CSV),
		},
	})
}

const monthLayout = "2006-01"

func (r *run) close(ctx context.Context, month string) error {
	from, err := time.Parse(monthLayout, month)
	if err != nil {
		return command.Usage("give one such as 2026-10", "%q is no month", month)
	}
	packed := &filing.EvidenceRun{App: r.App, Pack: r.pack}
	if err := packed.PreparePack(ctx); err != nil {
		return err
	}
	defer packed.CleanPack()
	if packed.Connection, err = listing.Connect(ctx, r.App); err != nil {
		return err
	}
	defer packed.Close()
	ledger, err := filing.FreshLedger(ctx, packed.Connection)
	if err != nil {
		return err
	}
	inv, err := filing.Auditor(packed.Connection).Inventory(ctx)
	if err != nil {
		return err
	}
	source := audit.MonthSource{
		From:      from,
		Now:       r.App.Now(),
		Ledger:    audit.Answered(ledger.Entries),
		Inventory: inv,
		NoFiles:   r.App.Guest != nil,
	}
	var of []audit.Answer
	var ids []string
	for _, e := range ledger.Entries {
		switch {
		case e.Answer == nil || !e.Answer.CreatedAt.Known():
			source.Unknown = append(source.Unknown, e.ID)
		case e.Answer.CreatedAt.Time.UTC().Format(monthLayout) == month:
			of, ids = append(of, audit.Answer{ID: e.ID, Retirement: *e.Answer}), append(ids, e.ID)
		}
	}
	if err := packed.ExamineForPack(ctx, ids); err != nil {
		return err
	}
	if source.Requests, err = withKnown(ctx, packed, ledger, of); err != nil {
		return err
	}
	return r.file(ctx, packed, source)
}

func (r *run) file(ctx context.Context, packed *filing.EvidenceRun, source audit.MonthSource) error {
	m, err := audit.CloseMonth(source)
	if err != nil {
		return err
	}
	if err := r.printMonth(m); err != nil || packed.Pack.Path == "" {
		return err
	}
	if packed.Pack.Month, err = m.Files(); err != nil {
		return err
	}
	return packed.PackAll(ctx)
}

// withKnown returns the requests that were looked up for a pack, and the other known ones.
func withKnown(
	ctx context.Context,
	r *filing.EvidenceRun,
	ledger *audit.Ledger,
	known []audit.Answer,
) (requests []audit.Request, err error) {
	fresh := make(map[string]bool)
	if r.Checked != nil {
		for _, q := range r.Checked.Requests {
			if q.LeftOut == "" {
				requests, fresh[q.Retirement.ID] = append(requests, q), true
			}
		}
	}
	known = slices.DeleteFunc(known, func(a audit.Answer) bool { return fresh[a.ID] })
	if r.Checked != nil {
		// The pack has looked requests up since the ledger was read.
		ledger = nil
	}
	others, err := filing.Auditor(r.Connection).Examine(ctx, ledger, known)
	r.App.ClearProgress()
	if err == nil {
		err = filing.UnreadRecords(others.Records.Problem)
	}
	return append(requests, others.Requests...), err
}

func (r *run) printMonth(m audit.Month) error {
	in := listing.NewFormats(r.App, audit.MonthColumns, slices.Values(m.Requests))
	in.Document = func() error { return output.Object(r.App.Data(), m) }
	in.Tables = func(rows iter.Seq[audit.MonthRequest]) []*output.Grid {
		if len(m.Requests) == 0 {
			return []*output.Grid{monthSums(m)}
		}
		shown := audit.MonthColumns.Pick("state", "id", "total_quantity", "retired_at", "waits_for", "failed_checks")
		return []*output.Grid{output.GridOf(shown, rows), monthSums(m)}
	}
	err := in.Print(r.format)
	if r.format == output.CSV || r.format == output.JSONL {
		r.App.Warn("the sums that must agree with the invoices are in no row of %s: -o json and -o table have them", r.format)
	}
	for _, note := range m.Notes {
		r.App.Warn("%s", note)
	}
	if n := len(m.Unknown); n > 0 {
		r.App.Warn(
			"of %s of the ledger it is not known whether they are of this month: %s",
			model.Count(n, "request", "requests"),
			filing.SomeOf(m.Unknown),
		)
	}
	if m.Unread > 0 {
		r.App.Warn("%s could not be read and are not part of what was bought", model.Count(m.Unread, "trade", "trades"))
	}
	return err
}

func tonnesOf(q audit.Quantity) string { return model.Grams(q).FormatTonnes() }

func monthSums(m audit.Month) *output.Grid {
	grid := output.NewGrid(
		output.Heading{Title: m.Month},
		output.Heading{Title: "TONNES", Right: true},
		output.Heading{Title: "AMOUNT", Right: true},
	)
	grid.Add("Requests made in the month", tonnesOf(m.Sums.Requested), "")
	grid.Add("Of these retired so far", tonnesOf(m.Sums.Retired), "")
	amount := "too large"
	if cents, ok := m.Sums.Cost(); ok {
		amount = cents.FormatDollars()
	}
	grid.Add("Bought: what the invoices must amount to", tonnesOf(m.Sums.Bought), amount)
	for _, i := range m.Invoices {
		grid.Add(fmt.Sprintf("Items on invoice %s: %d", i.ID, i.Items), tonnesOf(i.Quantity), "")
	}
	if n := m.Sums.UninvoicedItems; n > 0 {
		grid.Add(fmt.Sprintf("Items without an invoice: %d", n), tonnesOf(m.Sums.Uninvoiced), "")
	}
	return grid
}
