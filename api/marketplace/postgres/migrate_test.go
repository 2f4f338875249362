package postgres

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"tonne/api/marketplace/postgres/postgrestest"
	"tonne/model/must"
)

// atStep makes a database as it was after the first steps.
func atStep(t *testing.T, at string, steps int) {
	t.Helper()
	conn := must.Get(pgxpool.New(t.Context(), at))
	defer conn.Close()
	files, err := schemaFiles.ReadDir("schema")
	must.Succeed(t, err)
	err = pgx.BeginFunc(t.Context(), conn, func(tx pgx.Tx) error {
		if err := makeSchema(t.Context(), tx, true); err != nil {
			return err
		}
		return upgrade(t.Context(), tx, 0, files[:steps])
	})
	must.Succeed(t, err)
}

func TestOlderDatabaseIsUpgraded(t *testing.T) {
	t.Parallel()
	at := postgrestest.Database(t)
	atStep(t, at, 1)
	must.Succeed(t, postgrestest.Run(t.Context(), at, "INSERT INTO tenants (name, country) VALUES ('Old Ltd', 'SE')"))
	d := open(t, at)
	if n := number(t, d, "SELECT count(*) FROM tenants WHERE name = 'Old Ltd' AND country = 'SE' AND role = 'API User'"); n != 1 {
		t.Errorf("the old tenant is there %d times", n)
	}
	if err := d.Ready(t.Context()); err != nil {
		t.Error(err)
	}
}

// Orders with less than a tonne that an older version left in the market are
// sold, and what was left of them is their seller's. Who kept a page of the
// market sees that it has changed.
func TestUpgradeReturnsSmallOrdersToTheirSellers(t *testing.T) {
	t.Parallel()
	at := postgrestest.Database(t)
	atStep(t, at, 1)
	if err := postgrestest.Run(t.Context(), at, `
		INSERT INTO registries VALUES (1, '005a', 'VERRA');
		INSERT INTO projects VALUES (1, '003a', 'A', 'Wind', 'AR', 1, '', '', '', 3), (2, '003b', 'B', 'Wind', 'AR', 1, '', '', '', 1);
		INSERT INTO vintages VALUES (1, '004a', 1, 2020, '', 1, 1), (2, '004b', 2, 2020, '', 1, 1);
		INSERT INTO tenants (number, name) VALUES (1, 'Seller');
		INSERT INTO wallets VALUES (1, 1, 1, 'CAAS', 5);
		INSERT INTO market_projects VALUES (1, 5, 7, 9);
		INSERT INTO sell_orders VALUES (1, '006a', 1, 1, 1, 'LIVE', 9, 1000000, NULL), (2, '006b', 1, 1, 1, 'LIVE', 9, 999999, NULL),
			(3, '006c', 1, 1, 1, 'LIVE', 9, 20, NULL), (4, '006d', 2, 2, 1, 'LIVE', 9, 300, NULL),
			(5, '006e', 1, 1, 1, 'WITHDRAWN', 9, 300, 1);`); err != nil {
		t.Fatal(err)
	}
	d := open(t, at)
	for sql, want := range map[string]string{
		"SELECT string_agg(id || ' ' || state || ' ' || quantity_grams, ', ' ORDER BY number) FROM sell_orders":                       "006a LIVE 1000000, 006b SOLD 0, 006c SOLD 0, 006d SOLD 0, 006e WITHDRAWN 300",
		"SELECT string_agg(vintage || ': ' || quantity_grams, ', ' ORDER BY vintage) FROM wallets":                                    "1: 1000024, 2: 300",
		"SELECT string_agg(sell_order || ': ' || quantity_grams, ', ' ORDER BY number) FROM transfers":                                "2: 999999, 3: 20, 4: 300",
		"SELECT string_agg(live_orders::text, ', ' ORDER BY number) FROM projects":                                                    "1, 0",
		"SELECT string_agg(project || ': ' || version || ' ' || listing, ', ' ORDER BY project) FROM market_projects WHERE mark <> 9": "1: 6 8, 2: 1 1",
	} {
		if n := number(t, d, "SELECT CASE WHEN ("+sql+") = $1 THEN 1 ELSE 0 END", want); n != 1 {
			t.Errorf("%s\nis not %s", sql, want)
		}
	}
}

// What one engine has an index for is looked up in the other as often.
func TestImportsHaveIndexes(t *testing.T) {
	t.Parallel()
	d := open(t, postgrestest.Database(t))
	for _, name := range []string{"projects_named", "serial_numbers_of_any", "retirement_requests_retired"} {
		if n := number(t, d, "SELECT count(*) FROM pg_indexes WHERE schemaname = current_schema() AND indexname = $1", name); n != 1 {
			t.Errorf("%s is there %d times", name, n)
		}
	}
}
