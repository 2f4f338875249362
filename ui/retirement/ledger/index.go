package ledger

import (
	"cmp"
	"context"
	"slices"

	"tonne/api/audit"
	"tonne/model"
	"tonne/model/retirement"
	"tonne/ui/effect"
	"tonne/ui/tab"
)

// Index has the search index and the checks of all requests. It is computed in the background
// and immutable.
type Index struct {
	rows   []Row
	places map[string]int
	search *retirement.LedgerIndex
	// once and answered are the results of the checks, by position in rows.
	once     []retirement.Check
	answered []tally
}

func (b *Index) of(rows []Row) bool {
	return slices.EqualFunc(b.rows, rows, func(a, b Row) bool {
		return a.ID == b.ID && a.Label == b.Label && a.Answer == b.Answer && a.project == b.project &&
			a.reference == b.reference && a.batch == b.batch && samePlan(a.planned, b.planned)
	})
}

func samePlan(a, b *retirement.Request) bool {
	return a == b || a != nil && b != nil && a.ProjectID == b.ProjectID && a.TotalQuantity == b.TotalQuantity
}

func (l *Ledger) work() effect.Effect {
	if l.working || l.index.of(l.rows) {
		return nil
	}
	l.working = true
	rows, projects := l.rows, l.view.Projects
	return effect.Work(func(context.Context) any { return newIndex(rows, projects) })
}

// Take replaces the index and refreshes the list.
func (l *Ledger) Take(b *Index) effect.Effect {
	l.index, l.working = b, false
	work := l.work()
	return effect.Batch(l.Tally(), work)
}

func newIndex(rows []Row, projects model.Projects) *Index {
	b := &Index{rows: rows, places: make(map[string]int, len(rows)), answered: make([]tally, len(rows))}
	records, answers := make([]retirement.LedgerRecord, len(rows)), make([]*retirement.Request, len(rows))
	for n, r := range rows {
		b.places[r.ID] = n
		records[n] = r.record(projects)
		if answers[n] = r.Answer; r.Answer == nil {
			continue
		}
		_, known := projects[r.Answer.ProjectID]
		checks := r.Answer.Checks(records[n].Project, known)
		for i := range checks {
			if r.Answer.FailedBy(checks[i]) {
				checks[i].Result = retirement.Fail
			}
		}
		b.answered[n] = tally{}.with(checks...)
	}
	b.search = retirement.NewLedgerIndex(records)
	b.once = audit.RetiredOnce(answers)
	return b
}

// Findings returns the results of the checks that need more data than the service's response.
// It computes none, because the list calls it for every row.
func (l *Ledger) Findings(r Row) []retirement.Check {
	s := audit.Subject{Answer: r.Answer, Certificate: r.Certificate, File: r.FileStatus, LedgerLost: l.Lost}
	if n, ok := l.index.places[r.ID]; ok && l.index.rows[n].Answer == r.Answer {
		s.RetiredOnce = l.index.once[n]
	}
	if l.Read != nil {
		s.Agrees = l.Read(r)
	}
	return s.Findings()
}

type tally struct {
	failed string
	passed int32
}

func (t tally) with(checks ...retirement.Check) tally {
	for _, c := range checks {
		switch c.Result {
		case retirement.Fail:
			if t.failed != "" {
				t.failed += ", "
			}
			t.failed += CheckTitle(c.Name)
		case retirement.Pass:
			t.passed++
		}
	}
	return t
}

func (t tally) String() string {
	switch {
	case t.failed != "":
		return t.failed
	case t.passed > 0:
		return tab.Number(int64(t.passed)) + " pass"
	}
	return ""
}

// Tally counts the check results of all requests again and refreshes the list.
func (l *Ledger) Tally() effect.Effect {
	l.rows = slices.Clone(l.rows)
	for i := range l.rows {
		l.rows[i].checks = l.tallied(l.rows[i])
	}
	return l.Narrow()
}

func (l *Ledger) tallied(r Row) (t tally) {
	if n, ok := l.index.places[r.ID]; ok && l.index.rows[n].Answer == r.Answer {
		t = l.index.answered[n]
	}
	return t.with(l.Findings(r)...)
}

var checkTitles = map[string]string{
	retirement.ItemsSumToTotal:         "items sum to total",
	retirement.SerialsSumToWholeTonnes: "serial ranges sum to whole tonnes",
	retirement.InvoicesSettled:         "invoices settled",
	retirement.BeneficiaryPresent:      "beneficiary on every item",
	retirement.SerialsMatchVintage:     "project and vintage agree with serials",
	audit.CertificateOnFile:            "certificate on file",
	audit.CertificateAgrees:            "certificate agrees with the request",
	audit.SerialsRetiredOnce:           "credits retired once",
}

// CheckTitle returns the display name of a check.
func CheckTitle(name string) string { return cmp.Or(checkTitles[name], name) }
