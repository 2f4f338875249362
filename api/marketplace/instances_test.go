package marketplace

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"strconv"
	"sync"
	"testing"

	"tonne/api/marketplace/exchange"
)

// severalInstances skips a test that needs a database that instances share.
func severalInstances(t *testing.T) {
	t.Helper()
	if os.Getenv(onPostgres) == "" {
		t.Skip("several instances share a database in PostgreSQL: TestTheServiceOnPostgreSQL runs this")
	}
}

// One instance is killed at work, again and again, while another keeps working.
func TestOneOfTwoInstancesIsKilled(t *testing.T) {
	t.Parallel()
	severalInstances(t)
	work := crashWork{Path: tempDatabase(t)}
	d := openFixture(t, work.Path, Options{RatePerSecond: -1})
	work.Keys, work.Vintage = []string{d.key, d.otherKey}, d.vintages[0].id
	for range 3 {
		work.Orders = append(work.Orders, d.sell(d.vintages[0], 1_000_000_000, 620))
	}
	promised := make(map[string]string)
	var mine sync.Map
	end := make(chan struct{})
	var wg sync.WaitGroup
	for client := range 4 {
		wg.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-end:
					return
				default:
				}
				external := fmt.Sprint("here-", client, "-", n)
				w := call(d.Marketplace, work.Keys[client%2], http.MethodPost, "/api/caas/request-retirement", work.body(external, n))
				if w.Code == http.StatusServiceUnavailable {
					continue
				}
				id, _ := accepted(t, w.Body.Bytes())
				mine.Store(fmt.Sprint(client%2, " ", external), id)
			}
		})
	}
	for n := range kills(t) {
		work.Prefix = "there-" + strconv.Itoa(n)
		killAfter(t, work, 10, promised)
	}
	close(end)
	wg.Wait()
	mine.Range(func(who, id any) bool {
		promised[who.(string)] = id.(string)
		return true
	})
	checkAfterCrash(t, d, work, promised)
}

// Two instances are killed at work in turns, each while the other keeps working.
func TestEitherOfTwoInstancesIsKilled(t *testing.T) {
	t.Parallel()
	severalInstances(t)
	work := crashWork{Path: tempDatabase(t)}
	d := openFixture(t, work.Path, Options{RatePerSecond: -1})
	work.Keys, work.Vintage = []string{d.key, d.otherKey}, d.vintages[0].id
	for range 3 {
		work.Orders = append(work.Orders, d.sell(d.vintages[0], 1_000_000_000, 620))
	}
	promised := []map[string]string{{}, {}}
	for n := range kills(t) {
		var both sync.WaitGroup
		for one := range promised {
			alone := work
			alone.Prefix = fmt.Sprint(one, "-", n)
			reports := 5
			if one == n%2 {
				reports = 25
			}
			both.Go(func() { killAfter(t, alone, reports, promised[one]) })
		}
		both.Wait()
	}
	maps.Copy(promised[0], promised[1])
	checkAfterCrash(t, d, work, promised[0])
}

// All instances agree: none shows an older market than another did, accepts a key
// that was deactivated, or reopens a month.
func TestWhatOneInstanceShowsTheOtherShows(t *testing.T) {
	t.Parallel()
	path := tempDatabase(t)
	d := openFixture(t, path, Options{RatePerSecond: -1})
	other := *d
	other.Marketplace = open(t, path, Options{Now: d.clock.Now, RatePerSecond: -1})
	instances := []*fixture{d, &other}
	for n := range 20 {
		one, two := instances[n%2], instances[(n+1)%2]
		id := one.sell(d.vintages[n%2], 1, 620)
		for range 2 {
			first, second := one.get("/api/market"), two.get("/api/market")
			if first.Body.String() != second.Body.String() || first.Header().Get(marketVersion) != second.Header().Get(marketVersion) {
				t.Fatalf("%s after %s was put on the market, and %s", first.Body, id, second.Body)
			}
		}
	}
	key := d.newKey("Third Ltd", exchange.RoleAPIUser)
	if w := call(other.Marketplace, key, http.MethodGet, "/api/market", ""); w.Code != http.StatusOK {
		t.Errorf("a new key is answered with %d", w.Code)
	}
	if err := d.deactivate(d.text("SELECT k.id FROM api_keys k JOIN tenants t ON t.number = k.tenant WHERE t.name = 'Third Ltd'")); err != nil {
		t.Fatal(err)
	}
	if w := call(other.Marketplace, key, http.MethodGet, "/api/market", ""); w.Code != http.StatusUnauthorized {
		t.Errorf("a key that has ended is answered with %d", w.Code)
	}
}
