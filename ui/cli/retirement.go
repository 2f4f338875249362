package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tonne/api"
	"tonne/api/audit"
	"tonne/api/wire"
	"tonne/model"
	"tonne/ui/cli/output"
)

type retirementRun struct {
	*app
	file, column, certificates, evidence string
	pack                                 packing
	wait, showTaxIDs                     bool
	// format is empty for a run that prints nothing, streamed is that of
	// evidence on standard output; empty for none.
	format, streamed output.Format

	*reading
	found  []*lookUpResult
	failed []*lookUpResult
	// results are both, in the order of the ids.
	results []*lookUpResult
	// checked is the evidence of the results, nil until it is needed.
	checked *audit.Evidence
	rows    output.Rows
}

func (a *app) retirementCommand() *cobra.Command {
	r := &retirementRun{app: a}
	cmd := &cobra.Command{
		Use:   "retirement ID...",
		Short: "Print retirement requests, save their certificates and evidence",
		Long: "Looks up retirement requests by id, checks each against itself, and prints them in\n" +
			"the order of the ids. An id that fails does not stop the others.",
		Example: "  tonne retirement 00mretirement000001\n" +
			"  tonne retirement --file ids.txt -o csv > retirements.csv\n" +
			"  pbpaste | tonne retirement - -o json\n" +
			"  tonne retirement ID --wait --certificates ./certificates\n" +
			"  tonne retirement --file ids.txt --evidence evidence.xlsx --certificates ./certificates\n" +
			"  tonne retirement --file ids.txt --pack q3.zip --sign ~/.ssh/id_ed25519",
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: a.completeRetirements,
		RunE:              do(r.run),
	}
	a.connectionFlags(cmd)
	outputFlag(cmd, &r.format)
	f := cmd.Flags()
	f.StringVar(&r.file, "file", "", "read ids from `FILE`: one per line, or a CSV with a header; - is standard input")
	f.StringVar(&r.column, "column", "", "column `NAME` of a CSV that has the ids (default id, retirement_id or retirement_request_id)")
	f.StringVar(&r.certificates, "certificates", "", "save certificates in `DIR`")
	f.StringVar(&r.evidence, "evidence", "", "write audit evidence to `FILE.csv|.json|.xlsx`, with a manifest beside it; - is standard output, as csv or json, in place of the data")
	f.BoolVar(&r.showTaxIDs, "show-tax-ids", false, "write tax ids in full into the evidence")
	r.pack.addFlags(cmd)
	cmd.AddCommand(a.seenCommand())
	f.BoolVar(&r.wait, "wait", false, "look up again until each request is in an end state")
	return a.describe(cmd, description{
		effect:    writesLocal,
		arguments: []argument{{Name: "ID", Description: "ids of retirement requests; - reads them from standard input", Repeated: true}},
		outputs: []outputForm{
			objectForm[retirementJSON]("[].", output.JSON),
			{Formats: []output.Format{output.JSON}, With: failedForm, Fields: fieldsOf[failedJSON]("[].")},
			rowForm("", retirementHeader, output.JSONL, output.CSV),
			{Formats: []output.Format{output.JSONL}, With: failedForm, Fields: fieldsOf[failedJSON]("")},
		},
	})
}

// failedForm says when a failed look-up is printed.
const failedForm = "an id that failed"

func (r *retirementRun) run(ctx context.Context, _ *cobra.Command, args []string) error {
	ids, err := r.idsOf(args)
	if err != nil {
		return err
	}
	if err := r.checkPaths(); err != nil {
		return err
	}
	if err := r.preparePack(ctx); err != nil {
		return err
	}
	defer r.pack.clean()
	if r.reading, err = r.read(ctx); err != nil {
		return err
	}
	defer r.close()
	if r.format == output.JSONL || r.format == output.CSV {
		r.rows = output.NewRows(r.data(), r.format, retirementHeader)
	}
	if err := r.lookUpAll(ctx, ids); err != nil {
		return err
	}
	r.progress.clear()
	// What is told is what the ledger keeps, of this run as of later ones.
	r.enterLedger(ctx)
	if r.format != "" {
		if err := r.end(ctx); err != nil {
			return err
		}
	}
	r.tellSaved()
	r.warnOfFound(ctx)
	if err := r.writeEvidence(ctx); err != nil {
		return err
	}
	if r.pack.path != "" {
		if err := r.writePack(ctx); err != nil {
			return err
		}
	}
	return r.outcome(len(ids))
}

func (r *retirementRun) idsOf(args []string) ([]string, error) {
	for _, arg := range args {
		if strings.TrimSpace(arg) == "" {
			return nil, usage("leave it out, or check the variable that it comes from", "an id is empty")
		}
	}
	ids, err := r.readIDs(args, r.file, r.column)
	if err == nil && len(ids) == 0 {
		err = usage("give ids, - for standard input, or --file", "there is no id to look up")
	}
	return ids, err
}

func (r *retirementRun) lookUpAll(ctx context.Context, ids []string) error {
	l := lookUp{
		client: r.client, wait: r.wait, keepAnswers: r.pack.path != "", finish: r.finish, emit: r.emit,
		tell: func(done, total int) { r.progress.tell("%d of %d", done, total) },
		warn: func(format string, args ...any) {
			r.progress.clear()
			r.warn(format, args...)
		},
	}
	err := l.run(ctx, ids)
	r.details.need(ctx, nil)
	return err
}

const retirementHeader = "id,status,type,total_quantity,project_id,vintage_id,created_at,retired_at,all_invoices_settled,certificate_url," +
	"item_id,item_quantity,item_created_at,retiree_name,retiree_tax_id,retiree_country,invoice_id,trade_id"

func (r *retirementRun) finish(ctx context.Context, a *lookUpResult) {
	if dir := cmp.Or(r.certificates, r.pack.dir); dir != "" {
		a.fetchCertificate(ctx, r.client, dir)
	}
}

func (r *retirementRun) emit(ctx context.Context, a *lookUpResult) error {
	r.results = append(r.results, a)
	if a.err != nil {
		r.failed = append(r.failed, a)
		return r.emitFailed(a)
	}
	r.found = append(r.found, a)
	r.tellFaults(a.retirement.Faults)
	r.details.want(ctx, a.retirement.ProjectID)
	if r.rows != nil {
		return r.record(a.retirement)
	}
	return nil
}

func (r *retirementRun) emitFailed(a *lookUpResult) error {
	switch r.format {
	case output.JSONL:
		return output.Object(r.data(), newFailedJSON(a.id, a.err))
	case output.CSV:
		record := make([]output.Value, strings.Count(retirementHeader, ",")+1)
		record[0] = output.Text(wire.Clean(a.id))
		r.rows.Write(record...)
	}
	return nil
}

func (r *retirementRun) record(t model.Retirement) error {
	head := []output.Value{
		output.Text(t.ID), output.Text(string(t.Status)), output.Text(string(t.Type)), output.Grams(t.TotalQuantity),
		output.Text(t.ProjectID), output.Text(t.VintageID), output.Time(t.CreatedAt), output.Time(t.RetiredAt),
		output.Bool(t.AllInvoicesSettled), output.Optional(t.CertificateURL),
	}
	if len(t.Items) == 0 {
		r.rows.Write(append(head, make([]output.Value, 8)...)...)
	}
	for _, item := range t.Items {
		r.rows.Write(append(slices.Clip(head),
			output.Text(item.ID), output.Grams(item.Quantity), output.Time(item.CreatedAt), output.Optional(item.RetireeName),
			output.Optional(item.RetireeTaxID), output.Optional(item.RetireeCountry), output.Optional(item.InvoiceID), output.Optional(item.TradeID))...)
	}
	return r.rows.Flush()
}

func (r *retirementRun) documents(sources []audit.Request) (printed []any) {
	for i, s := range sources {
		if err := r.results[i].err; err != nil {
			printed = append(printed, newFailedJSON(r.results[i].id, err))
			continue
		}
		printed = append(printed, newRetirementJSON(s.Retirement, s.AllChecks()))
	}
	return printed
}

func (r *retirementRun) foundTable(sources []audit.Request) *output.Grid {
	grid := output.NewGrid(
		output.Heading{Title: "ID"},
		output.Heading{Title: "STATUS"},
		output.Heading{Title: "QUANTITY", Right: true},
		output.Heading{Title: "PROJECT", Shrink: 12, Drop: 3},
		output.Heading{Title: "YEAR", Right: true, Drop: 4},
		output.Heading{Title: "RETIRED", Drop: 2},
		output.Heading{Title: "CHECKS", Drop: 1},
		output.Heading{Title: "CERTIFICATE", Shrink: 14, Drop: 5},
	)
	for i, s := range sources {
		if r.results[i].err == nil {
			t := s.Retirement
			grid.Add(t.ID, string(t.Status), t.TotalQuantity.FormatTonnes(), r.details.known.Name(t.ProjectID),
				yearText(r.details.year(t.ProjectID, t.VintageID)), day(t.RetiredAt), tally(s.AllChecks()), dash(t.CertificateURL))
		}
	}
	return grid
}

func tally(checks []model.Check) string {
	count := make(map[model.Result]int)
	for _, c := range checks {
		count[c.Result]++
	}
	text := fmt.Sprintf("%d pass", count[model.Pass])
	if n := count[model.Fail]; n > 0 {
		text += fmt.Sprintf(", %d fail", n)
	}
	return text
}

func (r *retirementRun) end(ctx context.Context) error {
	if r.rows != nil {
		return r.rows.Flush()
	}
	sources, err := r.sources(ctx)
	switch {
	case err != nil:
		return err
	case r.format == output.JSON:
		return output.List(r.data(), slices.Values(r.documents(sources)))
	case len(r.found) > 0:
		return r.grid(r.foundTable(sources))
	}
	return nil
}

// outcome is the failure that weighs most: a refused key before a service
// that cannot be reached before an id that was not found.
func (r *retirementRun) outcome(asked int) error {
	for _, a := range r.found {
		switch {
		case a.certificateErr != nil:
			if asked > 1 {
				r.warn("%s", certificateFailure(a).what)
			}
		case (r.certificates != "" || r.pack.path != "") && a.certificate == nil:
			r.warn("%s has no certificate yet", a.id)
		}
	}
	worst := r.worst()
	if worst == nil {
		return nil
	}
	if asked > 1 {
		for _, a := range r.failed {
			r.warn("%s: %v", a.id, a.err)
		}
		return &failure{what: fmt.Sprintf("%d of %d ids failed", r.failures(), asked), todo: worst.next(), status: worst.status}
	}
	return worst
}

func (r *retirementRun) failures() int {
	n := len(r.failed)
	for _, a := range r.found {
		if a.certificateErr != nil {
			n++
		}
	}
	return n
}

func (r *retirementRun) worst() *failure {
	weight := map[int]int{statusRefused: 4, statusUnreachable: 3, statusNotFound: 2, statusFailed: 1}
	var worst *failure
	for _, a := range slices.Concat(r.failed, r.found) {
		err := a.err
		if err == nil {
			err = a.certificateErr
		}
		if err == nil {
			continue
		}
		f := explain(ran{err})
		if a.err == nil {
			f = certificateFailure(a)
		}
		if worst == nil || weight[f.status] > weight[worst.status] {
			worst = f
		}
	}
	return worst
}

// certificateFailure explains a certificate that was not saved. The host that
// has it need not be the marketplace's: no advice on the API fits.
func certificateFailure(a *lookUpResult) *failure {
	f := explain(ran{a.certificateErr})
	why, todo, status := f.what, f.next(), statusFailed
	switch kind := api.KindOf(a.certificateErr); {
	case errors.Is(a.certificateErr, fs.ErrExist):
		todo = "move the file away, or name another directory"
	case kind == api.ServerError, kind == api.Unreachable, kind == api.TimedOut:
		why = certificateHost(a.certificateErr)
		todo, status = "try again later; if it stays, ask the marketplace", statusUnreachable
	case kind == api.Refused, kind == api.NotTheAPI:
		todo = "open the address in a browser, and ask the marketplace"
	}
	return &failure{what: fmt.Sprintf("the certificate of %s was not saved: %s", a.id, why), todo: todo, status: status}
}

func certificateHost(err error) string {
	var call *api.Error
	errors.As(err, &call)
	switch call.Kind {
	case api.ServerError:
		return fmt.Sprintf("its host answered %d", call.Status)
	case api.TimedOut:
		return "its host did not answer in time"
	}
	return "its host cannot be reached: " + call.Error()
}
