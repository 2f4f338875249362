package postgres

import (
	"context"
	"slices"
	"sync"
)

// turns let changes of this process that are about the same thing come one after the other,
// without a connection while they wait. Without them all of many that want the same row
// would begin again each time that one of them succeeds.
type turns struct {
	mu sync.Mutex
	// taken are the things that a change has; their channels are closed when it ends.
	taken map[string]chan struct{}
}

func (t *turns) take(ctx context.Context, things []string) (release func(), err error) {
	var mine []string
	release = func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		for _, thing := range mine {
			close(t.taken[thing])
			delete(t.taken, thing)
		}
	}
	for _, thing := range slices.Compact(slices.Sorted(slices.Values(things))) {
		for other := t.enter(thing); other != nil; other = t.enter(thing) {
			select {
			case <-other:
			case <-ctx.Done():
				release()
				return nil, context.Cause(ctx)
			}
		}
		mine = append(mine, thing)
	}
	return release, nil
}

func (t *turns) enter(thing string) (other <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if other, taken := t.taken[thing]; taken {
		return other
	}
	t.taken[thing] = make(chan struct{})
	return nil
}
