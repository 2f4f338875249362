package sqlite

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"tonne/api/marketplace/exchange"
	"tonne/model/dbfile/dbfiletest"
	"tonne/model/must"
)

func open(t *testing.T, path string) *Database {
	t.Helper()
	d := must.Get(Open(t.Context(), path, Options{}))
	t.Cleanup(func() { must.Succeed(t, d.Close()) })
	return d
}

// openOlder opens what a version that knew only the first steps of the schema
// left, with what a script put into it.
func openOlder(t *testing.T, known int, script string) *Database {
	t.Helper()
	path := tempDatabase(t)
	conn, err := sqlite.OpenConn(path)
	must.Succeed(t, err)
	older := kind()
	older.Migrations = older.Migrations[:known]
	_, err = older.Migrate(t.Context(), conn)
	if err == nil {
		err = sqlitex.ExecuteScript(conn, script, nil)
	}
	must.Succeed(t, errors.Join(err, conn.Close()))
	return open(t, path)
}

func tempDatabase(t *testing.T) string { return filepath.Join(t.TempDir(), "market.db") }

func canceled(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

func write(t *testing.T, d *Database, fn func(exchange.Tx) error) {
	t.Helper()
	must.Succeed(t, d.Write(t.Context(), fn))
}

// text reads one text of the database.
func text(t *testing.T, d *Database, sql string) (s string) {
	t.Helper()
	must.Succeed(t, d.Read(t.Context(), func(tx exchange.Tx) error {
		tx.Query(sql, func(row exchange.Row) {
			s = row.Text(0)
		})
		return nil
	}))
	return s
}

func TestDatabaseFilesArePrivate(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "new", "market.db")
	d := open(t, path)
	write(t, d, func(tx exchange.Tx) error {
		tx.Exec("UPDATE market_state SET version = 2")
		return nil
	})
	for _, name := range []string{path, path + "-wal", path + "-shm"} {
		info, err := os.Stat(name)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", name, info, err)
		}
	}
}

func TestDatabaseSettings(t *testing.T) {
	t.Parallel()
	d := open(t, tempDatabase(t))
	for pragma, want := range map[string]string{"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1", "integrity_check": "ok"} {
		write(t, d, func(tx exchange.Tx) error {
			tx.Query("SELECT * FROM pragma_"+pragma, func(row exchange.Row) {
				if got := row.Text(0); got != want {
					t.Errorf("%s is %s, want %s", pragma, got, want)
				}
			})
			return nil
		})
	}
	const loose = "SELECT count(*) FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND NOT strict AND name NOT LIKE 'sqlite_%'"
	if n := text(t, d, loose); n != "0" {
		t.Errorf("%s tables are not STRICT", n)
	}
	if err := d.Read(t.Context(), func(tx exchange.Tx) error {
		tx.Exec("UPDATE market_state SET version = 0")
		return nil
	}); err == nil {
		t.Error("a connection for reading can write")
	}
}

// A file that an older version wrote keeps its data and learns the rest.
func TestOlderSchemaIsUpgraded(t *testing.T) {
	t.Parallel()
	d := openOlder(t, 1, "INSERT INTO tenants (name, country) VALUES ('Old Ltd', 'SE')")
	if got := text(t, d, "SELECT country FROM tenants WHERE name = 'Old Ltd'"); got != "SE" {
		t.Errorf("the old tenant's country is %q", got)
	}
	if n := text(t, d, "SELECT count(*) FROM demo_vintages"); n != "0" {
		t.Errorf("what the newer schema is for holds %s rows", n)
	}
}

// Tables that a migration rebuilds keep every row and every reference.
func TestRebuiltTablesKeepTheirRows(t *testing.T) {
	t.Parallel()
	d := openOlder(t, 3, `
		PRAGMA foreign_keys = ON;
		INSERT INTO registries VALUES (1, 'r', 'R');
		INSERT INTO projects VALUES (1, 'p', 'P', 'Wind', 'SE', 1, '1', '', '', 1);
		INSERT INTO vintages VALUES (1, 'v', 1, 2020, '', 1, 1000);
		INSERT INTO tenants VALUES (1, 'T', NULL, NULL);
		INSERT INTO sell_orders VALUES (1, 's', 1, 1, 1, 'LIVE', 620, 1000000, NULL);
		INSERT INTO periods VALUES (1, '2026-11', 0, NULL);
		INSERT INTO invoices VALUES (1, 'i', 1, 1, 'SETTLED', 620, 1);
		INSERT INTO trades VALUES (7, 't', 1, 1, 'CAAS', 1, 1, 'BUY', 1000000, 620, 1);
		INSERT INTO retirement_requests VALUES (8, 'q', 1, 1, 1, 'WHOLE', 'COMPLETE', 1000000, 0, 1, 1, 7, 1, 'c');
		INSERT INTO retirement_items VALUES (9, 'n', 8, 1000000, 1, 'N', NULL, 'SE', NULL, 7);
		INSERT INTO external_ids VALUES (1, 'x', 8, 9);
		INSERT INTO serial_numbers VALUES (8, 1, 'S', 1);`)
	for sql, want := range map[string]string{
		"SELECT count(*) FROM pragma_foreign_key_check":      "0",
		"SELECT integrity_check FROM pragma_integrity_check": "ok",
		`SELECT t.id || q.id || n.id || n.retiree_name || e.external_id || s.serial || q.certificate FROM external_ids e
			JOIN retirement_items n ON n.number = e.item JOIN trades t ON t.number = n.trade
			JOIN retirement_requests q ON q.number = n.request JOIN serial_numbers s ON s.request = q.number`: "tqnNxSc",
	} {
		if got := text(t, d, sql); got != want {
			t.Errorf("%s is %q, want %q", sql, got, want)
		}
	}
	if err := d.Write(t.Context(), func(tx exchange.Tx) error {
		tx.Exec("DELETE FROM trades")
		return nil
	}); err == nil {
		t.Error("references to trades are not checked any more")
	}
}

// Package dbfile tests what is not ours.
func TestForeignFilesAreRefused(t *testing.T) {
	t.Parallel()
	strangers := dbfiletest.Strangers()
	for _, name := range []string{"a long text file", "a database with another id"} {
		dir := t.TempDir()
		path := filepath.Join(dir, "market.db")
		strangers[name].Make(t, path)
		dbfiletest.Untouched(t, dir, func() {
			if d, err := Open(t.Context(), path, Options{}); err == nil {
				t.Errorf("%s is opened, %v", name, d.Close())
			}
		})
	}
}

// Others who opened a database after its log lost its name wrote a log of their
// own, and may have moved that into the database.
func TestCloseDoesNotChangeForeignLog(t *testing.T) {
	t.Parallel()
	path := tempDatabase(t)
	d := must.Get(Open(t.Context(), path, Options{}))
	must.Succeed(t, errors.Join(os.Remove(path+"-wal"), os.Remove(path+"-shm"), os.WriteFile(path+"-wal", []byte("theirs"), 0o600)))
	dbfiletest.Untouched(t, filepath.Dir(path), func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
}

// A database that could not be made leaves nothing: neither the file, nor what
// SQLite adds to it, nor the directories of its path.
func TestFailedCreationLeavesNoFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if m, err := Open(canceled(t), filepath.Join(dir, "new", "er", "market.db"), Options{}); err == nil {
		t.Fatal("opened", m.Close())
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

func TestExistingDatabaseIsKept(t *testing.T) {
	t.Parallel()
	path := tempDatabase(t)
	must.Succeed(t, os.WriteFile(path, nil, 0o600))
	if m, err := Open(canceled(t), path, Options{}); err == nil {
		t.Fatal("opened", m.Close())
	}
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
}

// Orders with less than a tonne that an older version left in the market are
// sold, and what was left of them is their seller's.
func TestUpgradeReturnsSmallOrdersToTheirSellers(t *testing.T) {
	t.Parallel()
	d := openOlder(t, 2, `
		INSERT INTO registries VALUES (1, '005a', 'VERRA');
		INSERT INTO projects VALUES (1, '003a', 'A', 'Wind', 'AR', 1, '', '', '', 3), (2, '003b', 'B', 'Wind', 'AR', 1, '', '', '', 1);
		INSERT INTO vintages VALUES (1, '004a', 1, 2020, '', 1, 1), (2, '004b', 2, 2020, '', 1, 1);
		INSERT INTO tenants (number, name) VALUES (1, 'Seller');
		INSERT INTO wallets VALUES (1, 1, 1, 'CAAS', 5);
		INSERT INTO sell_orders VALUES (1, '006a', 1, 1, 1, 'LIVE', 9, 1000000, NULL), (2, '006b', 1, 1, 1, 'LIVE', 9, 999999, NULL),
			(3, '006c', 1, 1, 1, 'LIVE', 9, 20, NULL), (4, '006d', 2, 2, 1, 'LIVE', 9, 300, NULL),
			(5, '006e', 1, 1, 1, 'WITHDRAWN', 9, 300, 1);`)
	for sql, want := range map[string]string{
		"SELECT group_concat(id || ' ' || state || ' ' || quantity_grams, ', ') FROM (SELECT * FROM sell_orders ORDER BY number)": "006a LIVE 1000000, 006b SOLD 0, 006c SOLD 0, 006d SOLD 0, 006e WITHDRAWN 300",
		"SELECT group_concat(vintage || ': ' || quantity_grams, ', ') FROM (SELECT * FROM wallets ORDER BY vintage)":              "1: 1000024, 2: 300",
		"SELECT group_concat(sell_order || ': ' || quantity_grams, ', ') FROM (SELECT * FROM transfers ORDER BY number)":          "2: 999999, 3: 20, 4: 300",
		"SELECT group_concat(live_orders, ', ') FROM (SELECT * FROM projects ORDER BY number)":                                    "1, 0",
		"SELECT version || ' ' || listing FROM market_state":                                                                      "2 2",
	} {
		if got := text(t, d, sql); got != want {
			t.Errorf("%s\nis %s, want %s", sql, got, want)
		}
	}
}
