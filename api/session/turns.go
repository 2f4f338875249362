package session

import (
	"context"
	"runtime"
	"sync"
	"time"
)

// Turns let what comes to everybody at a desk in the same moment be done for one
// after the other: the key of one person would wait for all of them.
type Turns struct{ slots chan struct{} }

// LongestTurn is how long a turn keeps others waiting at most, whoever has it
// and whatever for.
const LongestTurn = 20 * time.Millisecond

// NewTurns gives so many turns at once; with 0 it leaves a processor to the keys.
func NewTurns(n int) *Turns {
	if n == 0 {
		n = max(runtime.GOMAXPROCS(0)-1, 1)
	}
	return &Turns{make(chan struct{}, n)}
}

// Take waits for a turn, or until ctx ends. It is over when over is called and it
// has lasted as long as least, or once it has lasted for LongestTurn.
func (t *Turns) Take(ctx context.Context, least time.Duration) (over func()) {
	select {
	case t.slots <- struct{}{}:
	case <-ctx.Done():
		return func() {}
	}
	free := sync.OnceFunc(func() { <-t.slots })
	late, began := time.AfterFunc(LongestTurn, free), time.Now()
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
