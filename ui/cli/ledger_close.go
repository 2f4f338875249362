package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"tonne/model"
	"tonne/ui/cli/output"
)

// closeRun is one run of `tonne ledger close`.
type closeRun struct {
	*app
	month  string
	from   time.Time
	format output.Format
	pack   packing
}

func (a *app) ledgerCloseCommand() *cobra.Command {
	r := &closeRun{app: a}
	cmd := &cobra.Command{
		Use:   "close YYYY-MM",
		Short: "Print the requests of a month by state, with the sums that must agree with its invoices",
		Long: "Looks up again what may have changed of the ledger, and prints the requests that were made\n" +
			"in a month (in UTC): those that wait and for what, those that something speaks against, and\n" +
			"those that are complete. What was bought in the month is what its invoices must amount to.",
		Example: "  tonne ledger close 2026-10\n" +
			"  tonne ledger close 2026-10 --pack october.zip --sign ~/.ssh/id_ed25519\n" +
			"  tonne ledger close 2026-10 -o json",
		Args: cobra.ExactArgs(1),
		RunE: do(func(ctx context.Context, _ *cobra.Command, args []string) error { return r.run(ctx, args[0]) }),
	}
	a.connectionFlags(cmd)
	outputFlag(cmd, &r.format)
	r.pack.addFlags(cmd)
	return a.describe(cmd, description{
		effect:    writesLocal,
		arguments: []argument{{Name: "YYYY-MM", Description: "the month, such as 2026-10", Required: true}},
		outputs:   []outputForm{objectForm[monthJSON]("", output.JSON), rowForm("", closeHeader, output.JSONL, output.CSV)},
	})
}

// monthLayout is how a month is written.
const monthLayout = "2006-01"

func (r *closeRun) run(ctx context.Context, month string) (err error) {
	r.month = month
	if r.from, err = time.Parse(monthLayout, month); err != nil {
		return usage("give one such as 2026-10", "%q is no month", month)
	}
	packed := &retirementRun{app: r.app, pack: r.pack}
	if err := packed.preparePack(ctx); err != nil {
		return err
	}
	defer packed.pack.clean()
	reading, err := r.read(ctx)
	if err != nil {
		return err
	}
	defer reading.close()
	m, unknown, err := r.make(ctx, reading)
	if err != nil {
		return err
	}
	if err := r.printMonth(m, unknown); err != nil {
		return err
	}
	packed.reading = reading
	var ids []string
	for _, f := range m.Filings {
		ids = append(ids, f.Request.ID)
	}
	return packed.packIDs(ctx, ids)
}

// make reads and sums up the month. Of the unknown it is not known whether
// they are of it.
func (r *closeRun) make(ctx context.Context, reading *reading) (m model.MonthEnd, unknown []string, err error) {
	ledger, err := reading.freshLedger(ctx, r.app)
	if err != nil {
		return m, nil, err
	}
	inv, err := reading.trades(ctx)
	if err != nil {
		return m, nil, err
	}
	var ids []string
	for _, e := range ledger.entries {
		if e.Answer == nil || !e.Answer.CreatedAt.Known() {
			unknown = append(unknown, e.ID)
			continue
		}
		ids = append(ids, e.Answer.ProjectID)
	}
	reading.details.need(ctx, once(ids))
	known := r.newFindings(ctx, reading.details.store, reading.baseURL, nil)
	var sources []model.EvidenceSource
	for _, answer := range ledger.answers() {
		if answer.CreatedAt.Time.UTC().Format(monthLayout) != r.month {
			continue
		}
		project, found := reading.details.known[answer.ProjectID]
		source := model.EvidenceSource{Retirement: answer, Project: project, ProjectKnown: found}
		known.addTo(ctx, &source, fetched{})
		sources = append(sources, source)
	}
	reading.progress.clear()
	m, err = model.NewMonthEnd(r.from, sources, inv)
	return m, unknown, err
}
