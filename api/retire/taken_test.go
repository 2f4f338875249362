package retire

import (
	"errors"
	"testing"

	"tonne/api/retire/journal"
	"tonne/api/wire"
)

// A call that was confirmed may be ended by another program before its turn comes.
func TestAConfirmedCallThatWasEndedMeanwhileIsWhatTheJournalSays(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		meanwhile func(*journal.Journal) error
		want      Outcome
		err       error
	}{
		"sent by another program": {func(j *journal.Journal) error {
			a, err := j.Begin(account, "x-1")
			return errors.Join(err, a.Done("00m1"))
		}, Outcome{State: journal.Done, RequestID: "00m1"}, nil},
		"given up in doubt": {func(j *journal.Journal) error {
			a, err := j.Begin(account, "x-1")
			return errors.Join(err, a.Unknown(0, "no answer"), j.GiveUp(account, "x-1"))
		}, Outcome{State: journal.Unknown, Err: journal.ErrEnded}, nil},
		"given up": {func(j *journal.Journal) error { return j.GiveUp(account, "x-1") }, Outcome{}, journal.ErrEnded},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &shop{answers: func(int) (wire.RetireAccepted, error) { return wire.RetireAccepted{RequestID: "00m2"}, nil }}
			d := newTestDesk(t, s)
			o := order("x-1", "flight-9")
			if err := d.Confirm(t.Context(), Plan{Orders: []Order{o}}); err != nil {
				t.Fatal(err)
			}
			if err := test.meanwhile(d.opened); err != nil {
				t.Fatal(err)
			}
			if got, err := d.Retire(t.Context(), o, nil); got != test.want || !errors.Is(err, test.err) || len(s.bodies) != 0 {
				t.Errorf("%+v, %v, %d sent", got, err, len(s.bodies))
			}
		})
	}
}
