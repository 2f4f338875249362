package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"tonne/model/dbfile/dbfiletest"
	"tonne/ui/cli/command"
	"tonne/ui/cli/terminal"
)

// operator is a world with the database of a marketplace.
type operator struct {
	*world
	db string
}

func newOperator(t *testing.T) *operator {
	t.Helper()
	w := newWorld(t, nil).unconfigured()
	o := &operator{w, filepath.Join(w.env["HOME"], "market.db")}
	retirerMarket.copyTo(t, o.db, buildRetirerMarket)
	return o
}

func (o *operator) serve(args ...string) result {
	o.t.Helper()
	return o.run(append([]string{"serve", "--db", o.db}, args...)...)
}

// alter executes SQL statements on the database, each with the same arguments.
func (o *operator) alter(statements []string, args ...any) {
	o.t.Helper()
	conn := must(sqlite.OpenConn(o.db, sqlite.OpenReadWrite))
	var err error
	for _, sql := range statements {
		err = errors.Join(err, sqlitex.Execute(conn, sql, &sqlitex.ExecOptions{Args: args}))
	}
	if err := errors.Join(err, conn.Close()); err != nil {
		o.t.Fatal(err)
	}
}

// databaseCommands are the serve commands with --db.
var databaseCommands = []string{
	"keys create --tenant acme --create-tenant", "--listen 127.0.0.1:0 --demo-data", "keys list", "keys deactivate K", "invoices", "settle I", "close-month",
	"complete R", "backup copy.db", "catalogue export", "orders list", "tenants list", "requests list", "invoices list",
}

func TestServeCommandsDoNotTouchForeignFiles(t *testing.T) {
	t.Parallel()
	check := func(t *testing.T, o *operator, what, todo string, commands []string) {
		dbfiletest.Untouched(t, filepath.Dir(o.db), func() {
			for _, args := range commands {
				r := o.serve(strings.Fields(args)...)
				if said, next := r.sentences(t); r.status != 1 || !containsAll(said, what, o.db) || !strings.Contains(next, todo) {
					t.Errorf("%s: status %d, %s", args, r.status, r.stderr)
				}
			}
		})
	}
	for name, stranger := range dbfiletest.Strangers() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := &operator{newWorld(t, nil).unconfigured(), filepath.Join(t.TempDir(), "market.db")}
			stranger.Make(t, o.db)
			commands := databaseCommands[:2]
			if name == "a database without an id" {
				commands = databaseCommands
			}
			check(t, o, stranger.Says, "", commands)
		})
	}
	t.Run("newer version", func(t *testing.T) {
		t.Parallel()
		o := newOperator(t)
		o.alter([]string{"PRAGMA user_version = 99"})
		own := &operator{o.world, filepath.Join(t.TempDir(), "market.db")}
		if err := os.Rename(o.db, own.db); err != nil {
			t.Fatal(err)
		}
		check(t, own, "newer version", "pdate tonne", databaseCommands)
	})
}

// For commands that create a database, an empty file of mktemp is like a missing one.
func TestOnlyCreateInitialisesEmptyFile(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	for i, args := range append(databaseCommands[:1:1], databaseCommands[2:]...) {
		o.db = o.write(fmt.Sprint(i), "")
		r := o.serve(strings.Fields(args)...)
		creates := strings.Contains(args, " create ")
		if info := must(os.Stat(o.db)); creates != (r.status == 0) || creates != (info.Size() > 0) {
			t.Errorf("%s: status %d, %s, and %d bytes", args, r.status, r.stderr, info.Size())
		}
	}
}

// An older version accepted such names.
func TestHostileNamesInDatabaseAreEscaped(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	for _, text := range hostileTexts {
		o.alter([]string{
			"INSERT INTO tenants (name) VALUES (?1 || 'acme')",
			`INSERT INTO api_keys (id, tenant, role, name, lookup, hash, created_at, is_active)
				SELECT ?1, max(number), ?1, ?1, 0, CAST(?1 AS BLOB), 0, 1 FROM tenants`,
			`INSERT INTO periods (month, opened_at, closed_at) VALUES (?1, 0, 1)`,
			`INSERT INTO invoices (id, tenant, period, state, total_cents)
				SELECT ?1, max(t.number), max(p.number), 'ISSUED', 1 FROM tenants t, periods p`,
		}, text)
	}
	for args, rows := range map[string]int{"keys list": 2, "invoices": 0, "invoices list": 0, "tenants list": 3} {
		out := o.must(append([]string{"serve", "--db", o.db}, strings.Fields(args)...)...)
		if n := strings.Count(out, "\n") - 1; n != rows+len(hostileTexts) {
			t.Errorf("%s: %d lines:\n%q", args, n, out)
		}
	}
	before := o.must("serve", "--db", o.db, "keys", "list")
	for n, text := range hostileTexts {
		// The flags have the same check.
		attempts := [][]string{{"--tenant", text}, {"--tenant", "acme", "--name", text}, {"--tenant", "acme", "--role", text}}
		if n > 0 {
			attempts = attempts[:1]
		}
		for _, args := range attempts {
			if r := o.serve(append([]string{"keys", "create", "--create-tenant"}, args...)...); r.status != 2 || !strings.Contains(r.stderr, "must ") {
				t.Errorf("%q: status %d, %s", args, r.status, r.stderr)
			}
		}
	}
	if after := o.must("serve", "--db", o.db, "keys", "list"); after != before {
		t.Errorf("a key was created:\n%s", after)
	}
}

func TestHostileImportChangesNothing(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	state := func() (all string) {
		for _, list := range []string{"catalogue export", "orders list --state ALL", "tenants list", "invoices list"} {
			all += o.must(append(append([]string{"serve", "--db", o.db}, strings.Fields(list)...), "-o", "json")...)
		}
		return all
	}
	before := state()
	row := strings.Split(catalogueFile, "\n")[1]
	for name, text := range map[string]string{
		"UTF-16": "\xff\xfep\x00", "wrong UTF-8": catalogueFile + "\xff\n", "PNG": "\x89PNG\r\n\x1a\n", "HTML": "<!doctype html>\n",
		"newline in quotes": catalogueFile + strings.ReplaceAll(row, "A forest.", "\"A\nforest.\"") + "\n", "NUL": catalogueFile + "\x00\n",
		"escape sequence": catalogueFile + strings.ReplaceAll(row, "Bale", "\x1b[2JBale") + "\n", "truncated JSON": `{"projects":[{`,
		"unclosed quote": catalogueFile + `"`, "empty": "", "repeated": catalogueFile + strings.Repeat(row+"\n", 1000),
	} {
		for _, args := range [][]string{{"catalogue", "import"}, {"orders", "import", "--seller", "Forest Ltd"}} {
			if r := o.serve(append(args, o.write("hostile", text))...); r.status != 1 || !strings.Contains(r.stderr, "nothing was imported") {
				t.Errorf("%v, %s: status %d\n%.300s", args, name, r.status, r.stderr)
			}
		}
	}
	if after := state(); after != before {
		t.Errorf("the database changed to\n%s\nfrom\n%s", after, before)
	}
	for name, text := range map[string]string{"BOM": "\ufeff" + catalogueFile, "CRLF": strings.ReplaceAll(catalogueFile, "\n", "\r\n"), "no last newline": strings.TrimSpace(catalogueFile)} {
		o.stdin = text
		if r := o.serve("catalogue", "import", "-"); r.status != 0 || !strings.Contains(r.stdout, "0 added, 0 changed, 1 unchanged") {
			t.Errorf("%s: status %d, %s%s", name, r.status, r.stdout, r.stderr)
		}
	}
}

func TestConcurrentImportsBothSucceed(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	file := o.write("c.csv", strings.ReplaceAll(catalogueFile, "bale", "new"))
	done := make(chan result, 2)
	for range cap(done) {
		go func() { done <- o.runContext(context.Background(), "serve", "--db", o.db, "catalogue", "import", file) }()
	}
	added := 0
	for range cap(done) {
		r := <-done
		if r.status != 0 {
			t.Errorf("status %d, %s", r.status, r.stderr)
		}
		added += strings.Count(r.stdout, "1 added")
	}
	if added != 2 { // one import adds a project and a vintage
		t.Errorf("%d lines added", added)
	}
}

// untilListening is standard output that calls end when the service listens.
type untilListening struct {
	strings.Builder
	end func()
}

func (u *untilListening) Write(text []byte) (int, error) {
	if strings.Contains(string(text), "listening") {
		u.end()
	}
	return u.Builder.Write(text)
}

// serveBriefly runs a service until it listens.
func (w *world) serveBriefly(args ...string) result {
	ctx, cancel := context.WithCancelCause(w.t.Context())
	stdout := &untilListening{end: func() { cancel(&terminal.SignalError{Signal: 15}) }}
	r := w.runChanged(ctx, func(p *command.Process) { p.Stdout = stdout }, append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...)
	r.stdout = stdout.String()
	return r
}

// nextSteps is the entry of a service's log that says what to do next.
type nextSteps struct {
	Message   string `json:"msg"`
	Made      bool   `json:"made"`
	Key       string `json:"make_a_key"`
	Login     string `json:"store_the_key"`
	Dashboard string `json:"open_the_dashboard"`
}

func TestServeReportsDatabaseAndNextSteps(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args      []string
		file, key string
	}{
		"default":           {nil, "data/tonne/marketplace.db", "tonne serve keys create --tenant NAME --create-tenant"},
		"path with a blank": {[]string{"--db"}, "my market.db", "my market.db' --tenant NAME --create-tenant"},
		"demo data":         {[]string{"--demo-data", "--db"}, "demo.db", ""},
		"all addresses":     {[]string{"--listen", ":0", "--db"}, "all.db", "all.db --tenant NAME --create-tenant"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil).unconfigured()
			path := filepath.Join(w.env["HOME"], filepath.FromSlash(c.file))
			args := c.args
			if args != nil {
				args = append(args, path)
			}
			steps := func() (found nextSteps) {
				r := w.serveBriefly(args...)
				for line := range strings.Lines(r.stderr) {
					var entry nextSteps
					if err := json.Unmarshal([]byte(line), &entry); err != nil {
						t.Errorf("not a log entry: %s", line)
					}
					if entry.Dashboard != "" {
						found = entry
					}
				}
				if strings.Contains(r.stdout, "dashboard") {
					t.Errorf("standard output has more than data:\n%s", r.stdout)
				}
				return found
			}
			got := steps()
			if !got.Made || got.Message != "serving the database "+path || !strings.HasSuffix(got.Key, c.key) || (got.Key == "") != (c.key == "") ||
				!strings.HasPrefix(got.Login, "tonne auth login --base-url http://127.0.0.1:") || got.Dashboard != "tonne" {
				t.Errorf("%+v", got)
			}
			if again := steps(); again.Made && c.key != "" {
				t.Error("an existing database is reported as new")
			}
		})
	}
}

// The server is not reachable, so nothing is moved.
func TestMoveHidesPasswordOfDatabase(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	r := o.run("serve", "move", "--from", o.db, "--to", "postgres://tonne:secret@127.0.0.1:1/market")
	if r.status == 0 || strings.Contains(r.stderr, "secret") || !strings.Contains(r.stderr, "cannot be reached") {
		t.Errorf("status %d, %s", r.status, r.stderr)
	}
}
