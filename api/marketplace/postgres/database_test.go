package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"

	"tonne/api/marketplace/exchange"
	"tonne/api/marketplace/postgres/postgrestest"
	"tonne/model/longtest"
	"tonne/model/must"
)

func TestMain(m *testing.M) { os.Exit(postgrestest.Main(m)) }

func open(t *testing.T, at string) *Database {
	t.Helper()
	d := must.Get(Open(t.Context(), at, false))
	t.Cleanup(func() { must.Succeed(t, d.Close()) })
	return d
}

func number(t *testing.T, d *Database, sql string, args ...any) (n int64) {
	t.Helper()
	must.Succeed(t, d.Read(t.Context(), func(tx exchange.Tx) error {
		tx.Query(sql, func(row exchange.Row) {
			n = row.Int64(0)
		}, args...)
		return nil
	}))
	return n
}

func write(t *testing.T, d *Database, statement string, args ...any) {
	t.Helper()
	must.Succeed(t, d.Write(t.Context(), func(tx exchange.Tx) error {
		tx.Exec(statement, args...)
		return nil
	}))
}

func TestConcurrentOpensCreateTablesOnce(t *testing.T) {
	t.Parallel()
	at := postgrestest.Database(t)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			d, err := Open(t.Context(), at, false)
			if err != nil {
				t.Error(err)
				return
			}
			if err := d.Ready(t.Context()); err != nil {
				t.Error(err)
			}
			d.Close()
		})
	}
	wg.Wait()
}

// A mistyped database name does not create an empty market, and no tables are
// added to those of another program.
func TestForeignDatabaseIsNotChanged(t *testing.T) {
	t.Parallel()
	const alone = "SELECT 1 / CASE WHEN count(*) = 1 THEN 1 ELSE 0 END FROM pg_class WHERE relnamespace = current_schema()::regnamespace"
	for name, theirs := range map[string]string{
		"a table": "CREATE TABLE t (a int)", "a view": "CREATE VIEW v AS SELECT 1", "a sequence": "CREATE SEQUENCE s",
		"a partitioned table": "CREATE TABLE p (a int) PARTITION BY RANGE (a)", "a table of the same name": "CREATE TABLE tenants (name text)",
	} {
		at := postgrestest.Database(t)
		must.Succeed(t, postgrestest.Run(t.Context(), at, theirs))
		for _, existing := range []bool{false, true} {
			if d, err := Open(t.Context(), at, existing); !errors.Is(err, exchange.ErrForeign) {
				t.Errorf("%s: %v %v", name, d, err)
			}
		}
		if err := postgrestest.Run(t.Context(), at, alone); err != nil {
			t.Errorf("%s: tables were added: %v", name, err)
		}
	}
}

func TestExistingOpensNoEmptyDatabase(t *testing.T) {
	t.Parallel()
	at := postgrestest.Database(t)
	if d, err := Open(t.Context(), at, true); !errors.Is(err, exchange.ErrNoMarketplace) {
		t.Fatalf("%v %v", d, err)
	}
	if d := open(t, at); !d.Made() {
		t.Error("it is not said that the tables were made")
	}
	d := must.Get(Open(t.Context(), at, true))
	if d.Made() {
		t.Error("tables that were there are said to be made")
	}
	d.Close()
}

func TestNewerDatabaseIsNotChanged(t *testing.T) {
	t.Parallel()
	at := postgrestest.Database(t)
	write(t, open(t, at), "UPDATE tonne_schema SET version = 99")
	if d, err := Open(t.Context(), at, false); !errors.Is(err, exchange.ErrNewer) {
		t.Errorf("%v %v", d, err)
	}
}

func TestReadUsesOneSnapshotAndIsReadOnly(t *testing.T) {
	t.Parallel()
	d := open(t, postgrestest.Database(t))
	err := d.Read(t.Context(), func(tx exchange.Tx) error {
		count := func() (n int64) {
			tx.Query("SELECT count(*) FROM tenants", func(row exchange.Row) {
				n = row.Int64(0)
			})
			return n
		}
		count()
		write(t, d, "INSERT INTO tenants (name) VALUES ('a')")
		if n := count(); n != 0 {
			t.Errorf("%d tenants in a state that had none", n)
		}
		tx.Exec("INSERT INTO tenants (name) VALUES ('b')")
		return nil
	})
	if n := number(t, d, "SELECT count(*) FROM tenants"); err == nil || n != 1 {
		t.Errorf("a transaction that reads can write: %v, %d tenants", err, n)
	}
}

// Two who each read what the other changes: one of them must see the other's.
func TestWritesAreSerialisable(t *testing.T) {
	t.Parallel()
	d := open(t, postgrestest.Database(t))
	const clients, each = 8, 10
	var wg sync.WaitGroup
	for range clients {
		wg.Go(func() {
			for range each {
				err := d.Write(t.Context(), func(tx exchange.Tx) error {
					n := int64(0)
					tx.Query("SELECT count(*) FROM tenants", func(row exchange.Row) {
						n = row.Int64(0)
					})
					tx.Exec("INSERT INTO tenants (name, country) VALUES ($1, $2)", fmt.Sprint(n), "SE")
					return nil
				})
				if err != nil && !errors.Is(err, exchange.ErrNotCommitted) {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	n := number(t, d, "SELECT count(*) FROM tenants")
	if last := number(t, d, "SELECT max(CAST(name AS bigint)) FROM tenants"); n < each || last != n-1 {
		t.Errorf("%d tenants, the last has the number %d", n, last)
	}
}

func TestDeadlockIsRetried(t *testing.T) {
	t.Parallel()
	d := open(t, postgrestest.Database(t))
	write(t, d, "INSERT INTO tenants (name, tax_id) VALUES ('a', ''), ('b', '')")
	var meet sync.WaitGroup
	meet.Add(2)
	var wg sync.WaitGroup
	for _, order := range [][2]string{{"a", "b"}, {"b", "a"}} {
		wg.Go(func() {
			first := true
			err := d.Write(t.Context(), func(tx exchange.Tx) error {
				for i, name := range order {
					tx.Exec("UPDATE tenants SET tax_id = tax_id || 'x' WHERE name = $1", name)
					if first && i == 0 {
						first = false
						meet.Done()
						meet.Wait()
					}
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := number(t, d, "SELECT sum(length(tax_id)) FROM tenants"); n != 4 {
		t.Errorf("%d of 4 changes are there", n)
	}
}

// A process that stalls in a transaction must not block others: the server ends the
// transaction, and the change is retried.
func TestTransactionEndedByTheServerIsRetried(t *testing.T) {
	t.Parallel()
	at := postgrestest.Database(t)
	d := open(t, at+"&idle_in_transaction_session_timeout=200")
	tries := 0
	err := d.Write(t.Context(), func(tx exchange.Tx) error {
		tries++
		if tx.Exec("INSERT INTO tenants (name) VALUES ('a')"); tries > 1 {
			return nil
		}
		if err := postgrestest.Run(t.Context(), at, "SELECT pg_sleep(0.5)"); err != nil {
			t.Error(err)
		}
		tx.Exec("UPDATE tenants SET country = 'SE'")
		return nil
	})
	if n := number(t, d, "SELECT count(*) FROM tenants"); err != nil || n != 1 || tries != 2 {
		t.Errorf("%v, %d tenants after %d tries", err, n, tries)
	}
}

func TestErrorOrPanicRollsBack(t *testing.T) {
	t.Parallel()
	d := open(t, postgrestest.Database(t))
	wrong := errors.New("wrong")
	insert := func(tx exchange.Tx) error {
		tx.Exec("INSERT INTO tenants (name) VALUES ('a')")
		return nil
	}
	if err := d.Write(t.Context(), func(tx exchange.Tx) error { return errors.Join(insert(tx), wrong) }); !errors.Is(err, wrong) {
		t.Error(err)
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic was lost")
			}
		}()
		_ = d.Write(t.Context(), func(tx exchange.Tx) error {
			_ = insert(tx)
			panic("unexpected")
		})
	}()
	if n := number(t, d, "SELECT count(*) FROM tenants"); n != 0 {
		t.Errorf("%d tenants", n)
	}
}

// The outcome of a change does not depend on the client's connection.
func TestChangeContinuesAfterTheClientDisconnects(t *testing.T) {
	t.Parallel()
	d := open(t, postgrestest.Database(t))
	ctx, cancel := context.WithCancel(t.Context())
	err := d.Write(ctx, func(tx exchange.Tx) error {
		cancel()
		tx.Exec("INSERT INTO tenants (name) VALUES ('a')")
		return nil
	})
	if n := number(t, d, "SELECT count(*) FROM tenants"); err != nil || n != 1 {
		t.Errorf("%v, %d tenants", err, n)
	}
}

func TestTextThatCannotBeStoredIsNotFound(t *testing.T) {
	t.Parallel()
	d := open(t, postgrestest.Database(t))
	write(t, d, "INSERT INTO tenants (name) VALUES ('a')")
	for _, name := range []string{"a\x00", "\x00", "a\xff", "\xc3("} {
		if n := number(t, d, "SELECT count(*) FROM tenants WHERE name = $1", name); n != 0 {
			t.Errorf("%q is found", name)
		}
	}
}

func TestValuesRoundTrip(t *testing.T) {
	t.Parallel()
	d := open(t, postgrestest.Database(t))
	type grams int64
	type state string
	err := d.Read(t.Context(), func(tx exchange.Tx) error {
		tx.Query(`SELECT $1::bigint, $2::text, $3::bigint, $4::bytea, $5::text, 3 > 2, $6::bigint, sum(n) FROM (VALUES (1), (2)) v(n)`,
			func(row exchange.Row) {
				if row.Int64(0) != 1<<60 || row.Text(1) != "LIVE" || !row.Bool(2) || fmt.Sprint(row.Value(3)) != "[97 98]" ||
					row.Value(4) != nil || row.Value(0) != int64(1<<60) || row.Value(1) != "LIVE" || row.Text(4) != "" || !row.Bool(5) || row.Bool(6) || row.Int64(7) != 3 || row.Text(0) != fmt.Sprint(1<<60) {
					t.Error("a value is another")
				}
			}, grams(1<<60), state("LIVE"), true, []byte("ab"), nil, false)
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestUnreachableServerIsReported(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	s := postgrestest.Require(t, "fsync=off")
	d := open(t, postgrestest.Address("postgres", s))
	if err := d.Ready(t.Context()); err != nil {
		t.Error(err)
	}
	must.Succeed(t, s.Kill())
	if err := d.Ready(t.Context()); !errors.Is(err, exchange.ErrUnreachable) {
		t.Errorf("ready: %v", err)
	}
	if err := d.Write(t.Context(), exchange.Rehearse); !errors.Is(err, exchange.ErrUnreachable) {
		t.Errorf("write: %v", err)
	}
	if d, err := Open(t.Context(), postgrestest.Address("postgres", s), false); !errors.Is(err, exchange.ErrUnreachable) {
		t.Errorf("open: %v %v", d, err)
	}
}
