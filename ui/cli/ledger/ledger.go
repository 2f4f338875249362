// Package ledger implements the command `tonne ledger`: it prints and searches the local
// ledger of retirement requests, and closes a month. Start reading at Command.
package ledger

import (
	"context"
	"iter"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tonne/api/audit"
	"tonne/model"
	"tonne/model/advice"
	"tonne/model/cost"
	"tonne/model/field"
	"tonne/model/retirement"
	"tonne/ui/cli/command"
	"tonne/ui/cli/filing"
	"tonne/ui/cli/listing"
	"tonne/ui/column"
	"tonne/ui/output"
	"tonne/ui/style"
)

type run struct {
	App    *command.App
	format output.Format
	pack   filing.PackFlags
	by     selection
	// filter is a search as in the dashboard.
	filter string
}

// Command returns `tonne ledger`.
func Command(a *command.App) *cobra.Command {
	r := &run{App: a}
	cmd := &cobra.Command{
		Use:   "ledger",
		Short: "Print and search the retirement requests of your ledger",
		Long: "The service cannot list retirement requests, so tonne keeps each request you look up in\n" +
			"a local ledger. Printing and searching the ledger does not query the service. The last\n" +
			"column names the failed checks, except those of certificate texts, which only evidence\n" +
			"contains.",
		Example: a.Examples(
			"%s ledger",
			"%s ledger --from 2026-01-01 --to 2026-04-01 --status COMPLETE -o csv",
			a.Local("%s ledger --beneficiary 'Your Customer'"),
			"%s ledger find 940090000",
			"%s ledger close 2026-10",
		),
		RunE: command.Do(func(ctx context.Context, _ *cobra.Command, _ []string) error {
			s, err := r.parse(r.filter)
			if err != nil {
				return err
			}
			ledger, found, _, err := r.search(ctx, s)
			if err != nil {
				return err
			}
			return r.printLedger(ctx, ledger, found, nil)
		}),
	}
	a.ConnectionFlags(cmd)
	a.ListFlags(cmd, &r.format)
	command.ViewFlag(a, cmd)
	cmd.Flags().
		StringVar(&r.filter, "filter", "",
			"only requests that match `TEXT`: words as in tonne ledger find, from:DATE, to:DATE, status:STATE, beneficiary:NAME")
	r.by.addFlags(cmd.Flags())
	cmd.AddCommand(findCommand(a), closeCommand(a))
	return a.Describe(cmd, command.Description{Effect: command.Reads, Outputs: command.ListForms(listColumns)})
}

func findCommand(a *command.App) *cobra.Command {
	r := &run{App: a}
	cmd := &cobra.Command{
		Use:   "find TEXT...",
		Short: "Find requests by any id, name, reference or serial number",
		Long: "Finds the retirement requests of the ledger that contain the text in an id (of the request,\n" +
			"an item, an invoice, a trade, the project or the vintage), in the name of the project, in the\n" +
			"name or tax id of a beneficiary, in a label, a reference or the status. A number finds the\n" +
			"requests whose serial ranges include it. A range (100-200) or a whole serial number finds\n" +
			"overlapping ranges.\n" +
			"If no request contains the whole text, all its words must match; !word excludes a word.\n" +
			"from:DATE, to:DATE, status:STATE and beneficiary:NAME select as the flags do, as in the dashboard." +
			a.Local("\n--pack looks up the results and writes their certificates and evidence."),
		Example: a.Examples(
			"%s ledger find 940090000",
			a.Local("%s ledger find 'ACR-FR-1129-2025-2917-30932 to 35143' -o csv"),
			a.Local("%s ledger find 'Your Customer Ltd' -o json"),
			a.Local("%s ledger find 940090000 --pack evidence.zip"),
		),
		RunE: command.Do(func(ctx context.Context, _ *cobra.Command, args []string) error {
			return r.find(ctx, strings.Join(args, " "))
		}),
	}
	a.ConnectionFlags(cmd)
	a.ListFlags(cmd, &r.format)
	r.by.addFlags(cmd.Flags())
	r.pack.AddFlags(cmd)
	return a.Describe(cmd, command.Description{
		Effect: command.WritesLocal,
		Arguments: []command.Argument{
			{
				Name:        "TEXT",
				Description: "words of one text: an id, a name, a reference or a serial number",
				Required:    true,
				Repeated:    true,
				Joined:      true,
			},
		},
		Outputs: command.ListForms(findColumns),
	})
}

func readLedger(
	ctx context.Context,
	a *command.App,
	read func(*audit.Auditor, context.Context) (*audit.Ledger, error),
) (*audit.Ledger, error) {
	origin, err := a.MarketplaceURL()
	if err != nil {
		return nil, err
	}
	local := a.OpenStore()
	defer local.Close()
	a.ShowProgress("reading the ledger")
	defer a.ClearProgress()
	return filing.CheckLedger(read(filing.NewAuditor(a, nil, local, origin), ctx))
}

func (r *run) find(ctx context.Context, text string) error {
	if strings.TrimSpace(text) == "" {
		return command.Usage("give an id, a name, a reference or a serial number", "the search text is missing")
	}
	s, err := r.parse(text)
	if err != nil {
		return err
	}
	packed := &filing.EvidenceRun{App: r.App, Pack: r.pack}
	if err := packed.PreparePack(ctx); err != nil {
		return err
	}
	defer packed.CleanPack()
	ledger, found, matches, err := r.search(ctx, s)
	if err != nil {
		return err
	}
	r.warnUnsearched(ledger, s)
	if len(matches) > 0 || r.format != output.Table {
		if err := r.printLedger(ctx, ledger, found, matches); err != nil {
			return err
		}
	}
	if len(matches) == 0 {
		return r.nothingFound(text)
	}
	if packed.Pack.Path == "" {
		return nil
	}
	return r.packFound(ctx, packed, found)
}

// search selects requests by the flags, and by the conditions and the words of a text.
type search struct {
	flags, conditions retirement.LedgerSelection
	words             string
}

func (r *run) parse(text string) (s search, err error) {
	if s.flags, err = r.by.read(r.App); err != nil {
		return s, err
	}
	if s.conditions, s.words, err = retirement.ParseLedgerSearch(text); err != nil {
		return s, command.Usage("see the help of the command for the conditions of a search", "%v", err)
	}
	return s, nil
}

func (r *run) search(
	ctx context.Context,
	s search,
) (l *audit.Ledger, found []retirement.LedgerRecord, matches []retirement.LedgerMatch, err error) {
	l, err = readLedger(ctx, r.App, func(a *audit.Auditor, ctx context.Context) (*audit.Ledger, error) {
		return a.Search(ctx, s.words, func(records []retirement.LedgerRecord) []retirement.LedgerRecord {
			return r.visible(slices.DeleteFunc(records, func(record retirement.LedgerRecord) bool {
				flagged, _ := s.flags.Selects(record)
				selected, _ := s.conditions.Selects(record)
				return !flagged || !selected
			}), s.words)
		})
	})
	if err != nil {
		return nil, nil, nil, err
	}
	records := r.only(s.conditions, r.only(s.flags, l.Records()))
	matches = matching(r.visible(records, s.words), s.words)
	for _, m := range matches {
		found = append(found, records[m.Record])
	}
	return l, found, matches, nil
}

// visible returns the records as the reader of the run may search them.
func (r *run) visible(records []retirement.LedgerRecord, text string) []retirement.LedgerRecord {
	if agent := r.App.Agent; agent != nil && !agent.ShowTaxIDs {
		return retirement.MaskTaxIDs(records, text)
	}
	return records
}

func matching(records []retirement.LedgerRecord, text string) []retirement.LedgerMatch {
	if text != "" {
		return append([]retirement.LedgerMatch{}, retirement.NewLedgerIndex(records).Find(text)...)
	}
	matches := make([]retirement.LedgerMatch, len(records))
	for n := range matches {
		matches[n].Record = n
	}
	return matches
}

func (r *run) packFound(ctx context.Context, packed *filing.EvidenceRun, found []retirement.LedgerRecord) (err error) {
	if packed.Connection, err = listing.Connect(ctx, r.App); err != nil {
		return err
	}
	defer packed.Close()
	var ids []string
	for _, record := range found {
		ids = append(ids, record.ID)
	}
	if err := packed.ExamineForPack(ctx, ids); err != nil {
		return err
	}
	return packed.PackAll(ctx)
}

// warnUnsearched warns of requests that the search cannot find by the data of the service.
func (r *run) warnUnsearched(l *audit.Ledger, s search) {
	if n := l.Unanswered(); n > 0 && s.words != "" {
		r.App.Warn("%s not been looked up, so only id, label and plan were searched; look up with %s",
			model.Count(n, "request has", "requests have"), advice.Tonne("retirement ID"))
	}
}

func (r *run) nothingFound(text string) error {
	ledger := "the ledger of this machine"
	if r.App.Guest != nil {
		ledger = "your ledger"
	}
	const lookUp = "look the request up by its id with %s, which enters it in the ledger"
	todo, byID := advice.Text{}, advice.Tonne("retirement ID")
	if r.by != (selection{}) {
		todo = advice.Plain("leave out --from, --to, --status and --beneficiary")
	}
	todo = todo.Or(lookUp, byID)
	return command.Unmet("not_found", todo, "nothing in %s matches %s", ledger, text)
}

// longestReference is the width of references in a table, in cells.
const longestReference = 40

type row struct {
	column.Request
	match retirement.LedgerMatch
}

func (r row) request() column.Request { return r.Request }

var listColumns = field.Map(column.Requests, row.request)

var findColumns = slices.Insert(slices.Clone(listColumns), len(listColumns)-1, field.Column[row]{
	Name: "matched", Is: "string", Title: "MATCHED", Cell: matchedBy,
	Value: func(r row) field.Value { return field.Text(string(r.match.Field)) },
})

// costColumns need the inventory, which the ledger does not.
var costColumns = []string{"cost_cents", "average_price_cents"}

// costs computes what the requests cost, if a column of it is selected.
func (r *run) costs(ctx context.Context, l *audit.Ledger, records []retirement.LedgerRecord) (*cost.Costs, error) {
	wanted := func(name string) bool { return slices.Contains(costColumns, name) }
	if !slices.ContainsFunc(r.App.Selection.Names(), wanted) {
		return nil, nil
	}
	reading, err := listing.Connect(ctx, r.App)
	if err != nil {
		return nil, err
	}
	defer reading.Close()
	inventory, err := filing.Auditor(reading).Inventory(ctx)
	if err != nil {
		return nil, err
	}
	r.App.ClearProgress()
	r.App.TellFaults(inventory.Faults)
	costs := cost.New(inventory, audit.Answered(l.Entries))
	var shown []*retirement.Request
	for _, record := range records {
		if record.Answer != nil {
			shown = append(shown, record.Answer)
		}
	}
	for _, u := range costs.UnknownOf(shown) {
		r.App.Warn("the cost of retirements of vintage %s is unknown: %s", u.Vintage.VintageID, u.Why)
	}
	return costs, nil
}

func (r *run) printLedger(ctx context.Context, l *audit.Ledger, records []retirement.LedgerRecord,
	matches []retirement.LedgerMatch) error {
	costs, err := r.costs(ctx, l, records)
	if err != nil {
		return err
	}
	doubts, columns := l.FailedChecks(records), listColumns
	shown := []string{
		"id",
		"status",
		"total_quantity",
		"project_id",
		"created_at",
		"retired_at",
		"label",
		"reference",
		"beneficiary",
		"doubts",
	}
	if matches != nil {
		columns, shown = findColumns, slices.Insert(shown, len(shown)-1, "matched")
	}
	rows := make([]row, len(records))
	for i, record := range records {
		rows[i].Request = column.Request{
			ID: record.ID, Answer: record.Answer, Planned: record.Planned, Label: record.Label, Reference: record.Reference,
			// The index of searches has the references as one text.
			Brief:       style.Clip(retirement.NewJournaled(record.ID, l.Calls[record.ID]).Brief(), longestReference),
			ProjectName: record.Project.Name, Failed: doubts[i], Costs: costs,
		}
		if matches != nil {
			rows[i].match = matches[i]
		}
		if known := record.Known(); known != nil {
			rows[i].Project = l.Projects.Name(known.ProjectID)
		}
	}
	in := listing.NewFormats(r.App, columns, slices.Values(rows))
	in.Tables = func(rows iter.Seq[row]) []*output.Grid {
		return []*output.Grid{output.GridOf(columns.Pick(shown...), rows)}
	}
	err = in.Print(r.format)
	filing.WarnOfFaults(r.App, slices.Concat(doubts...))
	return err
}

func matchedBy(r row) field.Value {
	m := r.match
	if m.Serial == nil {
		return field.Words(strings.ReplaceAll(string(m.Field), "_", " "))
	}
	return field.Words(
		"serial number in " + model.FormatNumber(m.Serial.Start) + " to " + model.FormatNumber(m.Serial.End),
	)
}
