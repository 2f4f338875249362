package marketplace

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"tonne/api/marketplace/exchange"
	"tonne/api/marketplace/postgres"
	"tonne/api/marketplace/postgres/postgrestest"
	"tonne/model/longtest"
	must "tonne/model/musttest"
)

// addTenants adds tenants of a country.
func addTenants(tx exchange.Tx, country string, names ...string) {
	for _, name := range names {
		tx.Exec("INSERT INTO tenants (name, country, tax_id) VALUES ($1, $2, '')", name, country)
	}
}

func (d *fixture) tenantsOf(country string) int64 {
	d.Helper()
	return d.Number("SELECT count(*) FROM tenants WHERE country = $1", country)
}

// What package exchange expects of the transactions of each engine.
func TestTransactions(t *testing.T) {
	eachEngine(t, func(t *testing.T, d *fixture) {
		wrong := errors.New("wrong")
		t.Run("a read sees one state and cannot write", func(t *testing.T) {
			err := d.Read(t.Context(), func(tx exchange.Tx) error {
				for _, name := range []string{"a", "b"} {
					tx.Query("SELECT count(*) FROM tenants WHERE country = 'AR'", func(row exchange.Row) {
						must.Equal(t, row.Int64(0), 0)
					})
					d.Do(func(c *exchange.Change) { addTenants(c, "AR", name) })
				}
				addTenants(tx, "AR", "x")
				return nil
			})
			n := d.tenantsOf("AR")
			must.Hold(t, err != nil && n == 2, "a transaction that reads can write", err, n)
		})
		t.Run("an error or a panic rolls back", func(t *testing.T) {
			err := d.db.Write(t.Context(), func(tx exchange.Tx) error {
				addTenants(tx, "BR", "c")
				return wrong
			})
			func() {
				defer func() {
					must.Hold(t, recover() != nil, "the panic was lost")
				}()
				_ = d.db.Write(t.Context(), func(tx exchange.Tx) error {
					addTenants(tx, "BR", "c")
					panic("unexpected")
				})
			}()
			n := d.tenantsOf("BR")
			must.Hold(t, errors.Is(err, wrong) && n == 0, err, n)
		})
		t.Run("a change continues after the client disconnects", func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			err := d.db.Write(ctx, func(tx exchange.Tx) error {
				cancel()
				addTenants(tx, "CL", "d")
				return nil
			})
			n := d.tenantsOf("CL")
			must.Hold(t, err == nil && n == 1, err, n)
		})
		t.Run("text that cannot be stored is not found", func(t *testing.T) {
			for _, name := range []string{"d\x00", "\x00", "d\xff", "\xc3("} {
				must.Equal(t, d.Number("SELECT count(*) FROM tenants WHERE name = $1", name), 0, name)
			}
		})
	})
}

func TestPostgresTransactions(t *testing.T) {
	t.Parallel()
	d := onPostgres(t)
	t.Run("two that each read what the other changes", func(t *testing.T) {
		const clients, each = 8, 4
		var wg sync.WaitGroup
		for range clients {
			wg.Go(func() {
				for range each {
					err := d.db.Write(t.Context(), func(tx exchange.Tx) error {
						n := int64(0)
						tx.Query("SELECT count(*) FROM tenants WHERE country = 'SE'", func(row exchange.Row) { n = row.Int64(0) })
						addTenants(tx, "SE", fmt.Sprint(n))
						return nil
					})
					must.Hold(t, err == nil || errors.Is(err, exchange.ErrNotCommitted), err)
				}
			})
		}
		wg.Wait()
		n := d.tenantsOf("SE")
		last := d.Number("SELECT max(CAST(name AS bigint)) FROM tenants WHERE country = 'SE'")
		must.Hold(t, n >= each && last == n-1, n, last)
	})
	t.Run("two that wait for each other", func(t *testing.T) {
		d.Do(func(c *exchange.Change) { addTenants(c, "AR", "a", "b") })
		var meet, wg sync.WaitGroup
		meet.Add(2)
		for _, order := range [][2]string{{"a", "b"}, {"b", "a"}} {
			wg.Go(func() {
				reach := sync.OnceFunc(func() {
					meet.Done()
					meet.Wait()
				})
				must.Succeed(t, d.db.Write(t.Context(), func(tx exchange.Tx) error {
					for _, name := range order {
						tx.Exec("UPDATE tenants SET tax_id = tax_id || 'x' WHERE name = $1", name)
						reach()
					}
					return nil
				}))
			})
		}
		wg.Wait()
		must.Equal(t, d.Number("SELECT sum(length(tax_id)) FROM tenants WHERE country = 'AR'"), 4)
	})
	t.Run("one that waited in vain for a key keeps none", func(t *testing.T) {
		nothing := func(exchange.Tx) error { return nil }
		must.Succeed(t, d.db.Write(t.Context(), func(exchange.Tx) error {
			must.Fail(t, d.db.Write(late(t), nothing, "tenant T", "vintage V"), context.DeadlineExceeded)
			return d.db.Write(t.Context(), nothing, "tenant T")
		}, "vintage V"))
	})
	// A process that stalls in a transaction must not block others.
	t.Run("one that the server ended", func(t *testing.T) {
		stalls, tries := openPostgres(t, d.path+"&idle_in_transaction_session_timeout=1000"), 0
		err := stalls.Write(t.Context(), func(tx exchange.Tx) error {
			tries++
			if addTenants(tx, "CL", "c"); tries > 1 {
				return nil
			}
			must.Succeed(t, postgrestest.Run(t.Context(), d.path, "SELECT pg_sleep(2)"))
			tx.Exec("UPDATE tenants SET country = 'BR' WHERE name = 'c'")
			return nil
		})
		n := d.tenantsOf("CL")
		must.Hold(t, err == nil && n == 1 && tries == 2, err, n, tries)
	})
	t.Run("reads after the server ended idle connections", func(t *testing.T) {
		idle, pids := openPostgres(t, d.path), []string{}
		var read func(depth int, pid func(exchange.Row)) error
		read = func(depth int, pid func(exchange.Row)) error {
			return idle.Read(t.Context(), func(tx exchange.Tx) error {
				tx.Query("SELECT pg_backend_pid()", pid)
				if depth == 0 || tx.Err() != nil {
					return tx.Err()
				}
				return read(depth-1, pid)
			})
		}
		must.Succeed(t, read(2, func(row exchange.Row) { pids = append(pids, fmt.Sprint(row.Int64(0))) }))
		must.Succeed(t, postgrestest.Run(t.Context(), d.path,
			"SELECT pg_terminate_backend(pid, 10000) FROM unnest('{"+strings.Join(pids, ",")+"}'::int[]) pid"))
		n := 0
		must.Succeed(t, read(2, func(exchange.Row) { n++ }))
		must.Hold(t, n == 3 && len(pids) == 3, n, pids)
	})
	t.Run("values", func(t *testing.T) {
		type grams int64
		type state string
		const query = `SELECT $1::bigint, $2::text, $3::bigint, $4::bytea, $5::text, 3 > 2, $6::bigint, sum(n) FROM (VALUES
			(1), (2)) v(n)`
		must.Succeed(t, d.Read(t.Context(), func(tx exchange.Tx) error {
			tx.Query(query, func(row exchange.Row) {
				got := fmt.Sprint(row.Int64(0), row.Text(0), row.Value(0), row.Text(1), row.Value(1), row.Bool(2), row.Value(3),
					row.Value(4), row.Text(4) == "", row.Bool(5), row.Bool(6), row.Int64(7))
				const n = 1 << 60
				want := fmt.Sprint(n, fmt.Sprint(n), n, "LIVE", "LIVE", true, []byte("ab"), nil, true, true, false, 3)
				must.Equal(t, got, want, "read")
			}, grams(1<<60), state("LIVE"), true, []byte("ab"), nil, false)
			return nil
		}))
	})
}

func openPostgres(t *testing.T, address string) *postgres.Database {
	t.Helper()
	d, err := postgres.Open(t.Context(), address, false)
	must.Succeed(t, err)
	t.Cleanup(func() { must.Succeed(t, d.Close()) })
	return d
}

func TestPostgresTablesAreMadeOnce(t *testing.T) {
	t.Parallel()
	at := postgrestest.Database(t)
	wantNone := func(existing bool, want error) {
		t.Helper()
		d, err := postgres.Open(t.Context(), at, existing)
		must.Fail(t, err, want, d)
	}
	wantNone(true, exchange.ErrNoMarketplace)
	var wg sync.WaitGroup
	made := make([]bool, 4)
	for i := range made {
		wg.Go(func() {
			d := openPostgres(t, at)
			made[i] = d.Made()
			must.Succeed(t, d.Ready(t.Context()))
		})
	}
	wg.Wait()
	n := strings.Count(fmt.Sprint(made), "true")
	d, err := postgres.Open(t.Context(), at, true)
	must.Succeed(t, err)
	must.Hold(t, n == 1 && !d.Made(), n, len(made))
	must.Succeed(t, postgrestest.Run(t.Context(), at, "UPDATE tonne_schema SET version = 99"))
	wantNone(false, exchange.ErrNewer)
}

// A mistyped database name does not create an empty market, and no tables are added to those of
// another program.
func TestForeignDatabaseIsNotChanged(t *testing.T) {
	t.Parallel()
	const alone = "SELECT 1 / CASE WHEN count(*) = 1 THEN 1 ELSE 0 END FROM pg_class WHERE relnamespace = current_schema()::regnamespace"
	for name, theirs := range map[string]string{
		"a table": "CREATE TABLE t (a int)", "a view": "CREATE VIEW v AS SELECT 1", "a sequence": "CREATE SEQUENCE s",
		"a partitioned table":      "CREATE TABLE p (a int) PARTITION BY RANGE (a)",
		"a table of the same name": "CREATE TABLE tenants (name text)",
	} {
		at := postgrestest.Database(t)
		must.Succeed(t, postgrestest.Run(t.Context(), at, theirs))
		for _, existing := range []bool{false, true} {
			d, err := postgres.Open(t.Context(), at, existing)
			must.Fail(t, err, exchange.ErrForeign, name, d)
		}
		must.Fail(t, postgrestest.Run(t.Context(), at, alone), nil, name)
	}
}

func TestUnreachableServerIsReported(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	s := postgrestest.Require(t, "fsync=off")
	address := postgrestest.Address("postgres", s)
	d := openPostgres(t, address)
	must.Succeed(t, d.Ready(t.Context()), s.Kill())
	_, opened := postgres.Open(t.Context(), address, false)
	for name, err := range map[string]error{
		"ready": d.Ready(t.Context()), "write": d.Write(t.Context(), exchange.Rehearse), "open": opened,
	} {
		must.Fail(t, err, exchange.ErrUnreachable, name)
	}
}

// A purchase reads as much of a large invoice as of a small one, also before the server has statistics of it.
func TestPurchaseReadsFewTrades(t *testing.T) {
	t.Parallel()
	d := onPostgres(t)
	first, last := d.Vintages[0], d.Vintages[1]
	order := d.Sell(last, 10, 620)
	purchase := func(id string) exchange.RetirementCall {
		return exchange.RetirementCall{
			VintageID: last.ID, ExternalID: id, SellOrderID: order, Quantity: 1_000_000, ExpectedPrice: 620,
		}
	}
	d.Do(func(c *exchange.Change) { exchange.RequestRetirement(c, d.Tenant, purchase("a")) })
	d.Exec(`INSERT INTO trades
			(id, tenant, vintage, wallet_type, sell_order, invoice, type, quantity_grams, price_cents, executed_at)
		SELECT 'many' || n, t.tenant, $1, t.wallet_type, t.sell_order, t.invoice, t.type, t.quantity_grams, t.price_cents,
			t.executed_at
		FROM trades t, generate_series(1, 3000) n`, first.Number)
	read := int64(0)
	d.Do(func(c *exchange.Change) {
		exchange.RequestRetirement(c, d.Tenant, purchase("b"))
		c.Query(`SELECT seq_tup_read + idx_tup_fetch FROM pg_stat_xact_user_tables
			WHERE relname = 'trades' AND schemaname = current_schema()`, func(row exchange.Row) { read = row.Int64(0) })
	})
	must.Hold(t, read < 50, "a purchase reads trades:", read)
}

// bump changes the version of a project in the market, and adds the changes up if it is the first
// of d.
func bump(t *testing.T, d *postgres.Database, project int64, listed bool) {
	t.Helper()
	must.Succeed(t, d.Write(t.Context(), func(tx exchange.Tx) error {
		exchange.BumpProject(tx, project, listed)
		return nil
	}))
}

// wantSums checks that the state of the market is what its projects amount to.
func (d *fixture) wantSums() {
	d.Helper()
	n := d.Number(`SELECT count(*) FROM market_state s, (SELECT coalesce(sum(version), 0) + 1 AS version,
		coalesce(sum(listing), 0) + 1 AS listing,
		coalesce(bit_xor(mark), 0) AS mark FROM market_projects) p WHERE s.version = p.version AND s.listing = p.listing AND
		s.mark = p.mark`)
	must.Equal(d, n, 1, "the state of the market is not what its projects amount to")
}

// Who asks for the state of the market does not sum up more changes with every day.
func TestMarketStateIsTheSumOfItsProjects(t *testing.T) {
	t.Parallel()
	d := onPostgres(t)
	for i := range 2 {
		d.AddProject(fmt.Sprint(2000+i), "SE", "Wind", 2020)
	}
	// addUp makes a change that is added up with those before.
	addUp := func(project int64, options string) {
		one := openPostgres(t, d.path+options)
		bump(t, one, project, true)
		must.Succeed(t, one.Close())
	}
	before := d.Number("SELECT version FROM market_state")
	instances := []*postgres.Database{openPostgres(t, d.path), openPostgres(t, d.path)}
	var wg sync.WaitGroup
	const clients, each = 4, 10
	for client := range clients {
		wg.Go(func() {
			for n := range each {
				if client > 0 || n%3 > 0 {
					bump(t, instances[client%2], 1+rand.Int64N(3), rand.IntN(3) == 0)
					continue
				}
				addUp(1, "")
				d.wantSums()
			}
		})
	}
	wg.Wait()
	// A change of one project is kept, and changes are added up, while one of another has not ended.
	must.Succeed(t, instances[0].Close(), instances[1].Close(), d.db.Write(t.Context(), func(tx exchange.Tx) error {
		exchange.BumpProject(tx, 1, true)
		exchange.ReadMarket(tx)
		addUp(2, "&lock_timeout=1")
		addUp(3, "&lock_timeout=1")
		d.wantSums()
		must.Equal(t, d.Number("SELECT count(*) FROM market_changes"), 0)
		return nil
	}))
	d.wantSums()
	n := d.Number("SELECT version FROM market_state")
	must.Equal(t, n, before+clients*each+3, "the market went from version", before, clients*each+3)
	var plan strings.Builder
	must.Succeed(t, d.Read(t.Context(), func(tx exchange.Tx) error {
		tx.Query("EXPLAIN SELECT version, listing, mark FROM market_state",
			func(row exchange.Row) { fmt.Fprintln(&plan, row.Text(0)) })
		return nil
	}))
	must.Hold(t, !strings.Contains(plan.String(), "market_projects") &&
		strings.Contains(plan.String(), "market_total"), "the state of the market is read by", &plan)
	for _, name := range []string{"projects_named", "serial_numbers_of_any", "retirement_requests_retired"} {
		n := d.Number("SELECT count(*) FROM pg_indexes WHERE schemaname = current_schema() AND indexname = $1", name)
		must.Equal(t, n, 1, "the index", name)
	}
}
