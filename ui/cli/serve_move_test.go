package cli

import (
	"path/filepath"
	"strings"
	"testing"
)

// A database that cannot be moved to is named without its password.
func TestAPasswordInAnAddressIsNotShown(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"postgres://tonne:secret@db1,db2/market":  "postgres://tonne:xxxxx@db1,db2/market",
		"postgres://db1/market?password=secret":   "postgres://db1/market?password=xxxxx",
		"postgresql://db1/market?sslmode=require": "postgresql://db1/market?sslmode=require",
		"/srv/market:secret@.db":                  "/srv/market:secret@.db",
	} {
		if got := databaseName(address); got != want {
			t.Errorf("%s is shown as %s", address, got)
		}
	}
	w := newWorld(t, nil).unconfigured()
	db := filepath.Join(w.env["HOME"], "market.db")
	w.must("serve", "--db", db, "keys", "create", "--tenant", "acme")
	r := w.run("serve", "move", "--from", db, "--to", "postgres://tonne:secret@127.0.0.1:1/market")
	if what, _ := r.sentences(t); r.status == 0 || strings.Contains(r.stderr, "secret") || !strings.Contains(what, "cannot be reached") {
		t.Errorf("status %d, %s", r.status, r.stderr)
	}
}
