package cli

import (
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
	evidenceRun
	file, column, evidencePath string
	wait                       bool
	// format is empty for a run that prints nothing, streamed is that of
	// evidence on standard output; empty for none.
	format, streamed output.Format
	rows             output.Rows
}

func (a *app) retirementCommand() *cobra.Command {
	r := &retirementRun{evidenceRun: evidenceRun{app: a}}
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
	f.StringVar(&r.evidencePath, "evidence", "", "write audit evidence to `FILE.csv|.json|.xlsx`, with a manifest beside it; - is standard output, as csv or json, in place of the data")
	f.BoolVar(&r.showTaxIDs, "show-tax-ids", false, "write tax ids in full into the evidence")
	r.pack.addFlags(cmd)
	cmd.AddCommand(a.seenCommand())
	f.BoolVar(&r.wait, "wait", false, "look up again until each request is in an end state")
	return a.describe(cmd, description{
		effect:    writesLocal,
		arguments: []argument{{Name: "ID", Description: "ids of retirement requests; - reads them from standard input", Repeated: true}},
		outputs: []outputForm{
			{Formats: []output.Format{output.JSON}, Fields: retirementJSON.Fields("[].")},
			{Formats: []output.Format{output.JSON}, With: failedForm, Fields: fieldsOf[failedJSON]("[].")},
			rowForm("", retirementColumns.Header(), output.JSONL, output.CSV),
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
		r.rows = output.NewRows(r.data(), r.format, retirementColumns.Header())
	}
	if err := r.lookUp(ctx, ids, r.wait, r.emit); err != nil {
		return err
	}
	if r.format != "" {
		if err := r.end(ctx); err != nil {
			return err
		}
	}
	r.noteSaved()
	r.warnOfFound(ctx)
	if err := r.writeEvidence(ctx); err != nil {
		return err
	}
	if r.pack.path != "" {
		if err := r.writePack(ctx); err != nil {
			return err
		}
	}
	return r.outcome()
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

func (r *retirementRun) emit(a audit.Answer) error {
	switch {
	case a.Err != nil && r.format == output.JSONL:
		return output.Object(r.data(), newFailedJSON(a))
	case r.rows == nil:
		return nil
	case a.Err != nil:
		a.Retirement = model.Retirement{ID: wire.Clean(a.ID), TotalQuantity: model.UnknownGrams}
	}
	retirementColumns.Write(r.rows, itemRows(a.Retirement))
	if a.Err != nil {
		return nil
	}
	return r.rows.Flush()
}

func (r *retirementRun) end(ctx context.Context) error {
	if r.rows != nil {
		return r.rows.Flush()
	}
	requests, err := r.evidence(ctx)
	if err != nil {
		return err
	}
	var documents []any
	var shown []*retirementRow
	for i, q := range requests {
		if r.answers[i].Err != nil {
			documents = append(documents, newFailedJSON(r.answers[i]))
			continue
		}
		t := q.Retirement
		row := &retirementRow{Retirement: t, checks: q.AllChecks(), project: r.details.known.Name(t.ProjectID), year: r.details.year(t.ProjectID, t.VintageID)}
		documents, shown = append(documents, retirementJSON.JSON(row)), append(shown, row)
	}
	switch {
	case r.format == output.JSON:
		return output.List(r.data(), slices.Values(documents))
	case len(shown) > 0:
		return r.grid(retirementColumns.Grid(slices.Values(shown)))
	}
	return nil
}

// outcome warns of what is missing, and returns the failure that weighs most.
func (r *retirementRun) outcome() error {
	several := len(r.answers) > 1
	for _, a := range r.found() {
		switch {
		case a.CertificateErr != nil:
			if several {
				r.warn("%s", certificateFailure(a).what)
			}
		case (r.certificates != "" || r.pack.path != "") && a.Certificate == nil:
			r.warn("%s has no certificate yet", a.ID)
		}
	}
	worst := r.worst()
	switch {
	case worst == nil:
		return nil
	case !several:
		return worst
	}
	for _, a := range r.failed() {
		r.warn("%s: %v", a.ID, a.Err)
	}
	return &failure{what: fmt.Sprintf("%d of %d ids failed", r.failures(), len(r.answers)), todo: worst.next(), status: worst.status}
}

func (r *retirementRun) warnOfFound(ctx context.Context) {
	ids := make(map[string]bool)
	for _, a := range r.found() {
		ids[a.ID] = true
	}
	if len(ids) == 0 {
		return
	}
	ledger, err := ledgerOf(ctx, r.auditor())
	if err != nil {
		r.warn("what this machine knows of the requests cannot be used: %v", err)
		return
	}
	r.warnOfFaults(ledger, func(id string) bool { return ids[id] })
}

// certificateFailure explains a certificate that was not saved. The host that
// has it need not be the marketplace's: no advice on the API fits.
func certificateFailure(a audit.Answer) *failure {
	f := explain(ran{a.CertificateErr})
	why, todo, status := f.what, f.next(), statusFailed
	switch kind := api.KindOf(a.CertificateErr); {
	case errors.Is(a.CertificateErr, fs.ErrExist):
		todo = "move the file away, or name another directory"
	case kind == api.ServerError, kind == api.Unreachable, kind == api.TimedOut:
		why = certificateHost(a.CertificateErr)
		todo, status = "try again later; if it stays, ask the marketplace", statusUnreachable
	case kind == api.Refused, kind == api.NotTheAPI:
		todo = "open the address in a browser, and ask the marketplace"
	}
	return &failure{what: fmt.Sprintf("the certificate of %s was not saved: %s", a.ID, why), todo: todo, status: status}
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
