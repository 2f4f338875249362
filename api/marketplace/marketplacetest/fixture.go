package marketplacetest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"time"

	"tonne/api/marketplace/exchange"
	"tonne/api/wire"
	"tonne/model"
	must "tonne/model/musttest"
)

// Start is when the clock of a Fixture starts.
var Start = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// Clock is a clock that only the test sets. It is safe for concurrent use.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// NewClock returns a clock that shows Start.
func NewClock() *Clock { return &Clock{now: Start} }

// Now returns the time that was set last.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Set sets the time.
func (c *Clock) Set(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = now
}

// Names of the tenants of a Fixture. The seller has no key.
const (
	OwnTenant    = "Desk Ltd"
	OtherTenant  = "Rival Ltd"
	SellerTenant = "Seller Ltd"
)

// Vintage is a vintage with its id.
type Vintage struct {
	exchange.Vintage
	ID string
}

// Fixture is a service with two buyers, a seller, and one project of two vintages without
// sell orders. The Client has the key of the first buyer.
type Fixture struct {
	Client
	Clock                 *Clock
	OtherKey              string
	Tenant, Other, Seller int64
	Project               string
	Vintages              [2]Vintage
}

// NewFixture fills the empty database of a service.
func NewFixture(c Client, clock *Clock) *Fixture {
	c.Helper()
	f := &Fixture{Client: c, Clock: clock}
	f.Key, f.OtherKey = f.NewKey(OwnTenant, exchange.RoleAPIUser), f.NewKey(OtherTenant, exchange.RoleAPIUser)
	f.Do(func(c *exchange.Change) {
		f.Tenant = exchange.EnsureTenant(c, exchange.Retiree{Name: OwnTenant})
		f.Other = exchange.EnsureTenant(c, exchange.Retiree{Name: OtherTenant})
		f.Seller = exchange.EnsureTenant(c, exchange.Retiree{Name: SellerTenant})
	})
	f.Project, f.Vintages = f.AddProject("1340", "ET", "REDD+", 2021)
	return f
}

// Change changes the database as the operator.
func (f *Fixture) Change(fn func(*exchange.Change)) error {
	return f.changeAt(f.Clock.Now(), fn)
}

func (f *Fixture) changeAt(at time.Time, fn func(*exchange.Change)) error {
	return f.Service.Change(f.Context(), at, "operator", fn)
}

// Do is Change for a change that must succeed.
func (f *Fixture) Do(fn func(*exchange.Change)) {
	f.Helper()
	must.Succeed(f, f.Change(fn))
}

// Exec runs a statement.
func (f *Fixture) Exec(sql string, args ...any) {
	f.Helper()
	f.Do(func(c *exchange.Change) { c.Exec(sql, args...) })
}

// NewKey creates an API key, and the tenant if there is none of the name.
func (f *Fixture) NewKey(tenant, role string) (secret string) {
	f.Helper()
	f.Do(func(c *exchange.Change) {
		number := exchange.EnsureTenant(c, exchange.Retiree{Name: tenant})
		secret = exchange.CreateKey(c, exchange.User{Tenant: number, Role: role}, "test").Secret
	})
	return secret
}

// AddProject adds a project of Verra with two vintages, year and the one after.
func (f *Fixture) AddProject(number, country, kind string, year int) (id string, vintages [2]Vintage) {
	f.Helper()
	f.Do(func(c *exchange.Change) {
		c.Exec("INSERT INTO registries (id, name) VALUES ($1, $2) ON CONFLICT DO NOTHING", exchange.RegistryID+"verra", exchange.Verra)
		var registry int64
		c.Query("SELECT number FROM registries WHERE name = $1", func(row exchange.Row) { registry = row.Int64(0) }, exchange.Verra)
		id = c.NewID(exchange.ProjectID)
		project := exchange.AddProject(c, exchange.Listed{
			Project: model.Project{ID: id, Name: "Project " + number, Type: kind, Country: country}, Registry: registry, RegistryNumber: number,
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

// VintageOf returns a vintage by its id.
func (f *Fixture) VintageOf(id string) Vintage {
	f.Helper()
	v := Vintage{ID: id}
	v.Number = f.Number("SELECT number FROM vintages WHERE id = $1", id)
	v.Project = f.Number("SELECT project FROM vintages WHERE id = $1", id)
	return v
}

// Sell puts an order of the seller on the market and returns its id.
func (f *Fixture) Sell(v Vintage, tonnes int64, price model.PriceCents) string {
	f.Helper()
	return f.SellFrom(f.Seller, v, model.Grams(tonnes*model.GramsPerTonne), price)
}

// SellFrom puts an order of a tenant on the market and returns its id.
func (f *Fixture) SellFrom(seller int64, v Vintage, grams model.Grams, price model.PriceCents) (id string) {
	f.Helper()
	f.Do(func(c *exchange.Change) {
		id = exchange.Offer(c, exchange.SellOrder{Vintage: v.Vintage, Seller: seller, Price: price, Quantity: grams}).ID
	})
	return id
}

// Body is the JSON object of a request.
type Body map[string]any

// With returns a copy with other members.
func (b Body) With(other Body) Body {
	all := make(Body, len(b)+len(other))
	for _, members := range []Body{b, other} {
		for name, value := range members {
			all[name] = value
		}
	}
	return all
}

// Purchase is a request to retire grams of the first vintage from an order at 620 cents. An
// empty order buys nothing.
func (f *Fixture) Purchase(external string, grams model.Grams, order string) Body {
	b := Body{"vintage_id": f.Vintages[0].ID, "quantity_grams": grams.String(), "external_id": external}
	if order != "" {
		b["sell_order_id"], b["expected_price_cents"] = order, "620"
	}
	return b
}

// Post sends a JSON body with a key.
func (f *Fixture) Post(key, target string, b Body) *httptest.ResponseRecorder {
	f.Helper()
	text, err := json.Marshal(b)
	must.Succeed(f, err)
	return Call(f.Service, key, http.MethodPost, target, string(text))
}

// Retire calls POST /api/caas/request-retirement.
func (f *Fixture) Retire(key string, b Body) *httptest.ResponseRecorder {
	f.Helper()
	return f.Post(key, "/api/caas/request-retirement", b)
}

// Retired is Retire for a request of the first buyer that must succeed. It returns the id of
// the retirement request.
func (f *Fixture) Retired(b Body) string {
	f.Helper()
	id, _ := f.Accepted(f.Retire(f.Key, b))
	return id
}

// Buy is Retired for a Purchase.
func (f *Fixture) Buy(external string, grams model.Grams, order string) string {
	f.Helper()
	return f.Retired(f.Purchase(external, grams, order))
}

// Accepted reads the answer to a retirement that must have succeeded.
func (c Client) Accepted(w *httptest.ResponseRecorder) (id string, replayed bool) {
	c.Helper()
	var a struct {
		ID       string `json:"retirement_request_id"`
		Replayed bool   `json:"external_id_already_processed"`
	}
	err := json.Unmarshal(w.Body.Bytes(), &a)
	must.Need(c, err == nil && w.Code == http.StatusOK && a.ID != "", w.Code, w.Body, err)
	return a.ID, a.Replayed
}

// Refused reads the error of an answer that must have a status.
func (c Client) Refused(w *httptest.ResponseRecorder, status int) wire.Failure {
	c.Helper()
	f := wire.DecodeFailure(w.Body.Bytes())
	must.Need(c, w.Code == status && f.StatusCode == status, "answered", w.Code, w.Body, status)
	return f
}

// Wallet returns the balance of a vintage, or -1 if the inventory does not have it.
func (f *Fixture) Wallet(v Vintage) model.Grams {
	f.Helper()
	inventory, _ := f.Inventory("")
	for _, p := range inventory.Projects {
		for _, held := range p.Vintages {
			if held.ID == v.ID {
				return held.Wallets[0].Quantity
			}
		}
	}
	return -1
}

// Settle settles an invoice.
func (f *Fixture) Settle(invoice string) error {
	return f.Change(func(c *exchange.Change) { exchange.Settle(c, invoice) })
}

// CloseMonth closes the month, and fails the test if it cannot.
func (f *Fixture) CloseMonth() (end exchange.MonthEnd) {
	f.Helper()
	f.Do(func(c *exchange.Change) { end = exchange.CloseMonth(c) })
	return end
}

// Advance moves all requests on by some steps.
func (f *Fixture) Advance(steps int) {
	f.Helper()
	for range steps {
		f.Do(exchange.Advance)
	}
}

// Complete completes a request with synthetic serial numbers.
func (f *Fixture) Complete(id string) error {
	return f.Change(func(c *exchange.Change) {
		// Serial numbers are synthetic only in a demo.
		c.Do(`INSERT INTO demo_vintages (vintage, seller, base_cents, fair_cents)
			SELECT min(v.number), min(t.number), 1, 1 FROM vintages v, tenants t`)
		exchange.CompleteAs(c, id, exchange.Registered{})
		c.Do("DELETE FROM demo_vintages")
	})
}

// InProgress buys tonnes and returns the request, which is settled and in progress.
func (f *Fixture) InProgress(external string, tonnes int64) string {
	f.Helper()
	id := f.Buy(external, model.Grams(tonnes*model.GramsPerTonne), f.Sell(f.Vintages[0], tonnes, 620))
	f.CloseMonth()
	must.Succeed(f, f.Settle(f.Retirement(id).Items[0].InvoiceID))
	return id
}

// Serial returns a serial number of the first vintage.
func Serial(start, end int) string {
	return fmt.Sprintf("19334-%d-%d-VCS-VCU-576-VER-ET-14-1340-01012021-31122021-0", start, end)
}
