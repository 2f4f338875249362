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
	// About how long a change waits before it is tried again.
	firstRest   = 2 * time.Millisecond
	longestRest = 100 * time.Millisecond
)

// Write calls fn in a transaction. It is as if changes came one after the other: those that
// do not name what they are about are SERIALIZABLE, which watches pages of indexes and would
// let purchases fail that have nothing to do with one another. So the others work on the
// state at their beginning, and fail if another has changed a row that they change or keep.
//
// If others are in its way, or the server goes away before the commit, fn is called again,
// for at most exchange.LockWait; then the error is exchange.ErrNotCommitted or
// exchange.ErrUnreachable.
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
		err = translate(err)
		again := errors.Is(err, exchange.ErrNotCommitted) || errors.Is(err, exchange.ErrUnreachable)
		if !again || try == maxTries || !rest(turn, min(firstRest<<min(try, 10), longestRest)) {
			return err
		}
	}
}

// changesLock is the number of the lock that changes share, or that one has alone.
const changesLock = "hashtextextended('tonne ' || current_schema() || ' changes', 0)"

// configure sets the level of writing.
const (
	writing         = "BEGIN"
	writingAnything = "BEGIN ISOLATION LEVEL SERIALIZABLE"
)

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

// The lock comes before the transaction, which sees the state at its first statement.
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

var errTried = errors.New("the change was only tried")

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
