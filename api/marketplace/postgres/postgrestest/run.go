package postgrestest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Run runs statements outside a transaction, and those for an address of Database together in
// one.
func Run(ctx context.Context, address, statement string) error {
	if _, schema, found := strings.Cut(address, schemaOption); found {
		return runShared(ctx, "SET search_path = "+schema+"; "+statement)
	}
	conn, err := pgx.Connect(ctx, strings.TrimSuffix(address, connectionsOption))
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, statement)
	return errors.Join(err, conn.Close(ctx))
}

// Require starts a server that ends with the test. The test is skipped if PostgreSQL is not
// installed, unless TONNE_TEST_REQUIRE_POSTGRES is set.
func Require(t testing.TB, settings ...string) *Cluster {
	t.Helper()
	server, err := Start(settings...)
	required(t, err)
	t.Cleanup(func() {
		if err := server.End(); err != nil {
			t.Error(err)
		}
	})
	return server
}

func required(t testing.TB, err error) {
	t.Helper()
	if errors.Is(err, ErrNotInstalled) && os.Getenv("TONNE_TEST_REQUIRE_POSTGRES") == "" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// sharedServer is a server with connections for Run.
type sharedServer struct {
	*Cluster
	connections *pgxpool.Pool
}

// Opening a connection costs the server as much as most tests do with it, so a test has
// few for each database, and Run shares its own.
const (
	connectionsOption = "&pool_max_conns=4"
	schemaOption      = "&search_path="
)

// shared is the server of Database. It would lose its data with the machine.
var shared = sync.OnceValues(func() (s sharedServer, err error) {
	s.Cluster, err = Start("fsync=off", "synchronous_commit=off", "full_page_writes=off", "autovacuum=off",
		"max_connections=500", "shared_buffers=64MB")
	if err == nil {
		s.connections, err = pgxpool.New(context.Background(), Address("postgres", s.Cluster)+connectionsOption)
	}
	return s, err
})

func runShared(ctx context.Context, statements string) error {
	server, err := shared()
	if err != nil {
		return err
	}
	_, err = server.connections.Exec(ctx, statements)
	return err
}

var schemas atomic.Int64

// Database returns the address of an empty database on a server that all tests of the package
// share: a new schema. The package must call Main.
func Database(t testing.TB) string {
	t.Helper()
	at := Address("postgres", Shared(t))
	name := fmt.Sprint("test_", schemas.Add(1))
	if err := runShared(t.Context(), "CREATE SCHEMA "+name); err != nil {
		t.Fatal(err)
	}
	if _, measured := t.(*testing.B); !measured {
		at += connectionsOption
	}
	return at + schemaOption + name
}

// copied is the database that Copy copies.
var copied sync.Once

// Copy returns the address of a copy of a database that fill has filled, once for all tests of the
// package. The package must call Main.
func Copy(t testing.TB, fill func(address string)) string {
	t.Helper()
	server := Shared(t)
	create := func(name string) (address string) {
		if err := runShared(t.Context(), "CREATE DATABASE "+name); err != nil {
			t.Fatal(err)
		}
		name, _, _ = strings.Cut(name, " ")
		return Address(name, server) + connectionsOption
	}
	copied.Do(func() { fill(create("filled")) })
	from := " TEMPLATE filled"
	if versionOf(server.bin) >= 15 {
		from += " STRATEGY file_copy"
	}
	return create(fmt.Sprint("copy_", schemas.Add(1)) + from)
}

// Shared returns the server of Database. The package must call Main.
func Shared(t testing.TB) *Cluster {
	t.Helper()
	server, err := shared()
	required(t, err)
	used.Store(true)
	return server.Cluster
}

var used atomic.Bool

// Main runs the tests of a package that calls Database, and returns the exit status.
func Main(m *testing.M) int {
	status := m.Run()
	if used.Load() {
		if server, err := shared(); err == nil {
			server.connections.Close()
			_ = server.End()
		}
	}
	return status
}
