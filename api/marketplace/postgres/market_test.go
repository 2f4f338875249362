package postgres

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"tonne/api/marketplace/exchange"
	"tonne/api/marketplace/postgres/postgrestest"
	"tonne/model/must"
)

// someProjects puts projects with the numbers from 1 into an empty database.
func someProjects(t *testing.T, at string, n int) {
	t.Helper()
	if err := postgrestest.Run(t.Context(), at, fmt.Sprintf(`INSERT INTO registries VALUES (1, '005a', 'VERRA');
		INSERT INTO projects SELECT i, '003' || i, 'P', 'Wind', 'AR', 1, '', '', '', 0 FROM generate_series(1, %d) i`, n)); err != nil {
		t.Fatal(err)
	}
}

func move(t *testing.T, d *Database, project int64, listed bool) {
	t.Helper()
	err := d.Write(t.Context(), func(tx exchange.Tx) error {
		exchange.BumpProject(tx, project, listed)
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// wantSums checks that the state of the market is what its projects amount to.
func wantSums(t *testing.T, d *Database) {
	t.Helper()
	if n := number(t, d, `SELECT count(*) FROM market_state s, (SELECT coalesce(sum(version), 0) + 1 AS version, coalesce(sum(listing), 0) + 1 AS listing,
		coalesce(bit_xor(mark), 0) AS mark FROM market_projects) p WHERE s.version = p.version AND s.listing = p.listing AND s.mark = p.mark`); n != 1 {
		t.Error("the state of the market is not what its projects amount to")
	}
}

func TestMarketStateIsTheSumOfItsProjects(t *testing.T) {
	t.Parallel()
	at := postgrestest.Database(t)
	instances := []*Database{open(t, at), open(t, at)}
	someProjects(t, at, 5)
	wantSums(t, instances[0])
	var wg sync.WaitGroup
	for client := range 6 {
		d := instances[client%2]
		wg.Go(func() {
			for range 20 {
				move(t, d, 1+rand.Int64N(5), rand.IntN(3) == 0)
				if client == 0 {
					if err := d.addUp(t.Context()); err != nil {
						t.Error(err)
					}
					wantSums(t, d)
				}
			}
		})
	}
	wg.Wait()
	wantSums(t, instances[1])
	must.Succeed(t, instances[0].addUp(t.Context()))
	wantSums(t, instances[1])
	if n := number(t, instances[0], "SELECT count(*) FROM market_changes"); n != 0 {
		t.Errorf("%d changes were not added up", n)
	}
	if n := number(t, instances[0], "SELECT version FROM market_state"); n != 121 {
		t.Errorf("the market has the version %d after 120 changes", n)
	}
}

// Changes are added up by themselves: who asks for the state does not sum up
// more of them with every day.
func TestMarketChangesAreAddedUp(t *testing.T) {
	t.Parallel()
	at := postgrestest.Database(t)
	d := must.Get(Open(t.Context(), at, false))
	someProjects(t, at, 1)
	d.accounts.last.Store(0)
	move(t, d, 1, true)
	d.Close()
	again := open(t, at)
	wantSums(t, again)
	if n := number(t, again, "SELECT count(*) FROM market_changes"); n != 0 {
		t.Errorf("%d changes were not added up", n)
	}
}

func TestMarketStateQueryDoesNotSumProjects(t *testing.T) {
	t.Parallel()
	d := open(t, postgrestest.Database(t))
	var plan strings.Builder
	err := d.Read(t.Context(), func(tx exchange.Tx) error {
		tx.Query("EXPLAIN SELECT version, listing, mark FROM market_state", func(row exchange.Row) {
			fmt.Fprintln(&plan, row.Text(0))
		})
		return nil
	})
	if err != nil || strings.Contains(plan.String(), "market_projects") || !strings.Contains(plan.String(), "market_total") {
		t.Errorf("%v\n%s", err, &plan)
	}
}

// A change of one project is kept while one of another has not ended, and while
// changes are added up.
func TestChangesOfDifferentProjectsDoNotWait(t *testing.T) {
	t.Parallel()
	at := postgrestest.Database(t)
	d := open(t, at)
	someProjects(t, at, 3)
	err := d.Write(t.Context(), func(tx exchange.Tx) error {
		exchange.BumpProject(tx, 1, true)
		exchange.ReadMarket(tx)
		impatient := open(t, at+"&lock_timeout=1")
		move(t, impatient, 2, true)
		if err := impatient.addUp(t.Context()); err != nil {
			t.Error(err)
		}
		move(t, impatient, 3, true)
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	wantSums(t, d)
}
