package retire

import (
	"strings"
	"testing"

	"tonne/api/retire"
)

// A lost journal may have made the whole plan. The service reports this for the first call.
func TestCallMadeByAnotherJournalStopsThePlan(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	p.flow.outcome = func(int, func(int, error)) (retire.Call, error) {
		return retire.Call{State: retire.Done, RequestID: "00m1", Elsewhere: true}, nil
	}
	p.retires("900.5")
	p.Sees("✗ this was retired before", "retirement requests: 00m1", "nothing more", "↵ leaves")
	p.SeesNot("✓ done")
	if len(p.flow.sent) != 1 || len(p.flow.abandoned) == 0 {
		t.Errorf("sent %d calls, want 1; abandoned %v, want the rest", len(p.flow.sent), p.flow.abandoned)
	}
	if said := p.Said[len(p.Said)-1]; !strings.Contains(said, "his was retired before") {
		t.Errorf("message %q, want an earlier retirement", said)
	}
}

func TestReferenceUsedByAnotherJournalIsNotPlanned(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	p.flow.elsewhere = retire.Elsewhere("00m1", "00m2")
	p.begins("2.5")
	p.press("enter")
	p.Sees("retired before", "00m1, 00m2")
	if len(p.flow.confirmed) != 0 || len(p.flow.sent) != 0 {
		t.Errorf("confirmed %v and sent %v, want none", p.flow.confirmed, p.flow.sent)
	}
}
