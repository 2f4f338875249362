package postgres

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"tonne/api/marketplace/exchange"
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

// othersRemembered is how long changes take turns with those of another process that was noticed.
const othersRemembered = time.Minute

// others remembers the last conflict, which most likely was with another process. A process alone waits for no locks of
// the server. But it shares them, so that a change of another process that waits for them has its turn, and is noticed.
type others struct{ last atomic.Int64 }

func (o *others) met() { o.last.Store(time.Now().UnixNano()) }

// around reports whether a change with these keys has to wait for its turn on the server.
func (o *others) around(keys []string) bool {
	return len(keys) > 0 && time.Since(time.Unix(0, o.last.Load())) < othersRemembered
}

const (
	keyNumber = numberOf + "key, 0)"
	waiting   = "SELECT pg_advisory_lock(" + keyNumber + ")" + fromKeys
	// holding moves the locks from the session to the transaction.
	holding = "SELECT pg_advisory_xact_lock(" + keyNumber + "), pg_advisory_unlock(" + keyNumber + ")" + withChanges
	// sharing returns the number of keys that another process holds or waits for.
	sharing = "SELECT count(*) FILTER (WHERE NOT pg_try_advisory_xact_lock_shared(" + keyNumber + "))" + withChanges

	withChanges = ", pg_advisory_xact_lock_shared(" + changesLock + ")" + fromKeys
	fromKeys    = " FROM unnest($1::text[]) AS key"
)

// begin waits for locks in a separate transaction, because the next one sees the state at its first statement. The
// server lets sessions take turns in the order of arrival.
func (t *tx) begin(statement string) {
	if t.waits {
		t.Do("BEGIN")
		t.Do(waiting, t.keys)
		t.Do("COMMIT AND CHAIN")
		t.Do(holding, t.keys)
		return
	}
	t.Do(statement)
	if t.others != nil {
		t.Ask(sharing, func(row exchange.Row) {
			if row.Int64(0) > 0 {
				t.others.met()
			}
		}, t.keys)
	}
}
