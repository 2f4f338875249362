package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// TestHostileNamesInDatabaseAreEscaped uses names that an older version accepted.
func TestHostileNamesInDatabaseAreEscaped(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil).unconfigured()
	db := filepath.Join(w.env["HOME"], "market.db")
	w.must("serve", "--db", db, "keys", "create", "--tenant", "acme", "--create-tenant")
	conn, err := sqlite.OpenConn(db, sqlite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range hostile {
		for _, statement := range []string{
			"INSERT INTO tenants (name) VALUES (?1 || 'acme')",
			`INSERT INTO api_keys (id, tenant, role, name, lookup, hash, created_at, is_active)
				SELECT ?1, max(number), ?1, ?1, 0, CAST(?1 AS BLOB), 0, 1 FROM tenants`,
			`INSERT INTO periods (month, opened_at, closed_at) VALUES (?1, 0, 1)`,
			`INSERT INTO invoices (id, tenant, period, state, total_cents)
				SELECT ?1, max(t.number), max(p.number), 'ISSUED', 1 FROM tenants t, periods p`,
		} {
			if err := sqlitex.Execute(conn, statement, &sqlitex.ExecOptions{Args: []any{text}}); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	for command, rows := range map[string]int{
		"keys list": 1 + len(hostile), "invoices": len(hostile), "invoices list": len(hostile), "tenants list": 1 + len(hostile),
	} {
		out := w.must(append([]string{"serve", "--db", db}, strings.Fields(command)...)...)
		checkHarmless(t, command, out)
		if n := strings.Count(out, "\n"); n != rows+1 {
			t.Errorf("%s: %d lines for %d rows:\n%q", command, n, rows, out)
		}
	}
}

func TestHostileNameIsUsageError(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil).unconfigured()
	db := filepath.Join(w.env["HOME"], "market.db")
	for name, text := range hostile {
		for _, args := range [][]string{{"--tenant", text}, {"--tenant", "acme", "--name", text}, {"--tenant", "acme", "--role", text}} {
			r := w.run(append([]string{"serve", "--db", db, "keys", "create", "--create-tenant"}, args...)...)
			checkHarmless(t, name, r.stderr)
			if what, _ := r.sentences(t); r.status != 2 || !strings.Contains(what, "must ") {
				t.Errorf("%s: status %d, %s", name, r.status, what)
			}
		}
	}
	if out := w.must("serve", "--db", db, "keys", "list"); strings.Count(out, "\n") != 1 {
		t.Errorf("a key was created:\n%s", out)
	}
}
