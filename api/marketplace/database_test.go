package marketplace

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitemigration"
	"zombiezen.com/go/sqlite/sqlitex"

	"tonne/model"
	"tonne/model/dbfile/dbfiletest"
)

func TestDatabaseFilesArePrivate(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "new", "market.db")
	d := openDesk(t, path, Options{})
	d.sell(d.vintages[0], 1, 620)
	for _, name := range []string{path, path + "-wal", path + "-shm"} {
		info, err := os.Stat(name)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", name, info, err)
		}
	}
}

func TestDatabaseSettings(t *testing.T) {
	t.Parallel()
	d := openDesk(t, tempDatabase(t), Options{})
	for pragma, want := range map[string]string{"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1", "integrity_check": "ok"} {
		d.do(func(c *change) error {
			return each(c.Conn, "SELECT * FROM pragma_"+pragma, func(stmt *sqlite.Stmt) error {
				if got := stmt.ColumnText(0); got != want {
					t.Errorf("%s is %s, want %s", pragma, got, want)
				}
				return nil
			})
		})
	}
	if n := d.query("SELECT count(*) FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND NOT strict AND name NOT LIKE 'sqlite_%'"); n != 0 {
		t.Errorf("%d tables are not STRICT", n)
	}
	if err := d.db.read(t.Context(), func(conn *sqlite.Conn) error {
		return run(conn, "UPDATE market_state SET version = 0")
	}); err == nil {
		t.Error("a connection for reading can write")
	}
}

func TestDatabaseOutlivesTheService(t *testing.T) {
	t.Parallel()
	path := tempDatabase(t)
	image, demo := demoImage()
	if err := os.WriteFile(path, image, 0o600); err != nil {
		t.Fatal(err)
	}
	first, err := Open(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := first.change(t.Context(), "test", func(c *change) error { return c.marketChanged() }); err != nil {
		t.Fatal(err)
	}
	want := call(first, demo.Key, http.MethodGet, "/api/market", "").Body.String()
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	second := open(t, path, Options{})
	if got := call(second, demo.Key, http.MethodGet, "/api/market", "").Body.String(); got != want {
		t.Error("the market is another after opening the file again")
	}
}

// The operator's commands work on the file of a service that runs.
func TestTwoProcessesOnOneFile(t *testing.T) {
	t.Parallel()
	path := tempDatabase(t)
	d := openDesk(t, path, Options{RatePerSecond: -1})
	order := d.sell(d.vintages[0], 10, 620)
	id := d.fraction("a", 1_500_000, order)
	before := d.get("/api/market").Body.String()

	operator := open(t, path, Options{Now: d.clock.Now})
	for range 3 {
		if err := operator.Advance(t.Context(), testNow); err != nil {
			t.Fatal(err)
		}
	}
	if r := d.lookup(id); r.Status != model.Complete {
		t.Errorf("the service still sees %s", r.Status)
	}
	key, err := operator.CreateKey(t.Context(), "New Ltd", "", "")
	if err != nil {
		t.Fatal(err)
	}
	if w := call(d.Marketplace, key.Secret, http.MethodGet, "/api/market", ""); w.Code != http.StatusOK || w.Body.String() != before {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	other := &desk{t: t, clock: d.clock, Marketplace: operator, key: d.key, vintages: d.vintages}
	other.fraction("b", 8_000_000, order)
	if market, _ := d.market(""); market.Orders() != 0 {
		t.Error("the service still lists an order that another process sold")
	}
	checkBooks(t, d)
}

// A file that an older version wrote keeps its data and learns the rest.
func TestOlderSchemaIsUpgraded(t *testing.T) {
	t.Parallel()
	path := tempDatabase(t)
	steps, err := schemaSteps()
	if err != nil {
		t.Fatal(err)
	}
	conn, err := sqlite.OpenConn(path)
	if err != nil {
		t.Fatal(err)
	}
	err = sqlitemigration.Migrate(t.Context(), conn, sqlitemigration.Schema{AppID: applicationID, Migrations: steps[:1]})
	if err == nil {
		err = run(conn, "INSERT INTO tenants (name, country) VALUES ('Old Ltd', 'SE')")
	}
	if err := errors.Join(err, conn.Close()); err != nil {
		t.Fatal(err)
	}

	d := &desk{t: t, clock: &testClock{now: testNow}, Marketplace: open(t, path, Options{})}
	if got := d.text("SELECT country FROM tenants WHERE name = 'Old Ltd'"); got != "SE" {
		t.Errorf("the old tenant's country is %q", got)
	}
	if err := d.Live(t.Context(), time.Second); !errors.Is(err, ErrNoDemo) {
		t.Errorf("what the newer schema is for: %v", err)
	}
}

func TestForeignFilesAreRefused(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"newer version":   fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = 99;", applicationID),
		"another program": "PRAGMA application_id = 7; CREATE TABLE t (a);",
	} {
		path := tempDatabase(t)
		conn, err := sqlite.OpenConn(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(sqlitex.ExecuteScript(conn, script, nil), conn.Close()); err != nil {
			t.Fatal(err)
		}
		if m, err := Open(t.Context(), path, Options{}); err == nil {
			t.Errorf("%s: opened", name)
			m.Close()
		}
	}
	path := tempDatabase(t)
	if err := os.WriteFile(path, []byte(strings.Repeat("not a database ", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	if m, err := Open(t.Context(), path, Options{}); err == nil {
		t.Error("opened a text file")
		m.Close()
	}
}

func TestABackupReplacesNothing(t *testing.T) {
	t.Parallel()
	d := openDesk(t, tempDatabase(t), Options{})
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
	t.Parallel()
	d := openDesk(t, tempDatabase(t), Options{RatePerSecond: -1})
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

	restored := &desk{t: t, clock: d.clock, Marketplace: open(t, path, Options{Now: d.clock.Now}), key: d.key, vintages: d.vintages}
	if r := restored.lookup(id); r.TotalQuantity != 20 {
		t.Errorf("the backup holds %d g, want the 20 g of its moment", r.TotalQuantity)
	}
	restored.fraction("c", 7, order)
	if r := restored.lookup(id); r.TotalQuantity != 27 {
		t.Errorf("%+v", r)
	}
	checkBooks(t, restored)
}

func TestBackupOfAPrivateDatabase(t *testing.T) {
	t.Parallel()
	d, demo := readDemo(t)
	path := filepath.Join(t.TempDir(), "backup.db")
	if err := d.Backup(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	m := open(t, path, Options{})
	if w := call(m, demo.Key, http.MethodGet, "/api/market", ""); w.Code != http.StatusOK {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestFullDisk(t *testing.T) {
	t.Parallel()
	d := openDesk(t, tempDatabase(t), Options{RatePerSecond: -1})
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
func limitPages(t *testing.T, d *desk, pages string) {
	t.Helper()
	conn, err := d.db.writer.Take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer d.db.writer.Put(conn)
	n := int64(0)
	err = sqlitex.ExecuteTransient(conn, "SELECT "+pages, &sqlitex.ExecOptions{ResultFunc: func(stmt *sqlite.Stmt) error {
		n = stmt.ColumnInt64(0)
		return nil
	}})
	if err == nil {
		err = pragmas(conn, fmt.Sprintf("max_page_count = %d", n))
	}
	if err != nil {
		t.Fatal(err)
	}
}
