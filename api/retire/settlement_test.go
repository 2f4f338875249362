package retire

import (
	"testing"

	must "tonne/model/musttest"
)

func TestPersonSettlesWhatIsNotKnown(t *testing.T) {
	shared(t, func(t *testing.T, s *scene) {
		one := s.program("one")
		s.answers(timesOut)
		must.Equal(t, one.send(call("a-1", "")), []string{
			"1–4: the service did not answer in time",
			`a-1 unknown unsure doubtful after 5 tries "the service did not answer in time" because of that made by one`,
			"sent 5 times in 0s",
		})
		must.Equal(t, one.settle("a-1", "00m1"), []string{
			`a-1 done in 00m1 after 5 tries "carried out, as one found out" made by one`,
		})
		must.Equal(t, one.settle("a-1", "00m1"), []string{"error, ended: another program has ended this call"})
		must.Equal(t, one.send(call("a-2", "")), []string{
			"1–4: the service did not answer in time",
			`a-2 unknown unsure doubtful after 5 tries "the service did not answer in time" because of that made by one`,
			"sent 5 times in 0s",
		})
		must.Equal(t, one.settle("a-2", ""), []string{
			`a-2 refused after 5 tries "not carried out, as one found out" made by one`,
		})
		must.Equal(t, one.settle("a-2", ""), []string{"error, ended: another program has ended this call"})
		must.Equal(t, one.send(call("a-3", "")), []string{
			"1–4: the service did not answer in time",
			`a-3 unknown unsure doubtful after 5 tries "the service did not answer in time" because of that made by one`,
			"sent 5 times in 0s",
		})
		must.Equal(t, one.abandon("a-3"), []string{
			`a-3 unknown given up unsure doubtful after 5 tries "the service did not answer in time" made by one`,
		})
		must.Equal(t, one.settle("a-3", "00m1"), []string{
			`a-3 done given up in 00m1 after 5 tries "carried out, as one found out" made by one`,
		})
		must.Equal(t, one.settle("a-3", ""), []string{"error, ended: another program has ended this call"})
		must.Equal(t, one.send(call("a-4", "")), []string{
			"1–4: the service did not answer in time",
			`a-4 unknown unsure doubtful after 5 tries "the service did not answer in time" because of that made by one`,
			"sent 5 times in 0s",
		})
		must.Equal(t, one.abandon("a-4"), []string{
			`a-4 unknown given up unsure doubtful after 5 tries "the service did not answer in time" made by one`,
		})
		must.Equal(t, one.settle("a-4", ""), []string{
			`a-4 refused given up after 5 tries "not carried out, as one found out" made by one`,
		})
		must.Equal(t, one.settle("a-4", "00m1"), []string{"error, ended: another program has ended this call"})
		must.Equal(t, one.calls(), []string{
			`a-1 done in 00m1 after 5 tries "carried out, as one found out" made by one`,
			`a-2 refused after 5 tries "not carried out, as one found out" made by one`,
			`a-3 done given up in 00m1 after 5 tries "carried out, as one found out" made by one`,
			`a-4 refused given up after 5 tries "not carried out, as one found out" made by one`,
		})
	})
}

func TestCallThatWasNeverSentIsInNoRequest(t *testing.T) {
	shared(t, func(t *testing.T, s *scene) {
		one := s.program("one")
		// A mistyped id would mark a call as done that was never sent: its quantity would never be retired.
		must.Equal(t, one.confirm(Confirmed{Calls: []Call{call("a-1", "r")}}), nil)
		must.Equal(t, one.settle("a-1", "00m1"), []string{
			"error, never sent: the call was never sent, so it is in no request: a-1",
		})
		must.Equal(t, one.settle("a-1", ""), []string{
			`a-1 refused "not carried out, as one found out" made by one`,
		})
		must.Equal(t, one.confirm(Confirmed{Calls: []Call{call("a-2", "r")}}), nil)
		must.Equal(t, one.abandon("a-2"), []string{"a-2 prepared given up made by one"})
		must.Equal(t, one.settle("a-2", "00m1"), []string{
			"error, never sent: the call was never sent, so it is in no request: a-2",
		})
		must.Equal(t, one.settle("a-2", ""), []string{
			`a-2 refused given up "not carried out, as one found out" made by one`,
		})
		must.Equal(t, one.calls(), []string{
			`a-1 refused "not carried out, as one found out" made by one`,
			`a-2 refused given up "not carried out, as one found out" made by one`,
		})
	})
}

func TestCallGivenUpInDoubt(t *testing.T) {
	shared(t, func(t *testing.T, s *scene) {
		one := s.program("one")
		s.answers(timesOut)
		must.Equal(t, one.send(call("a-1", "r")), []string{
			"1–4: the service did not answer in time",
			`a-1 unknown unsure doubtful after 5 tries "the service did not answer in time" because of that made by one`,
			"sent 5 times in 0s",
		})
		must.Equal(t, one.abandon("a-1"), []string{
			`a-1 unknown given up unsure doubtful after 5 tries "the service did not answer in time" made by one`,
		})
		must.Equal(t, one.send(call("b-1", "r")), []string{
			"error, unsettled: another call for the same is not settled: a-1",
		})
		must.Equal(t, one.confirm(Confirmed{Calls: []Call{call("b-1", "r")}}, 1), []string{
			"error, unsettled: another call for the same is not settled: a-1",
		})
		must.Equal(t, one.unsettled(), []string{
			`a-1 unknown given up unsure doubtful after 5 tries "the service did not answer in time" made by one`,
			"1 of 1 not known",
		})
		must.Equal(t, one.settle("a-1", ""), []string{
			`a-1 refused given up after 5 tries "not carried out, as one found out" made by one`,
		})
		must.Equal(t, one.unsettled(), []string{"0 of 0 not known"})
		must.Equal(t, one.confirm(Confirmed{Calls: []Call{call("b-1", "r")}}, 1), nil)
		s.answers(unreachable)
		must.Equal(t, one.send(call("b-1", "r")), []string{
			"1–4: connection refused",
			`b-1 sent after 5 tries "connection refused" because of that made by one`,
			"sent 5 times in 0s",
		})
		must.Equal(t, one.abandon("b-1"), []string{
			`b-1 sent given up after 5 tries "connection refused" made by one`,
		})
		must.Equal(t, one.unsettled(), []string{"0 of 0 not known"})
	})
}

func TestCallGivenUpAfterProxy(t *testing.T) {
	shared(t, func(t *testing.T, s *scene) {
		one := s.program("one")
		// A proxy may send 403 for a call that the service carried out.
		s.answers(turnsAway(403))
		must.Equal(t, one.send(call("a-1", "r")), []string{
			`a-1 sent turned away by 403 after 1 tries "the service refuses access" because of that made by one`,
			"sent 1 times in 0s",
		})
		must.Equal(t, one.abandon("a-1"), []string{
			`a-1 sent given up unsure doubtful turned away by 403 after 1 tries "the service refuses access" made by one`,
		})
		must.Equal(t, one.send(call("b-1", "r")), []string{
			"error, unsettled: another call for the same is not settled: a-1",
		})
		must.Equal(t, one.confirm(Confirmed{Calls: []Call{call("b-1", "r")}}, 1), []string{
			"error, unsettled: another call for the same is not settled: a-1",
		})
		must.Equal(t, one.unsettled(), []string{
			`a-1 sent given up unsure doubtful turned away by 403 after 1 tries "the service refuses access" made by one`,
			"1 of 1 not known",
		})
		must.Equal(t, one.settle("a-1", ""), []string{
			`a-1 refused given up after 1 tries "not carried out, as one found out" made by one`,
		})
		must.Equal(t, one.confirm(Confirmed{Calls: []Call{call("b-1", "r")}}, 1), nil)
	})
}
