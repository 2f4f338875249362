package session

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	must "tonne/model/musttest"
)

// newTestLimiter has one slot.
func newTestLimiter() *limiter { return &limiter{make(chan struct{}, 1)} }

func TestSlotIsFreeAfterWorkOrLongestHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := newTestLimiter()
		waits := func(least time.Duration) (over func(), took time.Duration) {
			began := time.Now()
			over = turns.take(t.Context(), least)
			return over, time.Since(began)
		}
		over, took := waits(0)
		over()
		must.Equal(t, took, 0)
		over, took = waits(3 * time.Millisecond)
		must.Hold(t, took == 0, "a turn that is over keeps others for", took)
		over()
		stuck, took := waits(0)
		must.Equal(t, took, 3*time.Millisecond)
		over, took = waits(0)
		must.Hold(t, took == longestHold, "one that is never over keeps others for", took)
		// A caller that cancels late does not lose another's turn.
		stuck()
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		turns.take(ctx, 0)
		must.Hold(t, ctx.Err() != nil, "two have a turn")
		over()
	})
}

// busy returns the next news of a reader that always has some.
func (o *outbox) busy(t *testing.T, ctx context.Context) (took time.Duration) {
	t.Helper()
	o.put(MarketEvent{})
	began := time.Now()
	must.Equal(t, len(must.Get(o.next(ctx))), 1)
	return time.Since(began)
}

func newReader(turns *limiter) *outbox {
	o := newOutbox()
	o.limiter = turns
	return o
}

func TestReadersTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one := newTestLimiter()
		first, second := newReader(one), newReader(one)
		must.Equal(t, first.busy(t, t.Context()), 0)
		// The first does not come back: its terminal takes no output.
		must.Equal(t, second.busy(t, t.Context()), longestHold)
		must.Equal(t, second.busy(t, t.Context()), shortestTurn)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		first.busy(t, ctx)
		synctest.Wait()
		time.Sleep(time.Second)
		must.Equal(t, newReader(one).busy(t, t.Context()), 0, "there is a turn that is never over")
	})
}
