package cli

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tonne/model"
	"tonne/model/store"
	"tonne/ui/cli/output"
)

type ledgerRun struct {
	*app
	format output.Format
	pack   packing
}

func (a *app) ledgerCommand() *cobra.Command {
	r := &ledgerRun{app: a}
	cmd := &cobra.Command{
		Use:   "ledger",
		Short: "Print the retirement requests of your ledger, and search them",
		Long: "The service lists no retirement requests: tonne keeps every one that was looked up\n" +
			"in your ledger. Nothing is asked of the service to print or search it. Doubts are\n" +
			"the checks that fail, but for the text of certificates: that is read where evidence is made.",
		Example: "  tonne ledger\n" +
			"  tonne ledger -o json\n" +
			"  tonne ledger find 940090000\n" +
			"  tonne ledger close 2026-10",
		Args: onlyCommands,
		RunE: do(func(ctx context.Context, _ *cobra.Command, _ []string) error { return r.list(ctx) }),
	}
	a.connectionFlags(cmd)
	outputFlag(cmd, &r.format)
	cmd.AddCommand(a.ledgerFindCommand(), a.ledgerCloseCommand())
	return a.describe(cmd, description{effect: reads, outputs: []outputForm{
		objectForm[listedJSON]("[].", output.JSON), objectForm[listedJSON]("", output.JSONL), rowForm("", ledgerHeader, output.CSV),
	}})
}

func (a *app) ledgerFindCommand() *cobra.Command {
	r := &ledgerRun{app: a}
	cmd := &cobra.Command{
		Use:   "find TEXT...",
		Short: "Find requests by any id, name, reference or serial number",
		Long: "Finds the retirement requests of the ledger that have the text in an id (of the request,\n" +
			"an item, an invoice, a trade, the project or the vintage), in the name or the tax id of a\n" +
			"beneficiary, in a label or a reference. A number finds the requests whose serial numbers\n" +
			"hold it; a range (100-200) and a whole serial number find those that overlap. --pack looks\n" +
			"up what was found and writes its certificates and evidence.",
		Example: "  tonne ledger find 940090000\n" +
			"  tonne ledger find 'ACR-FR-1129-2025-2917-30932 to 35143' -o csv\n" +
			"  tonne ledger find 'Your Customer Ltd' -o json\n" +
			"  tonne ledger find 940090000 --pack evidence.zip",
		Args: cobra.MinimumNArgs(1),
		RunE: do(func(ctx context.Context, _ *cobra.Command, args []string) error {
			return r.find(ctx, strings.Join(args, " "))
		}),
	}
	a.connectionFlags(cmd)
	outputFlag(cmd, &r.format)
	r.pack.addFlags(cmd)
	return a.describe(cmd, description{
		effect:    writesLocal,
		arguments: []argument{{Name: "TEXT", Description: "words of one text: an id, a name, a reference or a serial number", Required: true, Repeated: true}},
		outputs: []outputForm{
			objectForm[foundJSON]("[].", output.JSON), objectForm[foundJSON]("", output.JSONL), rowForm("", findHeader, output.CSV),
		},
	})
}

type localLedger struct {
	entries  []store.LedgerEntry
	projects model.Projects
	// journaled is what the journal of this machine has of requests, by their ids.
	journaled map[string][]model.JournalEntry
}

func (a *app) marketplaceURL() (string, error) {
	s, err := a.settings()
	if errors.Is(err, errNotConfigured) {
		return "", notConfigured("name it with --base-url, or run `tonne auth login`", "no marketplace is configured")
	}
	if err != nil {
		return "", err
	}
	a.announce()
	return string(s.baseURL), nil
}

func (a *app) readLedger(ctx context.Context) (*localLedger, error) {
	origin, err := a.marketplaceURL()
	if err != nil {
		return nil, err
	}
	local := a.openStore()
	defer local.Close()
	return a.ledgerOf(ctx, local, origin)
}

func (a *app) ledgerOf(ctx context.Context, local *store.Store, origin string) (*localLedger, error) {
	calls, err := a.journaled(ctx, origin)
	if err != nil {
		return nil, err
	}
	entries, err := a.enterJournaled(ctx, local, origin, calls)
	if err != nil {
		return nil, err
	}
	projects, err := local.Projects(ctx, origin)
	if err != nil {
		return nil, err
	}
	if problem := local.Problem(); problem != nil {
		return nil, failed("the ledger is in that file", "%v", problem)
	}
	return &localLedger{entries, projects, model.FollowCalls(calls, answersOf(entries))}, nil
}

// enterJournaled returns the ledger of a service. Requests of calls that are done
// and that a program did not enter, since it was killed, are entered before.
func (a *app) enterJournaled(ctx context.Context, local *store.Store, origin string, calls []model.JournalEntry) ([]store.LedgerEntry, error) {
	entries, err := local.Ledger(ctx, origin)
	if err != nil {
		return nil, err
	}
	known := make(map[string]bool)
	for _, e := range entries {
		known[e.ID] = true
	}
	var missing []string
	for _, c := range calls {
		if !known[c.RequestID] {
			missing = append(missing, c.RequestID)
		}
	}
	if len(missing) == 0 {
		return entries, nil
	}
	if entered, err := local.RememberJournaled(ctx, origin, a.Now(), missing...); err != nil || !entered {
		return entries, err
	}
	return local.Ledger(ctx, origin)
}

func answersOf(entries []store.LedgerEntry) (answers []*model.Retirement) {
	for _, e := range entries {
		if e.Answer != nil {
			answers = append(answers, e.Answer)
		}
	}
	return answers
}

func (l *localLedger) records() []model.LedgerRecord {
	records := make([]model.LedgerRecord, len(l.entries))
	for i, e := range l.entries {
		records[i] = model.LedgerRecord{ID: e.ID, Label: e.Label, Reference: model.NewJournaled(e.ID, l.journaled[e.ID]).Reference(), Answer: e.Answer}
		if e.Answer != nil {
			records[i].Project = l.projects[e.Answer.ProjectID]
		}
	}
	return records
}

func (r *ledgerRun) list(ctx context.Context) error {
	ledger, err := r.readLedger(ctx)
	if err != nil {
		return err
	}
	if err := r.printLedger(ledger, ledger.records(), nil); err != nil {
		return err
	}
	r.warnOfFaults(ledger, func(string) bool { return true })
	return nil
}

func (r *ledgerRun) find(ctx context.Context, text string) error {
	if strings.TrimSpace(text) == "" {
		return usage("give an id, a name, a reference or a serial number", "there is nothing to look for")
	}
	packed := &retirementRun{app: r.app, pack: r.pack}
	if err := packed.preparePack(ctx); err != nil {
		return err
	}
	defer packed.pack.clean()
	ledger, err := r.readLedger(ctx)
	if err != nil {
		return err
	}
	records := ledger.records()
	matches := append([]model.LedgerMatch{}, model.NewLedgerIndex(records).Find(text)...)
	found := make([]model.LedgerRecord, len(matches))
	for i, m := range matches {
		found[i] = records[m.Record]
	}
	if len(matches) == 0 && r.format == output.Table {
		return r.nothingFound(text)
	}
	if err := r.printLedger(ledger, found, matches); err != nil {
		return err
	}
	if len(matches) == 0 {
		return r.nothingFound(text)
	}
	r.warnOfFaults(ledger, func(id string) bool {
		return slices.ContainsFunc(found, func(r model.LedgerRecord) bool { return r.ID == id })
	})
	return packed.packFound(ctx, found)
}

func (r *retirementRun) packFound(ctx context.Context, found []model.LedgerRecord) (err error) {
	if r.pack.path == "" {
		return nil
	}
	if r.reading, err = r.read(ctx); err != nil {
		return err
	}
	defer r.close()
	var ids []string
	for _, record := range found {
		ids = append(ids, record.ID)
	}
	if _, err := r.lookUpForPack(ctx, ids); err != nil {
		return err
	}
	return r.packAll(ctx)
}

func (a *app) nothingFound(text string) error {
	ledger := "the ledger of this machine"
	if a.guest != nil {
		ledger = "your ledger"
	}
	return unmet("not_found", "look the request up by its id with `tonne retirement ID`, which enters it in the ledger", "nothing in %s matches %s", ledger, text)
}
