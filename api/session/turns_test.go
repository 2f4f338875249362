package session_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"tonne/api/session"
)

func TestATurnIsOverOnceItIsDoneOrHasLastedLongEnough(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		turns := session.NewLimiter(1)
		waits := func(least time.Duration) (over func(), took time.Duration) {
			began := time.Now()
			over = turns.Take(t.Context(), least)
			return over, time.Since(began)
		}
		over, took := waits(0)
		over()
		if took != 0 {
			t.Errorf("the first waits %s for nobody", took)
		}
		if over, took = waits(3 * time.Millisecond); took != 0 {
			t.Errorf("a turn that is over keeps others for %s", took)
		}
		over()
		stuck, took := waits(0)
		if took != 3*time.Millisecond {
			t.Errorf("a turn that lasts 3 ms at least keeps others for %s", took)
		}
		if over, took = waits(0); took != session.LongestHold {
			t.Errorf("one that is never over keeps others for %s", took)
		}
		// Who is late gives up nobody else's turn.
		stuck()
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		turns.Take(ctx, 0)
		if ctx.Err() == nil {
			t.Error("two have a turn")
		}
		over()
	})
}
