package sqlite

import (
	"context"
	"errors"
	"fmt"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"tonne/api/marketplace/exchange"
)

// maxGroup bounds how many changes are committed together, and with that how
// long the first of them waits for the last.
const maxGroup = 64

// group is a transaction of one or more changes that came while others were at
// work. They are committed together, because half of what a purchase takes is
// the wait for the disk. Each has its own outcome, and none has one before the
// commit: what a later one saw of an earlier one may be taken back.
type group struct {
	tx
	// size counts the changes whose outcome depends on the commit.
	size int
	// ended is closed once err is why the changes are not kept, or nil.
	ended chan struct{}
	err   error
}

// Write calls fn in a transaction that is committed whole, or not at all where
// fn returns an error, or where nobody would find what was committed. Others
// may be committed with it. Where that fails, all of them get
// exchange.ErrNotCommitted in front of what failed.
func (d *Database) Write(ctx context.Context, fn func(exchange.Tx) error, _ ...string) error {
	turn, cancel := context.WithTimeoutCause(ctx, exchange.LockWait, exchange.ErrLocked)
	defer cancel()
	g, err := d.turns.take(turn)
	if err == nil && g == nil {
		if g, err = d.open(turn); err != nil {
			d.turns.end()
		}
	}
	if err != nil {
		return translate(err)
	}
	return translate(d.join(g, fn))
}

func (d *Database) open(turn context.Context) (*group, error) {
	conn, err := d.begin(turn)
	if err != nil {
		return nil, err
	}
	return &group{tx: d.on(conn), ended: make(chan struct{})}, nil
}

// join makes a change in a group, hands the group on to who waits, or ends it,
// and returns the outcome of the change.
func (d *Database) join(g *group, fn func(exchange.Tx) error) error {
	changing := true
	defer func() {
		// A panic leaves nobody knows what behind. It goes on where it came from.
		if changing {
			d.giveUp(g, nil)
		}
	}()
	err := g.change(fn)
	changing = false
	if err != nil && g.conn.AutocommitEnabled() {
		// SQLite has rolled everything back itself.
		d.giveUp(g, err)
		return err
	}
	if err != nil && g.size == 0 {
		d.finish(g, g.rollBack())
		return err
	}
	g.size++
	if g.size == maxGroup || !d.turns.handOn(g) {
		d.commit(g)
	}
	<-g.ended
	if g.err != nil {
		return g.err
	}
	return err
}

// change makes one change. The first needs no savepoint: where it fails, all
// that is in the transaction goes with it.
func (g *group) change(fn func(exchange.Tx) error) error {
	if g.size == 0 {
		return fn(g.tx)
	}
	if err := g.Do("SAVEPOINT change"); err != nil {
		return err
	}
	err := fn(g.tx)
	if err != nil && g.conn.AutocommitEnabled() {
		return err
	}
	if err != nil {
		err = errors.Join(err, g.Do("ROLLBACK TO change"))
	}
	return errors.Join(err, g.Do("RELEASE change"))
}

func (g *group) rollBack() error {
	if g.conn.AutocommitEnabled() {
		return nil
	}
	return g.Do("ROLLBACK")
}

// commit ends a group with its changes, unless nobody would find them.
func (d *Database) commit(g *group) {
	err := d.files.inPlace()
	if err == nil {
		err = g.Do("COMMIT")
	}
	if err != nil {
		d.giveUp(g, err)
		return
	}
	d.finish(g, nil)
}

func (d *Database) giveUp(g *group, because error) {
	err := g.rollBack()
	if errors.Is(because, exchange.ErrReplaced) {
		err = errors.Join(err, d.rescue(g.conn))
	}
	if because = errors.Join(because, err); because != nil {
		d.finish(g, fmt.Errorf("%w: %w", exchange.ErrNotCommitted, because))
		return
	}
	d.finish(g, exchange.ErrNotCommitted)
}

func (d *Database) finish(g *group, err error) {
	g.err = err
	close(g.ended)
	d.writer.Put(g.conn)
	d.turns.end()
}

// begin starts a transaction that writes, once those before it in this process
// and in others are done, or ctx ends. Its connection belongs back into the
// pool.
func (d *Database) begin(ctx context.Context) (conn *sqlite.Conn, err error) {
	conn, err = d.writer.Take(ctx)
	if err == nil {
		conn.SetBlockOnBusy()
		if err = sqlitex.Execute(conn, "BEGIN IMMEDIATE", nil); err != nil {
			d.writer.Put(conn)
		}
	}
	if err != nil && ctx.Err() != nil {
		err = fmt.Errorf("%w: %w", context.Cause(ctx), err)
	}
	if err != nil {
		return nil, err
	}
	conn.SetInterrupt(nil)
	conn.SetBusyTimeout(exchange.LockWait)
	return conn, nil
}

func (d *Database) try(ctx context.Context, patience time.Duration, fn func(exchange.Tx) error) error {
	turn, cancel := context.WithTimeoutCause(ctx, patience, exchange.ErrLocked)
	defer cancel()
	conn, err := d.begin(turn)
	if err != nil {
		return err
	}
	defer d.writer.Put(conn)
	g := &group{tx: d.on(conn)}
	err = fn(g.tx)
	return errors.Join(err, g.rollBack())
}
