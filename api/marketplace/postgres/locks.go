package postgres

import (
	"context"
	"slices"
	"sync"
)

// keyLocks serialises changes of this process that have a lock key in common. Waiting changes
// need no connection. Without these locks, every success of one change would make all other
// changes of the same row start again.
type keyLocks struct {
	mu sync.Mutex
	// held maps a key to a channel that is closed when the change ends.
	held map[string]chan struct{}
}

func (l *keyLocks) lock(ctx context.Context, keys []string) (release func(), err error) {
	var mine []string
	release = func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		for _, key := range mine {
			close(l.held[key])
			delete(l.held, key)
		}
	}
	for _, key := range slices.Compact(slices.Sorted(slices.Values(keys))) {
		for other := l.tryLock(key); other != nil; other = l.tryLock(key) {
			select {
			case <-other:
			case <-ctx.Done():
				release()
				return nil, context.Cause(ctx)
			}
		}
		mine = append(mine, key)
	}
	return release, nil
}

func (l *keyLocks) tryLock(key string) (other <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if other, held := l.held[key]; held {
		return other
	}
	l.held[key] = make(chan struct{})
	return nil
}
