package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"tonne/api/marketplace/storage"
)

const (
	// maxTries is how often a change is tried that others are in the way of.
	maxTries = 30
	// firstRest and longestRest are about how long it waits between: long enough
	// for the other to be done, and then longer, since there are many.
	firstRest   = 2 * time.Millisecond
	longestRest = 100 * time.Millisecond
)

// Write calls fn in a transaction that is committed whole, or not at all where
// fn returns an error. It is as if changes came one after the other: each works
// on the state at its beginning, and fails where another has meanwhile changed a
// row that it changes or keeps (storage.Tx.QueryKept). The level SERIALIZABLE of
// PostgreSQL would find out by itself what a change depends on, but by pages of
// indexes: changes that have nothing to do with one another fail then. Where others are in its way, or the server
// goes away before the commit, it is rolled back and fn is called again, for
// at most storage.LockWait; then the error is storage.ErrNotCommitted or
// storage.ErrUnreachable.
func (d *Database) Write(ctx context.Context, fn func(storage.Tx) error, about ...string) error {
	turn, cancel := context.WithTimeoutCause(ctx, storage.LockWait, storage.ErrLocked)
	defer cancel()
	release, err := d.turns.take(turn, about)
	if err != nil {
		return err
	}
	defer release()
	for try := 1; ; try++ {
		err := d.writeOnce(turn, fn)
		if !mayGoAgain(err) || try == maxTries || !rest(turn, min(firstRest<<min(try, 10), longestRest)) {
			return translate(err)
		}
	}
}

// writeOnce makes a change. Once it has begun, the end of ctx does not
// interrupt it.
func (d *Database) writeOnce(ctx context.Context, fn func(storage.Tx) error) error {
	conn, err := d.acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	work, cancel := context.WithTimeout(context.WithoutCancel(ctx), workLimit)
	defer cancel()
	return inTransaction(work, conn, pgx.TxOptions{IsoLevel: pgx.RepeatableRead}, fn)
}

// mayGoAgain reports whether a change that failed is not kept for certain, and
// may succeed when it is made again.
func mayGoAgain(err error) bool {
	err = translate(err)
	return errors.Is(err, storage.ErrNotCommitted) || errors.Is(err, storage.ErrUnreachable)
}

var errTried = errors.New("the change was only tried")

// probeWait bounds how long it takes to find out whether a change would be
// taken: whoever asks does not wait for long.
const probeWait = 2 * time.Second

// Ready returns why the database cannot take a purchase, or nil: it makes a
// change as large as one and rolls it back.
func (d *Database) Ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, probeWait, storage.ErrUnreachable)
	defer cancel()
	conn, err := d.acquire(ctx)
	if err != nil {
		return translate(err)
	}
	defer conn.Release()
	err = inTransaction(ctx, conn, pgx.TxOptions{}, func(tx storage.Tx) error {
		if err := storage.Rehearse(tx); err != nil {
			return err
		}
		return errTried
	})
	switch {
	case errors.Is(err, errTried):
		return nil
	case ctx.Err() != nil:
		err = errors.Join(context.Cause(ctx), err)
	}
	return translate(err)
}
