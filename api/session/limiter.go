package session

import (
	"context"
	"runtime"
	"sync"
	"time"
)

// Limiter limits how many do something at once. An event that reaches all people in
// a shared session at once would otherwise delay the key of each.
type Limiter struct{ slots chan struct{} }

// LongestHold is how long a slot keeps others waiting at most.
const LongestHold = 20 * time.Millisecond

// NewLimiter returns a limiter with n slots; with 0 it leaves a processor to the keys.
func NewLimiter(n int) *Limiter {
	if n == 0 {
		n = max(runtime.GOMAXPROCS(0)-1, 1)
	}
	return &Limiter{make(chan struct{}, n)}
}

// Take waits for a slot, or until ctx ends. The slot is free again when over is
// called and it was held for least, or after LongestHold.
func (t *Limiter) Take(ctx context.Context, least time.Duration) (over func()) {
	select {
	case t.slots <- struct{}{}:
	case <-ctx.Done():
		return func() {}
	}
	free := sync.OnceFunc(func() { <-t.slots })
	late, began := time.AfterFunc(LongestHold, free), time.Now()
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
