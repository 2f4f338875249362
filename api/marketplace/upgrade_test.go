package marketplace

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"tonne/api/marketplace/exchange"
	"tonne/api/marketplace/marketplacetest"
	"tonne/api/marketplace/postgres/postgrestest"
	must "tonne/model/musttest"
)

// schemaOf joins the first steps of the tables of an engine, or all but the last if steps is -1.
func schemaOf(t *testing.T, engine string, steps int) (script string, known int) {
	t.Helper()
	files := must.Get(filepath.Glob(engine + "/schema/*.sql"))
	if steps < 0 {
		steps += len(files)
	}
	for _, file := range files[:steps] {
		script += string(must.Get(os.ReadFile(file))) + ";\n"
	}
	return script, steps
}

// olderFile returns a file as a version that knew only the first steps left it.
func olderFile(t *testing.T, steps int, filled string) (path string) {
	t.Helper()
	path = tempDatabase(t)
	conn := must.Get(sqlite.OpenConn(path))
	script, known := schemaOf(t, "sqlite", steps)
	begin := fmt.Sprintf("PRAGMA application_id = 0x746f6e6e; PRAGMA user_version = %d;\n", known)
	must.Succeed(t, sqlitex.ExecuteScript(conn, begin+script+filled, nil), conn.Close())
	return path
}

// stepBack replaces the tables of a database by those of the first steps, which a connected
// program continues to use.
func stepBack(t *testing.T, path string, steps int, filled string) {
	t.Helper()
	script, known := schemaOf(t, "postgres", steps)
	must.Succeed(t, postgrestest.Run(t.Context(), path, strings.Join([]string{
		"DO $$ BEGIN EXECUTE format('DROP SCHEMA %1$I CASCADE; CREATE SCHEMA %1$I', current_schema()); END $$",
		"CREATE TABLE tonne_schema (one boolean PRIMARY KEY DEFAULT true CHECK (one), version bigint NOT NULL)",
		fmt.Sprintf("INSERT INTO tonne_schema (version) VALUES (%d)", known), script, filled,
	}, ";\n")))
}

// Small orders are sold, and what was left of them is their seller's. Who kept a page of the market
// sees that it has changed. Tables that are built again keep every row and every reference.
func TestOlderDatabasesAreUpgraded(t *testing.T) {
	t.Parallel()
	script := func(name string) string { return string(must.Get(os.ReadFile("testdata/" + name + ".sql"))) }
	returned := map[string]string{
		"SELECT id || ' ' || state || ' ' || quantity_grams FROM sell_orders ORDER BY number": "006a LIVE 1000000, 006b SOLD 0, 006c SOLD 0, 006d SOLD 0, 006e WITHDRAWN 300",
		"SELECT vintage || ': ' || quantity_grams FROM wallets ORDER BY vintage":              "1: 1000024, 2: 300",
		"SELECT sell_order || ': ' || quantity_grams FROM transfers ORDER BY number":          "2: 999999, 3: 20, 4: 300",
		"SELECT live_orders FROM projects ORDER BY number":                                    "1, 0",
		"SELECT name || ' ' || country || ' ' || role FROM tenants":                           "Seller SE API User",
		"SELECT count(*) FROM demo_vintages":                                                  "0",
	}
	for name, test := range map[string]struct {
		path func(t *testing.T) string
		want map[string]string
	}{
		"an SQLite file": {func(t *testing.T) string { return olderFile(t, 2, script("small_orders")) }, map[string]string{
			"SELECT version || ' ' || listing FROM market_state": "2 2",
		}},
		"a PostgreSQL database": {func(t *testing.T) string {
			path := postgrestest.Database(t)
			stepBack(t, path, 1, script("small_orders")+"INSERT INTO market_projects VALUES (1, 5, 7, 9);")
			return path
		}, map[string]string{
			"SELECT project || ': ' || version || ' ' || listing FROM market_projects WHERE mark <> 9 ORDER BY project": "1: 6 8, 2: 1 1",
		}},
		"tables that are built again": {func(t *testing.T) string { return olderFile(t, 3, script("rebuilt")) },
			map[string]string{
				"SELECT count(*) FROM pragma_foreign_key_check":      "0",
				"SELECT integrity_check FROM pragma_integrity_check": "ok",
				`SELECT t.id || q.id || n.id || n.retiree_name || e.external_id || s.serial || q.certificate FROM external_ids e
				JOIN retirement_items n ON n.number = e.item JOIN trades t ON t.number = n.trade
				JOIN retirement_requests q ON q.number = n.request JOIN serial_numbers s ON s.request = q.number`: "tqnNxSc",
			}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := open(t, test.path(t), Options{Existing: true})
			c := marketplacetest.Client{TB: t, Service: m}
			check := func(queries map[string]string) {
				for sql, want := range queries {
					must.Equal(t, strings.Join(c.Texts(sql), ", "), want, sql)
				}
			}
			if check(test.want); name != "tables that are built again" {
				check(returned)
				must.Succeed(t, m.db.Ready(t.Context()))
			} else if err := m.db.Write(t.Context(), func(tx exchange.Tx) error {
				tx.Exec("DELETE FROM trades")
				return nil
			}); err == nil {
				t.Error("references to trades are not checked any more")
			}
		})
	}
}
