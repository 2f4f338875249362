package session

import (
	"context"
	"runtime"
	"sync"
	"time"
)

// limiter limits how many do something at once. An event that reaches all people in
// a shared session at once would otherwise delay the key of each.
type limiter struct{ slots chan struct{} }

// longestHold is how long a slot keeps others waiting at most.
const longestHold = 20 * time.Millisecond

// newLimiter leaves a processor to the keys.
func newLimiter() *limiter {
	return &limiter{make(chan struct{}, max(runtime.GOMAXPROCS(0)-1, 1))}
}

// take waits for a slot, or until ctx ends. The slot is free again when over is
// called and it was held for least, or after longestHold.
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
