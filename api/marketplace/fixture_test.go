package marketplace

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"testing"
	"time"

	"tonne/api/marketplace/exchange"
	"tonne/api/marketplace/marketplacetest"
	"tonne/api/wire"
	"tonne/model"
	"tonne/model/market"
	"tonne/model/portfolio"
	"tonne/model/retirement"
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

// fixture is a service with two tenants, a seller and one project of two
// vintages, without any sell orders yet.
type fixture struct {
	*Marketplace
	t                     testing.TB
	clock                 *testClock
	path                  string
	tenant, other, seller int64
	key, otherKey         string
	project               string
	vintages              [2]testVintage
}

const (
	ownTenant   = "Desk Ltd"
	otherTenant = "Rival Ltd"
	// sellerTenant sells and has no key.
	sellerTenant = "Seller Ltd"
)

func newFixture(t testing.TB) *fixture { return openFixture(t, "", Options{RatePerSecond: -1}) }

func openFixture(t testing.TB, path string, o Options) *fixture {
	t.Helper()
	d := &fixture{t: t, clock: &testClock{now: testNow}, path: path}
	o.Now = d.clock.Now
	d.Marketplace = open(t, path, o)
	d.begin()
	return d
}

// begin fills an empty database.
func (d *fixture) begin() {
	d.t.Helper()
	d.key, d.otherKey = d.newKey(ownTenant, exchange.RoleAPIUser), d.newKey(otherTenant, exchange.RoleAPIUser)
	d.do(func(c *change) (err error) {
		d.tenant = exchange.EnsureTenant(c.Change, exchange.Retiree{Name: ownTenant})
		d.other = exchange.EnsureTenant(c.Change, exchange.Retiree{Name: otherTenant})
		d.seller = exchange.EnsureTenant(c.Change, exchange.Retiree{Name: sellerTenant})
		d.project, d.vintages, err = addTestProject(c, exchange.Verra, "1340", "ET", "REDD+", 2021)
		return err
	})
}

func open(t testing.TB, path string, o Options) *Marketplace {
	t.Helper()
	if path == "" && os.Getenv(onPostgres) != "" {
		path = tempDatabase(t)
	}
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

// change gives a test direct access to the database: the rules, and the SQL below
// them.
type change struct {
	*exchange.Change
}

func (c *change) exec(sql string, args ...any) error {
	c.Exec(sql, args...)
	return c.Err()
}

// moveFirstProject is a change of the first project in the market that shows
// nowhere else.
func (c *change) moveFirstProject() error {
	first := int64(0)
	c.Query("SELECT min(number) FROM projects", func(row exchange.Row) {
		first = row.Int64(0)
	})
	exchange.BumpProject(c, first, false)
	return nil
}

// alter changes the database of a service directly.
func alter(t testing.TB, m *Marketplace, fn func(*change) error) {
	t.Helper()
	if err := m.Change(t.Context(), m.Now(), "test", func(c *exchange.Change) { c.Fail(fn(&change{c})) }); err != nil {
		t.Fatal(err)
	}
}

// testVintage is a vintage with its id.
type testVintage struct {
	exchange.Vintage
	id string
}

// addTestProject adds a project with two vintages, year and the one after.
func addTestProject(c *change, registry, number, country, kind string, year int) (id string, vintages [2]testVintage, err error) {
	if err := c.exec("INSERT INTO registries (id, name) VALUES ($1, $2) ON CONFLICT DO NOTHING", "005"+registry, registry); err != nil {
		return "", vintages, err
	}
	var of int64
	c.Query("SELECT number FROM registries WHERE name = $1", func(row exchange.Row) {
		of = row.Int64(0)
	}, registry)
	id = c.NewID(exchange.ProjectID)
	project := exchange.AddProject(c.Change, exchange.Listed{
		Project: model.Project{ID: id, Name: "Project " + number, Type: kind, Country: country}, Registry: of, RegistryNumber: number,
	})
	for i := range vintages {
		v := &vintages[i]
		v.Project = project
		v.id = c.NewID(exchange.VintageID)
		v.Number = exchange.AddVintage(c.Change, exchange.ListedVintage{Vintage: v.Vintage, ProjectVintage: model.ProjectVintage{ID: v.id, Year: year + i}}, 901, 1000)
	}
	return id, vintages, nil
}

// CompleteRetirement completes a request with serial numbers that are made up.
func (d *fixture) CompleteRetirement(ctx context.Context, id string) error {
	return d.Operate(ctx, "complete retirement", func(c *exchange.Change) {
		// The service invents serial numbers only for demo data.
		c.Do(`INSERT INTO demo_vintages (vintage, seller, base_cents, fair_cents)
			SELECT min(v.number), min(t.number), 1, 1 FROM vintages v, tenants t`)
		exchange.CompleteAs(c, id, exchange.Registered{})
		c.Do("DELETE FROM demo_vintages")
	})
}

func (m *Marketplace) settle(id string) error {
	return m.Operate(context.Background(), "settle", func(c *exchange.Change) { exchange.Settle(c, id) })
}

func (m *Marketplace) closeMonth() (exchange.MonthEnd, error) {
	return Operate(context.Background(), m, "close the month", exchange.CloseMonth)
}

func (m *Marketplace) advance(now time.Time) error {
	return m.Change(context.Background(), now, clock, exchange.Advance)
}

func (m *Marketplace) reprice(id string, price model.PriceCents) error {
	return m.Operate(context.Background(), "reprice", func(c *exchange.Change) { exchange.Reprice(c, id, price) })
}

func (m *Marketplace) withdraw(id string) (exchange.SellOrder, error) {
	return Operate(context.Background(), m, "withdraw", func(c *exchange.Change) exchange.SellOrder { return exchange.WithdrawOrder(c, id) })
}

func (m *Marketplace) deactivate(key string) error {
	return m.Operate(context.Background(), "deactivate", func(c *exchange.Change) { exchange.DeactivateKey(c, key) })
}

func (m *Marketplace) importCatalogue(projects []exchange.CatalogueProject) (exchange.CatalogueCounts, error) {
	return Operate(context.Background(), m, "import", func(c *exchange.Change) exchange.CatalogueCounts { return exchange.ImportCatalogue(c, projects) })
}

func (m *Marketplace) importOrders(seller string, lines iter.Seq2[exchange.OrderLine, error]) ([]exchange.ImportedOrder, error) {
	return Operate(context.Background(), m, "import", func(c *exchange.Change) (done []exchange.ImportedOrder) {
		exchange.ImportOrders(c, seller, lines, func(o exchange.ImportedOrder) { done = append(done, o) })
		return done
	})
}

func (m *Marketplace) invoices(filter exchange.BillFilter) ([]exchange.Bill, error) {
	return exchange.Read(context.Background(), m, func(tx exchange.Tx) []exchange.Bill { return exchange.Invoices(tx, filter) })
}

func (m *Marketplace) catalogue() ([]model.Project, error) {
	return exchange.Read(context.Background(), m, exchange.AllProjects)
}

// do changes the database directly.
func (d *fixture) do(fn func(*change) error) {
	d.t.Helper()
	alter(d.t, d.Marketplace, fn)
}

func (d *fixture) client() marketplacetest.Client {
	return marketplacetest.Client{TB: d.t, Service: d.Marketplace, Key: d.key}
}

// query reads one number of the database.
func (d *fixture) query(sql string, args ...any) int64 { return d.client().Number(sql, args...) }

// text reads one text of the database.
func (d *fixture) text(sql string, args ...any) string { return d.client().Text(sql, args...) }

func (d *fixture) newKey(tenant, role string) string {
	d.t.Helper()
	key, err := d.CreateKey(d.t.Context(), tenant, role, "test")
	if err != nil {
		d.t.Fatal(err)
	}
	return key.Secret
}

// sell puts an order of the seller on the market and returns its id.
func (d *fixture) sell(v testVintage, tonnes int64, price model.PriceCents) string {
	d.t.Helper()
	return d.sellFrom(d.seller, v, model.Grams(tonnes*model.GramsPerTonne), price)
}

func (d *fixture) sellFrom(seller int64, v testVintage, grams model.Grams, price model.PriceCents) (id string) {
	d.t.Helper()
	d.do(func(c *change) error {
		id = exchange.Offer(c.Change, exchange.SellOrder{Vintage: v.Vintage, Seller: seller, Price: price, Quantity: grams}).ID
		return nil
	})
	return id
}

// call sends one request to the service.
func call(m *Marketplace, key, method, target, body string) *httptest.ResponseRecorder {
	return marketplacetest.Call(m, key, method, target, body)
}

func (d *fixture) get(target string) *httptest.ResponseRecorder {
	return call(d.Marketplace, d.key, http.MethodGet, target, "")
}

// getWith calls GET with header fields, given as names and values in turn.
func (d *fixture) getWith(target string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, target, nil)
	r.Header.Set("Authorization", "Bearer "+d.key)
	for i := 0; i < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	d.Handler().ServeHTTP(w, r)
	return w
}

// body is a JSON object of a request.
type body map[string]any

// retire calls POST /api/caas/request-retirement.
func (d *fixture) retire(key string, b body) *httptest.ResponseRecorder {
	d.t.Helper()
	text, err := json.Marshal(b)
	if err != nil {
		d.t.Fatal(err)
	}
	return call(d.Marketplace, key, http.MethodPost, "/api/caas/request-retirement", string(text))
}

// retired calls the same, which must succeed, and returns the request's id.
func (d *fixture) retired(b body) string {
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
func (d *fixture) lookup(id string) retirement.Request { return d.client().Retirement(id) }

// wallet reads the balance of a vintage over the interface, and -1 where the
// vintage is not in the inventory.
func (d *fixture) wallet(v testVintage) model.Grams {
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

func (d *fixture) inventory(query string) (*portfolio.Inventory, model.Page) {
	return d.client().Inventory(query)
}

func (d *fixture) market(query string) (*market.Market, model.Page) { return d.client().Market(query) }

// checkBooks checks the whole database against itself.
func checkBooks(t testing.TB, d *fixture) {
	t.Helper()
	d.client().CheckBooks()
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
