package postgres

import (
	"cmp"
	"context"
	"errors"
	"time"

	"tonne/api/marketplace/exchange"
)

const (
	maxTries = 30
	// firstRest and longestRest are about how long it waits between: long enough
	// for the other to be done, and then longer, since there are many.
	firstRest   = 2 * time.Millisecond
	longestRest = 100 * time.Millisecond
)

// Write calls fn in a transaction that is committed whole, or not at all where
// fn returns an error. It is as if changes came one after the other. Those that
// do not say what they are about may depend on anything: among themselves
// PostgreSQL finds out whether they do, on its level SERIALIZABLE. That watches
// pages of indexes and whole tables, which would let purchases fail that have
// nothing to do with one another. Those say what they are about, and each works
// on the state at its beginning, and fails where another has meanwhile changed a
// row that it changes or keeps (exchange.Tx.QueryKept); who changes what others
// keep does so while none is under way (exchange.Tx.Alone).
//
// Where others are in its way, or the server goes away before the commit, the
// change is rolled back and fn is called again, for at most exchange.LockWait;
// then the error is exchange.ErrNotCommitted or exchange.ErrUnreachable.
func (d *Database) Write(ctx context.Context, fn func(exchange.Tx) error, about ...string) error {
	turn, cancel := context.WithTimeoutCause(ctx, exchange.LockWait, exchange.ErrLocked)
	defer cancel()
	release, err := d.turns.take(turn, about)
	if err != nil {
		return err
	}
	defer release()
	alone, begin := false, writing
	if len(about) == 0 {
		begin = writingAnything
	}
	for try := 1; ; try++ {
		err := d.writeOnce(turn, alone, begin, fn)
		if errors.Is(err, errNotAlone) {
			alone = true
			continue
		}
		if err == nil {
			d.addUpSoon()
			return nil
		}
		if !mayGoAgain(err) || try == maxTries || !rest(turn, min(firstRest<<min(try, 10), longestRest)) {
			return translate(err)
		}
	}
}

// changesLock is the number of the lock that changes share, and that one has
// that is made alone.
const changesLock = "hashtextextended('tonne ' || current_schema() || ' changes', 0)"

// configure sets the level of writing.
const (
	writing         = "BEGIN"
	writingAnything = "BEGIN ISOLATION LEVEL SERIALIZABLE"
)

// writeOnce makes a change. Once it has begun, the end of ctx does not
// interrupt it.
func (d *Database) writeOnce(ctx context.Context, alone bool, begin string, fn func(exchange.Tx) error) error {
	conn, err := d.acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	t := &tx{ctx: context.WithoutCancel(ctx), conn: conn, alone: alone}
	if alone {
		return writeAlone(t, fn)
	}
	return inTransaction(t, fn, begin, "SELECT pg_advisory_xact_lock_shared("+changesLock+")")
}

// writeAlone makes a change while no other is under way, so that any level will do. Its
// lock comes before the transaction, which sees the state at its first statement.
func writeAlone(t *tx, fn func(exchange.Tx) error) error {
	ctx, cancel := context.WithTimeout(t.ctx, statementLimit)
	defer cancel()
	if _, err := t.conn.Exec(ctx, "SELECT pg_advisory_lock("+changesLock+")"); err != nil {
		return err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(t.ctx, statementLimit)
		defer cancel()
		if _, err := t.conn.Exec(ctx, "SELECT pg_advisory_unlock("+changesLock+")"); err != nil {
			// The server frees the lock with the connection.
			_ = t.conn.Conn().Close(ctx)
		}
	}()
	return inTransaction(t, fn, writing)
}

// mayGoAgain reports whether a change that failed is not kept for certain, and
// may succeed when it is made again.
func mayGoAgain(err error) bool {
	err = translate(err)
	return errors.Is(err, exchange.ErrNotCommitted) || errors.Is(err, exchange.ErrUnreachable)
}

var errTried = errors.New("the change was only tried")

// Ready returns why the database cannot take a purchase, or nil: it makes a
// change as large as one and rolls it back.
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
