package marketplace

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"tonne/api/marketplace/exchange"
	"tonne/model/dbfile/dbfiletest"
	"tonne/model/retirement"
)

func TestDatabaseOutlivesTheService(t *testing.T) {
	t.Parallel()
	path, made := copyDemo(t)
	first, err := Open(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	alter(t, first, func(c *change) error { return c.moveFirstProject() })
	want := call(first, made.Key, http.MethodGet, "/api/market", "").Body.String()
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	second := open(t, path, Options{})
	if got := call(second, made.Key, http.MethodGet, "/api/market", "").Body.String(); got != want {
		t.Error("the market is another after opening the file again")
	}
}

// The operator's commands work on the file of a service that runs.
func TestTwoProcessesOnOneFile(t *testing.T) {
	t.Parallel()
	path := tempDatabase(t)
	d := openFixture(t, path, Options{RatePerSecond: -1})
	order := d.sell(d.vintages[0], 10, 620)
	id := d.fraction("a", 1_500_000, order)
	before := d.get("/api/market").Body.String()

	operator := open(t, path, Options{Now: d.clock.Now})
	for range 3 {
		if err := operator.advance(testNow); err != nil {
			t.Fatal(err)
		}
	}
	if r := d.lookup(id); r.Status != retirement.Complete {
		t.Errorf("the service still sees %s", r.Status)
	}
	key, err := operator.CreateKey(t.Context(), "New Ltd", "", "")
	if err != nil {
		t.Fatal(err)
	}
	if w := call(d.Marketplace, key.Secret, http.MethodGet, "/api/market", ""); w.Code != http.StatusOK || w.Body.String() != before {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	other := &fixture{t: t, clock: d.clock, Marketplace: operator, key: d.key, vintages: d.vintages}
	other.fraction("b", 8_000_000, order)
	if market, _ := d.market(""); market.Orders() != 0 {
		t.Error("the service still lists an order that another process sold")
	}
	checkBooks(t, d)
}

func TestBackupDoesNotOverwriteFiles(t *testing.T) {
	ofSQLite(t)
	t.Parallel()
	d := openFixture(t, tempDatabase(t), Options{})
	for name, stranger := range dbfiletest.Strangers() {
		dir := t.TempDir()
		path := filepath.Join(dir, "backup.db")
		stranger.Make(t, path)
		dbfiletest.Untouched(t, dir, func() {
			if err := d.Backup(t.Context(), path); !errors.Is(err, fs.ErrExist) {
				t.Errorf("onto %s: %v", name, err)
			}
		})
	}
}

func TestBackupIsACompleteMarketplace(t *testing.T) {
	ofSQLite(t)
	t.Parallel()
	d := openFixture(t, tempDatabase(t), Options{RatePerSecond: -1})
	order := d.sell(d.vintages[0], 10, 620)
	id := d.fraction("a", 20, order)
	path := filepath.Join(t.TempDir(), "backup.db")
	if err := d.Backup(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	d.fraction("b", 40, order)
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
	if err := d.Backup(t.Context(), path); !errors.Is(err, fs.ErrExist) {
		t.Errorf("backing up onto a file that is there: %v", err)
	}
	if left, err := filepath.Glob(filepath.Join(filepath.Dir(path), ".*")); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v %v", left, err)
	}

	restored := &fixture{t: t, clock: d.clock, Marketplace: open(t, path, Options{Now: d.clock.Now}), key: d.key, vintages: d.vintages}
	if r := restored.lookup(id); r.TotalQuantity != 20 {
		t.Errorf("the backup holds %d g, want the 20 g of its moment", r.TotalQuantity)
	}
	restored.fraction("c", 7, order)
	if r := restored.lookup(id); r.TotalQuantity != 27 {
		t.Errorf("%+v", r)
	}
	checkBooks(t, restored)
}

func TestFullDisk(t *testing.T) {
	ofSQLite(t)
	t.Parallel()
	d := openFixture(t, tempDatabase(t), Options{RatePerSecond: -1})
	v := d.vintages[0]
	order := d.sell(v, 1_000_000, 620)
	buy := func(external string) int {
		return d.retire(d.key, body{"vintage_id": v.id, "quantity_grams": "1000000", "external_id": external, "sell_order_id": order, "expected_price_cents": "620"}).Code
	}
	limitPages(t, d, "(SELECT page_count + 4 FROM pragma_page_count)")
	bought := 0
	for bought < 1000 && buy(fmt.Sprint(bought)) == http.StatusOK {
		bought++
	}
	if bought == 1000 {
		t.Fatal("the disk never filled up")
	}
	if code := buy("one more"); code != http.StatusInternalServerError {
		t.Errorf("on a full disk a purchase is answered with %d", code)
	}
	if w := d.get("/api/market"); w.Code != http.StatusOK {
		t.Errorf("on a full disk the market is answered with %d", w.Code)
	}
	checkBooks(t, d)
	limitPages(t, d, "1000000")
	if code := buy("one more"); code != http.StatusOK {
		t.Errorf("with room again a purchase is answered with %d", code)
	}
	if n := d.query("SELECT count(*) FROM trades"); n != int64(bought)+1 {
		t.Errorf("%d trades, %d purchases were accepted", n, bought+1)
	}
	checkBooks(t, d)
}

// limitPages makes the writing connection see a disk of so many pages.
func limitPages(t *testing.T, d *fixture, pages string) {
	t.Helper()
	err := d.db.Write(t.Context(), func(tx exchange.Tx) error {
		n := int64(0)
		tx.Query("SELECT "+pages, func(row exchange.Row) {
			n = row.Int64(0)
		})
		tx.Query(fmt.Sprintf("PRAGMA max_page_count = %d", n), func(exchange.Row) {})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
