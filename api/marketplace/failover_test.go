package marketplace

import (
	"fmt"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"testing"

	"tonne/api/marketplace/storage"
	"tonne/api/marketplace/storage/postgres/postgrestest"
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
	if err := primary.WaitFor(t.Context(), "second"); err != nil {
		t.Fatal(err)
	}
	return primary, standby
}

// The primary loses its power while purchases flow, and its standby takes over.
// Clients ask again with the same external_id: everything that was ever
// acknowledged is there, once.
func TestAPrimaryThatIsLostLosesNothing(t *testing.T) {
	if os.Getenv(onPostgres) != "" {
		t.Skip("it starts servers of its own")
	}
	primary, standby := startPair(t)
	d := openFixture(t, postgrestest.Address("postgres", primary, standby), Options{RatePerSecond: -1})
	order := d.sell(d.vintages[0], 1_000_000, 620)
	const clients, each = 8, 40
	var mu sync.Mutex
	promised := make(map[string]string)
	var refusals atomic.Int32
	some := make(chan struct{})
	var enough sync.Once
	buy := func(external string) {
		for t.Context().Err() == nil {
			w := d.purchase(order, external)
			if w.Code == http.StatusServiceUnavailable {
				refusals.Add(1)
				continue
			}
			id, _ := accepted(t, w.Body.Bytes())
			mu.Lock()
			if promised[external] = id; len(promised) > clients*each/4 {
				enough.Do(func() { close(some) })
			}
			mu.Unlock()
			return
		}
	}
	var wg sync.WaitGroup
	for client := range clients {
		wg.Go(func() {
			for n := range each {
				buy(fmt.Sprint(client, "-", n))
			}
		})
	}
	done := make(chan struct{})
	go func() {
		wg.Wait()
		close(done)
	}()
	select {
	case <-some:
	case <-done:
		t.Fatal("purchases fail")
	}
	if err := primary.Kill(); err != nil {
		t.Error(err)
	}
	d.wantUnready(storage.ErrUnreachable)
	if err := standby.Promote(); err != nil {
		t.Error(err)
	}
	<-done
	d.wantReady()
	for external, id := range promised {
		if again, replayed := accepted(t, d.purchase(order, external).Body.Bytes()); again != id || !replayed {
			t.Errorf("%s was promised %s, and is %s now", external, id, again)
		}
	}
	if n := d.query("SELECT count(*) FROM external_ids"); n != clients*each || len(promised) != clients*each {
		t.Errorf("%d of %d purchases are there, %d were promised", n, clients*each, len(promised))
	}
	checkBooks(t, d)
	t.Logf("%d requests were refused meanwhile", refusals.Load())
}
