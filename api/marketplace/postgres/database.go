// Package postgres stores a marketplace in a PostgreSQL database, which several instances of
// the service may share. It implements exchange.Database: connections, transactions, retries
// after conflicts, and migrations. The rules and their SQL are in package exchange. Start
// reading at Database.Write.
package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"tonne/api/marketplace/exchange"
)

const (
	maxConnections = 20
	// statementLimit ends a statement if the server stops responding.
	statementLimit = 20 * time.Second
	connectTimeout = 3 * time.Second
)

// Database is a PostgreSQL database with a marketplace in it.
type Database struct {
	pool     *pgxpool.Pool
	locks    keyLocks
	others   others
	accounts accounts
	made     bool
}

var _ exchange.Database = (*Database)(nil)

// Open connects to the database at an address such as postgres://user@host:5432/market and
// upgrades its tables. It creates missing tables unless existing is set. The error may be
// exchange.ErrForeign or exchange.ErrNoMarketplace.
func Open(ctx context.Context, address string, existing bool) (_ *Database, err error) {
	defer func() { err = translate(err) }()
	config, err := configure(address)
	if err != nil {
		return nil, err
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	d := &Database{pool: pool}
	if err := d.migrate(ctx, !existing); err != nil {
		pool.Close()
		return nil, err
	}
	return d, nil
}

func configure(address string) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(address)
	if err != nil {
		return nil, addressError(err)
	}
	if !strings.Contains(address, "pool_max_conns=") {
		config.MaxConns = maxConnections
	}
	to := config.ConnConfig
	if to.ConnectTimeout == 0 || to.ConnectTimeout > connectTimeout {
		to.ConnectTimeout = connectTimeout
	}
	if to.ValidateConnect == nil {
		// A standby accepts no changes.
		to.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite
	}
	for name, value := range map[string]string{
		"application_name": "tonne",
		"lock_timeout":     fmt.Sprint(exchange.LockWait.Milliseconds()),
		// The transaction of a stopped process must not block others.
		"idle_in_transaction_session_timeout": fmt.Sprint(exchange.LockWait.Milliseconds()),
		"jit":                                 "off",
	} {
		if _, said := to.RuntimeParams[name]; !said {
			to.RuntimeParams[name] = value
		}
	}
	// Database.Write is not correct at a weaker level.
	if to.RuntimeParams[isolation] != "serializable" {
		to.RuntimeParams[isolation] = "repeatable read"
	}
	return config, nil
}

const isolation = "default_transaction_isolation"

// Unhurried returns the address without the timeout of idle transactions.
func Unhurried(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	query := u.Query()
	query.Set("idle_in_transaction_session_timeout", "0")
	u.RawQuery = query.Encode()
	return u.String()
}

// Made reports whether opening the database created the tables.
func (d *Database) Made() bool { return d.made }

// Close waits for running transactions and closes the connections.
func (d *Database) Close() error {
	d.accounts.work.Wait()
	d.pool.Close()
	return nil
}

// Read calls fn in a read transaction, which sees one state of the database. If the connection turns out to be lost
// before the server has answered, Read calls fn again on another one for up to exchange.LockWait.
func (d *Database) Read(ctx context.Context, fn func(exchange.Tx) error) error {
	turn, cancel := context.WithTimeoutCause(ctx, exchange.LockWait, exchange.ErrLocked)
	defer cancel()
	for {
		answered, err := d.readOnce(ctx, turn, fn)
		if answered || !errors.Is(err, exchange.ErrUnreachable) || !rest(turn, firstRest) {
			return err
		}
	}
}

func (d *Database) readOnce(ctx, turn context.Context, fn func(exchange.Tx) error) (answered bool, err error) {
	conn, err := d.acquire(turn)
	if err != nil {
		return true, translate(err)
	}
	defer conn.Release()
	t := &tx{ctx: ctx, conn: conn}
	err = inTransaction(t, fn, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
	if commit, ok := errors.AsType[*commitError](err); ok {
		// A failed commit does not matter after reading.
		err = commit.error
	}
	return t.answered, translate(err)
}

// acquire keeps trying, because a standby may be about to take over. What it came across before
// its time ended says more than that it ended.
func (d *Database) acquire(ctx context.Context) (*pgxpool.Conn, error) {
	var lost error
	for {
		conn, err := d.pool.Acquire(ctx)
		switch {
		case err == nil:
			return conn, nil
		case errors.Is(translate(err), exchange.ErrUnreachable):
			lost = err
			if !rest(ctx, 100*time.Millisecond) {
				return nil, err
			}
		case lost != nil && ctx.Err() != nil:
			return nil, lost
		case ctx.Err() != nil:
			return nil, fmt.Errorf("%w: %w", context.Cause(ctx), err)
		default:
			return nil, err
		}
	}
}

func rest(ctx context.Context, average time.Duration) bool {
	timer := time.NewTimer(average/2 + rand.N(average))
	defer timer.Stop()
	select {
	case <-timer.C:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}

func inTransaction(t *tx, fn func(exchange.Tx) error, begin string) error {
	t.waiting = new(pgx.Batch)
	t.begin(begin)
	open := true
	defer func() {
		// This also runs if fn panics.
		if open {
			t.rollBack()
		}
	}()
	err := fn(t)
	if err := cmp.Or(t.failed, err); err != nil {
		return err
	}
	err = t.commit()
	open = err != nil
	return err
}

// Backup returns exchange.ErrNoBackup: PostgreSQL has its own tools.
func (d *Database) Backup(context.Context, *os.File) error { return exchange.ErrNoBackup }
