package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestMoveHidesPasswordOfDatabase(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil).unconfigured()
	db := filepath.Join(w.env["HOME"], "market.db")
	w.must("serve", "--db", db, "keys", "create", "--tenant", "acme", "--create-tenant")
	r := w.run("serve", "move", "--from", db, "--to", "postgres://tonne:secret@127.0.0.1:1/market")
	if what, _ := r.sentences(t); r.status == 0 || strings.Contains(r.stderr, "secret") || !strings.Contains(what, "cannot be reached") {
		t.Errorf("status %d, %s", r.status, r.stderr)
	}
}

func TestMoveUsesDatabaseOfFlagDB(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil).unconfigured()
	path := func(name string) string { return filepath.Join(w.env["HOME"], name) }
	db, other := path("market.db"), path("other.db")
	w.must("serve", "--db", db, "keys", "create", "--tenant", "acme", "--create-tenant")
	w.must("serve", "--db", other, "keys", "create", "--tenant", "other", "--create-tenant")
	if r := w.run("serve", "--db", db, "move", "--from", other, "--to", path("moved.db")); r.status != 2 || !strings.Contains(r.stderr, "--from names the database to copy") {
		t.Errorf("both --db and --from: status %d, %s", r.status, r.stderr)
	}
	w.must("serve", "--db", db, "move", "--to", path("moved.db"))
	if moved := w.must("serve", "--db", path("moved.db"), "tenants", "list"); !strings.Contains(moved, "acme") || strings.Contains(moved, "other") {
		t.Errorf("moved tenants are\n%s", moved)
	}
	if r := w.run("serve", "move", "--to", path("none.db")); r.status != 2 || !strings.Contains(r.stderr, "--from or --to is missing") {
		t.Errorf("no source: status %d, %s", r.status, r.stderr)
	}
	for _, empty := range []string{path("empty.db"), path("not.db")} {
		if empty == path("empty.db") {
			if err := os.WriteFile(empty, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if r := w.run("serve", "move", "--from", empty, "--to", path("none.db")); r.status != 1 || !strings.Contains(r.stderr, empty) {
			t.Errorf("from %s: status %d, %s", empty, r.status, r.stderr)
		}
	}
	if _, err := os.Stat(path("none.db")); err == nil {
		t.Error("a target was created although the move failed")
	}
}

// A mistyped URL must not become a file name.
func TestInvalidDatabaseURLIsNotUsedAsFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil).unconfigured()
	market := filepath.Join(w.env["HOME"], "market.db")
	w.must("serve", "--db", market, "keys", "create", "--tenant", "acme", "--create-tenant")
	for _, address := range []string{"mysql://tonne:secret@db1/market", "postgres:/db1/market", "Postgres://db1/market", "file:///srv/market.db"} {
		for _, args := range [][]string{
			{"serve", "--db", address, "keys", "create", "--tenant", "acme", "--create-tenant"}, {"serve", "--db", address, "keys", "list"},
			{"serve", "--db", address}, {"serve", "move", "--from", market, "--to", address},
		} {
			r := w.run(args...)
			if r.status != 2 || !strings.Contains(r.stderr, "begins with postgres://") || strings.Contains(r.stderr, "secret") {
				t.Errorf("%v: status %d, %s", args, r.status, r.stderr)
			}
		}
		scheme, _, _ := strings.Cut(address, "/")
		if _, err := os.Stat(scheme); err == nil {
			t.Errorf("directory %s was created", scheme)
			os.RemoveAll(scheme)
		}
	}
}

func TestKeysCreateReportsNewMarketplace(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil).unconfigured()
	db := filepath.Join(w.env["HOME"], "market.db")
	const notice = "a new one was created"
	if r := w.run("serve", "--db", db, "keys", "create", "--tenant", "acme", "--create-tenant"); r.status != 0 || !strings.Contains(r.stderr, db+", so "+notice) {
		t.Errorf("status %d, %s", r.status, r.stderr)
	}
	if r := w.run("serve", "--db", db, "keys", "create", "--tenant", "acme", "--create-tenant"); r.status != 0 || strings.Contains(r.stderr, notice) {
		t.Errorf("second key: status %d, %s", r.status, r.stderr)
	}
}
