package retire

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	must "tonne/model/musttest"
)

func TestWhatIsKnownStaysSoUntilMoreIsKnown(t *testing.T) {
	shared(t, func(t *testing.T, s *scene) {
		one := s.program("one")
		// A service that answers 401 to the second try has said nothing of the first, and a network that
		// fails then says nothing of a gateway that forwarded the call.
		s.answers(timesOut)
		must.Equal(t, one.send(call("a-1", "")), []string{
			"1–4: the service did not answer in time",
			`a-1 unknown unsure doubtful after 5 tries "the service did not answer in time" because of that made by one`,
			"sent 5 times in 0s",
		})
		s.answers(turnsAway(401))
		must.Equal(t, one.resume("a-1", 0), []string{
			`a-1 unknown unsure doubtful turned away by 401 after 6 tries "the service does not accept the API key" because of that made by one`,
			"sent 1 times in 0s",
		})
		s.answers(unreachable)
		must.Equal(t, one.resume("a-1", 0), []string{
			"7–10: connection refused",
			`a-1 unknown unsure doubtful after 11 tries "connection refused" because of that made by one`,
			"sent 5 times in 0s",
		})
		s.answers(done)
		must.Equal(t, one.resume("a-1", 0), []string{
			"a-1 done in 00m1 after 12 tries made by one",
			"sent 1 times in 0s",
		})
		must.Equal(t, one.calls(), []string{"a-1 done in 00m1 after 12 tries made by one"})
	})
}

func TestCallStaysTurnedAwayWithoutConnection(t *testing.T) {
	shared(t, func(t *testing.T, s *scene) {
		one := s.program("one")
		s.answers(turnsAway(403))
		must.Equal(t, one.send(call("a-1", "")), []string{
			`a-1 sent turned away by 403 after 1 tries "the service refuses access" because of that made by one`,
			"sent 1 times in 0s",
		})
		s.answers(unreachable)
		must.Equal(t, one.resume("a-1", 0), []string{
			"2–5: connection refused",
			`a-1 sent turned away by 403 after 6 tries "the service refuses access" because: connection refused made by one`,
			"sent 5 times in 0s",
		})
		s.answers(done)
		must.Equal(t, one.resume("a-1", 0), []string{
			"a-1 done in 00m1 after 7 tries made by one",
			"sent 1 times in 0s",
		})
	})
}

// The first try is still being worked on when the second is refused, because the first one is about to buy the order.
func TestRefusalBeforeLateCommitDoesNotEndTheCall(t *testing.T) {
	for _, code := range []string{
		"SELL_ORDER_NOT_LIVE", "SELL_ORDER_SUPPLY_TOO_LOW", "PRICE_SUPPLIED_DIFF_CURRENT_PRICE",
	} {
		t.Run(code, func(t *testing.T) {
			shared(t, func(t *testing.T, s *scene) {
				one := s.program("one")
				s.answers(turnsAway(504), refuses(code), replayed.from(30*time.Second))
				must.Equal(t, one.send(call("x-1", "")), []string{
					"1: the service answered 504",
					"2: no (" + code + "); a try before may still be under way, so again in 30 s",
					"x-1 done in 00m1 after 3 tries made by one",
					"sent 3 times in 30s",
				})
			})
		})
	}
}

func TestCallOfKilledProgramIsRefusedByTwoRefusalsFarApart(t *testing.T) {
	shared(t, func(t *testing.T, s *scene) {
		one := s.program("one")
		s.killed(call("x-1", ""))
		s.answers(refuses("SELL_ORDER_NOT_LIVE"))
		must.Equal(t, one.resume("x-1", 0), []string{
			"2: no (SELL_ORDER_NOT_LIVE); a try before may still be under way, so again in 30 s",
			`x-1 refused after 3 tries SELL_ORDER_NOT_LIVE "no" because: no (SELL_ORDER_NOT_LIVE)`,
			"sent 2 times in 30s",
		})
	})
}

func TestRefusalWithoutNamedCodeLeavesTheCallUnknown(t *testing.T) {
	shared(t, func(t *testing.T, s *scene) {
		one := s.program("one")
		// A gateway may answer 422 after the service retired.
		s.killed(call("x-1", ""))
		s.answers(refuses(""))
		must.Equal(t, one.resume("x-1", 0), []string{
			"2–5: no",
			`x-1 unknown unsure doubtful after 6 tries "the service answered 422 without a code that it documents" because: no`,
			"sent 5 times in 0s",
		})
		must.Equal(t, one.resume("x-1", 0), []string{
			"7–10: no",
			`x-1 unknown unsure doubtful after 11 tries "the service answered 422 without a code that it documents" because: no`,
			"sent 5 times in 0s",
		})
		s.answers(refuses("NOT_FOUND"))
		must.Equal(t, one.resume("x-1", 0), []string{
			"12–15: no (NOT_FOUND)",
			`x-1 unknown unsure doubtful after 16 tries "NOT_FOUND: no" because: no (NOT_FOUND)`,
			"sent 5 times in 0s",
		})
		s.answers(refuses("CALL_UNDER_WAY"))
		must.Equal(t, one.resume("x-1", 0), []string{
			"17–20: no (CALL_UNDER_WAY)",
			`x-1 unknown unsure doubtful after 21 tries "CALL_UNDER_WAY: no" because: no (CALL_UNDER_WAY)`,
			"sent 5 times in 0s",
		})
		must.Equal(t, one.send(call("x-2", "s")), []string{
			"1–4: no (CALL_UNDER_WAY)",
			`x-2 unknown unsure doubtful after 5 tries "CALL_UNDER_WAY: no" because: no (CALL_UNDER_WAY) made by one`,
			"sent 5 times in 0s",
		})
	})
}

func TestCallWhoseTextTheServiceDoesNotAcceptEnds(t *testing.T) {
	shared(t, func(t *testing.T, s *scene) {
		one := s.program("one")
		// The body is the same in every attempt, and so is what the service says of it.
		s.answers(refuses("VALIDATION_ERROR"))
		must.Equal(t, one.send(call("x-1", "")), []string{
			`x-1 refused after 1 tries VALIDATION_ERROR "no" because: no (VALIDATION_ERROR) made by one`,
			"sent 1 times in 0s",
		})
		s.killed(call("x-2", ""))
		must.Equal(t, one.resume("x-2", 0), []string{
			"2: no (VALIDATION_ERROR); a try before may still be under way, so again in 30 s",
			`x-2 refused after 3 tries VALIDATION_ERROR "no" because: no (VALIDATION_ERROR)`,
			"sent 2 times in 30s",
		})
		s.killed(call("x-3", ""))
		s.answers(timesOut, refuses("VALIDATION_ERROR"), replayed)
		must.Equal(t, one.resume("x-3", 0), []string{
			"2: the service did not answer in time",
			"3: no (VALIDATION_ERROR); a try before may still be under way, so again in 30 s",
			"x-3 done in 00m1 after 4 tries",
			"sent 3 times in 30s",
		})
	})
}

func TestCancelledWaitAfterRefusalLeavesTheCallUnknown(t *testing.T) {
	shared(t, func(t *testing.T, s *scene) {
		one := s.program("one")
		s.killed(call("x-1", ""))
		s.answers(refuses("SELL_ORDER_NOT_LIVE"))
		must.Equal(t, one.resume("x-1", time.Second), []string{
			"2: no (SELL_ORDER_NOT_LIVE); a try before may still be under way, so again in 30 s",
			`x-1 unknown unsure doubtful after 2 tries "SELL_ORDER_NOT_LIVE: no" because: no (SELL_ORDER_NOT_LIVE)`,
			"sent 1 times in 1s",
		})
		s.answers(turnsAway(401))
		must.Equal(t, one.send(call("x-2", "s")), []string{
			`x-2 sent turned away by 401 after 1 tries "the service does not accept the API key" because of that made by one`,
			"sent 1 times in 0s",
		})
		s.answers(refuses("SELL_ORDER_NOT_LIVE"))
		must.Equal(t, one.resume("x-2", time.Second), []string{
			"2: no (SELL_ORDER_NOT_LIVE); a try before may still be under way, so again in 30 s",
			`x-2 unknown unsure doubtful after 2 tries "SELL_ORDER_NOT_LIVE: no" because: no (SELL_ORDER_NOT_LIVE) made by one`,
			"sent 1 times in 1s",
		})
	})
}

// A gateway turns the call away and forwards it, and the service takes effect late: a refusal before that does not
// count.
func TestRefusalAfterCallWasTurnedAwayCountsOnlyTwice(t *testing.T) {
	for _, c := range []struct {
		status int
		says   string
	}{
		{status: 401, says: `"the service does not accept the API key" because of that`},
		{status: 403, says: `"the service refuses access" because of that`},
		{status: 302, says: "because: "},
	} {
		t.Run(strconv.Itoa(c.status), func(t *testing.T) {
			shared(t, func(t *testing.T, s *scene) {
				one := s.program("one")
				s.answers(turnsAway(c.status), refuses("SELL_ORDER_NOT_LIVE"), replayed.from(30*time.Second))
				must.Equal(t, one.send(call("x-1", "")), []string{
					fmt.Sprintf("x-1 sent turned away by %d after 1 tries %s made by one", c.status, c.says),
					"sent 1 times in 0s",
				})
				must.Equal(t, one.resume("x-1", 0), []string{
					"2: no (SELL_ORDER_NOT_LIVE); a try before may still be under way, so again in 30 s",
					"x-1 done in 00m1 after 3 tries made by one",
					"sent 2 times in 30s",
				})
			})
		})
	}
}

func TestRefusalAfterRateLimitCountsOnlyTwice(t *testing.T) {
	shared(t, func(t *testing.T, s *scene) {
		one := s.program("one")
		s.answers(turnsAway(429), refuses("SELL_ORDER_NOT_LIVE"), replayed.from(30*time.Second))
		must.Equal(t, one.send(call("x-1", "")), []string{
			"1: the service asks for fewer requests",
			"2: no (SELL_ORDER_NOT_LIVE); a try before may still be under way, so again in 30 s",
			"x-1 done in 00m1 after 3 tries made by one",
			"sent 3 times in 30s",
		})
	})
}
