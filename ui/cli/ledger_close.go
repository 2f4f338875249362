package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"tonne/api/audit"
	"tonne/model"
	"tonne/ui/cli/output"
)

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
			"those that are complete, their certificates saved. They may be retired in a later month, which\n" +
			"is where `tonne statement` counts them. What was bought in the month is what its invoices\n" +
			"must amount to. --pack has all of it as close.csv, close.json and close.xlsx.",
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
		outputs:   []outputForm{objectForm[audit.Month]("", output.JSON), rowForm("", closeHeader, output.JSONL, output.CSV)},
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
	if packed.reading, err = r.read(ctx); err != nil {
		return err
	}
	defer packed.close()
	ledger, err := packed.freshLedger(ctx, r.app)
	if err != nil {
		return err
	}
	inv, err := packed.trades(ctx)
	if err != nil {
		return err
	}
	answers, unknown := r.ofMonth(ledger)
	looked, err := packed.lookUpForPack(ctx, idsOf(answers))
	if err != nil {
		return err
	}
	sources, err := r.sources(ctx, packed.reading, answers, looked)
	if err != nil {
		return err
	}
	m, err := audit.CloseMonth(audit.MonthSource{From: r.from, Now: r.Now(), Requests: sources, Ledger: ledger.answers(), Inventory: inv, NoFiles: r.guest != nil, Unknown: unknown})
	if err != nil {
		return err
	}
	if err := r.printMonth(m); err != nil {
		return err
	}
	if packed.pack.month, err = m.Files(); err != nil {
		return err
	}
	return packed.packAll(ctx)
}

func (r *closeRun) ofMonth(ledger *localLedger) (answers []model.Retirement, unknown []string) {
	for _, e := range ledger.entries {
		switch {
		case e.Answer == nil || !e.Answer.CreatedAt.Known():
			unknown = append(unknown, e.ID)
		case e.Answer.CreatedAt.Time.UTC().Format(monthLayout) == r.month:
			answers = append(answers, *e.Answer)
		}
	}
	return answers, unknown
}

func idsOf(answers []model.Retirement) (ids []string) {
	for _, a := range answers {
		ids = append(ids, a.ID)
	}
	return ids
}

func (r *closeRun) sources(ctx context.Context, reading *reading, answers []model.Retirement, looked []audit.Request) ([]audit.Request, error) {
	checked := make(map[string]audit.Request)
	for _, s := range looked {
		if s.LeftOut == "" {
			checked[s.Retirement.ID] = s
		}
	}
	var projects []string
	for _, a := range answers {
		projects = append(projects, a.ProjectID)
	}
	reading.details.need(ctx, projects)
	records := reading.auditor(r.app).Records(ctx)
	if records.Problem != nil {
		return nil, unreadRecords(records.Problem)
	}
	sources := make([]audit.Request, len(answers))
	var others []*audit.Request
	for i, answer := range answers {
		source, there := checked[answer.ID]
		if sources[i] = source; !there {
			sources[i].Retirement = answer
			sources[i].Project, sources[i].ProjectKnown = reading.details.known[answer.ProjectID]
			others = append(others, &sources[i])
		}
	}
	defer reading.progress.clear()
	return sources, records.Check(ctx, others, nil, reading.progress.tell)
}
