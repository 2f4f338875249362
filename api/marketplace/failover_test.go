package marketplace

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"

	"tonne/api/marketplace/exchange"
	"tonne/api/marketplace/postgres/postgrestest"
	"tonne/model/longtest"
)

// startPair starts a primary and a standby that it waits for with each commit.
func startPair(t *testing.T) (primary, standby *postgrestest.Cluster) {
	t.Helper()
	primary = startPostgres(t, "fsync=off", "max_connections=100")
	standby, err := primary.Standby("second", "fsync=off", "max_connections=100")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := standby.End(); err != nil {
			t.Error(err)
		}
	})
	if err := waitFor(t.Context(), primary, "second"); err != nil {
		t.Fatal(err)
	}
	return primary, standby
}

// The primary loses its power while purchases flow, and its standby takes over.
// Clients ask again with the same external_id: everything that was ever
// acknowledged is there, once.
func TestFailoverLosesNoData(t *testing.T) {
	longtest.Only(t)
	if os.Getenv(onPostgres) != "" {
		t.Skip("it starts its own servers")
	}
	primary, standby := startPair(t)
	d := openFixture(t, postgrestest.Address("postgres", primary, standby), Options{RatePerSecond: -1})
	order := d.sell(d.vintages[0], 1_000_000, 620)
	const clients, each = 8, 40
	promised := newPromises()
	var wg sync.WaitGroup
	for client := range clients {
		wg.Go(func() {
			for n := range each {
				promised.buy(d, order, fmt.Sprint(client, "-", n))
			}
		})
	}
	promised.await(clients * each / 4)
	if err := primary.Kill(); err != nil {
		t.Error(err)
	}
	d.wantUnready(exchange.ErrUnreachable)
	if err := standby.Promote(); err != nil {
		t.Error(err)
	}
	wg.Wait()
	d.wantReady()
	promised.check(d, order, clients*each)
	t.Logf("%d requests were refused meanwhile", promised.refused.Load())
}

// waitFor makes every commit of the server wait until the standby with the name
// has it on its disk too, and returns once it does.
func waitFor(ctx context.Context, c *postgrestest.Cluster, standby string) error {
	address := postgrestest.Address("postgres", c)
	for _, statement := range []string{"ALTER SYSTEM SET synchronous_standby_names = 'FIRST 1 (" + standby + ")'", "SELECT pg_reload_conf()"} {
		if err := postgrestest.Run(ctx, address, statement); err != nil {
			return err
		}
	}
	const follows = "SELECT 1 / count(*) FROM pg_stat_replication WHERE sync_state = 'sync'"
	for postgrestest.Run(ctx, address, follows) != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}
