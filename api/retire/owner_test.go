package retire

import (
	"errors"
	"slices"
	"testing"
)

// Who waits for the answer to a call of a program that lives has nothing to find
// out yet.
func TestACallOfAProgramThatLivesIsUnderWay(t *testing.T) {
	t.Parallel()
	looking, path := fresh(t)
	sending, err := openJournal(t.Context(), path)
	must(t, err)
	attempt, err := sending.start(newCall("a-1"))
	must(t, err)
	must(t, looking.prepare(newCall("a-2")))
	is := func(j *journal, want ...bool) {
		t.Helper()
		calls, err := j.unsettled(desk)
		must(t, err)
		sent := 0
		for i, c := range calls {
			if i >= len(want) || c.UnderWay != want[i] {
				t.Errorf("%s is under way: %v", c.ExternalID, c.UnderWay)
			}
			if !c.UnderWay && c.State != Prepared {
				sent++
			}
		}
		if len(calls) != len(want) || len(NotKnown(calls)) != sent {
			t.Errorf("%d calls, %d not known", len(calls), len(NotKnown(calls)))
		}
	}
	is(sending, true, false)
	is(looking, true, false)
	must(t, attempt.end(ending{State: Unknown, Message: "no answer"}))
	is(looking, false, false)
	_, err = sending.begin(desk, "a-1")
	must(t, err)
	is(looking, true, false)
	must(t, sending.close())
	is(looking, false, false)
}

// givenUp are the calls that were given up in doubt.
func givenUp(j *journal) ([]Call, error) {
	calls, err := j.unsettled(desk)
	return slices.DeleteFunc(calls, Call.Open), err
}

// What was never sent cannot have been carried out.
func TestACallIsNotKnownOnceItWasSent(t *testing.T) {
	t.Parallel()
	j, _ := fresh(t)
	must(t, j.prepare(newCall("a-1"), newCall("a-2")))
	is := func(want int) {
		t.Helper()
		calls, err := j.unsettled(desk)
		if err != nil || len(calls) != 2 || len(NotKnown(calls)) != want {
			t.Errorf("%d calls, %d not known, %v", len(calls), len(NotKnown(calls)), err)
		}
	}
	is(0)
	attempt, err := j.begin(desk, "a-1")
	must(t, err)
	is(0)
	must(t, attempt.end(ending{State: Unknown, Message: "no answer"}))
	is(1)
	must(t, j.giveUp(desk, "a-1"))
	is(1)
}

// twice returns two calls of the same single retirement with the same reference.
func twice() (first, again Call) {
	first, again = newCall("a-1"), newCall("a-2")
	first.Batch, again.Batch = "", ""
	first.Request, again.Request = "w", "w"
	again.Reference = first.Reference
	return first, again
}

// A proxy may send 403 for a call that the service carried out.
func TestACallThatWasTurnedAwayIsGivenUpInDoubt(t *testing.T) {
	t.Parallel()
	j, _ := fresh(t)
	first, again := twice()
	attempt, err := j.start(first)
	must(t, err)
	must(t, attempt.end(ending{State: Sent, TurnedAway: 403, Message: "no"}))
	must(t, j.giveUp(desk, "a-1"))
	if calls, err := givenUp(j); err != nil || len(calls) != 1 {
		t.Errorf("%d calls in doubt, %v", len(calls), err)
	}
	if _, err := j.start(again); !errors.Is(err, ErrUnsettled) {
		t.Errorf("started in doubt: %v", err)
	}
}
