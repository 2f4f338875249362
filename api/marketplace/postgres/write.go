package postgres

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"tonne/api/marketplace/exchange"
)

const (
	maxTries = 30
	// Limits of the random wait before a retry.
	firstRest   = 2 * time.Millisecond
	longestRest = 100 * time.Millisecond
)

// Write calls fn in a transaction. The result is as if changes ran one after the other. A
// change without lock keys is SERIALIZABLE. That level also monitors pages of indexes, so
// unrelated purchases would fail. Therefore a change with lock keys is REPEATABLE READ: it
// fails if another change modified a row that it modifies or reads with QueryForShare.
//
// After a conflict, or if the server is lost before the commit, Write calls fn again for up
// to exchange.LockWait. Then the error is exchange.ErrNotCommitted or
// exchange.ErrUnreachable.
func (d *Database) Write(ctx context.Context, fn func(exchange.Tx) error, lockKeys ...string) error {
	turn, cancel := context.WithTimeoutCause(ctx, exchange.LockWait, exchange.ErrLocked)
	defer cancel()
	lockKeys = slices.Compact(slices.Sorted(slices.Values(lockKeys)))
	release, err := d.locks.lock(turn, lockKeys)
	if err != nil {
		return err
	}
	defer release()
	exclusive, begin := false, writing
	if len(lockKeys) == 0 {
		begin = writingAnything
	}
	var lost error
	for try := 1; ; try++ {
		err := d.writeOnce(turn, &tx{exclusive: exclusive, keys: lockKeys, waits: d.others.around(lockKeys)}, begin, fn)
		if errors.Is(err, errNotExclusive) {
			exclusive = true
			continue
		}
		if err == nil {
			d.addUpSoon()
			return nil
		}
		err = translate(err)
		if len(lockKeys) > 0 && errors.Is(err, exchange.ErrNotCommitted) {
			d.others.met()
		}
		if errors.Is(err, exchange.ErrUnreachable) {
			lost = err
		} else if lost != nil && errors.Is(err, exchange.ErrLocked) && turn.Err() != nil {
			return lost
		}
		again := errors.Is(err, exchange.ErrNotCommitted) || errors.Is(err, exchange.ErrUnreachable)
		if !again || try == maxTries || !rest(turn, min(firstRest<<min(try, 10), longestRest)) {
			return err
		}
	}
}

// changesKey is the name of the lock that changes share, or that one change holds exclusively.
const (
	changesKey  = "changes"
	changesLock = numberOf + "'" + changesKey + "', 0)"
)

// The isolation level of writing is the default that configure sets.
const (
	writing         = "BEGIN"
	writingAnything = "BEGIN ISOLATION LEVEL SERIALIZABLE"
)

func (d *Database) writeOnce(ctx context.Context, t *tx, begin string, fn func(exchange.Tx) error) error {
	conn, err := d.acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	t.ctx, t.conn, t.others = context.WithoutCancel(ctx), conn, &d.others
	if t.exclusive {
		t.keys, t.waits = []string{changesKey}, true
	}
	return inTransaction(t, fn, begin)
}

var errTried = errors.New("the change was only a test")

// Ready makes a change as large as a purchase and rolls it back.
func (d *Database) Ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, 2*time.Second, exchange.ErrUnreachable)
	defer cancel()
	conn, err := d.acquire(ctx)
	if err != nil {
		return translate(err)
	}
	defer conn.Release()
	err = inTransaction(&tx{ctx: ctx, conn: conn}, func(tx exchange.Tx) error {
		return cmp.Or(exchange.Rehearse(tx), errTried)
	}, writing)
	switch {
	case errors.Is(err, errTried):
		return nil
	case ctx.Err() != nil:
		err = errors.Join(context.Cause(ctx), err)
	}
	return translate(err)
}
