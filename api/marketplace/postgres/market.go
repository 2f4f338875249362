package postgres

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"tonne/api/marketplace/exchange"
)

// addUpEvery is how often the changes of the market are added up while there are some.
const addUpEvery = time.Second

// addingUp adds the changes of the market to its total. One process at a time does it.
const addingUp = `WITH alone AS (SELECT pg_try_advisory_xact_lock(` + lockNumber + `) AS held),
	taken AS (DELETE FROM market_changes WHERE (SELECT held FROM alone) RETURNING version, listing, mark),
	added AS (SELECT count(*) AS changes, sum(version)::bigint AS version, sum(listing)::bigint AS listing, bit_xor(mark) AS mark FROM taken)
	UPDATE market_total t SET version = t.version + a.version, listing = t.listing + a.listing, mark = t.mark # a.mark
	FROM added a WHERE a.changes > 0`

// accounts add the changes of the market up now and then.
type accounts struct {
	last atomic.Int64
	work sync.WaitGroup
}

// If addUpSoon fails, the changes stay as they are, and the next one adds them up.
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
	// Of several at a time the second leaves out what the first has taken.
	return pgx.BeginTxFunc(ctx, d.pool, pgx.TxOptions{IsoLevel: pgx.ReadCommitted}, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, addingUp, "market")
		return err
	})
}
