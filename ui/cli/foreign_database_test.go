package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"tonne/model/dbfile/dbfiletest"
)

// databaseCommands are the serve commands with --db.
var databaseCommands = [][]string{
	{"--listen", "127.0.0.1:0", "--demo-data"}, {"keys", "create", "--tenant", "acme", "--create-tenant"}, {"keys", "list"}, {"keys", "deactivate", "K"},
	{"invoices"}, {"settle", "I"}, {"close-month"}, {"complete", "R"}, {"backup", "copy.db"},
	{"catalogue", "export"}, {"orders", "list"}, {"tenants", "list"}, {"requests", "list"}, {"invoices", "list"},
}

func TestServeCommandsDoNotTouchForeignFiles(t *testing.T) {
	t.Parallel()
	for name, stranger := range dbfiletest.Strangers() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil).unconfigured()
			dir := t.TempDir()
			path := filepath.Join(dir, "market.db")
			stranger.Make(t, path)
			dbfiletest.Untouched(t, dir, func() {
				for _, args := range databaseCommands {
					r := w.run(append([]string{"serve", "--db", path}, args...)...)
					if what, _ := r.sentences(t); r.status != 1 || !strings.Contains(what, stranger.Says) || !strings.Contains(what, path) {
						t.Errorf("%v: status %d, %s", args, r.status, what)
					}
				}
			})
		})
	}
}

func TestNewerDatabaseAsksForUpdate(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil).unconfigured()
	dir := t.TempDir()
	path := filepath.Join(dir, "market.db")
	w.must("serve", "--db", path, "keys", "create", "--tenant", "acme", "--create-tenant")
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(sqlitex.ExecuteTransient(conn, "PRAGMA user_version = 99", nil), conn.Close()); err != nil {
		t.Fatal(err)
	}
	dbfiletest.Untouched(t, dir, func() {
		for _, args := range databaseCommands {
			r := w.run(append([]string{"serve", "--db", path}, args...)...)
			if what, todo := r.sentences(t); r.status != 1 || !strings.Contains(what, "newer version") || !strings.Contains(todo, "pdate tonne") {
				t.Errorf("%v: status %d, %s", args, r.status, r.stderr)
			}
		}
	})
}

// For commands that create a database, an empty file of mktemp is like a missing one.
func TestOnlyCreateInitialisesEmptyFile(t *testing.T) {
	t.Parallel()
	for i, args := range databaseCommands[1:] {
		w := newWorld(t, nil).unconfigured()
		path := w.write(fmt.Sprint(i), "")
		r := w.run(append([]string{"serve", "--db", path}, args...)...)
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if creates := len(args) > 1 && args[1] == "create"; creates != (r.status == 0) || creates != (info.Size() > 0) {
			t.Errorf("%v: status %d, %s, and %d bytes", args, r.status, r.stderr, info.Size())
		}
	}
}
