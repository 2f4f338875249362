package marketplace

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"tonne/api/marketplace/postgres/postgrestest"
)

// stepBack replaces the tables of an empty database by those of the step before
// the newest, which a connected program continues to use.
func stepBack(t *testing.T, path string) {
	t.Helper()
	steps, err := filepath.Glob("postgres/schema/*.sql")
	if err != nil || len(steps) < 2 {
		t.Fatal(steps, err)
	}
	before := []string{
		"DO $$ BEGIN EXECUTE format('DROP SCHEMA %1$I CASCADE; CREATE SCHEMA %1$I', current_schema()); END $$",
		"CREATE TABLE tonne_schema (one boolean PRIMARY KEY DEFAULT true CHECK (one), version bigint NOT NULL)",
		fmt.Sprintf("INSERT INTO tonne_schema (version) VALUES (%d)", len(steps)-1),
	}
	for _, step := range steps[:len(steps)-1] {
		text, err := os.ReadFile(step)
		if err != nil {
			t.Fatal(err)
		}
		before = append(before, string(text))
	}
	if err := postgrestest.Run(t.Context(), path, strings.Join(before, ";\n")); err != nil {
		t.Fatal(err)
	}
}

// An instance of the previous version keeps working while a new one upgrades the tables,
// and next to it afterwards: each purchase that was
// acknowledged is there, once, and neither shows an older market than the other.
func TestAnOldProgramGoesOnBesideTheNewOneOnUpgradedTables(t *testing.T) {
	t.Parallel()
	severalInstances(t)
	path := emptySchema(t)
	old := &fixture{t: t, clock: &testClock{now: testNow}, path: path}
	o := Options{RatePerSecond: -1, Now: old.clock.Now}
	old.Marketplace = open(t, path, o)
	stepBack(t, path)
	old.begin()
	order := old.sell(old.vintages[0], 1_000_000, 620)
	before := old.query("SELECT version FROM tonne_schema")

	const clients, each = 4, 25
	promised := newPromises()
	upgrade := make(chan struct{})
	var young fixture
	var upgraded, wg sync.WaitGroup
	upgraded.Go(func() {
		<-upgrade
		young = *old
		young.Marketplace = open(t, path, o)
	})
	for client := range clients {
		wg.Go(func() {
			for n := range each {
				if client == 0 && n == each/5 {
					close(upgrade)
				}
				if n == each/2 {
					upgraded.Wait()
				}
				instance := old
				if n > each/2 && n%2 == 0 {
					instance = &young
				}
				promised.buy(instance, order, fmt.Sprint(client, "-", n))
			}
		})
	}
	wg.Wait()
	if after := old.query("SELECT version FROM tonne_schema"); after != before+1 {
		t.Errorf("the tables went from step %d to %d", before, after)
	}
	promised.check(&young, order, clients*each)
	if n := old.query("SELECT (SELECT version FROM market_state) - (SELECT sum(version) + 1 FROM market_projects)"); n != 0 {
		t.Errorf("the version of the market is %d off", n)
	}
	first, second := old.get("/api/market"), young.get("/api/market")
	if first.Code != http.StatusOK || first.Body.String() != second.Body.String() || first.Header().Get(marketVersion) != second.Header().Get(marketVersion) {
		t.Errorf("the old one shows %s of version %s, the new one %s of version %s", first.Body, first.Header().Get(marketVersion),
			second.Body, second.Header().Get(marketVersion))
	}
}
