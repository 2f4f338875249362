// Package filing contains the code shared by commands that look up and file retirements:
// reading ids, the auditor with its project details, and writing packs. The checks, the
// evidence and the format of packs are in package api/audit.
package filing

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"tonne/api"
	"tonne/api/audit"
	"tonne/api/audit/reconcile"
	"tonne/model"
	"tonne/model/advice"
	"tonne/model/file/store"
	"tonne/model/retirement"
	"tonne/model/statement"
	"tonne/ui"
	"tonne/ui/cli/command"
	"tonne/ui/cli/journal"
	"tonne/ui/cli/listing"
)

const mostListed = 10

// SomeOf joins phrases, at most ten, with the number of the others.
func SomeOf(phrases []string) string { return statement.SomeOf(phrases, mostListed, "; ") }

// NewAuditor returns the auditor of a marketplace. If client is nil, it makes no look-ups.
func NewAuditor(a *command.App, client *api.Client, local *store.Store, origin string) *audit.Auditor {
	return &audit.Auditor{
		Client: client, Store: local, Origin: origin, Version: command.BuildVersion().Version, Now: a.Now,
		Journal: journal.Entries(a, origin), CountJournal: journal.CountEntries(a, origin),
		Projects: func(ctx context.Context, ids []string) model.Projects {
			d := listing.NewDetails(ctx, a, client, local)
			d.Need(ctx, ids)
			return d.Known
		},
		Explain: func(err error) string { return command.Explain(err).Error() }, Progress: a.ShowProgress, Warn: a.Log().Warn,
		KeepIn: a.CertificatesDir(),
	}
}

// Auditor returns the auditor of a connection, with its project details.
func Auditor(r *listing.Connection) *audit.Auditor {
	auditor := NewAuditor(r.App, r.Client, r.ProjectDetails.Store, r.BaseURL)
	auditor.Projects = func(ctx context.Context, ids []string) model.Projects {
		r.ProjectDetails.Need(ctx, ids)
		return r.ProjectDetails.Known
	}
	return auditor
}

// UnreadRecords returns the failure of evidence if local records cannot be read, because
// evidence must not show unknown data as absent.
func UnreadRecords(problem error) error {
	if problem == nil {
		return nil
	}
	return command.Failed("repair or move the file; it contains the local records of the requests", "%v", problem)
}

// CheckLedger explains the error of a ledger that was read, or of its file.
func CheckLedger(ledger *audit.Ledger, err error) (*audit.Ledger, error) {
	if ledger != nil && err != nil {
		return nil, command.Failed("repair or move the file; it contains the ledger", "%v", err)
	}
	return ledger, err
}

// FreshLedger reads the ledger and refreshes the requests that may have changed.
func FreshLedger(ctx context.Context, r *listing.Connection) (*audit.Ledger, error) {
	auditor := Auditor(r)
	r.App.ShowProgress("reading the ledger")
	ledger, err := CheckLedger(auditor.Ledger(ctx))
	if err != nil {
		return nil, err
	}
	failed, all, err := auditor.Refresh(ctx, ledger)
	r.App.ClearProgress()
	if failed > 0 {
		r.App.Warn("%d of %d requests of the ledger could not be refreshed; their last response is used", failed, all)
	}
	return ledger, err
}

// WarnOfFaults warns of changed certificates, and of credits that two requests retired.
func WarnOfFaults(a *command.App, failed []audit.FailedCheck) {
	var words []string
	for _, f := range failed {
		if f.Check == audit.CertificateOnFile || f.Check == audit.SerialsRetiredOnce {
			words = append(words, f.Request+": "+f.Detail)
		}
	}
	for _, text := range words[:min(len(words), mostListed)] {
		a.Warn("%s", text)
	}
	if more := len(words) - mostListed; more > 0 {
		a.Warn("%s failed", model.Count(more, "more such check", "more such checks"))
	}
}

// OfferAudit sets the functions of the audit in the options of the dashboard. They print
// nothing. kept is called for each newly saved certificate.
func OfferAudit(
	a *command.App,
	o *ui.Options,
	client *api.Client,
	local *store.Store,
	origin string,
	kept func(id string, c retirement.Certificate),
) {
	silent := a.Silent()
	auditor := NewAuditor(silent, client, local, origin)
	auditor.Kept = kept
	o.WriteEvidence, o.ReadCertificate = auditor.WriteFile, audit.ReadCertificate
	o.ReadStatementData = func(ctx context.Context) (source statement.Source, err error) {
		inv, err := auditor.Inventory(ctx)
		if err != nil {
			return source, errors.New(auditor.Explain(err))
		}
		ledger, err := auditor.Ledger(ctx)
		if err != nil {
			return source, err
		}
		source, err = auditor.Statement(ctx, inv, ledger)
		source.Account = o.Account
		return source, err
	}
	o.Reconcile = func(ctx context.Context, records []reconcile.Record) (result reconcile.Reconciliation, err error) {
		ledger, err := auditor.Ledger(ctx)
		if err == nil {
			_, _, err = auditor.Refresh(ctx, ledger)
		}
		if err != nil {
			return result, err
		}
		if result, err = auditor.Reconcile(ctx, ledger, records); err != nil {
			err = errors.New(auditor.Explain(err))
		}
		return result, err
	}
	o.Who = silent.UserName()
}

// EvidenceRun looks up requests and writes their evidence.
type EvidenceRun struct {
	App *command.App
	*listing.Connection
	// Certificates is the directory for certificates. If empty, they are not saved.
	Certificates string
	ShowTaxIDs   bool
	Pack         PackFlags
	// Answers are in the order of the ids.
	Answers []audit.Answer
	// Checked is the evidence of the answers. It is nil until needed.
	Checked *audit.Evidence
}

// Found returns the answers without those that are errors.
func (r *EvidenceRun) Found() []audit.Answer {
	return slices.DeleteFunc(slices.Clone(r.Answers), func(a audit.Answer) bool { return a.Err != nil })
}

// Failed returns the answers that are errors.
func (r *EvidenceRun) Failed() []audit.Answer {
	return slices.DeleteFunc(slices.Clone(r.Answers), func(a audit.Answer) bool { return a.Err == nil })
}

// LookUp looks up requests, and enters those that it finds in the ledger. It waits so long for
// their end states.
func (r *EvidenceRun) LookUp(
	ctx context.Context,
	ids []string,
	wait time.Duration,
	emit func(audit.Answer) error,
) (err error) {
	auditor := Auditor(r.Connection)
	var projects []string
	r.Answers, err = auditor.LookUp(ctx, audit.LookUp{
		Wait: wait, Waiting: r.tellWaiting, KeepBodies: r.Pack.Path != "", Certificates: r.certificatesDir(),
		Fetched: r.Pack.fetched,
		Emit: func(ctx context.Context, a audit.Answer) error {
			if a.Err == nil {
				r.App.TellFaults(a.Retirement.Faults)
				projects = append(projects, a.Retirement.ProjectID)
			}
			if emit == nil {
				return nil
			}
			return emit(a)
		},
		Progress: func(done, total int) { r.App.ShowProgress("%d of %d", done, total) },
		Warn: func(format string, args ...any) {
			r.App.ClearProgress()
			r.App.Warn(format, args...)
		},
	}, ids)
	r.ProjectDetails.Need(ctx, projects)
	if err != nil {
		return err
	}
	r.App.ClearProgress()
	if f := r.Pack.fetched; f != nil && f.Resumed() > 0 {
		r.App.Warn(
			"%s in %s, of an earlier run, %s not fetched again",
			model.Count(f.Resumed(), "certificate", "certificates"),
			r.Pack.Path+audit.PartialEnding,
			have(f.Resumed()),
		)
	}
	if err := auditor.Enter(context.WithoutCancel(ctx), r.Answers, r.Certificates); err != nil {
		r.App.Warn("the ledger of this machine was not written: %v", err)
	}
	return nil
}

// certificatesDir is the directory in which certificates are saved, or empty.
func (r *EvidenceRun) certificatesDir() string {
	if r.Certificates == "" && r.Pack.fetched != nil {
		return r.Pack.fetched.Dir()
	}
	return r.Certificates
}

// Evidence checks the answers, once. The error is that of ctx.
func (r *EvidenceRun) Evidence(ctx context.Context) ([]audit.Request, error) {
	if r.Checked == nil {
		checked, err := Auditor(r.Connection).Examine(ctx, nil, r.Answers)
		r.App.ClearProgress()
		if err != nil {
			return nil, err
		}
		r.Checked = checked
	}
	return r.Checked.Requests, nil
}

// Source returns the source of the evidence.
func (r *EvidenceRun) Source() audit.Source { return Auditor(r.Connection).Source(r.ShowTaxIDs) }

// Filed returns the checked requests. The error may also be from the records of this machine.
func (r *EvidenceRun) Filed(ctx context.Context) ([]audit.Request, error) {
	if _, err := r.Evidence(ctx); err != nil {
		return nil, err
	}
	r.Checked.AddCosts(ctx)
	r.App.ClearProgress()
	return r.Checked.Requests, UnreadRecords(r.Checked.Records.Problem)
}

// Failures counts the requests and certificates that could not be fetched.
func (r *EvidenceRun) Failures() int {
	n := 0
	for _, a := range r.Answers {
		if a.Err != nil || a.CertificateErr != nil {
			n++
		}
	}
	return n
}

// Worst returns the most severe failure, or nil. A refused key is more severe than an
// unreachable service, and that more than an unknown id.
func (r *EvidenceRun) Worst() *command.Failure {
	weight := map[int]int{
		command.StatusRefused:     4,
		command.StatusUnreachable: 3,
		command.StatusNotFound:    2,
		command.StatusFailed:      1,
	}
	var worst *command.Failure
	consider := func(f *command.Failure) {
		if worst == nil || weight[f.Status] > weight[worst.Status] {
			worst = f
		}
	}
	for _, a := range r.Failed() {
		consider(command.Explain(a.Err))
	}
	for _, a := range r.Found() {
		if a.CertificateErr != nil {
			consider(CertificateFailure(a))
		}
	}
	return worst
}

// WarnOfFailedChecks names the requests with failed checks in a file.
func (r *EvidenceRun) WarnOfFailedChecks(name string, requests []audit.Request) {
	var failed []string
	for _, q := range requests {
		if checks := q.FailedChecks(); q.LeftOut == "" && len(checks) > 0 {
			failed = append(failed, fmt.Sprintf("%s (%s)", q.Retirement.ID, audit.CheckNames(checks, ", ")))
		}
	}
	if len(failed) > 0 {
		r.App.Warn("checks failed in %s, which says why: %s", name, SomeOf(failed))
	}
}

// CertificateFailure explains why a certificate was not saved. The advice is not about the
// API, because the host may not be the marketplace's.
func CertificateFailure(a audit.Answer) *command.Failure {
	f := command.Explain(a.CertificateErr)
	why, todo, status := f.Error(), f.Next(), command.StatusFailed
	call, _ := errors.AsType[*api.Error](a.CertificateErr)
	kind := api.KindOf(a.CertificateErr)
	if call != nil && !errors.Is(a.CertificateErr, fs.ErrExist) {
		why = call.OfHost()
	}
	switch {
	case errors.Is(a.CertificateErr, fs.ErrExist):
		todo = advice.Plain("move the file away, or name another directory")
	case kind == api.Refused, kind == api.NotTheAPI:
		todo = advice.Plain("open the address in a browser, and ask the marketplace")
	}
	if kind == api.RateLimited || kind == api.ServerError || kind == api.TimedOut || kind == api.Unreachable {
		todo, status = advice.Plain("try again later; if it stays, ask the marketplace"), command.StatusUnreachable
	}
	return &command.Failure{
		What:   advice.Format("the certificate of %s was not saved: %s", a.ID, why),
		Todo:   todo,
		Status: status,
	}
}

// Tally returns the numbers of checks that pass and fail.
func Tally(checks []retirement.Check) string {
	count := make(map[retirement.Result]int)
	for _, c := range checks {
		count[c.Result]++
	}
	text := fmt.Sprintf("%d pass", count[retirement.Pass])
	if n := count[retirement.Fail]; n > 0 {
		text += fmt.Sprintf(", %d fail", n)
	}
	return text
}
