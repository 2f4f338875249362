package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
)

// heartbeat is how often a process that holds a work alone looks whether it
// still does, and how often one that waits asks whether it may.
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
	for ctx.Err() == nil {
		conn, err := d.hold(ctx, work)
		if err != nil {
			if !rest(ctx, heartbeat) {
				break
			}
			continue
		}
		err = whileHeld(ctx, conn, fn)
		if ctx.Err() != nil || !errors.Is(err, errLost) {
			return err
		}
	}
	return nil
}

var errLost = errors.New("the lock was lost")

func (d *Database) hold(ctx context.Context, work string) (*pgx.Conn, error) {
	conn, err := pgx.ConnectConfig(ctx, d.pool.Config().ConnConfig)
	if err != nil {
		return nil, err
	}
	for held := false; ; {
		err := conn.QueryRow(ctx, "SELECT pg_try_advisory_lock("+lockNumber+")", work).Scan(&held)
		if err == nil && held {
			return conn, nil
		}
		if err != nil || !rest(ctx, heartbeat) {
			return nil, errors.Join(err, ctx.Err(), conn.Close(context.WithoutCancel(ctx)))
		}
	}
}

// whileHeld calls fn with a context that ends when the connection does. The
// error is errLost where that is why fn has ended.
func whileHeld(ctx context.Context, conn *pgx.Conn, fn func(context.Context) error) error {
	held, lost := context.WithCancelCause(ctx)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		for rest(held, heartbeat) {
			ask, cancel := context.WithTimeout(held, heartbeat)
			err := conn.Ping(ask)
			cancel()
			if err != nil && held.Err() == nil {
				lost(errLost)
			}
		}
	}()
	err := fn(held)
	wasLost := errors.Is(context.Cause(held), errLost)
	lost(nil)
	<-watched
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), heartbeat)
	defer cancel()
	_ = conn.Close(end)
	if wasLost {
		return errLost
	}
	return err
}
