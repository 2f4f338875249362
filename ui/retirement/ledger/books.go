package ledger

import (
	"context"
	"slices"
	"sync"
	"weak"

	"tonne/api/session"
	"tonne/model"
	"tonne/ui/effect"
)

// Books is what is worked out of all requests away from the screen: the index
// that finds them, and the credits that two of them retired. It is not changed
// once it is made.
type Books struct {
	// rows are the requests that it was made of, newest first, and records the
	// same as a search wants them.
	rows    []Row
	records []model.LedgerRecord
	places  map[string]int
	index   *model.LedgerIndex
	// once are the checks that no other request retired the same credits, of
	// the rows that have an answer, and answered what their answers say.
	once     []model.Check
	answered []tally
}

// Shelf has the newest books of one person, while somebody uses them: dashboards
// that show the same ledger have them once. A nil one has none.
type Shelf struct {
	mu     sync.Mutex
	newest weak.Pointer[Books]
}

// books returns the books of rows. It waits for a dashboard that is making them.
func (s *Shelf) books(rows []Row, projects model.Projects) *Books {
	if s == nil {
		return newBooks(rows, projects)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.newest.Value()
	if b == nil || !b.of(rows) {
		b = newBooks(rows, projects)
		s.newest = weak.Make(b)
	}
	return b
}

// of reports whether the books are made of rows like these.
func (b *Books) of(rows []Row) bool {
	return slices.EqualFunc(b.rows, rows, func(a, b Row) bool {
		return a.ID == b.ID && a.Label == b.Label && a.Answer == b.Answer && a.project == b.project && a.reference == b.reference
	})
}

// work makes the books anew if a request is not in them as it is now. One is
// made at a time.
func (l *Ledger) work() effect.Effect {
	if l.books.of(l.rows) {
		l.fresh = nil
		return nil
	}
	l.fresh = l.fresh[:0]
	for _, r := range l.rows {
		if _, known := l.books.places[r.ID]; !known {
			l.fresh = append(l.fresh, r)
		}
	}
	if l.working {
		return nil
	}
	l.working = true
	rows, projects := l.rows, l.view.Projects
	return effect.Work(func(context.Context) any { return l.Shelf.books(rows, projects) })
}

// Take takes books that were made, and shows what they find.
func (l *Ledger) Take(b *Books) effect.Effect {
	l.books, l.working = b, false
	work := l.work()
	return effect.Batch(l.Tally(), work)
}

func newBooks(rows []Row, projects model.Projects) *Books {
	b := &Books{rows: rows, records: make([]model.LedgerRecord, len(rows)), places: make(map[string]int, len(rows)), once: make([]model.Check, len(rows)), answered: make([]tally, len(rows))}
	var serials []model.OwnedSerial
	for n, r := range rows {
		b.places[r.ID] = n
		b.records[n] = model.LedgerRecord{ID: r.ID, Label: r.Label, Reference: r.reference, Answer: r.Answer}
		if r.Answer == nil {
			continue
		}
		project, known := projects[r.Answer.ProjectID]
		b.records[n].Project = project
		checks := r.Answer.Checks(project, known)
		for i := range checks {
			if r.Answer.DoubtedBy(checks[i]) {
				checks[i].Result = model.Fail
			}
		}
		b.answered[n] = tally{}.with(checks...)
		serials = append(serials, r.Answer.Claims(n)...)
	}
	b.index = model.NewLedgerIndex(b.records)
	twice := model.Overlaps(serials)
	for n, r := range rows {
		if r.Answer != nil {
			b.once[n] = model.CheckRetiredOnce(*r.Answer, twice[n], func(owner int) string { return rows[owner].Answer.ID })
		}
	}
	return b
}

// Findings are the checks of more than the service's answer that are known
// here: of the file that was saved, and of what other requests retired. What is
// not looked at yet is not among them: nothing is worked out here, while a person
// waits for a frame.
func (l *Ledger) Findings(r Row) []model.Check {
	if r.Answer == nil {
		return nil
	}
	var checks []model.Check
	state := model.CertificateState{Saved: model.At(r.Certificate.FetchedAt), Wrong: r.FileStatus.Wrong(), Superseded: r.FileStatus == session.Superseded}
	if l.Lost {
		state.Unread = model.NoLedger
	}
	if r.Certificate.Path == "" || r.FileStatus != session.NotVerified {
		checks = append(checks, model.CheckCertificateOnFile(state))
	}
	if n, ok := l.books.places[r.ID]; ok && l.books.rows[n].Answer == r.Answer {
		checks = append(checks, l.once(n))
	}
	return checks
}

// once is the check that no other request holds the credits of one in the books.
func (l *Ledger) once(n int) model.Check {
	if l.Lost {
		return l.books.once[n].WithoutLedger()
	}
	return l.books.once[n]
}
