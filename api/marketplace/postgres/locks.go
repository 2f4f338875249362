package postgres

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

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

// lock waits for the keys, which are sorted so that no two changes wait for each other.
func (l *keyLocks) lock(ctx context.Context, keys []string) (release func(), err error) {
	var mine []string
	release = func() {
		for _, key := range mine {
			l.leave(key, true)
		}
	}
	for _, key := range keys {
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

// othersRemembered is how long after a conflict changes also take turns with those of other processes. When it ends,
// some changes meet by chance again, and a few may wait for seconds.
const othersRemembered = time.Hour

// others remembers the last conflict, which most likely was with another process. A process alone pays for no locks of
// the server.
type others struct{ last atomic.Int64 }

func (o *others) met() { o.last.Store(time.Now().UnixNano()) }

// keys returns the keys that a change has to lock on the server.
func (o *others) keys(all []string) []string {
	if time.Since(time.Unix(0, o.last.Load())) > othersRemembered {
		return nil
	}
	return all
}

// lock waits for the locks of the session in a separate transaction, because the next one sees the state at its first
// statement. The server lets sessions take turns in the order of arrival.
func (t *tx) lock() {
	if len(t.keys) == 0 {
		return
	}
	t.waiting.Queue("BEGIN")
	for _, key := range t.keys {
		t.waiting.Queue("SELECT pg_advisory_lock("+lockNumber+")", key)
	}
	t.waiting.Queue("COMMIT")
}

// unlock returns the statements that release the locks of the session.
func (t *tx) unlock() []string {
	if len(t.keys) == 0 {
		return nil
	}
	return []string{"SELECT pg_advisory_unlock_all()"}
}
