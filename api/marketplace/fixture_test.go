package marketplace

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tonne/api/marketplace/demo"
	"tonne/api/marketplace/exchange"
	"tonne/api/marketplace/marketplacetest"
	"tonne/api/marketplace/postgres/postgrestest"
	"tonne/api/wire"
	"tonne/model"
	"tonne/model/file/localfile"
	"tonne/model/longtest"
	must "tonne/model/musttest"
)

// testNow is when the clock of a fixture starts.
var testNow = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// Names of the tenants of a fixture. The seller has no key.
const (
	ownTenant    = "Desk Ltd"
	otherTenant  = "Rival Ltd"
	sellerTenant = "Seller Ltd"
)

func TestMain(m *testing.M) {
	if work := os.Getenv(crashing); work != "" {
		workUntilKilled(work)
	}
	longtest.Checks(12, 100)
	// Many tests wait for a disk or a server, so more of them run than there are processors.
	if err := flag.Set("test.parallel", "8"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// testClock is a clock that only the test sets. It is safe for concurrent use.
type testClock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *testClock { return &testClock{now: testNow} }

func (c *testClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *testClock) Set(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = now
}

type vintage struct {
	exchange.Vintage
	ID string
}

// fixture is a service with two buyers, a seller, and one project of two vintages without sell
// orders. The Client has the key of the first buyer.
type fixture struct {
	marketplacetest.Client
	*Marketplace
	Clock                 *testClock
	OtherKey              string
	Tenant, Other, Seller int64
	Project               string
	Vintages              [2]vintage
	path                  string
	// made is what a demo has instead of the tenants and the project.
	made demo.Data
	// newPath returns an empty database of the same engine.
	newPath func(testing.TB) string
}

func tempDatabase(t testing.TB) string { return filepath.Join(t.TempDir(), "market.db") }

func open(t testing.TB, path string, o Options) *Marketplace {
	t.Helper()
	m, err := Open(t.Context(), path, o)
	must.Succeed(t, err)
	t.Cleanup(func() { must.Succeed(t, m.Close()) })
	return m
}

// openFixture fills an empty database.
func openFixture(t testing.TB, path string, o Options) *fixture {
	t.Helper()
	clock := newClock()
	o.Now = clock.Now
	return fillFixture(t, open(t, path, o), clock, path)
}

func fillFixture(t testing.TB, m *Marketplace, clock *testClock, path string) *fixture {
	t.Helper()
	d := &fixture{Client: marketplacetest.Client{TB: t, Service: m}, Marketplace: m, Clock: clock, path: path,
		newPath: tempDatabase}
	d.Key, d.OtherKey = d.NewKey(ownTenant, exchange.RoleAPIUser), d.NewKey(otherTenant, exchange.RoleAPIUser)
	d.Do(func(c *exchange.Change) {
		d.Tenant = exchange.EnsureTenant(c, exchange.Retiree{Name: ownTenant})
		d.Other = exchange.EnsureTenant(c, exchange.Retiree{Name: otherTenant})
		d.Seller = exchange.EnsureTenant(c, exchange.Retiree{Name: sellerTenant})
	})
	d.Project, d.Vintages = d.AddProject("1340", "ET", "REDD+", 2021)
	return d
}

func newFixture(t testing.TB) *fixture { return openFixture(t, "", Options{RatePerSecond: -1}) }

// at opens a copy of the database of d, or the same one, as another instance for a test.
func (d *fixture) at(t testing.TB, path string) *fixture {
	t.Helper()
	f := *d
	f.Marketplace = open(t, path, Options{Now: d.Clock.Now, RatePerSecond: -1})
	f.Client = marketplacetest.Client{TB: t, Service: f.Marketplace, Key: d.Key}
	f.path = path
	return &f
}

// filled are the fixtures that onSQLite and onPostgres copy.
var filled struct {
	once             sync.Once
	file             []byte
	sqlite, postgres fixture
}

func fill(t testing.TB, path string) fixture {
	d := openFixture(t, path, Options{})
	must.Succeed(t, d.Close())
	return *d
}

func onSQLite(t testing.TB) *fixture {
	t.Helper()
	path := tempDatabase(t)
	filled.once.Do(func() {
		filled.sqlite = fill(t, path)
		filled.file = must.Get(os.ReadFile(path))
	})
	must.Succeed(t, os.WriteFile(path, filled.file, 0o600))
	d := filled.sqlite
	d.Clock = newClock()
	return d.at(t, path)
}

func onPostgres(t testing.TB) *fixture {
	t.Helper()
	path := postgrestest.Copy(t, func(address string) { filled.postgres = fill(t, address) })
	d := filled.postgres
	d.Clock, d.newPath = newClock(), postgrestest.Database
	return d.at(t, path)
}

// eachEngine runs a test of the contract that both engines fulfil.
func eachEngine(t *testing.T, test func(t *testing.T, d *fixture)) {
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		test(t, onSQLite(t))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		test(t, onPostgres(t))
	})
}

// eachEngineIfLong tests rules that do not depend on the engine: on SQLite, in long tests on both.
func eachEngineIfLong(t *testing.T, test func(t *testing.T, d *fixture)) {
	if longtest.Factor() > 0 {
		eachEngine(t, test)
		return
	}
	t.Parallel()
	test(t, onSQLite(t))
}

// Change changes the database as the operator.
func (d *fixture) Change(fn func(*exchange.Change)) error {
	return d.Marketplace.Change(d.Context(), d.Clock.Now(), "operator", fn)
}

// Do is Change for a change that must succeed.
func (d *fixture) Do(fn func(*exchange.Change)) {
	d.Helper()
	must.Succeed(d, d.Change(fn))
}

func (d *fixture) Exec(sql string, args ...any) {
	d.Helper()
	d.Do(func(c *exchange.Change) { c.Exec(sql, args...) })
}

// NewKey creates an API key, and the tenant if there is none of the name.
func (d *fixture) NewKey(tenant, role string) (secret string) {
	d.Helper()
	d.Do(func(c *exchange.Change) {
		number := exchange.EnsureTenant(c, exchange.Retiree{Name: tenant})
		secret = exchange.CreateKey(c, exchange.User{Tenant: number, Role: role}, "test").Secret
	})
	return secret
}

// AddProject adds a project of Verra with two vintages, year and the one after.
func (d *fixture) AddProject(number, country, kind string, year int) (id string, vintages [2]vintage) {
	d.Helper()
	d.Do(func(c *exchange.Change) {
		c.Exec("INSERT INTO registries (id, name) VALUES ($1, $2) ON CONFLICT DO NOTHING", exchange.RegistryID+"verra",
			exchange.Verra)
		var registry int64
		c.Query("SELECT number FROM registries WHERE name = $1", func(row exchange.Row) { registry = row.Int64(0) },
			exchange.Verra)
		id = c.NewID(exchange.ProjectID)
		project := exchange.AddProject(c, exchange.Listed{
			Project: model.Project{ID: id, Name: "Project " + number, Type: kind, Country: country}, Registry: registry,
			RegistryNumber: number,
		})
		for i := range vintages {
			v := &vintages[i]
			v.Project, v.ID = project, c.NewID(exchange.VintageID)
			listed := exchange.ListedVintage{Vintage: v.Vintage, ProjectVintage: model.ProjectVintage{ID: v.ID, Year: year + i}}
			v.Number = exchange.AddVintage(c, listed, 901, 1000)
		}
	})
	return id, vintages
}

func (d *fixture) VintageOf(id string) vintage {
	d.Helper()
	v := vintage{ID: id}
	v.Number = d.Number("SELECT number FROM vintages WHERE id = $1", id)
	v.Project = d.Number("SELECT project FROM vintages WHERE id = $1", id)
	return v
}

// Sell puts an order of the seller on the market and returns its id.
func (d *fixture) Sell(v vintage, tonnes int64, price model.PriceCents) string {
	d.Helper()
	return d.SellFrom(d.Seller, v, model.Grams(tonnes*model.GramsPerTonne), price)
}

func (d *fixture) SellFrom(seller int64, v vintage, grams model.Grams, price model.PriceCents) (id string) {
	d.Helper()
	d.Do(func(c *exchange.Change) {
		id = exchange.Offer(c, exchange.SellOrder{Vintage: v.Vintage, Seller: seller, Price: price, Quantity: grams}).ID
	})
	return id
}

// body is the JSON object of a request.
type body map[string]any

// With returns a copy with other members.
func (b body) With(other body) body {
	all := maps.Clone(b)
	maps.Copy(all, other)
	return all
}

func (b body) text() string { return string(must.Get(json.Marshal(b))) }

// Purchase is a request to retire grams of the first vintage from an order at 620 cents. An
// empty order buys nothing.
func (d *fixture) Purchase(external string, grams model.Grams, order string) body {
	b := body{"vintage_id": d.Vintages[0].ID, "quantity_grams": grams.String(), "external_id": external}
	if order != "" {
		b["sell_order_id"], b["expected_price_cents"] = order, "620"
	}
	return b
}

// Retire calls POST /api/caas/request-retirement.
func (d *fixture) Retire(key string, b body) *httptest.ResponseRecorder {
	return call(d.Marketplace, key, http.MethodPost, "/api/caas/request-retirement", b.text())
}

// Retired is Retire for a request of the first buyer that must succeed. It returns the id of
// the retirement request.
func (d *fixture) Retired(b body) string {
	d.Helper()
	id, _ := d.Accepted(d.Retire(d.Key, b))
	return id
}

// Buy is Retired for a Purchase.
func (d *fixture) Buy(external string, grams model.Grams, order string) string {
	d.Helper()
	return d.Retired(d.Purchase(external, grams, order))
}

// purchase buys a tonne of an order of the first vintage.
func (d *fixture) purchase(order, external string) *httptest.ResponseRecorder {
	return d.Retire(d.Key, d.Purchase(external, model.GramsPerTonne, order))
}

// Accepted reads the answer to a retirement that must have succeeded.
func (d *fixture) Accepted(w *httptest.ResponseRecorder) (id string, replayed bool) {
	d.Helper()
	var a struct {
		ID       string `json:"retirement_request_id"`
		Replayed bool   `json:"external_id_already_processed"`
	}
	err := json.Unmarshal(w.Body.Bytes(), &a)
	must.Need(d, err == nil && w.Code == http.StatusOK && a.ID != "", w.Code, w.Body, err)
	return a.ID, a.Replayed
}

// Refused reads the error of an answer that must have a status.
func (d *fixture) Refused(w *httptest.ResponseRecorder, status int) wire.Failure {
	d.Helper()
	f := wire.DecodeFailure(w.Body.Bytes())
	must.Need(d, w.Code == status && f.StatusCode == status, "answered", w.Code, w.Body, status)
	return f
}

// Wallet returns the balance of a vintage, or -1 if the inventory does not have it.
func (d *fixture) Wallet(v vintage) model.Grams {
	d.Helper()
	inventory, _ := d.Inventory("")
	for _, p := range inventory.Projects {
		for _, held := range p.Vintages {
			if held.ID == v.ID {
				return held.Wallets[0].Quantity
			}
		}
	}
	return -1
}

func (d *fixture) Settle(invoice string) error {
	return d.Change(func(c *exchange.Change) { exchange.Settle(c, invoice) })
}

func (d *fixture) CloseMonth() (end exchange.MonthEnd) {
	d.Helper()
	d.Do(func(c *exchange.Change) { end = exchange.CloseMonth(c, exchange.CurrentPeriod(c).Number) })
	return end
}

// Advance moves all requests on by some steps.
func (d *fixture) Advance(steps int) {
	d.Helper()
	for range steps {
		d.Do(exchange.Advance)
	}
}

// Complete completes a request with synthetic serial numbers.
func (d *fixture) Complete(id string) error {
	return d.Change(func(c *exchange.Change) {
		// Serial numbers are synthetic only in a demo.
		c.Do(`INSERT INTO demo_vintages (vintage, seller, base_cents, fair_cents)
			SELECT min(v.number), min(t.number), 1, 1 FROM vintages v, tenants t`)
		exchange.CompleteAs(c, id, exchange.Registered{})
		c.Do("DELETE FROM demo_vintages")
	})
}

// InProgress buys tonnes and returns the request, which is settled and in progress.
func (d *fixture) InProgress(external string, tonnes int64) string {
	d.Helper()
	id := d.Buy(external, model.Grams(tonnes*model.GramsPerTonne), d.Sell(d.Vintages[0], tonnes, 620))
	d.CloseMonth()
	must.Succeed(d, d.Settle(d.Retirement(id).Items[0].InvoiceID))
	return id
}

// serial returns a serial number of the first vintage.
func serial(start, end int) string {
	return fmt.Sprintf("19334-%d-%d-VCS-VCU-576-VER-ET-14-1340-01012021-31122021-0", start, end)
}

func call(m *Marketplace, key, method, target, body string) *httptest.ResponseRecorder {
	return marketplacetest.Call(m, key, method, target, body)
}

// pipes is a listener for connections in memory, so that a test can control the time.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
}

func newPipes() *pipes { return &pipes{make(chan net.Conn), make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	close(p.closed)
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8080} }

func (p *pipes) dial() net.Conn {
	client, server := net.Pipe()
	p.conns <- server
	return client
}

// serving runs a test with a service that answers on pipes, in a bubble with its own time.
// After the test it must stop without an error. The log may be nil.
func serving(t *testing.T, log *slog.Logger, test func(t *testing.T, d *fixture, l *pipes, stop func() error)) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d, l := openFixture(t, "", Options{RatePerSecond: -1, Log: log}), newPipes()
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- d.Serve(ctx, l) }()
		stop := sync.OnceValue(func() error {
			cancel()
			return <-done
		})
		test(t, d, l, stop)
		must.Fail(t, stop(), nil)
	})
}

// post sends the header and the first bytes of a POST request.
func (d *fixture) post(l *pipes, target string, size int, begin string) net.Conn {
	conn := l.dial()
	fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n%s", target,
		d.Key, size, begin)
	return conn
}

// sharedDemo is a service with demo data for tests that only read, and its file.
var sharedDemo = sync.OnceValues(func() (*fixture, []byte) {
	dir := must.Get(os.MkdirTemp("", "tonne-demo-*"))
	defer os.RemoveAll(dir)
	ctx, clock := context.Background(), newClock()
	m := must.Get(Open(ctx, "", Options{Now: clock.Now, RatePerSecond: -1}))
	made := must.Get(demo.Load(ctx, m, demo.Options{Seed: 1}))
	if err := m.Backup(ctx, localfile.Target{Path: dir + "/image.db"}); err != nil {
		panic(err)
	}
	d := &fixture{Client: marketplacetest.Client{Service: m, Key: made.Key}, Marketplace: m, Clock: clock, made: made,
		newPath: tempDatabase}
	return d, must.Get(os.ReadFile(dir + "/image.db"))
})

func readDemo(t testing.TB) *fixture {
	shared, _ := sharedDemo()
	d := *shared
	d.TB = t
	return &d
}

// openDemo is a copy of the demo that a test may change.
func openDemo(t testing.TB) *fixture {
	t.Helper()
	shared, image := sharedDemo()
	d, path := *shared, tempDatabase(t)
	d.Clock = newClock()
	must.Succeed(t, os.WriteFile(path, image, 0o600))
	return d.at(t, path)
}

// request is a request of the first buyer.
func (d *fixture) request(ctx context.Context, method, target string) *http.Request {
	r := httptest.NewRequestWithContext(ctx, method, target, nil)
	r.Header.Set("Authorization", "Bearer "+d.Key)
	return r
}

// canceled is the context of a client that has disconnected.
func canceled(t testing.TB) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

// late is the context of a request that has waited too long.
func late(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), -1)
	t.Cleanup(cancel)
	return ctx
}

// answer handles a request without a connection.
func (m *Marketplace) answer(r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, r)
	return w
}
