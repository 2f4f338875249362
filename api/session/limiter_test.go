package session

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// newTestLimiter has one slot.
func newTestLimiter() *limiter { return &limiter{make(chan struct{}, 1)} }

func TestSlotIsFreeAfterWorkOrLongestHold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		turns := newTestLimiter()
		waits := func(least time.Duration) (over func(), took time.Duration) {
			began := time.Now()
			over = turns.take(t.Context(), least)
			return over, time.Since(began)
		}
		over, took := waits(0)
		over()
		if took != 0 {
			t.Errorf("the first waits %s without need", took)
		}
		if over, took = waits(3 * time.Millisecond); took != 0 {
			t.Errorf("a turn that is over keeps others for %s", took)
		}
		over()
		stuck, took := waits(0)
		if took != 3*time.Millisecond {
			t.Errorf("a turn that lasts 3 ms at least keeps others for %s", took)
		}
		if over, took = waits(0); took != longestHold {
			t.Errorf("one that is never over keeps others for %s", took)
		}
		// A caller that cancels late does not lose another's turn.
		stuck()
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		turns.take(ctx, 0)
		if ctx.Err() == nil {
			t.Error("two have a turn")
		}
		over()
	})
}

// busy returns the next news of a reader that always has some.
func (o *outbox) busy(t *testing.T, ctx context.Context) (took time.Duration) {
	t.Helper()
	o.put(MarketEvent{})
	began := time.Now()
	if events, err := o.next(ctx); err != nil || len(events) != 1 {
		t.Errorf("%v, %v", events, err)
	}
	return time.Since(began)
}

func newReader(turns *limiter) *outbox {
	o := newOutbox()
	o.limiter = turns
	return o
}

func TestReadersTakeTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		one := newTestLimiter()
		first, second := newReader(one), newReader(one)
		if took := first.busy(t, t.Context()); took != 0 {
			t.Errorf("the first waits %s without need", took)
		}
		// The first does not come back: its terminal takes no output.
		if took := second.busy(t, t.Context()); took != longestHold {
			t.Errorf("the second waits %s", took)
		}
		if took := second.busy(t, t.Context()); took != shortestTurn {
			t.Errorf("who comes back at once waits %s", took)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		first.busy(t, ctx)
		synctest.Wait()
		time.Sleep(time.Second)
		if took := newReader(one).busy(t, t.Context()); took != 0 {
			t.Errorf("there is a turn that is never over: another waits %s", took)
		}
	})
}
