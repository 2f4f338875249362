package retire

import (
	"os"
	"path/filepath"
	"testing"
)

// The reasons were messages, which were read back.
func TestTheReasonsOfAnOlderJournalAreConverted(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "journal.db")
	old, err := os.ReadFile("testdata/schema-2.db")
	must(t, err)
	must(t, os.WriteFile(path, old, 0o600))
	j := opened(t, path)
	calls, err := j.list(OfAccount, desk)
	must(t, err)
	type reason struct {
		state      State
		turnedAway int
		elsewhere  bool
		message    string
	}
	want := map[string]reason{
		"done": {Done, 0, false, ""}, "elsewhere": {Done, 0, true, ""}, "refused": {Refused, 0, false, "it was sold"},
		"turned away": {Sent, 403, false, "the role is missing: ask"}, "no connection": {Sent, 0, false, "connection refused"},
		"unknown": {Unknown, 0, false, "no answer in time"}, "turned away in doubt": {Unknown, 429, false, "too many requests"},
		"prepared": {Prepared, 0, false, ""},
	}
	for _, c := range calls {
		if got := (reason{c.State, c.TurnedAway, c.Elsewhere, c.Message}); got != want[c.ExternalID] {
			t.Errorf("%s: %+v, want %+v", c.ExternalID, got, want[c.ExternalID])
		}
	}
	if len(calls) != len(want) {
		t.Errorf("%d calls", len(calls))
	}
}

// A network that fails later says nothing of a gateway that forwarded the call.
func TestAConnectionThatCannotBeMadeKeepsThatACallWasTurnedAway(t *testing.T) {
	t.Parallel()
	j, path := fresh(t)
	must(t, j.prepare(newCall("a-1")))
	must(t, begun(t, j, "a-1").end(ending{State: Sent, TurnedAway: 403, Message: "the role is missing"}))
	must(t, begun(t, j, "a-1").end(ending{State: Sent, Message: "connection refused"}))
	if got := only(t, path); got.State != Sent || got.TurnedAway != 403 || got.Message != "the role is missing" {
		t.Errorf("%+v", got)
	}
	must(t, begun(t, j, "a-1").end(ending{State: Done, RequestID: "00m1"}))
	if got := only(t, path); got.TurnedAway != 0 {
		t.Errorf("%+v", got)
	}
}
