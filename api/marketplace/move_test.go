package marketplace

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"tonne/api/marketplace/exchange"
)

// grown is a file with all that a market can hold: a demo, and what an
// operator brings.
func grown(t *testing.T) (path string, d *fixture) {
	t.Helper()
	path = tempDatabase(t)
	d = openFixture(t, path, Options{RatePerSecond: -1})
	if _, err := d.importCatalogue(bale + "004b21,2021,\n"); err != nil {
		t.Fatal(err)
	}
	d.vintages[0] = testVintage{d.vintageOf("004b21"), "004b21"}
	offer(t, d, sellerTenant, "004b21,9500000,620,o1\n")
	file := []byte("%PDF-1.7\n\x00\xff\nstartxref\n9\n%%EOF\n")
	if err := d.CompleteAs(t.Context(), d.inProgress("a", 3), exchange.Registered{Serials: []string{verra(1, 3)}, Certificate: file}); err != nil {
		t.Fatal(err)
	}
	d.fraction("f", 1_250_000, "o1")
	if _, err := d.importCatalogue(strings.ReplaceAll(bale, "Bale Mountains", "Bale") + "004b21,2021,\n"); err != nil {
		t.Fatal(err)
	}
	d.do(func(c *change) error {
		exchange.AddDemoVintage(c, exchange.DemoVintage{Vintage: d.vintages[0].Vintage, Seller: d.seller, Base: 1, Fair: 2})
		return nil
	})
	return path, d
}

func TestAMarketMovesThereAndBackUnchanged(t *testing.T) {
	t.Parallel()
	first, d := grown(t)
	second, third := tempDatabase(t), tempDatabase(t)
	there, err := Move(t.Context(), first, second)
	if err != nil {
		t.Fatal(err)
	}
	back, err := Move(t.Context(), second, third)
	if err != nil || !reflect.DeepEqual(there, back) {
		t.Errorf("moved back %+v (%v), moved %+v", back, err, there)
	}
	for _, one := range there {
		if one.Rows == 0 {
			t.Errorf("nothing of %s was moved: the test does not see it", one.Table)
		}
	}
	moved := &fixture{Marketplace: open(t, third, Options{RatePerSecond: -1, Now: d.clock.Now}), t: t, key: d.key, otherKey: d.otherKey, vintages: d.vintages}
	for _, target := range []string{"/api/market", "/api/inventory", "/api/projects", "/api/api-keys"} {
		if got, want := moved.get(target).Body.String(), d.get(target).Body.String(); got != want {
			t.Errorf("%s is %s, was %s", target, got, want)
		}
	}
	checkBooks(t, moved)
	for _, version := range []string{"version", "listing"} {
		if was, is := d.query("SELECT "+version+" FROM market_state"), moved.query("SELECT "+version+" FROM market_state"); is <= was {
			t.Errorf("the %s of the market went from %d to %d", version, was, is)
		}
	}
	moved.retired(body{"vintage_id": "004b21", "quantity_grams": "1000000", "external_id": "later", "sell_order_id": "o1", "expected_price_cents": "620"})
	checkBooks(t, moved)
}

// failing is a database whose changes fail after so many statements.
type failing struct {
	exchange.Database
	after int
}

var errPulled = errors.New("the plug was pulled")

func (f failing) Write(ctx context.Context, fn func(exchange.Tx) error, _ ...string) error {
	return f.Database.Write(ctx, func(tx exchange.Tx) error { return fn(&failingTx{tx, f.after}) })
}

// failingTx fails at the statement at which nothing is left; a row that is loaded
// is one.
type failingTx struct {
	exchange.Tx
	left int
}

func (f *failingTx) spend(n int) {
	if f.left -= n; f.left < 0 {
		f.Fail(errPulled)
	}
}

func (f *failingTx) Do(query string, args ...any) {
	f.spend(1)
	f.Tx.Do(query, args...)
}

func (f *failingTx) Exec(query string, args ...any) int {
	f.spend(1)
	return f.Tx.Exec(query, args...)
}

func (f *failingTx) Insert(query string, args ...any) int64 {
	f.spend(1)
	return f.Tx.Insert(query, args...)
}

func (f *failingTx) Query(query string, read func(exchange.Row), args ...any) {
	f.spend(1)
	f.Tx.Query(query, read, args...)
}

func (f *failingTx) QueryForShare(query string, read func(exchange.Row), args ...any) {
	f.spend(1)
	f.Tx.QueryForShare(query, read, args...)
}

func (f *failingTx) Load(table string, columns []string, rows [][]any) {
	if n := max(min(len(rows), f.left), 0); n < len(rows) {
		f.Tx.Load(table, columns, rows[:n])
	}
	f.spend(len(rows))
	f.Tx.Load(table, columns, rows)
}

// forgetful is a database that does not keep what is loaded into a table.
type forgetful struct {
	exchange.Database
	table string
}

func (f forgetful) Write(ctx context.Context, fn func(exchange.Tx) error, _ ...string) error {
	return f.Database.Write(ctx, func(tx exchange.Tx) error { return fn(&forgetfulTx{tx, f.table}) })
}

type forgetfulTx struct {
	exchange.Tx
	table string
}

func (f *forgetfulTx) Load(table string, columns []string, rows [][]any) {
	if table == f.table {
		rows[0][len(columns)-1] = int64(7)
	}
	f.Tx.Load(table, columns, rows)
}

func TestAMoveThatFailsLeavesAnEmptyTargetAndCanBeRepeated(t *testing.T) {
	t.Parallel()
	from, _ := grown(t)
	source, err := openEngine(t.Context(), from, Options{Existing: true})
	if err != nil {
		t.Fatal(err)
	}
	target, err := openEngine(t.Context(), tempDatabase(t), Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(source.Close(), target.Close()); err != nil {
			t.Error(err)
		}
	})
	for _, after := range []int{0, 1, 7, 20, 40, 80} {
		if _, err := exchange.Move(t.Context(), source, failing{target, after}); !errors.Is(err, errPulled) {
			t.Errorf("after %d statements: %v", after, err)
		}
	}
	for _, table := range []string{"trades", "wallets", "serial_numbers"} {
		if _, err := exchange.Move(t.Context(), source, forgetful{target, table}); !errors.Is(err, exchange.ErrDiffers) {
			t.Errorf("%s with something else: %v", table, err)
		}
	}
	if _, err := exchange.Move(t.Context(), source, target); err != nil {
		t.Errorf("repeated: %v", err)
	}
	if _, err := exchange.Move(t.Context(), source, target); !errors.Is(err, exchange.ErrNotEmpty) {
		t.Errorf("into a target that holds everything: %v", err)
	}
	if _, err := Move(t.Context(), filepath.Join(t.TempDir(), "not.db"), tempDatabase(t)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("from nothing: %v", err)
	}
	if _, err := Move(t.Context(), from, from); !errors.Is(err, exchange.ErrNotEmpty) {
		t.Errorf("into itself: %v", err)
	}
}

// A file that grew by the demo moves onto a server and back into a new file:
// both files hold the same books.
func TestADemoMovesOntoAServerAndBack(t *testing.T) {
	t.Parallel()
	severalInstances(t)
	dir := t.TempDir()
	first, last := filepath.Join(dir, "first.db"), filepath.Join(dir, "last.db")
	grown, made := loadDemo(first)
	if err := grown.advance(testNow); err != nil {
		t.Fatal(err)
	}
	between := tempDatabase(t)
	there, err := Move(t.Context(), first, between)
	if err != nil {
		t.Fatal(err)
	}
	back, err := Move(t.Context(), between, last)
	if err != nil || !reflect.DeepEqual(there, back) {
		t.Errorf("moved back %+v (%v), moved %+v", back, err, there)
	}
	was := &fixture{Marketplace: grown, t: t, key: made.Key}
	t.Cleanup(func() {
		if err := grown.Close(); err != nil {
			t.Error(err)
		}
	})
	version := was.query("SELECT version FROM market_state")
	for _, path := range []string{between, last} {
		is := &fixture{Marketplace: open(t, path, demoOptions), t: t, key: made.Key}
		for _, target := range []string{"/api/market?per_page=100", "/api/inventory?per_page=100&trades_per_wallet=100", "/api/projects", "/api/api-keys"} {
			if got, want := is.get(target).Body.String(), was.get(target).Body.String(); got != want {
				t.Errorf("%s: %s is %.300s, was %.300s", path, target, got, want)
			}
		}
		checkBooks(t, is)
		now := is.query("SELECT version FROM market_state")
		if now <= version {
			t.Errorf("%s: the version of the market went from %d to %d", path, version, now)
		}
		version = now
	}
}

func TestAnEmptyDatabaseIsNotMovedAndStaysEmpty(t *testing.T) {
	t.Parallel()
	severalInstances(t)
	empty := emptySchema(t)
	if _, err := Move(t.Context(), empty, filepath.Join(t.TempDir(), "new.db")); !errors.Is(err, exchange.ErrNoMarketplace) {
		t.Error(err)
	}
	if m, err := Open(t.Context(), empty, Options{Existing: true}); !errors.Is(err, exchange.ErrNoMarketplace) {
		t.Errorf("%v %v", m, err)
	}
}

// A number that is given twice would only be found out where it is not unique,
// and tried again.
func TestNumbersGoOnAfterTheLargestThatWasMoved(t *testing.T) {
	t.Parallel()
	severalInstances(t)
	first, _ := grown(t)
	second := tempDatabase(t)
	if _, err := Move(t.Context(), first, second); err != nil {
		t.Fatal(err)
	}
	moved := &fixture{Marketplace: open(t, second, Options{}), t: t}
	numbered := 0
	for _, table := range []string{
		"registries", "projects", "former_projects", "vintages", "tenants", "api_keys", "sell_orders", "transfers", "periods", "invoices",
		"trades", "retirement_requests", "retirement_items", "audit",
	} {
		given := moved.query("SELECT last_value FROM pg_sequences WHERE schemaname = current_schema() AND sequencename = $1 || '_number_seq'", table)
		if largest := moved.query("SELECT max(number) FROM " + table); given != largest {
			t.Errorf("%s: the number after %d is given next, the largest is %d", table, given, largest)
		}
		numbered++
	}
	if n := moved.query("SELECT count(*) FROM pg_sequences WHERE schemaname = current_schema()"); n != int64(numbered) {
		t.Errorf("%d tables are numbered, the test knows %d", n, numbered)
	}
}

func TestAMarketThatMovedGoesOn(t *testing.T) {
	t.Parallel()
	first, d := grown(t)
	second := tempDatabase(t)
	if _, err := Move(t.Context(), first, second); err != nil {
		t.Fatal(err)
	}
	moved := &fixture{
		Marketplace: open(t, second, Options{RatePerSecond: -1, Now: d.clock.Now}),
		t:           t, clock: d.clock, key: d.key, otherKey: d.otherKey, seller: d.seller, vintages: d.vintages,
	}
	if _, err := moved.importCatalogue(bale + "004b22,2022,\n"); err != nil {
		t.Error(err)
	}
	offer(t, moved, sellerTenant, "004b22,9000000,620,o2\n")
	moved.newKey("Fourth Ltd", exchange.RoleAPIUser)
	moved.vintages[0] = testVintage{moved.vintageOf("004b22"), "004b22"}
	moved.fraction("g", 1_250_000, "o2")
	if _, err := moved.closeMonth(); err != nil {
		t.Error(err)
	}
	checkBooks(t, moved)
}

// A file from before projects had versions moves with the version of the market.
func TestTheVersionOfAnOldFileDoesNotRunBackwards(t *testing.T) {
	ofSQLite(t)
	t.Parallel()
	first, d := grown(t)
	d.do(func(c *change) error {
		return errors.Join(c.exec("DELETE FROM market_projects"), c.exec("UPDATE market_state SET version = 5000, listing = 600"))
	})
	second := tempDatabase(t)
	if _, err := Move(t.Context(), first, second); err != nil {
		t.Fatal(err)
	}
	moved := &fixture{Marketplace: open(t, second, Options{}), t: t}
	if version, listing := moved.query("SELECT version FROM market_state"), moved.query("SELECT listing FROM market_state"); version <= 5000 || listing <= 600 {
		t.Errorf("the market has the version %d and the listing %d", version, listing)
	}
}
