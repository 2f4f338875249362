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

// smallOrders are orders with less than a tonne that an older version left in the market.
const smallOrders = `
	INSERT INTO registries VALUES (1, '005a', 'VERRA');
	INSERT INTO projects VALUES (1, '003a', 'A', 'Wind', 'AR', 1, '', '', '', 3), (2, '003b', 'B', 'Wind', 'AR', 1, '', '', '', 1);
	INSERT INTO vintages VALUES (1, '004a', 1, 2020, '', 1, 1), (2, '004b', 2, 2020, '', 1, 1);
	INSERT INTO tenants (number, name, country) VALUES (1, 'Seller', 'SE');
	INSERT INTO wallets VALUES (1, 1, 1, 'CAAS', 5);
	INSERT INTO sell_orders VALUES (1, '006a', 1, 1, 1, 'LIVE', 9, 1000000, NULL), (2, '006b', 1, 1, 1, 'LIVE', 9, 999999, NULL),
		(3, '006c', 1, 1, 1, 'LIVE', 9, 20, NULL), (4, '006d', 2, 2, 1, 'LIVE', 9, 300, NULL),
		(5, '006e', 1, 1, 1, 'WITHDRAWN', 9, 300, 1);`

// rebuilt has a row in each table that a step of SQLite's builds again.
const rebuilt = `
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
	INSERT INTO serial_numbers VALUES (8, 1, 'S', 1);`

// Small orders are sold, and what was left of them is their seller's. Who kept a page of the market
// sees that it has changed. Tables that are built again keep every row and every reference.
func TestOlderDatabasesAreUpgraded(t *testing.T) {
	t.Parallel()
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
		"an SQLite file": {func(t *testing.T) string { return olderFile(t, 2, smallOrders) }, map[string]string{
			"SELECT version || ' ' || listing FROM market_state": "2 2",
		}},
		"a PostgreSQL database": {func(t *testing.T) string {
			path := postgrestest.Database(t)
			stepBack(t, path, 1, smallOrders+"INSERT INTO market_projects VALUES (1, 5, 7, 9);")
			return path
		}, map[string]string{
			"SELECT project || ': ' || version || ' ' || listing FROM market_projects WHERE mark <> 9 ORDER BY project": "1: 6 8, 2: 1 1",
		}},
		"tables that are built anew": {func(t *testing.T) string { return olderFile(t, 3, rebuilt) }, map[string]string{
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
			if check(test.want); name != "tables that are built anew" {
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
