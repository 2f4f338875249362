//go:build unix

package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// checkServeRejected checks that `tonne serve` fails because the database is in use.
func (w *world) checkServeRejected(db string) {
	w.t.Helper()
	r := w.run("serve", "--listen", "127.0.0.1:0", "--db", db)
	what, todo := r.sentences(w.t)
	if r.status != 1 || !strings.Contains(what, "serves "+db) || !strings.Contains(todo, "--db") || r.stdout != "" {
		w.t.Errorf("status %d: %s%s", r.status, r.stdout, r.stderr)
	}
}

func TestSecondServiceOnDatabaseIsRejected(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	service := exec.Command(os.Args[0], "serve", "--listen", "127.0.0.1:0", "--db", o.db)
	service.Env = environment(t.TempDir())
	startServing(t, service)
	o.checkServeRejected(o.db)

	o.must("serve", "--db", o.db, "keys", "create", "--tenant", "Acme Ltd")
	o.withStock()
	o.must("serve", "--db", o.db, "orders", "list")
	o.must("serve", "--db", o.db, "close-month")
	copied := filepath.Join(o.env["HOME"], "copy.db")
	o.must("serve", "--db", o.db, "backup", copied)
	o.must("serve", "--db", o.db, "move", "--to", filepath.Join(o.env["HOME"], "moved.db"))
	if r := o.serveBriefly("serve", "--listen", "127.0.0.1:0", "--db", copied); r.status != 143 {
		t.Errorf("service with another file: status %d, %s", r.status, r.stderr)
	}

	if err := service.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = service.Wait()
	for range 2 {
		if r := o.serveBriefly("serve", "--listen", "127.0.0.1:0", "--db", o.db); r.status != 143 {
			t.Errorf("after the service was killed: status %d, %s", r.status, r.stderr)
		}
	}
	lock, err := os.Stat(o.db + "-lock")
	if err != nil || lock.Size() != 0 || lock.Mode() != 0o600 {
		t.Errorf("%+v, %v", lock, err)
	}
}

func TestKeptDemoLocksItsDatabase(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "demo")
	p := start(t, t.TempDir(), nil, "demo", "--keep", dir).read()
	p.await("Alder Bank Wind")
	w := newWorld(t, nil).unconfigured()
	w.checkServeRejected(filepath.Join(dir, "demo.db"))
	p.press("q")
	if status := p.end(); status != 0 {
		t.Errorf("status %d:\n%q", status, tail(p.written()))
	}
	if r := w.serveBriefly("serve", "--listen", "127.0.0.1:0", "--db", filepath.Join(dir, "demo.db")); r.status != 143 {
		t.Errorf("after the demo: status %d, %s", r.status, r.stderr)
	}
}

func TestForeignLockFileIsLeftAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil).unconfigured()
	db := filepath.Join(w.env["HOME"], "new", "market.db")
	if err := os.MkdirAll(db+"-lock", 0o700); err != nil {
		t.Fatal(err)
	}
	r := w.run("serve", "--listen", "127.0.0.1:0", "--db", db)
	if what, _ := r.sentences(t); r.status != 1 || !strings.Contains(what, db+"-lock") {
		t.Errorf("status %d: %s", r.status, r.stderr)
	}
	if _, err := os.Stat(db); err == nil {
		t.Error("a database was created")
	}
}
