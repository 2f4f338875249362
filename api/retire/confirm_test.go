package retire

import (
	"testing"

	must "tonne/model/musttest"
)

func TestPlanReplacesCallsThatWereNeverSent(t *testing.T) {
	shared(t, func(t *testing.T, s *scene) {
		one := s.program("one")
		must.Equal(t, one.confirm(Confirmed{Calls: []Call{call("a-1", "r"), call("a-2", "r")}}, 0), nil)
		must.Equal(t, one.confirm(Confirmed{Calls: []Call{call("b-1", "r")}}, 2), []string{
			"error, unsettled: another call for the same is not settled: a-1",
		})
		s.answers(done)
		must.Equal(t, one.send(call("a-1", "r")), []string{
			"a-1 done in 00m1 after 1 tries made by one",
			"sent 1 times in 0s",
		})
		must.Equal(t, one.confirm(Confirmed{Calls: []Call{call("b-1", "r")}, Replaced: []string{"a-1", "a-2"}}, 2),
			[]string{"error, held: another program is making this call: a-1"})
		must.Equal(t, one.confirm(Confirmed{Calls: []Call{call("b-1", "r")}, Replaced: []string{"a-2", "unwritten"}}, 2), nil)
		must.Equal(t, one.calls(), []string{
			"a-1 done in 00m1 after 1 tries made by one",
			"a-2 prepared given up made by one",
			"b-1 prepared made by one",
		})
		must.Equal(t, one.send(call("a-2", "r")), []string{"error, ended: another program has ended this call"})
	})
}

func TestPlanDoesNotReplaceCallThatWasTurnedAway(t *testing.T) {
	shared(t, func(t *testing.T, s *scene) {
		one := s.program("one")
		must.Equal(t, one.confirm(Confirmed{Calls: []Call{call("a-1", "r"), call("a-2", "r")}}, 0), nil)
		s.answers(turnsAway(401))
		must.Equal(t, one.send(call("a-1", "r")), []string{
			`a-1 sent turned away by 401 after 1 tries "the service does not accept the API key" because of that made by one`,
			"sent 1 times in 0s",
		})
		must.Equal(t, one.confirm(Confirmed{Calls: []Call{call("b-1", "r")}, Replaced: []string{"a-1", "a-2"}}, 2),
			[]string{"error, held: another program is making this call: a-1"})
		must.Equal(t, one.calls(), []string{
			`a-1 sent turned away by 401 after 1 tries "the service does not accept the API key" made by one`,
			"a-2 prepared made by one",
		})
	})
}

func TestPlanOfAnotherJournal(t *testing.T) {
	shared(t, func(t *testing.T, s *scene) {
		one := s.program("one")
		must.Equal(t, one.confirm(Confirmed{Calls: []Call{call("a-1", "r")}}, 1), []string{
			"error, changed: another program has used the reference since the plan was made: r",
		})
		must.Equal(t, one.calls(), nil)
		s.answers(done)
		two := s.program("two")
		must.Equal(t, two.send(call("a-1", "r")), []string{
			"a-1 done in 00m1 after 1 tries made by two",
			"sent 1 times in 0s",
		})
		must.Equal(t, one.confirm(Confirmed{Calls: []Call{call("b-1", "r")}}, 0), []string{
			"error, changed: another program has used the reference since the plan was made: r",
		})
		must.Equal(t, one.confirm(Confirmed{Calls: []Call{call("b-1", "r")}}), nil)
	})
}

func TestPlanIsConfirmedAgainWithItsIDs(t *testing.T) {
	shared(t, func(t *testing.T, s *scene) {
		one := s.program("one")
		// Two programs that plan the same derive the same ids, and send each call once.
		must.Equal(t, one.confirm(Confirmed{Calls: []Call{call("x-1", "r"), call("x-2", "r")}}, 0), nil)
		must.Equal(t,
			one.confirm(Confirmed{Calls: []Call{call("x-1", "r"), call("x-2", "r")}, Replaced: []string{"x-1", "x-2"}}, 2), nil)
		s.answers(done)
		must.Equal(t, one.send(call("x-1", "r")), []string{
			"x-1 done in 00m1 after 1 tries made by one",
			"sent 1 times in 0s",
		})
		must.Equal(t, one.send(call("x-2", "r")), []string{
			"x-2 done in 00m1 after 1 tries made by one",
			"sent 1 times in 0s",
		})
		must.Equal(t, one.send(call("x-1", "r")), []string{
			"x-1 done in 00m1 after 1 tries made by one",
			"sent 0 times in 0s",
		})
		must.Equal(t, one.send(altered(call("x-1", "r"))), []string{
			"error, other body: x-1: another program has used the id for another call",
		})
	})
}
