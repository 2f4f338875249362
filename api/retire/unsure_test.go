package retire

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tonne/api"
	"tonne/api/wire"
)

func refusedWith(code string) error {
	return &api.Error{Kind: api.Invalid, Status: 422, Code: code, Message: "no"}
}

// The first try is still being worked on when the second is refused, because
// the first one is about to buy the order.
func TestARefusalBehindALateCommitDoesNotEndTheCall(t *testing.T) {
	t.Parallel()
	for _, code := range []string{"SELL_ORDER_NOT_LIVE", "SELL_ORDER_SUPPLY_TOO_LOW", "PRICE_SUPPLIED_DIFF_CURRENT_PRICE"} {
		t.Run(code, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				committed := time.Now().Add(lateCommit)
				s := &shop{answers: func(n int) (wire.RetireAccepted, error) {
					switch {
					case n == 1:
						return wire.RetireAccepted{}, &api.Error{Kind: api.ServerError, Status: 504}
					case time.Now().Before(committed):
						return wire.RetireAccepted{}, refusedWith(code)
					}
					return wire.RetireAccepted{RequestID: "00m1", Replayed: true}, nil
				}}
				var told []string
				o, err := newWorkflow(t, s).SendNew(t.Context(), call("x-1", ""), func(_ int, err error) { told = append(told, err.Error()) })
				if err != nil || o.State != Done || o.RequestID != "00m1" || len(s.bodies) != 3 {
					t.Errorf("%+v, %v, sent %d times", o, err, len(s.bodies))
				}
				if len(told) != 2 || !strings.HasSuffix(told[1], "a try before may still be under way, so again in 30 s") {
					t.Errorf("told %q", told)
				}
			})
		})
	}
}

// A program that was killed leaves a call that may be under way: the next run
// is as careful from its first try on.
func TestACallOfAKilledProgramIsRefusedByTwoRefusalsFarApart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &shop{answers: func(int) (wire.RetireAccepted, error) {
			return wire.RetireAccepted{}, refusedWith("SELL_ORDER_NOT_LIVE")
		}}
		d := newWorkflow(t, s)
		killed(t, d, "x-1")
		start := time.Now()
		o, err := d.Resume(t.Context(), "x-1", nil)
		if took := time.Since(start); err != nil || o.State != Refused || len(s.bodies) != 2 || took < lateCommit {
			t.Errorf("%+v, %v, sent %d times in %v", o, err, len(s.bodies), took)
		}
	})
}

// A gateway may answer 422 after the service retired.
func TestA422WithoutANamedCodeLeavesTheCallUnknown(t *testing.T) {
	t.Parallel()
	for _, code := range []string{"", "VALIDATION_ERROR", "CALL_UNDER_WAY"} {
		synctest.Test(t, func(t *testing.T) {
			s := &shop{answers: func(int) (wire.RetireAccepted, error) { return wire.RetireAccepted{}, refusedWith(code) }}
			d := newWorkflow(t, s)
			killed(t, d, "x-1")
			for range 2 {
				if o, err := d.Resume(t.Context(), "x-1", nil); err != nil || o.State != Unknown {
					t.Errorf("%q: %+v, %v", code, o, err)
				}
			}
			s.bodies = nil
			if o, err := d.SendNew(t.Context(), call("x-2", ""), nil); err != nil || o.State != Unknown || len(s.bodies) != tries {
				t.Errorf("%q to a new call: %+v, %v, sent %d times", code, o, err, len(s.bodies))
			}
			if calls, err := d.Unsettled(t.Context()); err != nil || len(calls) != 2 || !strings.Contains(calls[1].Message, code) {
				t.Errorf("%q: %+v, %v", code, calls, err)
			}
		})
	}
}

func TestWhoEndsTheWaitBehindARefusalLeavesTheCallUnknown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &shop{answers: func(int) (wire.RetireAccepted, error) {
			return wire.RetireAccepted{}, refusedWith("SELL_ORDER_NOT_LIVE")
		}}
		d := newWorkflow(t, s)
		killed(t, d, "x-1")
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		o, err := d.Resume(ctx, "x-1", nil)
		if took := time.Since(start); err != nil || o.State != Unknown || took != time.Second {
			t.Errorf("%+v, %v after %v", o, err, took)
		}
	})
}

// killed leaves a call as a program does that is killed while it sends it.
func killed(t *testing.T, d *Workflow, id string) {
	t.Helper()
	j, err := openJournal(t.Context(), d.Path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := j.start(Call{Account: account, ExternalID: id, Body: []byte("{}")}); err != nil {
		t.Fatal(err)
	}
	if err := j.close(); err != nil {
		t.Fatal(err)
	}
}

// A gateway turns the call away and forwards it, and the service takes effect
// late: a refusal before that does not count.
func TestARefusalAfterACallWasTurnedAwayCountsOnlyTwice(t *testing.T) {
	t.Parallel()
	for _, status := range []int{401, 403, 429, 302} {
		synctest.Test(t, func(t *testing.T) {
			kind := map[int]api.Kind{401: api.Unauthorized, 403: api.Forbidden, 429: api.RateLimited, 302: api.NotTheAPI}[status]
			committed := time.Now().Add(lateCommit)
			s := &shop{answers: func(n int) (wire.RetireAccepted, error) {
				switch {
				case n == 1:
					return wire.RetireAccepted{}, &api.Error{Kind: kind, Status: status}
				case time.Now().Before(committed):
					return wire.RetireAccepted{}, refusedWith("SELL_ORDER_NOT_LIVE")
				}
				return wire.RetireAccepted{RequestID: "00m1", Replayed: true}, nil
			}}
			d := newWorkflow(t, s)
			o, err := d.SendNew(t.Context(), call("x-1", ""), nil)
			if status != 429 {
				if err != nil || o.State != Sent || len(s.bodies) != 1 {
					t.Errorf("%d: %+v, %v, sent %d times", status, o, err, len(s.bodies))
				}
				o, err = d.Resume(t.Context(), "x-1", nil)
			}
			if err != nil || o.State != Done || o.RequestID != "00m1" || o.Elsewhere {
				t.Errorf("%d: %+v, %v, sent %d times", status, o, err, len(s.bodies))
			}
		})
	}
}

// Ended between the two refusals, the call is unknown: the next run waits as well.
func TestAWaitForTheSecondRefusalThatIsEndedLeavesTheCallUnknown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &shop{answers: func(n int) (wire.RetireAccepted, error) {
			if n == 1 {
				return wire.RetireAccepted{}, &api.Error{Kind: api.Unauthorized, Status: 401}
			}
			return wire.RetireAccepted{}, refusedWith("SELL_ORDER_NOT_LIVE")
		}}
		d := newWorkflow(t, s)
		if o, err := d.SendNew(t.Context(), call("x-1", ""), nil); err != nil || o.State != Sent {
			t.Fatalf("%+v, %v", o, err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if o, err := d.Resume(ctx, "x-1", nil); err != nil || o.State != Unknown {
			t.Errorf("%+v, %v", o, err)
		}
	})
}
