package marketplace

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"sync/atomic"
	"testing"

	"tonne/api/marketplace/marketplacetest"
	"tonne/api/marketplace/storage/postgres/postgrestest"
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
	name := newName()
	runSQL(t, server, "CREATE SCHEMA "+name)
	t.Cleanup(func() { runSQL(t, server, "DROP SCHEMA "+name+" CASCADE") })
	return server + "&search_path=" + name
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
func startPostgres(t *testing.T, settings ...string) *postgrestest.Cluster {
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
	if testing.Short() || raceDetector {
		t.Skip("it takes longer than everything else; with the race detector it would be minutes")
	}
	server := startPostgres(t, unsafely...)
	address := postgrestest.Address("postgres", server)
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.timeout=8m", "-rapid.checks=6", "-rapid.nofailfile")
	cmd.Env = append(os.Environ(), onPostgres+"="+address)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
