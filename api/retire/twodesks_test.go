package retire

import (
	"errors"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"tonne/api"
	"tonne/api/wire"
)

// Two dashboards on one store: what one has sent since the other looked is seen
// when the other sends, by the journal itself.
func TestWhatAnotherDeskSentForTheSameIsSeenJustBeforeSending(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "journal.db")
		desk := func(s *shop) *Workflow {
			d := newWorkflow(t, s)
			d.Path = path
			return d
		}
		silent := &shop{answers: func(int) (wire.RetireAccepted, error) { return wire.RetireAccepted{}, &api.Error{Kind: api.TimedOut} }}
		ready := &shop{answers: func(int) (wire.RetireAccepted, error) { return wire.RetireAccepted{RequestID: "00m1"}, nil }}
		one, other := desk(silent), desk(ready)
		if calls, err := other.Unsettled(t.Context()); err != nil || len(calls) != 0 {
			t.Fatalf("%v, %v", calls, err)
		}
		sent := make(chan error)
		go func() {
			o, err := one.SendNew(t.Context(), call("x-1", "flight-9"), nil)
			if o.State != Unknown {
				err = errors.Join(err, errors.New("it is known: "+string(o.State)))
			}
			sent <- err
		}()
		time.Sleep(time.Millisecond)
		if _, err := other.SendNew(t.Context(), call("x-2", "flight-9"), nil); !errors.Is(err, ErrUnsettled) {
			t.Errorf("while the other desk sends: %v", err)
		}
		if err := <-sent; err != nil {
			t.Fatal(err)
		}
		if _, err := other.SendNew(t.Context(), call("x-2", "flight-9"), nil); !errors.Is(err, ErrUnsettled) || len(ready.bodies) != 0 {
			t.Errorf("while its outcome is unknown: %v, %d sent", err, len(ready.bodies))
		}
		if o, err := other.SendNew(t.Context(), call("x-2", "flight-10"), nil); err != nil || o.State != Done {
			t.Errorf("with another reference: %+v, %v", o, err)
		}
		if o, err := other.Resume(t.Context(), "x-1", nil); err != nil || o.State != Done {
			t.Errorf("resumed by the other desk: %+v, %v", o, err)
		}
		if o, err := other.SendNew(t.Context(), call("x-3", "flight-9"), nil); err != nil || o.State != Done {
			t.Errorf("a second one, once the first is settled: %+v, %v", o, err)
		}
	})
}
