package audit

import (
	"context"
	"slices"
	"strings"

	"tonne/model"
	"tonne/model/file/store"
	"tonne/model/retirement"
)

// Search returns the part of the ledger in which LedgerIndex.Find finds, of the records that
// searched returns, what it finds in the whole ledger, with the same checks. It has each request
// whose time of creation is unknown.
func (a *Auditor) Search(ctx context.Context, text string,
	searched func([]retirement.LedgerRecord) []retirement.LedgerRecord) (*Ledger, error) {
	whole, words, narrow := retirement.NewLedgerSearches(text)
	if !narrow {
		return a.Ledger(ctx)
	}
	x, updated, projects, err := a.searchIndex(ctx)
	if err != nil {
		return nil, err
	}
	l, err := a.selected(ctx, x, whole, projects)
	if err == nil && len(strings.Fields(text)) > 1 {
		if !retirement.NewLedgerIndex(searched(l.Records())).HasWhole(text) {
			l, err = a.selected(ctx, x, words, projects)
		}
	}
	if err != nil {
		return nil, err
	}
	// The search has its result even if the index cannot be written.
	problem := a.Store.Problem()
	if updated != nil {
		if err := a.Store.Of(a.Origin).Ledger.PutSearchRows(ctx, x, updated); err != nil && a.Warn != nil {
			a.Warn("cannot write the index of the ledger", "error", err)
		}
	}
	return l, problem
}

func (a *Auditor) selected(ctx context.Context, x store.SearchIndex, search retirement.LedgerSearch,
	projects model.Projects) (*Ledger, error) {
	keys := make([]retirement.LedgerKey, len(x.Rows))
	for n, row := range x.Rows {
		keys[n] = row.LedgerKey
	}
	numbers, few := search.Select(keys, func(n int) bool { return !x.Rows[n].Dated })
	if !few {
		return a.Ledger(ctx)
	}
	l := &Ledger{Projects: projects, Calls: make(map[string][]retirement.JournalEntry)}
	ids := make([]string, len(numbers))
	for i, n := range numbers {
		row := x.Rows[n]
		ids[i] = row.ID
		l.Calls[row.ID] = []retirement.JournalEntry{{Reference: row.Reference, Batch: row.Batch}}
	}
	var err error
	if l.Entries, err = a.Store.Of(a.Origin).Ledger.EntriesOf(ctx, ids); err != nil || l.Unanswered() == 0 {
		return l, err
	}
	// A search reads all requests without an answer. Their plans are only in the journal.
	calls, err := a.Journal(ctx)
	placed := retirement.FollowCalls(calls, Answered(l.Entries))
	for _, e := range l.Entries {
		if e.Answer == nil {
			l.Calls[e.ID] = placed[e.ID]
		}
	}
	return l, err
}

// searchIndex returns the index with a row for each request. The updated rows, nil if the index
// was up to date, are not written yet.
func (a *Auditor) searchIndex(ctx context.Context) (x store.SearchIndex, updated []store.SearchRow,
	projects model.Projects, err error) {
	of := a.Store.Of(a.Origin)
	count, err := a.CountJournal(ctx)
	if err == nil {
		x, err = of.Ledger.SearchIndex(ctx)
	}
	if err == nil {
		projects, err = of.Cache.Projects(ctx)
	}
	if err != nil || x.Calls == count && len(x.Missing) == 0 {
		return x, nil, projects, err
	}
	calls, entered, err := a.enterJournaled(ctx)
	if entered {
		// The index lacks what was entered.
		x, err = of.Ledger.SearchIndex(ctx)
	}
	if err != nil {
		return x, nil, projects, err
	}
	x.Calls = count
	updated, err = a.updateIndex(ctx, &x, projects, calls)
	return x, updated, projects, err
}

// updateIndex makes the rows that are missing, and those whose calls have changed.
func (a *Auditor) updateIndex(ctx context.Context, x *store.SearchIndex, projects model.Projects,
	calls []retirement.JournalEntry) ([]store.SearchRow, error) {
	local, stale, read := a.Store.Of(a.Origin).Ledger, make(map[string]bool), slices.Clone(x.Missing)
	for _, id := range x.Missing {
		stale[id] = true
	}
	for _, row := range x.Rows {
		if row.Fraction && len(calls) > 0 {
			read = append(read, row.ID)
		}
	}
	entries, err := local.EntriesOf(ctx, read)
	if err != nil {
		return nil, err
	}
	l := Ledger{Projects: projects, Calls: retirement.FollowCalls(calls, Answered(entries))}
	var changed []string
	for _, row := range x.Rows {
		if j := retirement.NewJournaled(row.ID, l.Calls[row.ID]); j.Reference() != row.Reference || j.Batch != row.Batch {
			stale[row.ID], changed = true, append(changed, row.ID)
		}
	}
	more, err := local.EntriesOf(ctx, changed)
	updated, project := []store.SearchRow{}, projects.ByVintage()
	for _, e := range append(entries, more...) {
		if stale[e.ID] {
			updated = append(updated, searchRow(l.record(e, project)))
		}
	}
	x.Rows = append(slices.DeleteFunc(x.Rows, func(row store.SearchRow) bool { return stale[row.ID] }), updated...)
	return updated, err
}

func searchRow(r retirement.LedgerRecord) store.SearchRow {
	row := store.SearchRow{ID: r.ID, Reference: r.Reference, Batch: r.Batch, LedgerKey: r.Key()}
	if a := r.Answer; a != nil {
		row.Project, row.Fraction, row.Dated = a.ProjectID, a.Type == retirement.Fractionalised, a.CreatedAt.Known()
	}
	return row
}
