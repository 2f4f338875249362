package retire

import (
	"errors"
	"testing"
)

// planned is a call of a single retirement.
func planned(id string) Call {
	c := newCall(id)
	c.Batch = ""
	return c
}

func states(t *testing.T, j *journal) string {
	t.Helper()
	calls, err := j.list(withReference("flight-9"), desk)
	must(t, err)
	var all string
	for _, c := range calls {
		all += c.ExternalID + " " + string(c.State)
		if c.GivenUp {
			all += " given up"
		}
		all += "; "
	}
	return all
}

// A program that dies in the first call leaves the others in the journal. They are
// sent only on request.
func TestAllCallsOfAConfirmedPlanAreWrittenDownBeforeTheFirstIsSent(t *testing.T) {
	t.Parallel()
	j, path := fresh(t)
	must(t, j.confirm(Confirmed{Calls: []Call{planned("a-1"), planned("a-2")}}))
	attempt, err := j.start(planned("a-1"))
	must(t, err)
	other := opened(t, path)
	if got := states(t, other); got != "a-1 sent; a-2 prepared; " {
		t.Error(got)
	}
	must(t, attempt.end(ending{State: Done, RequestID: "R1"}))
	second, err := j.start(planned("a-2"))
	must(t, err)
	must(t, second.end(ending{State: Done, RequestID: "R2"}))
	if got := states(t, other); got != "a-1 done; a-2 done; " {
		t.Error(got)
	}
}

func TestANewPlanTakesThePlaceOfCallsThatWereNeverSent(t *testing.T) {
	t.Parallel()
	j, _ := fresh(t)
	must(t, j.confirm(Confirmed{Calls: []Call{planned("a-1"), planned("a-2")}}))
	if err := j.confirm(Confirmed{Calls: []Call{planned("b-1")}, Known: 2}); !errors.Is(err, ErrUnsettled) {
		t.Errorf("next to them: %v", err)
	}
	attempt, err := j.start(planned("a-1"))
	must(t, err)
	must(t, attempt.end(ending{State: Done, RequestID: "R1"}))
	if err := j.confirm(Confirmed{Calls: []Call{planned("b-1")}, Replaced: []string{"a-1", "a-2"}, Known: 2}); !errors.Is(err, ErrHeld) {
		t.Errorf("one was sent meanwhile: %v", err)
	}
	must(t, j.confirm(Confirmed{Calls: []Call{planned("b-1")}, Replaced: []string{"a-2", "never written"}, Known: 2}))
	if got := states(t, j); got != "a-1 done; a-2 prepared given up; b-1 prepared; " {
		t.Error(got)
	}
	if _, err := j.start(planned("a-2")); !errors.Is(err, ErrEnded) {
		t.Errorf("what was given up is sent: %v", err)
	}
}

// Two programs plan the same retirement: what the other retired since then is noticed
// before the plan is written.
func TestAPlanThatDidNotCountOnWhatWasRetiredMeanwhileIsNotWrittenDown(t *testing.T) {
	t.Parallel()
	j, path := fresh(t)
	other := opened(t, path)
	attempt, err := other.start(planned("a-1"))
	must(t, err)
	must(t, attempt.end(ending{State: Done, RequestID: "R1"}))
	if err := j.confirm(Confirmed{Calls: []Call{planned("b-1")}}); !errors.Is(err, ErrHeld) {
		t.Errorf("err = %v", err)
	}
	must(t, j.confirm(Confirmed{Calls: []Call{planned("b-1")}, Known: -1}))
}

func TestACallThatWasGivenUpInDoubtStandsInTheWayOfAnother(t *testing.T) {
	t.Parallel()
	j, _ := fresh(t)
	attempt, err := j.start(planned("a-1"))
	must(t, err)
	must(t, attempt.end(ending{State: Unknown, Message: "no answer"}))
	must(t, j.giveUp(desk, "a-1"))
	if _, err := j.start(planned("b-1")); !errors.Is(err, ErrUnsettled) {
		t.Errorf("started: %v", err)
	}
	if err := j.confirm(Confirmed{Calls: []Call{planned("b-1")}, Known: 1}); !errors.Is(err, ErrUnsettled) {
		t.Errorf("confirmed: %v", err)
	}
	if calls, err := givenUp(j); err != nil || len(calls) != 1 || !calls[0].Doubtful() {
		t.Errorf("%v, %v", calls, err)
	}
	must(t, j.settle(desk, "a-1", ""))
	if calls, err := givenUp(j); err != nil || len(calls) != 0 {
		t.Errorf("%v, %v", calls, err)
	}
	must(t, j.confirm(Confirmed{Calls: []Call{planned("b-1")}, Known: 1}))
	attempt, err = j.start(planned("b-1"))
	must(t, err)
	must(t, attempt.end(ending{State: Sent, Message: "nothing was sent"}))
	must(t, j.giveUp(desk, "b-1"))
	if calls, err := givenUp(j); err != nil || len(calls) != 0 {
		t.Errorf("a call without a connection is in doubt: %v, %v", calls, err)
	}
}

// The journal may have been moved away since the plan was made.
func TestAPlanThatKnewOfCallsThatAreGoneIsNotConfirmed(t *testing.T) {
	t.Parallel()
	j, _ := fresh(t)
	if err := j.confirm(Confirmed{Calls: []Call{planned("a-1")}, Known: 1}); !errors.Is(err, ErrHeld) {
		t.Error(err)
	}
	if got := states(t, j); got != "" {
		t.Error(got)
	}
}
