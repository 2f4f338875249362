package audit

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"tonne/api"
	"tonne/api/audit/reconcile"
	"tonne/model"
	"tonne/model/attribute"
	"tonne/model/file/store"
	"tonne/model/portfolio"
	"tonne/model/retirement"
	"tonne/model/statement"
)

// Ledger has the retirement requests that this machine knows.
type Ledger struct {
	Entries  []store.LedgerEntry
	Projects model.Projects
	// Calls are the calls of the journal, by request id.
	Calls map[string][]retirement.JournalEntry
}

// Ledger reads the ledger. It first adds the requests of successful calls that are
// missing because a program was killed.
func (a *Auditor) Ledger(ctx context.Context) (*Ledger, error) {
	calls, _, err := a.enterJournaled(ctx)
	if err != nil {
		return nil, err
	}
	l, of := &Ledger{}, a.Store.Of(a.Origin)
	if l.Entries, err = of.Ledger.Entries(ctx); err != nil {
		return nil, err
	}
	if l.Projects, err = of.Cache.Projects(ctx); err != nil {
		return nil, err
	}
	l.Calls = retirement.FollowCalls(calls, Answered(l.Entries))
	return l, a.Store.Problem()
}

// enterJournaled enters the requests of the journal. It returns its calls, and whether a request was new.
func (a *Auditor) enterJournaled(ctx context.Context) (calls []retirement.JournalEntry, entered bool, err error) {
	calls, err = a.Journal(ctx)
	if err != nil || len(calls) == 0 {
		return nil, false, err
	}
	ids := make([]string, len(calls))
	for i, c := range calls {
		ids[i] = c.RequestID
	}
	entered, err = a.Store.Of(a.Origin).Ledger.RememberJournaled(ctx, a.Now(), ids...)
	return calls, entered, err
}

// Answered returns the answers of the entries that have one.
func Answered(entries []store.LedgerEntry) (answers []*retirement.Request) {
	for _, e := range entries {
		if e.Answer != nil {
			answers = append(answers, e.Answer)
		}
	}
	return answers
}

func certificatesOf(entries []store.LedgerEntry) map[string]retirement.Certificate {
	saved := make(map[string]retirement.Certificate)
	for _, e := range entries {
		if e.Certificate != (retirement.Certificate{}) {
			saved[e.ID] = e.Certificate
		}
	}
	return saved
}

// freshFor is the age up to which an answer counts as current.
const freshFor = time.Minute

// Refresh looks up the requests that may have changed and stores the answers. It returns
// the number of failed look-ups and of all look-ups.
func (a *Auditor) Refresh(ctx context.Context, l *Ledger) (failed, all int, err error) {
	var ids []string
	var old []*store.LedgerEntry
	for i := range l.Entries {
		if e := &l.Entries[i]; e.Answer == nil || !e.Status.Final() && a.Now().Sub(e.AnsweredAt) > freshFor {
			ids, old = append(ids, e.ID), append(old, e)
		}
	}
	if len(ids) == 0 {
		return 0, 0, nil
	}
	answers, err := a.LookUp(ctx, LookUp{Progress: func(done, total int) { a.Progress("request %d of %d", done, total) }},
		ids)
	if err != nil {
		return 0, len(ids), err
	}
	lookUps := make([]store.LookUp, len(answers))
	for i, answer := range answers {
		lookUps[i] = store.LookUp{ID: answer.ID, At: a.Now()}
		if answer.Err != nil {
			lookUps[i].Error = answer.Err.Error()
			failed++
			continue
		}
		lookUps[i].Answer = &answers[i].Retirement
		e := old[i]
		e.Answer, e.AnsweredAt, e.Status = lookUps[i].Answer, lookUps[i].At, answer.Retirement.Status
	}
	return failed, len(ids), a.Store.Of(a.Origin).Ledger.Record(ctx, lookUps...)
}

// Records returns the searchable records of the requests, in the order of the entries.
func (l *Ledger) Records() []retirement.LedgerRecord {
	records := make([]retirement.LedgerRecord, len(l.Entries))
	project := l.Projects.ByVintage()
	for i, e := range l.Entries {
		records[i] = l.record(e, project)
	}
	return records
}

func (l *Ledger) record(e store.LedgerEntry, project func(vintageID string) string) retirement.LedgerRecord {
	made := retirement.NewJournaled(e.ID, l.Calls[e.ID])
	r := retirement.LedgerRecord{ID: e.ID, Label: e.Label, Reference: made.Reference(), Batch: made.Batch,
		Answer: e.Answer}
	if e.Answer == nil {
		r.Planned = made.Plan(project)
	}
	if known := r.Known(); known != nil {
		r.Project = l.Projects[known.ProjectID]
	}
	return r
}

// Unanswered returns the number of requests that were never found on the service.
func (l *Ledger) Unanswered() (n int) {
	for _, e := range l.Entries {
		if e.Answer == nil {
			n++
		}
	}
	return n
}

// FailedChecks returns the failed checks of each record. It reads no certificates.
func (l *Ledger) FailedChecks(records []retirement.LedgerRecord) [][]FailedCheck {
	known := NewRecords(l.Entries)
	failed := make([][]FailedCheck, len(records))
	for i, r := range records {
		if r.Answer != nil {
			project, there := l.Projects[r.Answer.ProjectID]
			failed[i] = known.FailedChecks(Request{Retirement: *r.Answer, Project: project, ProjectKnown: there})
		}
	}
	return failed
}

// Reconcile compares the user's own records with the ledger. It looks up the ids that the ledger
// lacks, and enters those that the marketplace knows. The error is that of a look-up, unless the
// marketplace does not know the id.
func (a *Auditor) Reconcile(ctx context.Context, l *Ledger, records []reconcile.Record) (reconcile.Reconciliation,
	error) {
	var requests []reconcile.Request
	known := make(map[string]bool)
	add := func(answer *retirement.Request, label string) {
		known[answer.ID] = true
		requests = append(requests, reconcile.Request{Request: *answer, Label: label, Calls: l.Calls[answer.ID]})
	}
	var unanswered []string
	for _, e := range l.Entries {
		if e.Answer == nil {
			unanswered = append(unanswered, e.ID)
			continue
		}
		add(e.Answer, e.Label)
	}
	given := make(map[string]bool)
	var ids []string
	for _, r := range records {
		if r.ID != "" && !known[r.ID] && !given[r.ID] {
			ids = append(ids, r.ID)
		}
		given[r.ID] = true
	}
	answers, err := a.LookUp(ctx, LookUp{Progress: func(done, total int) { a.Progress("id %d of %d", done, total) }}, ids)
	if err == nil {
		err = failedLookUp(answers)
	}
	if err != nil {
		return reconcile.Reconciliation{}, err
	}
	if err := a.Enter(ctx, answers, ""); err != nil && a.Warn != nil {
		a.Warn("cannot write to the ledger", "error", err)
	}
	for i := range answers {
		if answers[i].Err == nil {
			add(&answers[i].Retirement, "")
		}
	}
	result := reconcile.New(records, requests)
	result.Unanswered = len(slices.DeleteFunc(unanswered, func(id string) bool { return given[id] }))
	return result, nil
}

// failedLookUp returns the first error that leaves open whether the marketplace knows an id.
func failedLookUp(answers []Answer) (first error) {
	for _, answer := range answers {
		switch api.KindOf(answer.Err) {
		case api.NotFound, api.Invalid:
			continue
		}
		if answer.Err != nil && !errors.As(answer.Err, new(*NotAskedError)) {
			return answer.Err
		}
		first = cmp.Or(first, answer.Err)
	}
	return first
}

// Inventory reads the inventory with all trades.
func (a *Auditor) Inventory(ctx context.Context) (*portfolio.Inventory, error) {
	return a.Client.Inventory(ctx, api.InventoryQuery{}, func(_ *portfolio.Inventory, page model.Page) {
		a.Progress("page %d of %d", page.Current, page.TotalPages)
	})
}

// Statement returns the source of a statement of the inventory and the ledger. The caller
// sets period and grouping.
func (a *Auditor) Statement(ctx context.Context, inv *portfolio.Inventory, l *Ledger) (statement.Source, error) {
	source := statement.Source{Now: a.Now(), Inventory: inv, Requests: Answered(l.Entries),
		Certificates: certificatesOf(l.Entries)}
	ids := inv.ProjectIDs()
	for _, request := range source.Requests {
		ids = append(ids, request.ProjectID)
	}
	source.Projects = a.Projects(ctx, ids)
	facts, err := a.Store.Of(a.Origin).Annotations.Facts(ctx)
	source.Facts = attribute.NewFacts(facts)
	return source, err
}
