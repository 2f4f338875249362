package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tonne/model/dbfile/dbfiletest"
)

// onDatabase are the commands that take --db.
var onDatabase = [][]string{
	{"--addr", "127.0.0.1:0", "--demo-data"}, {"keys", "create", "--tenant", "acme"}, {"keys", "list"}, {"keys", "deactivate", "K"},
	{"invoices"}, {"settle", "I"}, {"close-month"}, {"complete", "R"}, {"backup", "copy.db"},
}

func TestNoCommandTouchesAFileThatIsNotOurs(t *testing.T) {
	t.Parallel()
	for name, stranger := range dbfiletest.Strangers() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil).unconfigured()
			dir := t.TempDir()
			path := filepath.Join(dir, "market.db")
			stranger.Make(t, path)
			before := dbfiletest.State(t, dir)
			for _, args := range onDatabase {
				r := w.run(append([]string{"serve", "--db", path}, args...)...)
				if what, _ := r.sentences(t); r.status != 1 || !strings.Contains(what, stranger.Says) || !strings.Contains(what, path) {
					t.Errorf("%v: status %d, %s", args, r.status, what)
				}
				if after := dbfiletest.State(t, dir); after != before {
					t.Fatalf("%v: it was\n%sand is\n%s", args, before, after)
				}
			}
		})
	}
}

// A file that mktemp made is as good as a new one, where one is made at all.
func TestAnEmptyFileBecomesADatabaseOnlyWhereOneIsMade(t *testing.T) {
	t.Parallel()
	for i, args := range onDatabase[1:] {
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

func TestADemoIsKeptOnlyInANewFile(t *testing.T) {
	t.Parallel()
	for name, stranger := range dbfiletest.Strangers() {
		dir := t.TempDir()
		stranger.Make(t, filepath.Join(dir, "demo.db"))
		before := dbfiletest.State(t, dir)
		if path, err := (&demoRun{keep: dir}).databasePath(); err == nil {
			t.Errorf("%s: the demo goes to %s", name, path)
		}
		if after := dbfiletest.State(t, dir); after != before {
			t.Errorf("%s was\n%sand is\n%s", name, before, after)
		}
	}
}
