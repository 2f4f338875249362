package cli

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tonne/api/audit"
	"tonne/model"
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
		{Formats: []output.Format{output.JSON}, Fields: ledgerColumns.Fields("[].")}, {Formats: []output.Format{output.JSONL}, Fields: ledgerColumns.Fields("")}, rowForm("", ledgerColumns.Header(), output.CSV),
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
			{Formats: []output.Format{output.JSON}, Fields: findColumns.Fields("[].")}, {Formats: []output.Format{output.JSONL}, Fields: findColumns.Fields("")}, rowForm("", findColumns.Header(), output.CSV),
		},
	})
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

func (a *app) readLedger(ctx context.Context) (*audit.Ledger, error) {
	origin, err := a.marketplaceURL()
	if err != nil {
		return nil, err
	}
	local := a.openStore()
	defer local.Close()
	return ledgerOf(ctx, a.newAuditor(nil, local, origin))
}

func (r *ledgerRun) list(ctx context.Context) error {
	ledger, err := r.readLedger(ctx)
	if err != nil {
		return err
	}
	if err := r.printLedger(ledger, ledger.Records(), nil); err != nil {
		return err
	}
	r.warnOfFaults(ledger, func(string) bool { return true })
	return nil
}

func (r *ledgerRun) find(ctx context.Context, text string) error {
	if strings.TrimSpace(text) == "" {
		return usage("give an id, a name, a reference or a serial number", "there is nothing to look for")
	}
	packed := &evidenceRun{app: r.app, pack: r.pack}
	if err := packed.preparePack(ctx); err != nil {
		return err
	}
	defer packed.pack.clean()
	ledger, err := r.readLedger(ctx)
	if err != nil {
		return err
	}
	records := ledger.Records()
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
	if packed.pack.path == "" {
		return nil
	}
	if packed.reading, err = r.read(ctx); err != nil {
		return err
	}
	defer packed.close()
	var ids []string
	for _, record := range found {
		ids = append(ids, record.ID)
	}
	if err := packed.examineForPack(ctx, ids); err != nil {
		return err
	}
	return packed.packAll(ctx)
}

func (a *app) nothingFound(text string) error {
	ledger := "the ledger of this machine"
	if a.guest != nil {
		ledger = "your ledger"
	}
	return unmet("not_found", "look the request up by its id with `tonne retirement ID`, which enters it in the ledger", "nothing in %s matches %s", ledger, text)
}
