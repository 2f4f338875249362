package postgres

import (
	"context"
	"slices"
	"sync"

	"golang.org/x/sync/semaphore"
)

// keyLocks serialises changes of this process that have a lock key in common, in the order of their arrival. Waiting
// changes need no connection. Without these locks, every success of one change would make all other changes of the same
// row start again.
type keyLocks struct {
	mu   sync.Mutex
	keys map[string]*keyLock
}

// keyLock is kept while a change holds the key or waits for it.
type keyLock struct {
	turn  *semaphore.Weighted
	users int
}

// lock waits for the keys in their order, so that no two changes wait for each other.
func (l *keyLocks) lock(ctx context.Context, keys []string) (release func(), err error) {
	var mine []string
	release = func() {
		for _, key := range mine {
			l.leave(key, true)
		}
	}
	for _, key := range slices.Compact(slices.Sorted(slices.Values(keys))) {
		if err := l.enter(key).Acquire(ctx, 1); err != nil {
			l.leave(key, false)
			release()
			return nil, context.Cause(ctx)
		}
		mine = append(mine, key)
	}
	return release, nil
}

func (l *keyLocks) enter(key string) *semaphore.Weighted {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.keys == nil {
		l.keys = make(map[string]*keyLock)
	}
	if l.keys[key] == nil {
		l.keys[key] = &keyLock{turn: semaphore.NewWeighted(1)}
	}
	l.keys[key].users++
	return l.keys[key].turn
}

func (l *keyLocks) leave(key string, held bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	of := l.keys[key]
	if held {
		of.turn.Release(1)
	}
	if of.users--; of.users == 0 {
		delete(l.keys, key)
	}
}
