package retire

import (
	"testing"

	must "tonne/model/musttest"
)

func TestRequestOfTheLedgerThatTheJournalDoesNotKnow(t *testing.T) {
	shared(t, func(t *testing.T, s *scene) {
		one := s.program("one")
		s.hasLedger("00m1")
		must.Equal(t, one.recall("r", 0), []string{
			"error, elsewhere: this was retired before, and this journal did not make it; retirement requests: 00m1",
		})
		must.Equal(t, one.recall("", 0), nil)
		tenant := s.program("tenant")
		tenant.Account.Profile = "another"
		s.answers(done)
		must.Equal(t, tenant.send(call("x-1", "r")), []string{
			"x-1 done in 00m1 after 1 tries made by tenant of another",
			"sent 1 times in 0s",
		})
		c := must.Get(tenant.Call(t.Context(), "x-1"))
		must.Succeed(t, tenant.Remember(t.Context(), []*Call{&c}))
		must.Equal(t, s.ledger.kept, map[string][]string{"00m1": {"r"}})
		must.Equal(t, one.recall("r", 0), nil)
	})
}

func TestCallThatTheJournalDidNotMake(t *testing.T) {
	shared(t, func(t *testing.T, s *scene) {
		one := s.program("one")
		// The service had the call before this journal sent it first.
		s.answers(replayed)
		must.Equal(t, one.send(call("x-1", "r")), []string{
			"x-1 done made elsewhere in 00m1 after 1 tries made by one",
			"sent 1 times in 0s",
		})
		must.Equal(t, one.recall("r", 0), []string{"x-1 done made elsewhere in 00m1 after 1 tries made by one"})
		must.Equal(t, one.recall("r", 20), []string{
			"error, elsewhere: this was retired before, and this journal did not make it; retirement requests: 00m1",
		})
		must.Equal(t, one.recall("r", 21), []string{"x-1 done made elsewhere in 00m1 after 1 tries made by one"})
	})
}

func TestKeyHasTheSameCallsAtEveryAddressAndProfileWithEveryKey(t *testing.T) {
	shared(t, func(t *testing.T, s *scene) {
		one := s.program("one")
		one.Account.KeyMark = keyMark("one")
		s.answers(done)
		must.Equal(t, one.send(call("x-1", "r")), []string{
			"x-1 done in 00m1 after 1 tries made by one",
			"sent 1 times in 0s",
		})
		there := s.program("there")
		there.Account.KeyMark = keyMark("one")
		there.Account.Profile = "local"
		there.Account.Origin = "http://127.0.0.1:8080"
		must.Equal(t, there.recall("r", 20), []string{"x-1 done in 00m1 after 1 tries made by one"})
		must.Equal(t, there.send(call("x-2", "s")), []string{
			"x-2 done in 00m1 after 1 tries made by there of local at http://127.0.0.1:8080",
			"sent 1 times in 0s",
		})
		rotated := s.program("rotated")
		rotated.Account.KeyMark = keyMark("two")
		must.Equal(t, rotated.recall("r", 20), []string{"x-1 done in 00m1 after 1 tries made by one"})
		rotatedThere := s.program("rotated-there")
		rotatedThere.Account.KeyMark = keyMark("two")
		rotatedThere.Account.Profile = "local"
		rotatedThere.Account.Origin = "http://127.0.0.1:8080"
		must.Equal(t, rotatedThere.recall("r", 20), nil)
		must.Equal(t, rotatedThere.recall("s", 20), []string{
			"x-2 done in 00m1 after 1 tries made by there of local at http://127.0.0.1:8080",
		})
		none := s.program("none")
		none.Account.Profile = "none"
		none.Account.Origin = "http://127.0.0.1:8080"
		must.Equal(t, none.recall("r", 20), nil)
		must.Equal(t, none.recall("s", 20), nil)
	})
}

func TestReferencesThatLookTheSameAreTheSame(t *testing.T) {
	shared(t, func(t *testing.T, s *scene) {
		one := s.program("one")
		s.answers(done)
		must.Equal(t, one.send(call("x-1", "Mu\u0308ller-7")), []string{
			"x-1 done in 00m1 after 1 tries made by one",
			"sent 1 times in 0s",
		})
		must.Equal(t, one.recall("\ufeffMüller-7", 20), []string{"x-1 done in 00m1 after 1 tries made by one"})
		must.Equal(t, one.recall("Muller-7", 20), nil)
		must.Equal(t, one.confirm(Confirmed{Calls: []Call{call("x-2", "Müller-7")}}, 0), []string{
			"error, changed: another program has used the reference since the plan was made: Müller-7",
		})
		must.Equal(t, one.confirm(Confirmed{Calls: []Call{call("x-2", "Muller-7")}}, 0), nil)
	})
}
