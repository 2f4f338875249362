package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
)

// heartbeat is how often a process that holds a work alone looks whether it
// still does, and how often one that waits tries to.
const heartbeat = 2 * time.Second

// lockNumber is the number of the advisory lock for $1. A database may hold a
// marketplace in each of several schemas.
const lockNumber = "hashtextextended('tonne ' || current_schema() || ' ' || $1, 0)"

// changesLock is the number of the lock that changes share, and that one has
// that is made alone.
const changesLock = "hashtextextended('tonne ' || current_schema() || ' changes', 0)"

// Alone calls fn while this process holds the advisory lock of the work, on a
// connection of its own. The server frees the lock when the connection ends,
// and with it the process or the machine. Where that connection breaks, the
// context of fn ends, and the lock is waited for again once fn has returned.
func (d *Database) Alone(ctx context.Context, work string, fn func(context.Context) error) error {
	for {
		err := d.whileHeld(ctx, work, fn)
		if !errors.Is(err, errNotHeld) {
			return err
		}
		if !rest(ctx, heartbeat) {
			return nil
		}
	}
}

var errNotHeld = errors.New("the lock is not held")

func (d *Database) whileHeld(ctx context.Context, work string, fn func(context.Context) error) error {
	conn, err := pgx.ConnectConfig(ctx, d.pool.Config().ConnConfig)
	if err != nil {
		return errNotHeld
	}
	defer func() {
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), heartbeat)
		defer cancel()
		_ = conn.Close(end)
	}()
	locked := false
	if err := conn.QueryRow(ctx, "SELECT pg_try_advisory_lock("+lockNumber+")", work).Scan(&locked); err != nil || !locked {
		return errNotHeld
	}
	held, lost := context.WithCancelCause(ctx)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		for rest(held, heartbeat) {
			ask, cancel := context.WithTimeout(held, heartbeat)
			if conn.Ping(ask) != nil {
				lost(errNotHeld)
			}
			cancel()
		}
	}()
	err = fn(held)
	lost(nil)
	<-watched
	if errors.Is(context.Cause(held), errNotHeld) {
		return errNotHeld
	}
	return err
}
