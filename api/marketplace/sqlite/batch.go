package sqlite

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"tonne/api/marketplace/exchange"
)

// maxBatch limits how long the first change of a batch waits for the last.
const maxBatch = 64

// commitBatch is a transaction with several changes, because half of the time of a purchase
// is the wait for the disk. The outcome of each change is unknown until the commit.
type commitBatch struct {
	conn *sqlite.Conn
	size int
	// ended is closed after the commit or rollback. Then err is the result for all changes.
	ended chan struct{}
	err   error
}

// turns lets one change at a time write, first come, first served. A change begins a batch if
// none is open, or receives the open one from the previous change.
type turns struct {
	// idle contains a token while no change writes. Receivers of open wait for their turn.
	idle chan struct{}
	open chan *commitBatch
}

func newTurns() turns {
	t := turns{make(chan struct{}, 1), make(chan *commitBatch)}
	t.idle <- struct{}{}
	return t
}

// Write calls fn in a transaction, which is rolled back if fn returns an error. It may commit
// several changes together: if that fails, each of them returns exchange.ErrNotCommitted.
func (d *Database) Write(ctx context.Context, fn func(exchange.Tx) error, _ ...string) error {
	turn, cancel := context.WithTimeoutCause(ctx, exchange.LockWait, exchange.ErrLocked)
	defer cancel()
	var b *commitBatch
	select {
	case b = <-d.turns.open:
	case <-d.turns.idle:
		conn, err := d.begin(turn)
		if err != nil {
			d.turns.idle <- struct{}{}
			return translate(err)
		}
		b = &commitBatch{conn: conn, ended: make(chan struct{})}
	case <-turn.Done():
		return fmt.Errorf("%w: %w", context.Cause(turn), turn.Err())
	}
	return translate(d.join(b, fn))
}

func (d *Database) join(b *commitBatch, fn func(exchange.Tx) error) error {
	changing := true
	defer func() {
		// After a panic the state is unknown. This does not recover from the panic.
		if changing {
			d.abandon(b, nil)
		}
	}()
	err := d.change(b, fn)
	changing = false
	switch {
	case err != nil && b.conn.AutocommitEnabled():
		// SQLite itself has rolled back the transaction.
		d.abandon(b, err)
		return err
	case err != nil && b.size == 0:
		d.finish(b, rollBack(b.conn))
		return err
	}
	b.size++
	if b.size == maxBatch {
		d.commit(b)
	} else {
		select {
		case d.turns.open <- b:
		default:
			d.commit(b)
		}
	}
	<-b.ended
	return cmp.Or(b.err, err)
}

// The first change needs no savepoint: if it fails, the whole transaction is rolled back.
func (d *Database) change(b *commitBatch, fn func(exchange.Tx) error) error {
	if b.size == 0 {
		return d.on(b.conn).call(fn)
	}
	if err := execute(b.conn, "SAVEPOINT change"); err != nil {
		return err
	}
	err := d.on(b.conn).call(fn)
	if err != nil && b.conn.AutocommitEnabled() {
		return err
	}
	if err != nil {
		err = errors.Join(err, execute(b.conn, "ROLLBACK TO change"))
	}
	return errors.Join(err, execute(b.conn, "RELEASE change"))
}

func execute(conn *sqlite.Conn, statement string) error { return sqlitex.Execute(conn, statement, nil) }

func rollBack(conn *sqlite.Conn) error {
	if conn.AutocommitEnabled() {
		return nil
	}
	return execute(conn, "ROLLBACK")
}

func (d *Database) commit(b *commitBatch) {
	err := d.files.inPlace()
	if err == nil {
		err = execute(b.conn, "COMMIT")
	}
	if err != nil {
		d.abandon(b, err)
		return
	}
	d.finish(b, nil)
}

func (d *Database) abandon(b *commitBatch, because error) {
	err := rollBack(b.conn)
	if errors.Is(because, exchange.ErrReplaced) {
		err = errors.Join(err, d.rescue(b.conn))
	}
	if because = errors.Join(because, err); because != nil {
		d.finish(b, fmt.Errorf("%w: %w", exchange.ErrNotCommitted, because))
		return
	}
	d.finish(b, exchange.ErrNotCommitted)
}

func (d *Database) finish(b *commitBatch, err error) {
	b.err = err
	close(b.ended)
	d.writer.Put(b.conn)
	d.turns.idle <- struct{}{}
}

// The caller must return the connection of begin to the pool.
func (d *Database) begin(ctx context.Context) (conn *sqlite.Conn, err error) {
	conn, err = d.writer.Take(ctx)
	if err == nil {
		conn.SetBlockOnBusy()
		if err = execute(conn, "BEGIN IMMEDIATE"); err != nil {
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
