package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"tonne/api"
	"tonne/api/audit"
	"tonne/model"
	"tonne/model/store"
	"tonne/ui"
)

// mostListed is how many faults of a kind are told one by one.
const mostListed = 10

func someOf(phrases []string) string { return model.SomeOf(phrases, mostListed, "; ") }

// newAuditor returns the auditor of a marketplace. A nil client looks nothing up.
func (a *app) newAuditor(client *api.Client, local *store.Store, origin string) *audit.Auditor {
	return &audit.Auditor{
		Client: client, Store: local, Origin: origin, Version: buildVersion().Version, Now: a.Now, Journal: a.journalOf(origin),
		Projects: func(ctx context.Context, ids []string) model.Projects {
			d := a.newDetails(ctx, client, local)
			d.need(ctx, ids)
			return d.known
		},
		Explain: func(err error) string { return explain(ran{err}).what }, Progress: a.newProgress().tell, Warn: a.log().Warn, KeepIn: a.certificatesDir(),
	}
}

func (r *reading) auditor() *audit.Auditor {
	auditor := r.details.app.newAuditor(r.client, r.details.store, r.baseURL)
	auditor.Projects = func(ctx context.Context, ids []string) model.Projects {
		r.details.need(ctx, ids)
		return r.details.known
	}
	return auditor
}

func (a *app) evidenceSource(service string, showTaxIDs bool) audit.Source {
	return a.newAuditor(nil, nil, service).Source(showTaxIDs)
}

// unreadRecords is the failure of evidence if records of this machine cannot be
// read: nothing must be filed as absent that is only unknown.
func unreadRecords(problem error) error {
	if problem == nil {
		return nil
	}
	return failed("what this machine knows of the requests is in that file", "%v", problem)
}

func ledgerOf(ctx context.Context, auditor *audit.Auditor) (*audit.Ledger, error) {
	ledger, err := auditor.Ledger(ctx)
	if ledger != nil && err != nil {
		return nil, failed("the ledger is in that file", "%v", err)
	}
	return ledger, err
}

func (r *reading) freshLedger(ctx context.Context) (*audit.Ledger, error) {
	auditor := r.auditor()
	ledger, err := ledgerOf(ctx, auditor)
	if err != nil {
		return nil, err
	}
	failed, all, err := auditor.Refresh(ctx, ledger)
	r.progress.clear()
	if failed > 0 {
		r.details.app.warn("%d of %d requests of the ledger could not be looked up; of those the last answer counts", failed, all)
	}
	return ledger, err
}

func (a *app) warnOfFaults(l *audit.Ledger, shown func(id string) bool) {
	warn := func(words []string, one, many string) {
		for _, text := range words[:min(len(words), mostListed)] {
			a.warn("%s", text)
		}
		if more := len(words) - mostListed; more > 0 {
			a.warn("%s", model.Count(more, one, many))
		}
	}
	warn(l.RetiredTwice(shown), "more serial range was retired twice", "more serial ranges were retired twice")
	warn(l.WrongFiles(shown), "more certificate is not what was saved", "more certificates are not what was saved")
}

// offerAudit gives the dashboard what it needs of the audit. Nothing is said on
// standard error: the screen is the dashboard's. Kept is called for certificates that
// are on this machine from now on.
func (a *app) offerAudit(o *ui.Options, client *api.Client, local *store.Store, origin string, kept func(id string, c store.Certificate)) {
	silent := a.quiet()
	auditor := silent.newAuditor(client, local, origin)
	auditor.Kept = kept
	o.WriteEvidence, o.CheckEvidence, o.ReadCertificate = auditor.WriteFile, auditor.FailedChecks, audit.ReadCertificate
	o.ReadBooks = func(ctx context.Context) (source model.StatementSource, err error) {
		inv, err := auditor.Inventory(ctx)
		if err != nil {
			return source, errors.New(auditor.Explain(err))
		}
		ledger, err := auditor.Ledger(ctx)
		if err != nil {
			return source, err
		}
		return auditor.Statement(ctx, inv, ledger)
	}
	o.Who = silent.userName()
}

func (a *app) quiet() *app {
	silent := &app{
		Process: a.Process, terminal: a.terminal, flags: a.flags, key: a.key, keySource: a.keySource, production: a.production, fleeting: a.fleeting,
		logger: a.logger, file: a.file,
	}
	silent.Stderr = io.Discard
	return silent
}

// evidenceRun looks requests up and writes their evidence.
type evidenceRun struct {
	*app
	*reading
	// certificates is the directory in which certificates are saved, empty for none.
	certificates string
	showTaxIDs   bool
	pack         packing
	// answers are in the order of the ids.
	answers []audit.Answer
	// checked is the evidence of the answers, nil until it is needed.
	checked *audit.Evidence
}

func (r *evidenceRun) found() []audit.Answer  { return r.those(true) }
func (r *evidenceRun) failed() []audit.Answer { return r.those(false) }

func (r *evidenceRun) those(found bool) (all []audit.Answer) {
	for _, a := range r.answers {
		if (a.Err == nil) == found {
			all = append(all, a)
		}
	}
	return all
}

// lookUp looks requests up, and enters those that were found in the ledger.
func (r *evidenceRun) lookUp(ctx context.Context, ids []string, wait bool, emit func(audit.Answer) error) (err error) {
	auditor := r.auditor()
	r.answers, err = auditor.LookUp(ctx, audit.LookUp{
		Wait: wait, KeepBodies: r.pack.path != "", Certificates: cmp.Or(r.certificates, r.pack.dir),
		Emit: func(ctx context.Context, a audit.Answer) error {
			if a.Err == nil {
				r.tellFaults(a.Retirement.Faults)
				r.details.want(ctx, a.Retirement.ProjectID)
			}
			if emit == nil {
				return nil
			}
			return emit(a)
		},
		Progress: func(done, total int) { r.progress.tell("%d of %d", done, total) },
		Warn: func(format string, args ...any) {
			r.progress.clear()
			r.warn(format, args...)
		},
	}, ids)
	r.details.need(ctx, nil)
	if err != nil {
		return err
	}
	r.progress.clear()
	if err := auditor.Enter(ctx, r.answers, r.certificates); err != nil {
		r.warn("the ledger of this machine was not written: %v", err)
	}
	return nil
}

// evidence checks the answers once: what is printed, filed and packed is the same.
// The error is that ctx ended.
func (r *evidenceRun) evidence(ctx context.Context) ([]audit.Request, error) {
	if r.checked == nil {
		checked, err := r.auditor().Examine(ctx, r.answers)
		r.progress.clear()
		if err != nil {
			return nil, err
		}
		r.checked = checked
	}
	return r.checked.Requests, nil
}

func (r *evidenceRun) filed(ctx context.Context) ([]audit.Request, error) {
	requests, err := r.evidence(ctx)
	if err == nil {
		err = unreadRecords(r.checked.Records.Problem)
	}
	return requests, err
}

func (r *evidenceRun) failures() int {
	n := 0
	for _, a := range r.answers {
		if a.Err != nil || a.CertificateErr != nil {
			n++
		}
	}
	return n
}

// worst is the failure that weighs most, nil for none: a refused key before a service
// that cannot be reached before an id that was not found.
func (r *evidenceRun) worst() *failure {
	weight := map[int]int{statusRefused: 4, statusUnreachable: 3, statusNotFound: 2, statusFailed: 1}
	var worst *failure
	consider := func(f *failure) {
		if worst == nil || weight[f.status] > weight[worst.status] {
			worst = f
		}
	}
	for _, a := range r.failed() {
		consider(explain(ran{a.Err}))
	}
	for _, a := range r.found() {
		if a.CertificateErr != nil {
			consider(certificateFailure(a))
		}
	}
	return worst
}

func (r *evidenceRun) warnOfFailedChecks(name string, requests []audit.Request) {
	var failed []string
	for _, q := range requests {
		if checks := q.FailedChecks(); q.LeftOut == "" && len(checks) > 0 {
			failed = append(failed, fmt.Sprintf("%s (%s)", q.Retirement.ID, checkNames(checks, ", ")))
		}
	}
	if len(failed) > 0 {
		r.warn("checks failed in %s, which says why: %s", name, someOf(failed))
	}
}
