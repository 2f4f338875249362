package ledger

import (
	"fmt"
	"testing"
	"time"

	"tonne/api/audit"
	"tonne/api/session"
	"tonne/model"
	"tonne/ui/effect"
	"tonne/ui/style"
	"tonne/ui/tab"
)

func TestWhatIsFoundOfARequestIsWorkedOutBeforeItIsShown(t *testing.T) {
	// Not in parallel: it counts allocations.
	of := func(ranges int) *session.Request {
		a := &model.Retirement{ID: fmt.Sprintf("00m%d", ranges), Status: model.Complete}
		for i := range ranges {
			a.SerialNumbers = append(a.SerialNumbers, fmt.Sprintf("ACR-FR-1-2025-2917-%d to %d", i*100, i*100+99))
		}
		return &session.Request{ID: a.ID, Answer: a}
	}
	l := New(&tab.View{Theme: style.NewTheme(style.Mono), Location: time.UTC, Now: time.Now, Context: t.Context()})
	l.Show([]*session.Request{of(1), of(2000)})
	l.Take(newIndex(l.rows, nil))
	var found []model.Check
	count := func(id string) float64 {
		r, _ := l.Find(id)
		return testing.AllocsPerRun(10, func() { found = l.Findings(r) })
	}
	few, many := count("00m1"), count("00m2000")
	if many > few {
		t.Errorf("the findings of 2000 ranges take %.0f allocations, those of one %.0f", many, few)
	}
	if last := found[len(found)-1]; last.Name != audit.SerialsRetiredOnce || last.Result != model.Fail {
		t.Errorf("found %+v", found)
	}
}

func TestDashboardsOfOnePersonShareAnIndex(t *testing.T) {
	t.Parallel()
	cache := new(IndexCache)
	of := func(requests ...*session.Request) *Index {
		l := New(&tab.View{Theme: style.NewTheme(style.Mono), Location: time.UTC, Now: time.Now, Context: t.Context()})
		l.IndexCache = cache
		return l.Show(requests).(effect.Work)(t.Context()).(*Index)
	}
	one, other := &session.Request{ID: "R1"}, &session.Request{ID: "R2"}
	first := of(one, other)
	if again := of(one, other); again != first {
		t.Error("the same requests have an index of their own")
	}
	named := *other
	named.Label = "mine"
	if next := of(one, &named); next == first || next.search.Find("mine") == nil || first.search.Find("mine") != nil {
		t.Error("what is known of a request is not in the index")
	}
}
