package marketplace

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tonne/api/marketplace/demo"
	"tonne/api/marketplace/exchange"
	"tonne/api/marketplace/marketplacetest"
	"tonne/api/marketplace/postgres/postgrestest"
	"tonne/model"
	"tonne/model/longtest"
	must "tonne/model/musttest"
)

// Names of package marketplacetest that most tests use.
type (
	body    = marketplacetest.Body
	vintage = marketplacetest.Vintage
)

const (
	ownTenant    = marketplacetest.OwnTenant
	otherTenant  = marketplacetest.OtherTenant
	sellerTenant = marketplacetest.SellerTenant
)

var (
	testNow      = marketplacetest.Start
	serial       = marketplacetest.Serial
	tempDatabase = marketplacetest.TempDatabase
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
	os.Exit(postgrestest.Main(m))
}

// fixture is a service with the data of marketplacetest.Fixture.
type fixture struct {
	*Marketplace
	*marketplacetest.Fixture
	path string
	// newPath returns an empty database of the same engine.
	newPath func(testing.TB) string
}

func newFixture(t testing.TB) *fixture { return openFixture(t, "", Options{RatePerSecond: -1}) }

func openFixture(t testing.TB, path string, o Options) *fixture {
	t.Helper()
	clock := marketplacetest.NewClock()
	o.Now = clock.Now
	m := open(t, path, o)
	f := marketplacetest.NewFixture(marketplacetest.Client{TB: t, Service: m}, clock)
	return &fixture{m, f, path, tempDatabase}
}

func open(t testing.TB, path string, o Options) *Marketplace {
	t.Helper()
	m := must.Get(Open(t.Context(), path, o))
	t.Cleanup(func() { must.Succeed(t, m.Close()) })
	return m
}

// at opens a copy of the database of d, or the same one, as a second instance.
func (d *fixture) at(t testing.TB, path string) *fixture {
	t.Helper()
	f := *d.Fixture
	m := open(t, path, Options{Now: d.Clock.Now, RatePerSecond: -1})
	f.Service = m
	return &fixture{m, &f, path, d.newPath}
}

// filled is what fill put into the databases that onSQLite and onPostgres copy.
var filled struct {
	once             sync.Once
	file             []byte
	sqlite, postgres marketplacetest.Fixture
}

func fill(t testing.TB, path string) marketplacetest.Fixture {
	clock := marketplacetest.NewClock()
	m := must.Get(Open(t.Context(), path, Options{Now: clock.Now}))
	f := marketplacetest.NewFixture(marketplacetest.Client{TB: t, Service: m}, clock)
	must.Succeed(t, m.Close())
	return *f
}

func onSQLite(t testing.TB) *fixture {
	t.Helper()
	path := tempDatabase(t)
	filled.once.Do(func() {
		filled.sqlite = fill(t, path)
		filled.file = must.Get(os.ReadFile(path))
	})
	must.Succeed(t, os.WriteFile(path, filled.file, 0o600))
	return onCopy(t, path, filled.sqlite, tempDatabase)
}

func onPostgres(t testing.TB) *fixture {
	t.Helper()
	path := postgrestest.Copy(t, func(address string) { filled.postgres = fill(t, address) })
	return onCopy(t, path, filled.postgres, postgrestest.Database)
}

func onCopy(t testing.TB, path string, f marketplacetest.Fixture, newPath func(testing.TB) string) *fixture {
	clock := marketplacetest.NewClock()
	m := open(t, path, Options{Now: clock.Now, RatePerSecond: -1})
	f.Client = marketplacetest.Client{TB: t, Service: m, Key: f.Key}
	f.Clock = clock
	return &fixture{m, &f, path, newPath}
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

func call(m *Marketplace, key, method, target, body string) *httptest.ResponseRecorder {
	return marketplacetest.Call(m, key, method, target, body)
}

// purchase buys a tonne of an order of the first vintage.
func (d *fixture) purchase(order, external string) *httptest.ResponseRecorder {
	d.Helper()
	return d.Retire(d.Key, d.Purchase(external, model.GramsPerTonne, order))
}

// serving runs a test with a service that answers on pipes, in a bubble with its own time.
// After the test it must stop without an error.
func serving(t *testing.T, test func(t *testing.T, d *fixture, l *marketplacetest.Pipes, stop func() error)) {
	servingWithLog(t, nil, test)
}

// servingWithLog does the same with a log, unless it is nil.
func servingWithLog(t *testing.T, log *slog.Logger, test func(t *testing.T, d *fixture, l *marketplacetest.Pipes, stop func() error)) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d, l := newFixture(t), marketplacetest.NewPipes()
		if log != nil {
			d.log = log
		}
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
func (d *fixture) post(l *marketplacetest.Pipes, target string, size int, begin string) net.Conn {
	conn := l.Dial()
	fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n%s", target, d.Key, size, begin)
	return conn
}

// sharedDemo is a service with demo data for tests that only read.
var sharedDemo = sync.OnceValues(func() (*Marketplace, demo.Data) {
	ctx := context.Background()
	m := must.Get(Open(ctx, "", Options{Now: func() time.Time { return testNow }, RatePerSecond: -1}))
	return m, must.Get(demo.Load(ctx, m, demo.Options{Seed: 1}))
})

func readDemo(t testing.TB) *fixture {
	t.Helper()
	m, made := sharedDemo()
	return demoFixture(t, m, made)
}

func demoFixture(t testing.TB, m *Marketplace, made demo.Data) *fixture {
	c := marketplacetest.Client{TB: t, Service: m, Key: made.Key}
	return &fixture{Marketplace: m, Fixture: &marketplacetest.Fixture{Client: c, Clock: marketplacetest.NewClock()}}
}

// demoImage is the database file of sharedDemo.
var demoImage = sync.OnceValues(func() ([]byte, demo.Data) {
	m, made := sharedDemo()
	dir := must.Get(os.MkdirTemp("", "tonne-demo-*"))
	defer os.RemoveAll(dir)
	if err := m.Backup(context.Background(), dir+"/image.db"); err != nil {
		panic(err)
	}
	image := must.Get(os.ReadFile(dir + "/image.db"))
	return image, made
})

// openDemo is a copy of sharedDemo that a test may change.
func openDemo(t testing.TB) (*fixture, demo.Data) {
	t.Helper()
	image, made := demoImage()
	path := tempDatabase(t)
	must.Succeed(t, os.WriteFile(path, image, 0o600))
	clock := marketplacetest.NewClock()
	d := demoFixture(t, open(t, path, Options{Now: clock.Now, RatePerSecond: -1}), made)
	d.Clock, d.path, d.newPath = clock, path, tempDatabase
	return d, made
}

// bumpFirstProject changes the version of the first project of the market, and nothing else.
func bumpFirstProject(c *exchange.Change) {
	first := int64(0)
	c.Query("SELECT min(number) FROM projects", func(row exchange.Row) { first = row.Int64(0) })
	exchange.BumpProject(c, first, false)
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

// request is a request of the first buyer.
func (d *fixture) request(ctx context.Context, method, target string) *http.Request {
	r := httptest.NewRequestWithContext(ctx, method, target, nil)
	r.Header.Set("Authorization", "Bearer "+d.Key)
	return r
}

// answer handles a request without a connection.
func (m *Marketplace) answer(r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, r)
	return w
}
