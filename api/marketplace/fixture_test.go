package marketplace

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"

	"tonne/api/wire"
	"tonne/model"
)

// testNow is where the clock of the tests starts.
var testNow = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// testClock is a clock that only the test moves.
type testClock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *testClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *testClock) set(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = now
}

// desk is a service with two tenants, a seller and one project of two
// vintages, without any sell orders yet.
type desk struct {
	*Marketplace
	t                     testing.TB
	clock                 *testClock
	tenant, other, seller int64
	key, otherKey         string
	project               string
	vintages              [2]demoVintage
}

const (
	deskTenant = "Desk Ltd"
	deskOther  = "Rival Ltd"
)

func newDesk(t testing.TB) *desk { return openDesk(t, "", Options{RatePerSecond: -1}) }

func openDesk(t testing.TB, path string, o Options) *desk {
	t.Helper()
	d := &desk{t: t, clock: &testClock{now: testNow}}
	o.Now = d.clock.Now
	d.Marketplace = open(t, path, o)
	d.key, d.otherKey = d.newKey(deskTenant, RoleAPIUser), d.newKey(deskOther, RoleAPIUser)
	d.do(func(c *change) (err error) {
		if d.tenant, err = c.tenant(deskTenant, "", ""); err != nil {
			return err
		}
		if d.other, err = c.tenant(deskOther, "", ""); err != nil {
			return err
		}
		if d.seller, err = c.tenant("Seller Ltd", "", ""); err != nil {
			return err
		}
		d.project, d.vintages, err = addTestProject(c, verra, "1340", "ET", "REDD+", 2021)
		return err
	})
	return d
}

func open(t testing.TB, path string, o Options) *Marketplace {
	t.Helper()
	m, err := Open(t.Context(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

// addTestProject adds a project with two vintages, year and the one after.
func addTestProject(c *change, registry, number, country, kind string, year int) (id string, vintages [2]demoVintage, err error) {
	if err := run(c.Conn, "INSERT INTO registries (id, name) VALUES (?, ?) ON CONFLICT DO NOTHING", "005"+registry, registry); err != nil {
		return "", vintages, err
	}
	if id, err = c.newID(projectID); err != nil {
		return "", vintages, err
	}
	if err := run(c.Conn, `INSERT INTO projects (id, name, type, country, registry, registry_number, registry_url, description)
		SELECT ?, ?, ?, ?, number, ?, '', '' FROM registries WHERE name = ?`, id, "Project "+number, kind, country, number, registry); err != nil {
		return "", vintages, err
	}
	project := c.LastInsertRowID()
	for i := range vintages {
		v := &vintages[i]
		v.project = project
		if v.id, err = c.newID(vintageID); err != nil {
			return "", vintages, err
		}
		if err := run(c.Conn, `INSERT INTO vintages (id, project, year, registry_url, next_serial, serial_batch)
			VALUES (?, ?, ?, '', 901, 1000)`, v.id, project, year+i); err != nil {
			return "", vintages, err
		}
		v.number = c.LastInsertRowID()
	}
	return id, vintages, nil
}

// do changes the database behind the interface.
func (d *desk) do(fn func(*change) error) {
	d.t.Helper()
	if err := d.change(d.t.Context(), "test", fn); err != nil {
		d.t.Fatal(err)
	}
}

// query reads one number behind the interface.
func (d *desk) query(sql string, args ...any) (n int64) {
	d.t.Helper()
	err := d.db.read(d.t.Context(), func(conn *sqlite.Conn) error {
		_, err := find(conn, sql, func(stmt *sqlite.Stmt) { n = stmt.ColumnInt64(0) }, args...)
		return err
	})
	if err != nil {
		d.t.Fatal(err)
	}
	return n
}

// text reads one text behind the interface.
func (d *desk) text(sql string, args ...any) (s string) {
	d.t.Helper()
	err := d.db.read(d.t.Context(), func(conn *sqlite.Conn) error {
		_, err := find(conn, sql, func(stmt *sqlite.Stmt) { s = stmt.ColumnText(0) }, args...)
		return err
	})
	if err != nil {
		d.t.Fatal(err)
	}
	return s
}

func (d *desk) newKey(tenant, role string) string {
	d.t.Helper()
	key, err := d.CreateKey(d.t.Context(), tenant, role, "test")
	if err != nil {
		d.t.Fatal(err)
	}
	return key.Secret
}

// sell puts an order of the seller on the market and returns its id.
func (d *desk) sell(v demoVintage, tonnes int64, price model.PriceCents) string {
	d.t.Helper()
	return d.sellFrom(d.seller, v, model.Grams(tonnes*model.GramsPerTonne), price)
}

func (d *desk) sellFrom(seller int64, v demoVintage, grams model.Grams, price model.PriceCents) (id string) {
	d.t.Helper()
	d.do(func(c *change) error {
		s, err := c.offer(sellOrder{vintage: v.vintage, seller: seller, price: price, quantity: grams})
		id = s.id
		return err
	})
	return id
}

// call sends one request to the service.
func call(m *Marketplace, key, method, target, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, r)
	return w
}

func (d *desk) get(target string) *httptest.ResponseRecorder {
	return call(d.Marketplace, d.key, http.MethodGet, target, "")
}

// body is a JSON object of a request.
type body map[string]any

// retire calls POST /api/caas/request-retirement.
func (d *desk) retire(key string, b body) *httptest.ResponseRecorder {
	d.t.Helper()
	text, err := json.Marshal(b)
	if err != nil {
		d.t.Fatal(err)
	}
	return call(d.Marketplace, key, http.MethodPost, "/api/caas/request-retirement", string(text))
}

// retired calls the same, which must succeed, and returns the request's id.
func (d *desk) retired(b body) string {
	d.t.Helper()
	w := d.retire(d.key, b)
	var accepted struct {
		ID string `json:"retirement_request_id"`
	}
	if err := json.Unmarshal(w.Body.Bytes(), &accepted); err != nil || w.Code != http.StatusOK || accepted.ID == "" {
		d.t.Fatalf("%d %s", w.Code, w.Body)
	}
	return accepted.ID
}

// lookup reads a retirement request over the interface.
func (d *desk) lookup(id string) model.Retirement {
	d.t.Helper()
	w := d.get("/api/retirement?id=" + id)
	r, err := wire.DecodeRetirement(w.Body.Bytes())
	if err != nil || w.Code != http.StatusOK {
		d.t.Fatalf("%d %s: %v", w.Code, w.Body, err)
	}
	return r
}

// wallet reads the balance of a vintage over the interface, and -1 where the
// vintage is not in the inventory.
func (d *desk) wallet(v demoVintage) model.Grams {
	d.t.Helper()
	inv, _ := d.inventory("")
	for _, p := range inv.Projects {
		for _, have := range p.Vintages {
			if have.ID == v.id {
				return have.Wallets[0].Quantity
			}
		}
	}
	return -1
}

func (d *desk) inventory(query string) (*model.Inventory, model.Page) {
	d.t.Helper()
	w := d.get("/api/inventory?" + query)
	inv, page, err := wire.DecodeInventory(w.Body.Bytes())
	if err != nil || w.Code != http.StatusOK {
		d.t.Fatalf("%d %s: %v", w.Code, w.Body, err)
	}
	return inv, page
}

func (d *desk) market(query string) (*model.Market, model.Page) {
	d.t.Helper()
	w := d.get("/api/market?" + query)
	part, page, err := wire.DecodeMarket(w.Body.Bytes())
	if err != nil || w.Code != http.StatusOK {
		d.t.Fatalf("%d %s: %v", w.Code, w.Body, err)
	}
	return model.NewMarket(part), page
}

// refused is the error code and the message of an answer.
func refused(t testing.TB, w *httptest.ResponseRecorder, status int) wire.Failure {
	t.Helper()
	f := wire.DecodeFailure(w.Body.Bytes())
	if w.Code != status || f.StatusCode != status {
		t.Fatalf("answered %d %s, want %d", w.Code, w.Body, status)
	}
	return f
}

func tempDatabase(t testing.TB) string { return filepath.Join(t.TempDir(), "market.db") }
