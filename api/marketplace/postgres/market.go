package postgres

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"tonne/api/marketplace/exchange"
)

// addUpEvery is the interval of adding up the changes of the market.
const addUpEvery = time.Second

// addingUp adds the changes of the market to the total and deletes them. Only one process
// at a time does so.
const addingUp = `WITH alone AS (SELECT pg_try_advisory_xact_lock(` + lockNumber + `) AS held),
	taken AS (DELETE FROM market_changes WHERE (SELECT held FROM alone) RETURNING version, listing, mark),
	added AS (SELECT count(*) AS changes, sum(version)::bigint AS version, sum(listing)::bigint AS listing,
		bit_xor(mark) AS mark FROM taken)
	UPDATE market_total t SET version = t.version + a.version, listing = t.listing + a.listing, mark = t.mark # a.mark
	FROM added a WHERE a.changes > 0`

// accounts schedules adding up the changes of the market.
type accounts struct {
	last atomic.Int64
	work sync.WaitGroup
}

// addUpSoon ignores errors: the next call adds up the same changes.
func (d *Database) addUpSoon() {
	now, last := time.Now().UnixNano(), d.accounts.last.Load()
	if now-last < int64(addUpEvery) || !d.accounts.last.CompareAndSwap(last, now) {
		return
	}
	d.accounts.work.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), exchange.LockWait)
		defer cancel()
		_ = d.addUp(ctx)
	})
}

func (d *Database) addUp(ctx context.Context) error {
	// At this isolation level, a second process does not see the rows that the first deleted.
	return pgx.BeginTxFunc(ctx, d.pool, pgx.TxOptions{IsoLevel: pgx.ReadCommitted}, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, addingUp, "market")
		return err
	})
}
