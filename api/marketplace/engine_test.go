package marketplace

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"testing"

	"tonne/api/marketplace/exchange"
	"tonne/api/marketplace/marketplacetest"
	"tonne/api/marketplace/postgres/postgrestest"
	"tonne/model/longtest"
)

// onPostgres tells the tests to use databases of the server at an address
// instead of files. requirePostgres says that they must not be skipped where it
// is not installed.
const (
	onPostgres      = "TONNE_TEST_ON_POSTGRES"
	requirePostgres = "TONNE_TEST_REQUIRE_POSTGRES"
)

// ofSQLite skips a test that is about a database file.
func ofSQLite(t testing.TB) {
	t.Helper()
	if os.Getenv(onPostgres) != "" {
		t.Skip("this is about a database file")
	}
}

// tempDatabase is an empty database that ends with the test.
func tempDatabase(t testing.TB) string {
	t.Helper()
	server := os.Getenv(onPostgres)
	if server == "" {
		return marketplacetest.TempDatabase(t)
	}
	// A schema is made much sooner than a database, and is as good as one.
	s, ok := freeSchemas.take()
	if !ok {
		s = newSchema(t, server)
	}
	t.Cleanup(func() { s.giveBack(t, server) })
	return s.address(server)
}

// emptySchema is a database in which there is nothing, that ends with the test.
func emptySchema(t testing.TB) string {
	t.Helper()
	server, s := os.Getenv(onPostgres), testSchema{name: newName()}
	runSQL(t, server, "CREATE SCHEMA "+s.name)
	t.Cleanup(func() { runSQL(t, server, "DROP SCHEMA "+s.name+" CASCADE") })
	return s.address(server)
}

// testSchema is a database of the server with the tables of a marketplace, which are
// empty. To make those takes a third of a second, to empty them a hundredth.
type testSchema struct{ name, relations string }

func (s testSchema) address(server string) string { return server + "&search_path=" + s.name }

// relationsOf names the tables and the indexes of a schema.
const relationsOf = "(SELECT md5(string_agg(relname, ',' ORDER BY relname)) FROM pg_class WHERE relnamespace = current_schema()::regnamespace)"

func newSchema(t testing.TB, server string) testSchema {
	t.Helper()
	s := testSchema{name: newName()}
	runSQL(t, server, "CREATE SCHEMA "+s.name)
	db, err := openEngine(t.Context(), s.address(server), Options{})
	if err != nil {
		t.Fatal(err)
	}
	s.relations, err = exchange.Read(t.Context(), db, func(tx exchange.Tx) (names string) {
		tx.Query("SELECT "+relationsOf, func(row exchange.Row) {
			names = row.Text(0)
		})
		return names
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	return s
}

// giveBack empties the tables for the next test, unless this one has changed
// which there are.
func (s testSchema) giveBack(t testing.TB, server string) {
	t.Helper()
	empty := `DO $$ DECLARE one record; BEGIN
		IF ` + relationsOf + ` <> '` + s.relations + `' THEN RAISE EXCEPTION 'altered'; END IF;
		SET LOCAL session_replication_role = replica;
		FOR one IN SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema() AND tablename NOT IN ('tonne_schema', 'market_total') LOOP
			EXECUTE format('DELETE FROM %I', one.name);
		END LOOP;
		UPDATE market_total SET version = 0, listing = 0, mark = 0;
		PERFORM setval(format('%I', sequencename)::regclass, 1, false) FROM pg_sequences WHERE schemaname = current_schema();
	END $$`
	if err := postgrestest.Run(context.Background(), s.address(server), empty); err != nil {
		runSQL(t, server, "DROP SCHEMA "+s.name+" CASCADE")
		return
	}
	freeSchemas.give(s)
}

// schemaPool is of those schemas that no test uses.
type schemaPool struct {
	mu   sync.Mutex
	free []testSchema
}

var freeSchemas schemaPool

func (s *schemaPool) give(one testSchema) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free = append(s.free, one)
}

func (s *schemaPool) take() (one testSchema, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.free) == 0 {
		return one, false
	}
	one = s.free[len(s.free)-1]
	s.free = s.free[:len(s.free)-1]
	return one, true
}

// copyDatabase is a copy of a database of the server, that ends with the test.
func copyDatabase(t testing.TB, template string) string {
	t.Helper()
	server, name := os.Getenv(onPostgres), newName()
	runSQL(t, server, "CREATE DATABASE "+name+" TEMPLATE "+template)
	t.Cleanup(func() { runSQL(t, server, "DROP DATABASE "+name+" WITH (FORCE)") })
	return databaseAt(server, name)
}

var made atomic.Int64

func newName() string { return fmt.Sprintf("test_%d_%d", os.Getpid(), made.Add(1)) }

func runSQL(t testing.TB, server, statement string) {
	t.Helper()
	if err := postgrestest.Run(context.Background(), server, statement); err != nil {
		t.Error(err)
	}
}

// databaseAt is the address of another database of the same server.
func databaseAt(server, name string) string {
	u, err := url.Parse(server)
	if err != nil {
		panic(err)
	}
	u.Path = "/" + name
	return u.String()
}

// startPostgres starts a server that ends with the test, which is skipped where
// none is installed.
func startPostgres(t testing.TB, settings ...string) *postgrestest.Cluster {
	t.Helper()
	server, err := postgrestest.Start(settings...)
	if errors.Is(err, postgrestest.ErrNotInstalled) && os.Getenv(requirePostgres) == "" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.End(); err != nil {
			t.Error(err)
		}
	})
	return server
}

// unsafely makes a server fast that loses everything with its machine.
var unsafely = []string{"fsync=off", "synchronous_commit=off", "full_page_writes=off", "max_connections=500", "shared_buffers=64MB"}

// Every test of the service that is not about a file runs on PostgreSQL too.
func TestTheServiceOnPostgreSQL(t *testing.T) {
	if os.Getenv(onPostgres) != "" {
		t.Skip("this is it")
	}
	if raceDetector {
		t.Skip("with the race detector it takes minutes")
	}
	longtest.Only(t)
	server := startPostgres(t, unsafely...)
	address := postgrestest.Address("postgres", server)
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.timeout=8m", "-rapid.checks=6", "-rapid.nofailfile")
	cmd.Env = append(os.Environ(), onPostgres+"="+address)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
