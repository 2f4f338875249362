package cli

import (
	"context"

	"tonne/api/audit"
	"tonne/api/session"
	"tonne/model"
)

// mostTold is how many faults of a kind are told one by one.
const mostTold = 10

func (a *app) warnOfFaults(l *localLedger, shown func(id string) bool) {
	a.warnOfTwice(l, shown)
	a.warnOfFiles(l, shown)
}

// failedChecks returns the failed checks of each record. No certificate is read:
// there may be as many as requests.
func (l *localLedger) failedChecks(records []model.LedgerRecord) [][]audit.FailedCheck {
	known := audit.NewRecords(l.entries)
	failed := make([][]audit.FailedCheck, len(records))
	for i, r := range records {
		if r.Answer != nil {
			project, there := l.projects[r.Answer.ProjectID]
			failed[i] = known.FailedChecks(audit.Request{Retirement: *r.Answer, Project: project, ProjectKnown: there})
		}
	}
	return failed
}

func (a *app) warnOfTwice(l *localLedger, shown func(id string) bool) {
	var serials []model.OwnedSerial
	for n, e := range l.entries {
		if e.Answer == nil {
			continue
		}
		serials = append(serials, e.Answer.Claims(n)...)
	}
	told := 0
	for _, o := range model.RetiredTwice(serials) {
		one, other := l.entries[o.A.Owner].ID, l.entries[o.B.Owner].ID
		if !shown(one) && !shown(other) {
			continue
		}
		if told++; told <= mostTold {
			a.warn("%s and %s both retired %s", one, other, o.Described())
		}
	}
	if more := told - mostTold; more > 0 {
		a.warn("%s retired twice", model.Count(more, "more serial range was", "more serial ranges were"))
	}
}

func (a *app) warnOfFiles(l *localLedger, shown func(id string) bool) {
	told := 0
	for _, e := range l.entries {
		if e.Certificate.Path == "" || !shown(e.ID) {
			continue
		}
		wrong := session.VerifyFile(e.Certificate.Path, e.Certificate.SHA256).Wrong()
		if wrong == "" {
			continue
		}
		if told++; told <= mostTold {
			a.warn("the certificate of %s, %s, %s", e.ID, e.Certificate.Path, wrong)
		}
	}
	if more := told - mostTold; more > 0 {
		a.warn("%s not what was saved", model.Count(more, "more certificate is", "more certificates are"))
	}
}

func (r *retirementRun) warnOfFound(ctx context.Context) {
	ids := make(map[string]bool, len(r.found))
	for _, a := range r.found {
		ids[a.id] = true
	}
	if len(ids) == 0 {
		return
	}
	ledger, err := r.ledgerOf(ctx, r.details.store, r.baseURL)
	if err != nil {
		r.warn("what this machine knows of the requests cannot be used: %v", err)
		return
	}
	r.warnOfFaults(ledger, func(id string) bool { return ids[id] })
}
