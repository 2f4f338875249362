package journal

import "testing"

// Who waits for the answer to a call of a program that lives has nothing to find
// out yet.
func TestACallOfAProgramThatLivesIsUnderWay(t *testing.T) {
	t.Parallel()
	looking, path := fresh(t)
	sending, err := Open(t.Context(), path)
	must(t, err)
	attempt, err := sending.Start(newCall("a-1"))
	must(t, err)
	must(t, looking.Prepare(newCall("a-2")))
	is := func(j *Journal, want ...bool) {
		t.Helper()
		calls, err := j.Pending(desk)
		must(t, err)
		known := 0
		for i, c := range calls {
			if i >= len(want) || c.UnderWay != want[i] {
				t.Errorf("%s is under way: %v", c.ExternalID, c.UnderWay)
			}
			if c.UnderWay {
				known++
			}
		}
		if len(calls) != len(want) || len(NotKnown(calls)) != len(want)-known {
			t.Errorf("%d calls, %d not known", len(calls), len(NotKnown(calls)))
		}
	}
	is(sending, true, false)
	is(looking, true, false)
	must(t, attempt.Unknown("no answer"))
	is(looking, false, false)
	_, err = sending.Begin(desk, "a-1")
	must(t, err)
	is(looking, true, false)
	must(t, sending.Close())
	is(looking, false, false)
}
