package marketplace

import (
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"tonne/api/marketplace/exchange"
	"tonne/api/marketplace/postgres/postgrestest"
	must "tonne/model/musttest"
)

// fullMarket fills every table of a database.
func fullMarket(t *testing.T, d *fixture) {
	t.Helper()
	d.importOne(bale + "004b21,2021,\n")
	d.Vintages[0] = d.VintageOf("004b21")
	d.offer("004b21,9500000,620,o1")
	file := []byte("%PDF-1.7\n\x00\xff\nstartxref\n9\n%%EOF\n")
	must.Succeed(t,
		d.CompleteAs(t.Context(), d.InProgress("a", 3),
			exchange.Registered{Serials: []string{serial(1, 3)}, Certificate: file}))
	d.Buy("f", 1_250_000, "o1")
	d.importOne(strings.ReplaceAll(bale, "Bale Mountains", "Bale") + "004b21,2021,\n")
	d.Do(func(c *exchange.Change) {
		exchange.AddDemoVintage(c, exchange.DemoVintage{Vintage: d.Vintages[0].Vintage, Seller: d.Seller, Base: 1, Fair: 2})
	})
}

// wantMoved checks that a database was moved to a path, and returns the service there.
func wantMoved(t *testing.T, d *fixture, path string, targets ...string) *fixture {
	t.Helper()
	moved := d.at(t, path)
	for _, target := range append(targets, "/api/market", "/api/inventory", "/api/projects", "/api/api-keys") {
		got, want := moved.Get(target).Body.String(), d.Get(target).Body.String()
		must.Equal(t, got, want, target)
	}
	moved.CheckBooks()
	for _, version := range []string{"version", "listing"} {
		was, is := d.Number("SELECT "+version+" FROM market_state"), moved.Number("SELECT "+version+" FROM market_state")
		must.Hold(t, is > was, "the", version, was, is)
	}
	return moved
}

func TestMarketMovesThereAndBackUnchanged(t *testing.T) {
	eachEngine(t, func(t *testing.T, d *fixture) {
		fullMarket(t, d)
		second, third := tempDatabase(t), d.newPath(t)
		there, err := Move(t.Context(), d.path, second)
		must.Succeed(t, err)
		back, err := Move(t.Context(), second, third)
		must.Hold(t, err == nil && reflect.DeepEqual(there, back), "moved back", back, err, there)
		for _, one := range there {
			must.Hold(t, one.Rows != 0, "no row of", one.Table)
		}
		moved := wantMoved(t, d, third)
		// A number that is used twice would be refused only in a unique column.
		if OnServer(third) {
			wantNextNumbers(t, moved)
		}
		// The moved market can be changed like any other.
		moved.importOne(bale + "004b22,2022,\n")
		moved.offer("004b22,9000000,620,o2")
		moved.NewKey("Fourth Ltd", exchange.RoleAPIUser)
		moved.Vintages[0] = moved.VintageOf("004b22")
		moved.Buy("g", 1_250_000, "o2")
		moved.CloseMonth()
		moved.CheckBooks()
	})
}

// wantNextNumbers checks that numbers continue after the largest one that was moved.
func wantNextNumbers(t *testing.T, moved *fixture) {
	t.Helper()
	tables := []string{
		"registries", "projects", "former_projects", "vintages", "tenants", "api_keys", "sell_orders", "transfers", "periods",
		"invoices",
		"trades", "retirement_requests", "retirement_items", "audit",
	}
	for _, table := range tables {
		last := moved.Number("SELECT last_value FROM pg_sequences WHERE schemaname = current_schema() AND sequencename = $1 || '_number_seq'", table)
		must.Equal(t, last, moved.Number("SELECT max(number) FROM "+table), table)
	}
	n := moved.Number("SELECT count(*) FROM pg_sequences WHERE schemaname = current_schema()")
	must.Equal(t, n, int64(len(tables)), len(tables))
}

func TestFailedMoveLeavesAnEmptyTarget(t *testing.T) {
	eachEngine(t, func(t *testing.T, d *fixture) {
		fullMarket(t, d)
		target, err := openEngine(t.Context(), d.newPath(t), Options{})
		must.Succeed(t, err)
		t.Cleanup(func() { must.Succeed(t, target.Close()) })
		for _, after := range []int{0, 1, 7, 20, 40, 80} {
			_, err := exchange.Move(t.Context(), d.db, testDatabase{target, testTx{left: after}})
			must.Fail(t, err, errPulled, "after", after)
		}
		for _, table := range []string{"trades", "wallets", "serial_numbers"} {
			alter := func(loaded string, columns []string, rows [][]any) {
				if loaded == table {
					rows[0][len(columns)-1] = int64(7)
				}
			}
			_, err := exchange.Move(t.Context(), d.db, testDatabase{target, testTx{left: math.MaxInt, loads: alter}})
			must.Fail(t, err, exchange.ErrDiffers, table)
		}
		for _, want := range []error{nil, exchange.ErrNotEmpty} {
			_, err := exchange.Move(t.Context(), d.db, target)
			must.Fail(t, err, want, "repeated")
		}
		_, err = Move(t.Context(), filepath.Join(t.TempDir(), "not.db"), d.newPath(t))
		must.Fail(t, err, os.ErrNotExist, "from a missing file")
		_, err = Move(t.Context(), d.path, d.path)
		must.Fail(t, err, exchange.ErrNotEmpty, "into itself")
	})
}

// A table or a column that is added to the schema and not to the list would be lost.
func TestEveryColumnOfTheSchemaIsMoved(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	target := must.Get(openEngine(t.Context(), "", Options{}))
	t.Cleanup(func() { must.Succeed(t, target.Close()) })
	var moved []string
	note := func(table string, columns []string, _ [][]any) {
		for _, column := range columns {
			moved = append(moved, table+"."+column)
		}
	}
	must.Get(exchange.Move(t.Context(), d.db, testDatabase{target, testTx{left: math.MaxInt, loads: note}}))
	slices.Sort(moved)
	must.Equal(t, moved,
		d.Texts(`SELECT t.name || '.' || c.name AS name FROM pragma_table_list t JOIN pragma_table_info(t.name) c
		WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite_%' AND t.name <> 'market_state' ORDER BY 1`))
}

func TestEmptyDatabaseIsNotMovedAndStaysEmpty(t *testing.T) {
	t.Parallel()
	empty := postgrestest.Database(t)
	_, err := Move(t.Context(), empty, tempDatabase(t))
	must.Fail(t, err, exchange.ErrNoMarketplace)
	m, err := Open(t.Context(), empty, Options{Existing: true})
	must.Fail(t, err, exchange.ErrNoMarketplace, m)
}

// A file from before projects had versions keeps the version of its market.
func TestVersionOfAnOldFileDoesNotDecrease(t *testing.T) {
	t.Parallel()
	d := onSQLite(t)
	fullMarket(t, d)
	d.Exec("DELETE FROM market_projects")
	d.Exec("UPDATE market_state SET version = 5000, listing = 600")
	second := tempDatabase(t)
	must.Get(Move(t.Context(), d.path, second))
	moved := d.at(t, second)
	version, listing := moved.Number("SELECT version FROM market_state"), moved.Number("SELECT listing FROM market_state")
	must.Hold(t, version > 5000 && listing > 600, "the market has the version", version, listing)
}

func TestFileThatIsServedIsNotMoved(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "market.db")
	service := must.Get(Open(t.Context(), path, Options{Service: true}))
	target := filepath.Join(t.TempDir(), "copy.db")
	_, err := Move(t.Context(), path, target)
	must.Fail(t, err, exchange.ErrServed, "while it is served")
	_, err = os.Stat(target)
	must.Fail(t, err, os.ErrNotExist, "the target")
	must.Succeed(t, service.Close())
	_, err = Move(t.Context(), path, target)
	must.Fail(t, err, nil, "after the service ended")
}
