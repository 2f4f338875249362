package retirement

import (
	"slices"
	"testing"
	"time"

	"tonne/api/session"
)

// In a shared session all terminals of a user have the same requests.
func TestRequestRestoredByAnotherTerminalIsShown(t *testing.T) {
	t.Parallel()
	r1, r2 := &session.Request{ID: "R1"}, &session.Request{ID: "R2"}
	var e entries
	e.receive([]*session.Request{r1, r2})
	e.remove(r2)
	check := func(when string, want ...string) {
		t.Helper()
		var got []string
		for _, r := range e.requests() {
			got = append(got, r.ID)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, not %v", when, got, want)
		}
	}
	check("removed", "R1")
	e.receive([]*session.Request{r1, r2})
	check("told of before the session knew", "R1")
	e.receive([]*session.Request{r1})
	check("gone", "R1")
	e.receive([]*session.Request{r1, r2})
	check("brought back elsewhere", "R1", "R2")
	if _, there := e.restore(); !there {
		t.Error("an existing request is restored again")
	}
}

func TestRequestRestoredAtOnceIsListedOnce(t *testing.T) {
	t.Parallel()
	r1 := &session.Request{ID: "R1"}
	for name, back := range map[string]func(*entries){
		"restored": func(e *entries) { e.restore() },
		"typed":    func(e *entries) { e.add([]session.Entry{{ID: "R1"}}, time.Now()) },
	} {
		var e entries
		e.receive([]*session.Request{r1})
		e.remove(r1)
		back(&e)
		for _, when := range []string{"at once", "once the session knows"} {
			if got := e.requests(); len(got) != 1 || got[0].ID != "R1" {
				t.Errorf("%s, %s: %v", name, when, got)
			}
			e.receive([]*session.Request{r1})
		}
	}
}
