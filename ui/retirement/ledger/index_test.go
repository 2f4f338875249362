package ledger

import (
	"fmt"
	"testing"
	"time"

	"tonne/api/audit"
	"tonne/api/session"
	"tonne/model/retirement"
	"tonne/ui/style"
	"tonne/ui/tab"
)

func TestFindingsAreNotComputedWhileDrawing(t *testing.T) {
	// This test counts allocations, so it does not run in parallel.
	of := func(ranges int) *session.Request {
		a := &retirement.Request{ID: fmt.Sprintf("00m%d", ranges), Status: retirement.Complete}
		for i := range ranges {
			a.SerialNumbers = append(a.SerialNumbers, fmt.Sprintf("ACR-FR-1-2025-2917-%d to %d", i*100, i*100+99))
		}
		return &session.Request{ID: a.ID, Answer: a}
	}
	l := New(&tab.View{Theme: style.NewTheme(style.Mono), Location: time.UTC, Now: time.Now, Context: t.Context()})
	l.Show([]*session.Request{of(1), of(2000)})
	l.Take(newIndex(l.rows, nil))
	var found []retirement.Check
	count := func(id string) float64 {
		r, _ := l.Find(id)
		return testing.AllocsPerRun(10, func() { found = l.Findings(r) })
	}
	few, many := count("00m1"), count("00m2000")
	if many > few {
		t.Errorf("the findings of 2000 ranges take %.0f allocations, those of one %.0f", many, few)
	}
	if last := found[len(found)-1]; last.Name != audit.SerialsRetiredOnce || last.Result != retirement.Fail {
		t.Errorf("found %+v", found)
	}
}
