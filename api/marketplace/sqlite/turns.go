package sqlite

import (
	"context"
	"fmt"
	"slices"
	"sync"
)

// turns lets one change at a time write, in the order in which they came. Whose
// turn ends hands a transaction that is open on to the next.
type turns struct {
	mu      sync.Mutex
	taken   bool
	waiting []chan *group
}

func (t *turns) take(ctx context.Context) (*group, error) {
	t.mu.Lock()
	if !t.taken {
		t.taken = true
		t.mu.Unlock()
		return nil, nil
	}
	turn := make(chan *group, 1)
	t.waiting = append(t.waiting, turn)
	t.mu.Unlock()
	select {
	case g := <-turn:
		return g, nil
	case <-ctx.Done():
	}
	if t.leave(turn) {
		return nil, fmt.Errorf("%w: %w", context.Cause(ctx), ctx.Err())
	}
	return <-turn, nil
}

func (t *turns) leave(turn chan *group) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	at := slices.Index(t.waiting, turn)
	if at < 0 {
		return false
	}
	t.waiting = slices.Delete(t.waiting, at, at+1)
	return true
}

func (t *turns) handOn(g *group) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.waiting) == 0 {
		return false
	}
	t.next() <- g
	return true
}

func (t *turns) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.waiting) == 0 {
		t.taken = false
		return
	}
	t.next() <- nil
}

func (t *turns) next() chan *group {
	turn := t.waiting[0]
	t.waiting = slices.Delete(t.waiting, 0, 1)
	return turn
}
