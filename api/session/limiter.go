package session

import (
	"context"
	"runtime"
	"sync"
	"time"
)

// limiter limits how many readers work at once. An event for all people of a shared session
// would otherwise delay everyone's keys.
type limiter struct{ slots chan struct{} }

// longestHold is the longest time that a slot is occupied.
const longestHold = 20 * time.Millisecond

// newLimiter leaves one processor free for keys.
func newLimiter() *limiter {
	return &limiter{make(chan struct{}, max(runtime.GOMAXPROCS(0)-1, 1))}
}

// take waits for a slot, or until ctx ends. The slot is free again when over was called and
// least has passed, or after longestHold.
func (t *limiter) take(ctx context.Context, least time.Duration) (over func()) {
	select {
	case t.slots <- struct{}{}:
	case <-ctx.Done():
		return func() {}
	}
	free := sync.OnceFunc(func() { <-t.slots })
	late, began := time.AfterFunc(longestHold, free), time.Now()
	return func() {
		if !late.Stop() {
			return
		}
		if left := least - time.Since(began); left > 0 {
			time.AfterFunc(left, free)
			return
		}
		free()
	}
}
