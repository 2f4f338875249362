package retire

import (
	"testing"
	"time"

	must "tonne/model/musttest"
)

func TestIDHasAlwaysTheSameBody(t *testing.T) {
	shared(t, func(t *testing.T, s *scene) {
		one := s.program("one")
		must.Equal(t, one.confirm(Confirmed{Calls: []Call{call("a-1", "r")}}), nil)
		must.Equal(t, one.confirm(Confirmed{Calls: []Call{call("a-1", "r")}}), nil)
		must.Equal(t, one.confirm(Confirmed{Calls: []Call{call("a-2", "r"), altered(call("a-1", "r"))}}), []string{
			"error, other body: a-1: another program has used the id for another call",
		})
		must.Equal(t, one.calls(), []string{"a-1 prepared made by one"})
		s.answers(done)
		must.Equal(t, one.send(altered(call("a-1", "r"))), []string{
			"error, other body: a-1: another program has used the id for another call",
		})
		must.Equal(t, one.send(call("a-1", "r")), []string{
			"a-1 done in 00m1 after 1 tries made by one",
			"sent 1 times in 0s",
		})
		must.Equal(t, one.send(call("a-1", "r")), []string{
			"a-1 done in 00m1 after 1 tries made by one",
			"sent 0 times in 0s",
		})
		must.Equal(t, one.resume("a-2", 0), []string{"error, no call: the journal has no such call"})
	})
}

func TestCallIsMadeByOneAtATime(t *testing.T) {
	shared(t, func(t *testing.T, s *scene) {
		one := s.program("one")
		s.answers(hang)
		s.meanwhile(func() []string { return one.send(call("a-1", "")) })
		two := s.program("two")
		must.Equal(t, two.resume("a-1", 0), []string{"error, held: another program is making this call"})
		must.Equal(t, two.send(call("a-1", "")), []string{"error, held: another program is making this call"})
		must.Equal(t, two.abandon("a-1"), []string{"error, held: another program is making this call"})
		must.Equal(t, two.settle("a-1", ""), []string{"error, held: another program is making this call"})
		must.Equal(t, one.resume("a-1", 0), []string{"error, held: another program is making this call"})
		must.Equal(t, one.send(call("a-1", "")), []string{"error, held: another program is making this call"})
		must.Equal(t, one.abandon("a-1"), []string{"error, held: another program is making this call"})
		must.Equal(t, one.settle("a-1", "00m1"), []string{"error, held: another program is making this call"})
		s.release(timesOut)
		must.Equal(t, s.wait(time.Minute), nil)
		s.release(done)
		must.Equal(t, s.wait(time.Minute), []string{
			"1: the service did not answer in time",
			"a-1 done in 00m1 after 2 tries made by one",
			"sent 2 times in 1m0s",
		})
		must.Equal(t, one.calls(), []string{"a-1 done in 00m1 after 2 tries made by one"})
		must.Equal(t, two.resume("a-9", 0), []string{"error, no call: the journal has no such call"})
	})
}

func TestCallOfProgramThatLivesIsUnderWay(t *testing.T) {
	shared(t, func(t *testing.T, s *scene) {
		one := s.program("one")
		s.answers(hang)
		must.Equal(t, one.confirm(Confirmed{Calls: []Call{call("a-2", "r")}}), nil)
		s.meanwhile(func() []string { return one.send(call("a-1", "s")) })
		must.Equal(t, one.unsettled(), []string{
			"a-2 prepared made by one",
			"a-1 sent unsure doubtful under way after 1 tries made by one",
			"0 of 2 not known",
		})
		two := s.program("two")
		must.Equal(t, two.unsettled(), []string{
			"a-2 prepared made by one",
			"a-1 sent unsure doubtful under way after 1 tries made by one",
			"0 of 2 not known",
		})
		s.release(turnsAway(401))
		must.Equal(t, s.wait(time.Second), []string{
			`a-1 sent turned away by 401 after 1 tries "the service does not accept the API key" because of that made by one`,
			"sent 1 times in 0s",
		})
		must.Equal(t, two.unsettled(), []string{
			"a-2 prepared made by one",
			`a-1 sent turned away by 401 after 1 tries "the service does not accept the API key" made by one`,
			"0 of 2 not known",
		})
		s.answers(hang)
		s.meanwhile(func() []string { return one.resume("a-1", 0) })
		must.Equal(t, two.unsettled(), []string{
			"a-2 prepared made by one",
			`a-1 sent unsure doubtful under way turned away by 401 after 2 tries "the service does not accept the API key" made by one`,
			"0 of 2 not known",
		})
		must.Equal(t, one.close(), nil)
		must.Equal(t, two.unsettled(), []string{
			"a-2 prepared made by one",
			`a-1 sent unsure doubtful under way turned away by 401 after 2 tries "the service does not accept the API key" made by one`,
			"0 of 2 not known",
		})
		s.release(done)
		must.Equal(t, s.wait(time.Second), []string{
			"a-1 done in 00m1 after 2 tries made by one",
			"sent 1 times in 0s",
		})
		must.Equal(t, two.unsettled(), []string{"a-2 prepared made by one", "0 of 1 not known"})
	})
}

func TestKilledProgramHoldsNothing(t *testing.T) {
	shared(t, func(t *testing.T, s *scene) {
		one := s.program("one")
		s.killed(call("a-1", ""))
		must.Equal(t, one.unsettled(), []string{"a-1 sent unsure doubtful after 1 tries", "1 of 1 not known"})
		must.Equal(t, one.abandon("a-1"), []string{"a-1 sent given up unsure doubtful after 1 tries"})
		must.Equal(t, one.unsettled(), []string{
			"a-1 sent given up unsure doubtful after 1 tries",
			"1 of 1 not known",
		})
	})
}

func TestAccountsHaveSeparateCalls(t *testing.T) {
	shared(t, func(t *testing.T, s *scene) {
		one := s.program("one")
		must.Equal(t, one.confirm(Confirmed{Calls: []Call{call("a-1", "r")}}), nil)
		two := s.program("two")
		two.Account.Profile = "other"
		must.Equal(t, two.confirm(Confirmed{Calls: []Call{altered(call("a-1", "r"))}}), nil)
		must.Equal(t, two.calls(), []string{"a-1 prepared made by two of other"})
		must.Equal(t, one.calls(), []string{"a-1 prepared made by one"})
	})
}

func TestCallIsSentWithTheKeyThatMadeIt(t *testing.T) {
	shared(t, func(t *testing.T, s *scene) {
		one := s.program("one")
		one.Account.KeyMark = keyMark("one")
		must.Equal(t, one.confirm(Confirmed{Calls: []Call{call("a-1", "r")}}), nil)
		s.answers(timesOut)
		two := s.program("two")
		two.Account.KeyMark = keyMark("two")
		must.Equal(t, two.resume("a-1", 0), []string{"error, other key: the call was made with another API key"})
		must.Equal(t, two.send(call("a-1", "r")), []string{"error, other key: the call was made with another API key"})
		none := s.program("none")
		must.Equal(t, none.resume("a-1", 0), []string{"error, other key: the call was made with another API key"})
		must.Equal(t, none.send(call("a-1", "r")), []string{"error, other key: the call was made with another API key"})
		must.Equal(t, one.calls(), []string{"a-1 prepared made by one"})
		must.Equal(t, one.resume("a-1", 0), []string{
			"1–4: the service did not answer in time",
			`a-1 unknown unsure doubtful after 5 tries "the service did not answer in time" because of that made by one`,
			"sent 5 times in 0s",
		})
		must.Equal(t, two.resume("a-1", 0), []string{"error, other key: the call was made with another API key"})
		must.Equal(t, none.abandon("a-1"), []string{
			`a-1 unknown given up unsure doubtful after 5 tries "the service did not answer in time" made by one`,
		})
	})
}

func TestDeskThatClosesLeavesCallThatIsOut(t *testing.T) {
	shared(t, func(t *testing.T, s *scene) {
		one := s.program("one")
		s.answers(hang)
		s.meanwhile(func() []string { return one.send(call("x-1", "")) })
		must.Equal(t, one.close(), nil)
		must.Equal(t, one.unsettled(), []string{
			"x-1 sent unsure doubtful under way after 1 tries made by one",
			"0 of 1 not known",
		})
		s.release(done)
		must.Equal(t, s.wait(time.Second), []string{
			"x-1 done in 00m1 after 1 tries made by one",
			"sent 1 times in 0s",
		})
	})
}

func TestCallSentThenDoneElsewhere(t *testing.T) {
	shared(t, func(t *testing.T, s *scene) {
		one := s.program("one")
		s.answers(turnsAway(401))
		must.Equal(t, one.send(call("x-1", "r")), []string{
			`x-1 sent turned away by 401 after 1 tries "the service does not accept the API key" because of that made by one`,
			"sent 1 times in 0s",
		})
		two := s.program("two")
		s.answers(done)
		must.Equal(t, two.resume("x-1", 0), []string{
			"x-1 done in 00m1 after 2 tries made by one",
			"sent 1 times in 0s",
		})
		must.Equal(t, one.resume("x-1", 0), []string{
			"x-1 done in 00m1 after 2 tries made by one",
			"sent 0 times in 0s",
		})
	})
}

func TestCallSentThenRefusedElsewhere(t *testing.T) {
	shared(t, func(t *testing.T, s *scene) {
		one := s.program("one")
		s.answers(turnsAway(401))
		must.Equal(t, one.send(call("x-1", "r")), []string{
			`x-1 sent turned away by 401 after 1 tries "the service does not accept the API key" because of that made by one`,
			"sent 1 times in 0s",
		})
		two := s.program("two")
		s.answers(refuses("SELL_ORDER_NOT_LIVE"))
		must.Equal(t, two.resume("x-1", 0), []string{
			"2: no (SELL_ORDER_NOT_LIVE); a try before may still be under way, so again in 30 s",
			`x-1 refused after 3 tries SELL_ORDER_NOT_LIVE "no" because: no (SELL_ORDER_NOT_LIVE) made by one`,
			"sent 2 times in 30s",
		})
		must.Equal(t, one.resume("x-1", 0), []string{
			`x-1 refused after 3 tries SELL_ORDER_NOT_LIVE "no" because: no (SELL_ORDER_NOT_LIVE) made by one`,
			"sent 0 times in 0s",
		})
	})
}

func TestCallTurnedAwayThenGivenUpElsewhere(t *testing.T) {
	shared(t, func(t *testing.T, s *scene) {
		one := s.program("one")
		s.answers(turnsAway(401))
		must.Equal(t, one.send(call("x-1", "r")), []string{
			`x-1 sent turned away by 401 after 1 tries "the service does not accept the API key" because of that made by one`,
			"sent 1 times in 0s",
		})
		two := s.program("two")
		must.Equal(t, two.abandon("x-1"), []string{
			`x-1 sent given up unsure doubtful turned away by 401 after 1 tries "the service does not accept the API key" made by one`,
		})
		must.Equal(t, one.resume("x-1", 0), []string{
			`x-1 sent given up unsure doubtful turned away by 401 after 1 tries "the service does not accept the API key" because: another program has ended this call made by one`,
			"sent 0 times in 0s",
		})
	})
}

func TestCallConfirmedThenDoneElsewhere(t *testing.T) {
	shared(t, func(t *testing.T, s *scene) {
		one := s.program("one")
		must.Equal(t, one.confirm(Confirmed{Calls: []Call{call("x-1", "r")}}), nil)
		two := s.program("two")
		s.answers(done)
		must.Equal(t, two.resume("x-1", 0), []string{
			"x-1 done in 00m1 after 1 tries made by one",
			"sent 1 times in 0s",
		})
		must.Equal(t, one.send(call("x-1", "r")), []string{
			"x-1 done in 00m1 after 1 tries made by one",
			"sent 0 times in 0s",
		})
	})
}

func TestCallConfirmedThenGivenUpInDoubtElsewhere(t *testing.T) {
	shared(t, func(t *testing.T, s *scene) {
		one := s.program("one")
		must.Equal(t, one.confirm(Confirmed{Calls: []Call{call("x-1", "r")}}), nil)
		two := s.program("two")
		s.answers(timesOut)
		must.Equal(t, two.resume("x-1", 0), []string{
			"1–4: the service did not answer in time",
			`x-1 unknown unsure doubtful after 5 tries "the service did not answer in time" because of that made by one`,
			"sent 5 times in 0s",
		})
		must.Equal(t, two.abandon("x-1"), []string{
			`x-1 unknown given up unsure doubtful after 5 tries "the service did not answer in time" made by one`,
		})
		must.Equal(t, one.send(call("x-1", "r")), []string{
			`x-1 unknown given up unsure doubtful after 5 tries "the service did not answer in time" because: another program has ended this call made by one`,
			"sent 0 times in 0s",
		})
	})
}

func TestCallConfirmedThenGivenUpElsewhere(t *testing.T) {
	shared(t, func(t *testing.T, s *scene) {
		one := s.program("one")
		must.Equal(t, one.confirm(Confirmed{Calls: []Call{call("x-1", "r")}}), nil)
		two := s.program("two")
		must.Equal(t, two.abandon("x-1"), []string{"x-1 prepared given up made by one"})
		must.Equal(t, one.send(call("x-1", "r")), []string{"error, ended: another program has ended this call"})
	})
}

func TestCallConfirmedThenRefusedElsewhere(t *testing.T) {
	shared(t, func(t *testing.T, s *scene) {
		one := s.program("one")
		must.Equal(t, one.confirm(Confirmed{Calls: []Call{call("x-1", "r")}}), nil)
		two := s.program("two")
		s.answers(refuses("SELL_ORDER_NOT_LIVE"))
		must.Equal(t, two.resume("x-1", 0), []string{
			`x-1 refused after 1 tries SELL_ORDER_NOT_LIVE "no" because: no (SELL_ORDER_NOT_LIVE) made by one`,
			"sent 1 times in 0s",
		})
		must.Equal(t, one.send(call("x-1", "r")), []string{
			`x-1 refused after 1 tries SELL_ORDER_NOT_LIVE "no" because: no (SELL_ORDER_NOT_LIVE) made by one`,
			"sent 0 times in 0s",
		})
	})
}

func TestCallOfAnotherDeskForTheSameIsSeenJustBeforeSending(t *testing.T) {
	shared(t, func(t *testing.T, s *scene) {
		one := s.program("one")
		s.answers(hang)
		s.meanwhile(func() []string { return one.send(call("x-1", "r")) })
		two := s.program("two")
		must.Equal(t, two.send(call("x-2", "r")), []string{
			"error, unsettled: another call for the same is not settled: x-1",
		})
		s.release(turnsAway(401))
		must.Equal(t, s.wait(time.Second), []string{
			`x-1 sent turned away by 401 after 1 tries "the service does not accept the API key" because of that made by one`,
			"sent 1 times in 0s",
		})
		must.Equal(t, two.send(call("x-2", "r")), []string{
			"error, unsettled: another call for the same is not settled: x-1",
		})
		s.answers(timesOut)
		must.Equal(t, two.resume("x-1", 0), []string{
			"2–5: the service did not answer in time",
			`x-1 unknown unsure doubtful after 6 tries "the service did not answer in time" because of that made by one`,
			"sent 5 times in 0s",
		})
		must.Equal(t, two.send(call("x-2", "r")), []string{
			"error, unsettled: another call for the same is not settled: x-1",
		})
		s.answers(done)
		must.Equal(t, two.send(call("x-2", "s")), []string{
			"x-2 done in 00m1 after 1 tries made by two",
			"sent 1 times in 0s",
		})
		must.Equal(t, two.resume("x-1", 0), []string{
			"x-1 done in 00m1 after 7 tries made by one",
			"sent 1 times in 0s",
		})
		must.Equal(t, two.send(call("x-3", "r")), []string{
			"x-3 done in 00m1 after 1 tries made by two",
			"sent 1 times in 0s",
		})
	})
}

func TestDeskWritesDownBeforeItSends(t *testing.T) {
	shared(t, func(t *testing.T, s *scene) {
		one := s.program("one")
		must.Equal(t, one.unsettled(), []string{"0 of 0 not known"})
		s.answers(hang)
		s.meanwhile(func() []string { return one.send(call("x-1", "r")) })
		must.Equal(t, one.unsettled(), []string{
			"x-1 sent unsure doubtful under way after 1 tries made by one",
			"0 of 1 not known",
		})
		s.answers(hang)
		s.release(timesOut)
		must.Equal(t, s.wait(time.Minute), nil)
		must.Equal(t, one.unsettled(), []string{
			"x-1 sent unsure doubtful under way after 2 tries made by one",
			"0 of 1 not known",
		})
		s.answers(timesOut)
		s.release(timesOut)
		must.Equal(t, s.wait(time.Minute), []string{
			"1–4: the service did not answer in time",
			`x-1 unknown unsure doubtful after 5 tries "the service did not answer in time" because of that made by one`,
			"sent 5 times in 1m0s",
		})
		must.Equal(t, one.resume("x-1", 0), []string{
			"6–9: the service did not answer in time",
			`x-1 unknown unsure doubtful after 10 tries "the service did not answer in time" because of that made by one`,
			"sent 5 times in 0s",
		})
		s.answers(replayed)
		must.Equal(t, one.resume("x-1", 0), []string{
			"x-1 done in 00m1 after 11 tries made by one",
			"sent 1 times in 0s",
		})
	})
}
