package retire

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"tonne/api"
	"tonne/api/retire"
)

// fails returns an outcome of a call that could not be sent or recorded.
func fails(o retire.Call, err error) func(int, func(int, error)) (retire.Call, error) {
	return func(int, func(int, error)) (retire.Call, error) { return o, err }
}

// A call that may have taken effect and cannot be sent again now would be made
// twice by a new plan.
func TestUnknownOutcomeIsResumedAndNeverPlannedAgain(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		err  error
		says string
	}{
		"another program sends it":     {retire.ErrHeld, "another program is making this call"},
		"another program abandoned it": {retire.ErrEnded, "another program has ended this call"},
		"the disk is full":             {fmt.Errorf("%w: %w", retire.ErrDisk, context.DeadlineExceeded), "the journal cannot be written"},
		"the program exits":            {context.Canceled, "the program is exiting"},
		"the journal cannot be opened": {context.DeadlineExceeded, "outcome unknown"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPerson(t)
			p.flow.outcome = silent
			p.retires("2.5")
			p.flow.outcome = fails(retire.Call{}, test.err)
			for range 2 {
				p.later("enter")
				p.Sees("? outcome unknown", test.says, "sends it again with the same id")
			}
			p.SeesNot("plans again", "nothing was bought")
			if len(p.flow.sent) != 1 || len(p.flow.resumed) != 2 {
				t.Errorf("sent %d calls and resumed %v, want 1 call resumed twice", len(p.flow.sent), p.flow.resumed)
			}
		})
	}
}

func TestListDoesNotClaimNothingWasBoughtIfAnotherProgramSendsTheCall(t *testing.T) {
	t.Parallel()
	p := starts(t, []retire.Call{pendingCall("tonne-one", retire.Unknown, true)})
	p.flow.outcome = fails(retire.Call{}, retire.ErrHeld)
	p.later("enter")
	p.confirms("2.5")
	p.Sees("? outcome unknown", "another program is making this call")
	p.SeesNot("nothing was bought")
}

func TestUnrecordedRefusalIsResumedAndNotPlannedAgain(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	refused := retire.Call{State: retire.Refused, Err: &api.Error{Kind: api.Invalid, Status: 422, Code: "PRICE_SUPPLIED_DIFF_CURRENT_PRICE"}}
	p.flow.outcome = fails(refused, retire.ErrDisk)
	p.retires("2.5")
	p.Sees("✗ not done · the price moved", "The journal could not be written", "sends it again with the same id")
	p.flow.outcome = fails(refused, nil)
	p.later("enter")
	p.Sees("✗ the price moved", "plans again")
	p.SeesNot("could not be written")
	if want := []string{p.flow.sent[0].ExternalID}; !slices.Equal(p.flow.resumed, want) {
		t.Errorf("resumed %v, want %v", p.flow.resumed, want)
	}
}

func TestFullDiskShowsCauseAndAdvice(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	p.flow.outcome = fails(retire.Call{}, fmt.Errorf("%w: sqlite: step: SQLITE_FULL", retire.ErrDisk))
	p.retires("2.5")
	p.Sees("✗ not done · the journal cannot be written · nothing was bought", "Make room on the disk", "plans again")
	p.SeesNot("sqlite", "SQLITE")
	p = newPerson(t)
	p.flow.outcome = fails(retire.Call{State: retire.Done, RequestID: "00mrequest00000001"}, retire.ErrDisk)
	p.retires("2.5")
	p.Sees("✓ done · request 00mrequest00000001", "The journal could not be written", "Make room on the disk")
}

// Confirming a plan writes all its calls to the journal, so another program may send
// the second call while this one sends the first.
func TestSecondCallSentByAnotherProgramHasUnknownOutcome(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	p.flow.outcome = func(n int, again func(int, error)) (retire.Call, error) {
		if n == 2 {
			return retire.Call{}, retire.ErrHeld
		}
		return accepted(n, again)
	}
	p.retires("900.5")
	p.Sees("? outcome unknown · another program is making this call", "sends it again with the same id")
	p.SeesNot("nothing was bought", "plans the rest")
	if said := p.Said[len(p.Said)-1]; !strings.Contains(said, "then outcome unknown") {
		t.Errorf("message %q, want an unknown outcome", said)
	}
}

// Confirm fails if another program has confirmed the same request first.
func TestUnconfirmedPlanReportsThatNothingWasBought(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	p.plans("2.5")
	p.flow.made = append(p.flow.made, retire.Call{ExternalID: "other", Reference: "2026-Q4/flight-9", Request: retire.RequestText(p.line().Request)})
	p.types("2.5")
	p.press("enter")
	p.Sees("✗ not done · another program is making this call · nothing was bought")
}
