package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestKeyForUnknownTenantNeedsCreateTenant(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	o.must("serve", "--db", o.db, "tenants", "create", "Acme GmbH")
	for name, want := range map[string]string{
		"Acme Ltt": `id you mean "Acme Ltd"? --create-tenant creates a new tenant.`,
		"acme":     `id you mean "Acme Ltd" or "Acme GmbH"? --create-tenant`,
		"Forest":   "`tonne serve tenants list` lists the tenants; --create-tenant creates one",
	} {
		r := o.serve("keys", "create", "--tenant", name)
		what, todo := r.sentences(t)
		if r.status != 4 || !strings.Contains(what, name) || !strings.Contains(todo, want) {
			t.Errorf("%s: status %d, %s", name, r.status, r.stderr)
		}
	}
	if got := o.must("serve", "--db", o.db, "tenants", "list"); strings.Count(got, "\n") != 3 {
		t.Errorf("tenants are\n%s", got)
	}
	o.must("serve", "--db", o.db, "keys", "create", "--tenant", "Forest", "--create-tenant")
	if got := o.must("serve", "--db", o.db, "tenants", "list"); !strings.Contains(got, "Forest") {
		t.Errorf("tenants are\n%s", got)
	}
}

func TestKeysCreateDoesNotCreateDatabase(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil).unconfigured()
	db := filepath.Join(w.env["HOME"], "mistyped", "market.db")
	r := w.run("serve", "--db", db, "keys", "create", "--tenant", "acme")
	if what, _ := r.sentences(t); r.status != 1 || !strings.Contains(what, "there is no marketplace in "+db) {
		t.Errorf("status %d, %s", r.status, r.stderr)
	}
	if _, err := os.Stat(filepath.Dir(db)); err == nil {
		t.Error("a directory was created")
	}
}
