package retire

import (
	"errors"
	"testing"

	"tonne/api/wire"
)

// A call that was confirmed may be ended by another program before its turn comes.
func TestAConfirmedCallThatWasEndedMeanwhileIsWhatTheJournalSays(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		meanwhile func(*journal) error
		want      State
		err       error
	}{
		"sent by another program": {func(j *journal) error {
			a, err := j.begin(account, "x-1")
			return errors.Join(err, a.end(ending{State: Done, RequestID: "00m1"}))
		}, Done, nil},
		"given up in doubt": {func(j *journal) error {
			a, err := j.begin(account, "x-1")
			return errors.Join(err, a.end(ending{State: Unknown, Message: "no answer"}), j.giveUp(account, "x-1"))
		}, Unknown, nil},
		"given up": {func(j *journal) error { return j.giveUp(account, "x-1") }, Planned, ErrEnded},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &shop{answers: func(int) (wire.RetireAccepted, error) { return wire.RetireAccepted{RequestID: "00m2"}, nil }}
			d := newWorkflow(t, s)
			o := call("x-1", "flight-9")
			if err := d.Confirm(t.Context(), Confirmed{Calls: []Call{o}}); err != nil {
				t.Fatal(err)
			}
			if err := test.meanwhile(d.opened); err != nil {
				t.Fatal(err)
			}
			if got, err := d.SendNew(t.Context(), o, nil); got.State != test.want || !errors.Is(err, test.err) || len(s.bodies) != 0 {
				t.Errorf("%+v, %v, %d sent", got, err, len(s.bodies))
			}
		})
	}
}
