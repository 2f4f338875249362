package cli

import (
	"context"

	"tonne/api/audit"
	"tonne/model/store"
)

func (a *app) auditor(local *store.Store, origin string, p *progress) *audit.Auditor {
	return &audit.Auditor{
		Store: local, Origin: origin, Version: buildVersion().Version, Now: a.Now, Journal: a.journalOf(origin), Progress: p.tell, KeepIn: a.certificatesDir(),
	}
}

func (r *reading) auditor(a *app) *audit.Auditor {
	return a.auditor(r.details.store, r.baseURL, r.progress)
}

func (a *app) evidenceSource(service string, showTaxIDs bool) audit.Source {
	return a.auditor(nil, service, nil).Source(showTaxIDs)
}

// unreadRecords is the failure of evidence if records of this machine cannot be
// read: nothing must be filed as absent that is only unknown.
func unreadRecords(problem error) error {
	if problem == nil {
		return nil
	}
	return failed("what this machine knows of the requests is in that file", "%v", problem)
}

func (a *lookUpResult) audited() audit.Answer {
	if a.err != nil {
		return audit.Answer{ID: a.id, LeftOut: explain(ran{a.err}).what}
	}
	answer := audit.Answer{ID: a.id, Retirement: a.retirement, Body: a.answer, Certificate: a.certificate}
	if a.certificateErr != nil {
		answer.FetchProblem = explain(ran{a.certificateErr}).what
	}
	return answer
}

func (r *retirementRun) answers() []audit.Answer {
	answers := make([]audit.Answer, len(r.results))
	for i, a := range r.results {
		answers[i] = a.audited()
	}
	return answers
}

// sources returns what the evidence of the look-ups is made of, in the order of the
// ids. They are checked once: what is printed, filed and packed is the same. The
// error is that ctx ended.
func (r *retirementRun) sources(ctx context.Context) ([]audit.Request, error) {
	if r.checked == nil {
		checked, err := r.reading.auditor(r.app).Examine(ctx, r.answers(), r.details.known)
		r.progress.clear()
		if err != nil {
			return nil, err
		}
		r.checked = checked
	}
	return r.checked.Sources, nil
}

func (r *retirementRun) filed(ctx context.Context) ([]audit.Request, error) {
	sources, err := r.sources(ctx)
	if err == nil {
		err = unreadRecords(r.checked.Records.Problem)
	}
	return sources, err
}

func (r *retirementRun) enterLedger(ctx context.Context) {
	if err := r.reading.auditor(r.app).Enter(ctx, r.answers(), r.certificates); err != nil {
		r.warn("the ledger of this machine was not written: %v", err)
	}
}
