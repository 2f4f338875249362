// Package retirement implements the command `tonne retirement`: it looks up requests, saves
// certificates and writes evidence. The checks and the evidence are in package api/audit.
package retirement

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"tonne/api/audit"
	"tonne/api/wire"
	"tonne/model"
	"tonne/model/advice"
	"tonne/model/field"
	"tonne/model/file/localfile"
	"tonne/model/retirement"
	"tonne/ui/cli/command"
	"tonne/ui/cli/filing"
	"tonne/ui/cli/listing"
	"tonne/ui/output"
)

type run struct {
	filing.EvidenceRun
	ids          *filing.IDs
	evidencePath string
	wait         bool
	waitTimeout  time.Duration
	// format is empty for a run that prints nothing. streamed is the format of
	// evidence on standard output, or empty.
	format, streamed output.Format
	rows             *output.Rows[*row]
}

// Command returns `tonne retirement`.
func Command(a *command.App) *cobra.Command {
	r := &run{EvidenceRun: filing.EvidenceRun{App: a}}
	cmd := &cobra.Command{
		Use:   "retirement ID...",
		Short: "Print retirement requests" + a.Shell(", save their certificates and evidence"),
		Long: "Looks up retirement requests by id, checks that the data of each is consistent, and\n" +
			"prints them in the order of the ids. If one id fails, the others are still printed.",
		Example: a.Examples(
			"%s retirement 00mretirement000001",
			a.Local("%s retirement --file ids.txt -o csv > retirements.csv"),
			"pbpaste | %s retirement - -o json",
			a.Local("%s retirement ID --wait --certificates ./certificates"),
			a.Local("%s retirement --file ids.txt --evidence evidence.xlsx --certificates ./certificates"),
			a.Local("%s retirement --file ids.txt --pack q3.zip --sign ~/.ssh/id_ed25519"),
		),
		ValidArgsFunction: a.Complete(command.Retirements),
		RunE:              command.Do(r.run),
	}
	a.ConnectionFlags(cmd)
	a.ListFlags(cmd, &r.format)
	f := cmd.Flags()
	r.ids = filing.NewIDs(a, f)
	f.StringVar(&r.Certificates, "certificates", "", "save certificates in `DIR`")
	f.StringVar(&r.evidencePath, "evidence", "",
		"write audit evidence to `FILE.csv|.json|.xlsx`, with a manifest next to it; - prints it to standard output as csv "+
			"or json, instead of the data")
	f.BoolVar(&r.ShowTaxIDs, "show-tax-ids", false, "include full tax ids in the evidence")
	r.Pack.AddFlags(cmd)
	f.BoolVar(&r.wait, "wait", false, "poll until every request is in an end state: COMPLETE or NOTHING_TO_PROCESS")
	f.DurationVar(&r.waitTimeout, "wait-timeout", longestWait, "stop waiting after this time, with exit status 5")
	return a.Describe(cmd, command.Description{
		Effect: command.WritesLocal,
		Arguments: []command.Argument{{Name: "ID",
			Description: "ids of retirement requests" + a.Shell("; - reads them from standard input"),
			Required:    a.Agent != nil, Repeated: true}},
		Outputs: []command.OutputForm{
			{Formats: []output.Format{output.JSON}, Fields: jsonColumns.Fields("[].")},
			{Formats: []output.Format{output.JSON}, With: failedForm, Fields: failedColumns.Fields("[].")},
			command.RowForm("", columns.RowFields(), output.JSONL, output.CSV).In("[].retirement_request_items[]", "[]"),
			{Formats: []output.Format{output.JSONL}, With: failedForm, Fields: failedColumns.Fields("")},
		},
	})
}

// longestWait is how long --wait waits by default.
const longestWait = 24 * time.Hour

const failedForm = "an id that failed"

func (r *run) run(ctx context.Context, cmd *cobra.Command, args []string) error {
	switch {
	case r.waitTimeout <= 0:
		return command.Usage("give a time such as 30m or 24h", "--wait-timeout: %s is not a time to wait", r.waitTimeout)
	case cmd.Flags().Changed("wait-timeout") && !r.wait:
		return command.Usage("add --wait", "--wait-timeout needs --wait")
	}
	ids, err := r.idsOf(ctx, args)
	if err != nil {
		return err
	}
	if err := r.checkPaths(); err != nil {
		return err
	}
	if err := r.PreparePack(ctx); err != nil {
		return err
	}
	defer r.CleanPack()
	if r.Connection, err = listing.Connect(ctx, r.EvidenceRun.App); err != nil {
		return err
	}
	defer r.Close()
	if r.App.Selection.Empty() && (r.format == output.JSONL || r.format == output.CSV) {
		r.rows = output.NewRows(r.App.Data(), r.format, columns)
	}
	if err := r.LookUp(ctx, ids, r.waits(), r.emit); err != nil {
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
	if r.Pack.Path != "" {
		if err := r.WritePack(ctx); err != nil {
			return err
		}
	}
	return r.outcome()
}

// waits is how long the look-up waits.
func (r *run) waits() time.Duration {
	if r.wait {
		return r.waitTimeout
	}
	return 0
}

func (r *run) idsOf(ctx context.Context, args []string) ([]string, error) {
	ids, err := r.ids.Read(ctx, args)
	if err == nil && len(ids) == 0 {
		err = command.Usage("give ids"+r.App.Shell(", - for standard input, or --file"), "there is no id to look up")
	}
	return ids, err
}

func (r *run) emit(a audit.Answer) error {
	switch {
	case a.Err != nil && r.format == output.JSONL:
		return output.Object(r.App.Data(), failedColumns.JSON(a))
	case r.rows == nil:
		return nil
	case a.Err != nil:
		a.Retirement = notFound(a)
	}
	for item := range itemRows(a.Retirement) {
		r.rows.Write(item)
	}
	if a.Err != nil {
		return nil
	}
	return r.rows.Flush()
}

func notFound(a audit.Answer) retirement.Request {
	return retirement.Request{ID: wire.Clean(a.ID), TotalQuantity: model.UnknownGrams}
}

func (r *run) end(ctx context.Context) error {
	if r.rows != nil {
		return r.rows.Flush()
	}
	requests, err := r.Evidence(ctx)
	if err != nil {
		return err
	}
	var documents []field.Value
	var shown, items []*row
	for i, q := range requests {
		if a := r.Answers[i]; a.Err != nil {
			documents = append(documents, failedColumns.JSON(a))
			if r.format != output.JSON && r.format != output.JSONL {
				items = slices.AppendSeq(items, itemRows(notFound(a)))
			}
			continue
		}
		t := r.forAgent(q.Retirement)
		about := row{Request: t, checks: q.AllChecks(), project: r.ProjectDetails.Known.Name(t.ProjectID),
			year: r.ProjectDetails.Year(t.ProjectID, t.VintageID)}
		documents, shown = append(documents, jsonColumns.JSON(&about)), append(shown, &about)
		for row := range itemRows(t) {
			row.checks, row.project, row.year = about.checks, about.project, about.year
			items = append(items, row)
		}
	}
	switch {
	case !r.App.Selection.Empty() && (r.format == output.JSON || r.format == output.JSONL):
		return r.printSelected(items)
	case !r.App.Selection.Empty():
		return listing.NewFormats(r.EvidenceRun.App, columns, slices.Values(items)).Print(r.format)
	case r.format == output.JSON:
		return output.List(r.App.Data(), slices.Values(documents))
	case len(shown) > 0:
		return r.App.Grid(output.GridOf(columns, slices.Values(shown)))
	}
	return nil
}

// forAgent returns the request with the tax ids that an agent may see.
func (r *run) forAgent(q retirement.Request) retirement.Request {
	if agent := r.EvidenceRun.App.Agent; agent != nil && !agent.ShowTaxIDs {
		q.Items = slices.Clone(q.Items)
		for i := range q.Items {
			q.Items[i].RetireeTaxID = retirement.MaskTaxID(q.Items[i].RetireeTaxID)
		}
	}
	return q
}

// printSelected prints the selected columns as objects. Lines of failed ids were printed
// earlier; in an array they follow the others.
func (r *run) printSelected(items []*row) error {
	chosen, rows := output.Select(columns, slices.Values(items), r.App.Selection, false)
	if r.format == output.JSONL {
		return output.Write(r.App.Data(), output.JSONL, chosen, rows)
	}
	var documents []field.Value
	for item := range rows {
		documents = append(documents, chosen.JSON(item))
	}
	for _, a := range r.Answers {
		if a.Err != nil {
			documents = append(documents, failedColumns.JSON(a))
		}
	}
	return output.List(r.App.Data(), slices.Values(documents))
}

func (r *run) outcome() error {
	several := len(r.Answers) > 1
	for _, a := range r.Found() {
		switch {
		case a.CertificateErr != nil:
			if several {
				r.App.Warn("%s", filing.CertificateFailure(a).What)
			}
		case (r.Certificates != "" || r.Pack.Path != "") && a.Certificate == nil:
			r.App.Warn("%s has no certificate yet", a.ID)
		}
	}
	worst, waiting := r.Worst(), r.StillWaiting(r.waitTimeout)
	switch {
	case worst == nil && waiting == nil:
		return nil
	case worst == nil:
		return waiting
	case !several:
		return worst
	}
	if waiting != nil {
		r.App.Warn("%s", waiting.What)
	}
	for _, a := range r.Failed() {
		r.App.Warn("%s: %v", a.ID, a.Err)
	}
	return &command.Failure{What: advice.Format("%d of %d ids failed", r.Failures(), len(r.Answers)), Todo: worst.Next(),
		Status: worst.Status}
}

func (r *run) warnOfFound(ctx context.Context) {
	var failed []audit.FailedCheck
	records := filing.Auditor(r.EvidenceRun.Connection).Records(ctx, nil)
	for _, a := range r.Found() {
		failed = append(failed, records.FailedChecks(audit.Request{Retirement: a.Retirement})...)
	}
	if records.Problem != nil {
		r.App.Warn("what this machine knows of the requests cannot be used: %v", records.Problem)
		return
	}
	filing.WarnOfFaults(r.EvidenceRun.App, failed)
}

func (r *run) evidenceFile() localfile.Target {
	return localfile.Target{Path: r.evidencePath, Overwrite: r.Pack.Overwrite}
}

func (r *run) checkPaths() error {
	switch {
	case r.evidencePath == "":
	case r.evidencePath != "-":
		if err := audit.CheckPath(r.evidencePath); err != nil {
			return command.Usage("name a file that ends in .csv, .json or .xlsx", "--evidence: %v", err)
		}
		if err := audit.CheckTarget(r.evidenceFile()); err != nil {
			return err
		}
	case r.format != output.CSV && r.format != output.JSON:
		return command.Usage("add -o csv or -o json, or name a file", "--evidence - writes only csv or json, not %s",
			r.format)
	default:
		r.streamed, r.format = r.format, ""
	}
	if r.Certificates == "" {
		return nil
	}
	return os.MkdirAll(r.Certificates, 0o755)
}

func (r *run) writeEvidence(ctx context.Context) error {
	name := r.evidencePath
	if r.streamed != "" {
		name = "the evidence"
	}
	if r.evidencePath == "" || !r.AnyFound(name) {
		return nil
	}
	requests, err := r.Filed(ctx)
	if err != nil {
		return err
	}
	r.WarnOfFailedChecks(name, requests)
	if r.streamed != "" {
		return r.printEvidence(requests)
	}
	warnReplaced := filing.Replacing(r.EvidenceRun.App, r.evidencePath)
	if err := audit.Write(r.evidenceFile(), r.Source(), requests); err != nil {
		return fmt.Errorf("the evidence was not written: %w", err)
	}
	warnReplaced()
	r.App.Note(command.Notice{Code: command.SavedCode,
		Message: fmt.Sprintf("evidence saved as %s, manifest as %s", r.evidencePath, audit.ManifestPath(r.evidencePath))})
	return nil
}

// printEvidence writes the evidence to standard output, and its hash, otherwise part of
// the manifest, to standard error.
func (r *run) printEvidence(requests []audit.Request) error {
	sum, err := audit.Stream(r.App.Data(), "."+string(r.streamed), r.Source(), requests)
	if err != nil {
		return err
	}
	r.App.Note(command.Notice{Code: command.SavedCode, Message: "the SHA-256 of the evidence is " + sum})
	return nil
}

func (r *run) noteSaved() {
	if r.Certificates == "" {
		return
	}
	var saved []string
	for _, a := range r.Found() {
		if a.Certificate != nil {
			saved = append(saved, a.Certificate.Path)
		}
	}
	switch len(saved) {
	case 0:
	case 1:
		r.App.Note(command.Notice{Code: command.SavedCode, Message: "certificate saved as " + saved[0]})
	default:
		r.App.Note(command.Notice{Code: command.SavedCode,
			Message: fmt.Sprintf("%d certificates saved in %s", len(saved), r.Certificates)})
	}
}
