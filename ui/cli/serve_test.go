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

	"tonne/model/file/dbfile/dbfiletest"
	must "tonne/model/musttest"
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
	conn := must.Get(sqlite.OpenConn(o.db, sqlite.OpenReadWrite))
	var err error
	for _, sql := range statements {
		err = errors.Join(err, sqlitex.Execute(conn, sql, &sqlitex.ExecOptions{Args: args}))
	}
	must.Succeed(o.t, err, conn.Close())
}

// databaseCommands are the serve commands with --db.
var databaseCommands = []string{
	"keys create --tenant acme --create-tenant", "--listen 127.0.0.1:0 --demo-data", "keys list",
	"keys deactivate K --yes", "invoices", "settle I", "close-month --yes",
	"complete R", "backup copy.db", "catalogue export", "orders list", "tenants list", "requests list", "invoices list",
}

// Package dbfile has tests of all kinds of foreign files.
func TestServeCommandsDoNotTouchForeignFiles(t *testing.T) {
	t.Parallel()
	for name, todo := range map[string]string{"a database without an id": "", "a link to a file": "",
		"a newer version": "pdate tonne"} {
		o, stranger := newOperator(t), dbfiletest.Strangers()[name]
		if stranger.Make == nil {
			stranger.Says = "newer version"
			o.alter([]string{"PRAGMA user_version = 99"})
		}
		alone := filepath.Join(t.TempDir(), "market.db")
		must.Succeed(t, os.Rename(o.db, alone))
		if o.db = alone; stranger.Make != nil {
			o.db += "s"
			stranger.Make(t, o.db)
		}
		dbfiletest.Untouched(t, filepath.Dir(o.db), func() {
			for _, args := range databaseCommands {
				r := o.serve(strings.Fields(args)...)
				said, next := r.sentences(t)
				must.Hold(t, r.status == 1 && containsAll(said, stranger.Says, o.db) && strings.Contains(next, todo),
					name, args, "status", r.status, r.stderr)
			}
		})
	}
}

// For commands that create a database, an empty file of mktemp is like a missing one.
func TestOnlyCreateInitialisesEmptyFile(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	for i, args := range append(databaseCommands[:1:1], databaseCommands[2:]...) {
		o.db = o.write(fmt.Sprint(i), "")
		r := o.serve(strings.Fields(args)...)
		creates := strings.Contains(args, " create ")
		info := must.Get(os.Stat(o.db))
		must.Hold(t, creates == (r.status == 0) && creates == (info.Size() > 0),
			args, "status", r.status, r.stderr, "and", info.Size(), "bytes")
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
		r := o.serve("keys", "create", "--create-tenant", "--tenant", text)
		must.Hold(t, r.status == 2 && strings.Contains(r.stderr, "must "), text, "status", r.status, r.stderr)
	}
	for _, flag := range []string{"--name", "--role"} {
		r := o.serve("keys", "create", "--create-tenant", "--tenant", "acme", flag, hostileTexts[0])
		must.Hold(t, r.status == 2 && strings.Contains(r.stderr, "must "), flag, "status", r.status, r.stderr)
	}
	for args, rows := range map[string]int{"keys list": 2, "invoices": 0, "invoices list": 0, "tenants list": 3} {
		r := o.serve(strings.Fields(args)...)
		n := strings.Count(r.stdout, "\n") - 1
		must.Hold(t, r.status == 0 && n == rows+len(hostileTexts), args, n, "lines", r.stdout)
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
		"UTF-16": "\xff\xfep\x00", "wrong UTF-8": catalogueFile + "\xff\n", "PNG": "\x89PNG\r\n\x1a\n",
		"HTML":              "<!doctype html>\n",
		"newline in quotes": catalogueFile + strings.ReplaceAll(row, "A forest.", "\"A\nforest.\"") + "\n",
		"NUL":               catalogueFile + "\x00\n",
		"escape sequence":   catalogueFile + strings.ReplaceAll(row, "Bale", "\x1b[2JBale") + "\n",
		"truncated JSON":    `{"projects":[{`,
		"unclosed quote":    catalogueFile + `"`, "empty": "", "repeated": catalogueFile + strings.Repeat(row+"\n", 1000),
	} {
		for _, args := range [][]string{{"catalogue", "import"}, {"orders", "import", "--seller", "Forest Ltd"}} {
			r := o.serve(append(args, o.write("hostile", text))...)
			must.Hold(t, r.status == 1 && strings.Contains(r.stderr, "nothing was imported"),
				args, name, "status", r.status, r.stderr)
		}
	}
	must.Equal(t, state(), before, "the database changed to", "from")
	for name, text := range map[string]string{"BOM": "\ufeff" + catalogueFile,
		"CRLF": strings.ReplaceAll(catalogueFile, "\n", "\r\n"), "no last newline": strings.TrimSpace(catalogueFile)} {
		o.stdin = text
		r := o.serve("catalogue", "import", "-")
		must.Hold(t, r.status == 0 && strings.Contains(r.stdout, "0 added, 0 changed, 1 unchanged"),
			name, "status", r.status, r.stdout, r.stderr)
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
	r := w.runChanged(ctx, func(p *command.Process) { p.Stdout = stdout },
		append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...)
	r.stdout = stdout.String()
	return r
}

func TestServeReportsDatabaseAndNextSteps(t *testing.T) {
	t.Parallel()
	for file, c := range map[string]struct{ flags, key string }{
		"data/tonne/marketplace.db": {"", "tonne serve keys create --tenant NAME --create-tenant"},
		"my market.db":              {"--db", "my market.db' --tenant NAME --create-tenant"},
		"demo.db":                   {"--demo-data --db", ""},
		"all.db":                    {"--listen :0 --db", "all.db --tenant NAME --create-tenant"},
	} {
		w := newWorld(t, nil).unconfigured()
		path := filepath.Join(w.env["HOME"], filepath.FromSlash(file))
		args := strings.Fields(c.flags)
		if len(args) > 0 {
			args = append(args, path)
		}
		for _, made := range []bool{true, false} {
			var got struct {
				Made      bool   `json:"made"`
				Key       string `json:"make_a_key"`
				Login     string `json:"store_the_key"`
				Dashboard string `json:"open_the_dashboard"`
			}
			r := w.serveBriefly(args...)
			for line := range strings.Lines(r.stderr) {
				must.Hold(t, json.Unmarshal([]byte(line), &got) == nil, "not a log entry", line)
			}
			must.Hold(t,
				!strings.Contains(r.stdout, "dashboard") && strings.Contains(r.stderr, `"msg":"serving the database `+path),
				"standard output is", r.stdout, "the log", r.stderr)
			must.Hold(t,
				got.Made == made && strings.HasSuffix(got.Key, c.key) && (got.Key == "") == (c.key == "") &&
					strings.HasPrefix(got.Login, "tonne auth login --base-url http://127.0.0.1:") && got.Dashboard == "tonne",
				file, got)
		}
	}
}
