package postgrestest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Run runs statements outside a transaction.
func Run(ctx context.Context, address, statement string) error {
	conn, err := pgx.Connect(ctx, address)
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
	server = required(t, server, err)
	t.Cleanup(func() {
		if err := server.End(); err != nil {
			t.Error(err)
		}
	})
	return server
}

func required(t testing.TB, server *Cluster, err error) *Cluster {
	t.Helper()
	if errors.Is(err, ErrNotInstalled) && os.Getenv("TONNE_TEST_REQUIRE_POSTGRES") == "" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return server
}

// shared is the server of Database. It would lose its data with the machine.
var shared = sync.OnceValues(func() (*Cluster, error) {
	return Start("fsync=off", "synchronous_commit=off", "full_page_writes=off", "max_connections=500", "shared_buffers=64MB")
})

var schemas atomic.Int64

// Database returns the address of an empty database on a server that all tests of the package
// share: a new schema. The package must call Main.
func Database(t testing.TB) string {
	t.Helper()
	at := Address("postgres", Shared(t))
	name := fmt.Sprint("test_", schemas.Add(1))
	if err := Run(t.Context(), at, "CREATE SCHEMA "+name); err != nil {
		t.Fatal(err)
	}
	return at + "&search_path=" + name
}

// Shared returns the server of Database. The package must call Main.
func Shared(t testing.TB) *Cluster {
	t.Helper()
	server, err := shared()
	server = required(t, server, err)
	used.Store(true)
	return server
}

var used atomic.Bool

// Main runs the tests of a package that calls Database, and returns the exit status.
func Main(m *testing.M) int {
	status := m.Run()
	if used.Load() {
		if server, err := shared(); err == nil {
			_ = server.End()
		}
	}
	return status
}
