package marketplace

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tonne/api/marketplace/exchange"
	"tonne/api/wire"
	"tonne/model"
	"tonne/model/retirement"
)

// machine drives the service and the model with the same operations.
type machine struct {
	*fixture
	model  *bookModel
	orders []string
	ids    []string
	calls  int
}

func newMachine(t testing.TB) *machine {
	d := newFixture(t)
	return &machine{fixture: d, model: newBookModel(), ids: []string{d.vintages[0].id, d.vintages[1].id}}
}

// tick lets a little time pass, so that no two things happen at once.
func (m *machine) tick() { m.clock.set(m.clock.Now().Add(time.Millisecond)) }

func (m *machine) keyOf(tenant string) string {
	if tenant == ownTenant {
		return m.key
	}
	return m.otherKey
}

func (m *machine) offer(rt *rapid.T) {
	v := rapid.IntRange(0, 1).Draw(rt, "vintage")
	grams := model.Grams(rapid.Int64Range(model.GramsPerTonne, 12_000_000).Draw(rt, "grams"))
	price := model.PriceCents(rapid.Int64Range(1, 3).Draw(rt, "price"))
	id := m.sellFrom(m.seller, m.vintages[v], grams, price)
	m.orders = append(m.orders, id)
	m.model.orders[id] = &modelOrder{m.ids[v], price, grams, true}
}

func (m *machine) withdraw(rt *rapid.T) {
	if len(m.orders) == 0 {
		rt.Skip()
	}
	id := rapid.SampledFrom(m.orders).Draw(rt, "order")
	if !m.model.orders[id].live {
		rt.Skip()
	}
	m.do(func(c *change) error {
		s := exchange.FindOrder(c.Change, id)
		exchange.Withdraw(c.Change, s)
		return nil
	})
	m.model.orders[id].live = false
}

// importOne puts an order of the operator's on the market, or changes one that
// is there: its quantity is what it offers in all.
func (m *machine) importOne(rt *rapid.T) {
	id := "own" + strconv.Itoa(rapid.IntRange(1, 3).Draw(rt, "id"))
	v := rapid.IntRange(0, 1).Draw(rt, "vintage")
	line := exchange.OrderLine{
		Line: 2, SellOrderID: id, VintageID: m.ids[v], Price: model.PriceCents(rapid.Int64Range(1, 3).Draw(rt, "price")),
		Quantity: model.Grams(rapid.Int64Range(model.GramsPerTonne, 12_000_000).Draw(rt, "grams")),
	}
	_, err := m.Marketplace.importOrders(sellerTenant, maps.All(map[exchange.OrderLine]error{line: nil}))
	o := m.model.orders[id]
	if o == nil {
		if err != nil {
			rt.Fatalf("%+v: %v", line, err)
		}
		m.orders = append(m.orders, id)
		m.model.supply(id, line.VintageID, line.Price, line.Quantity)
		return
	}
	sold := model.Grams(m.query("SELECT coalesce(sum(t.quantity_grams), 0) FROM trades t JOIN sell_orders o ON o.number = t.sell_order WHERE o.id = $1", id))
	left := line.Quantity - sold
	fits := o.vintage == line.VintageID && (o.live && left >= model.GramsPerTonne ||
		!o.live && m.text("SELECT state FROM sell_orders WHERE id = $1", id) == exchange.Sold && left >= 0 && left < model.GramsPerTonne)
	if (err == nil) != fits {
		rt.Fatalf("%+v on %+v, %d g sold: %v", line, o, sold, err)
	}
	if fits && o.live {
		m.model.reoffer(o, line.Price, left)
	}
}

func (m *machine) recall(rt *rapid.T) {
	if len(m.orders) == 0 {
		rt.Skip()
	}
	id := rapid.SampledFrom(m.orders).Draw(rt, "order")
	_, err := m.Marketplace.withdraw(id)
	if live := m.model.orders[id].live; (err == nil) != live {
		rt.Fatalf("withdrawing %+v: %v", m.model.orders[id], err)
	} else if live {
		m.model.recall(m.model.orders[id])
	}
}

// drawCall draws a call that is well-formed, and often possible.
func (m *machine) drawCall(rt *rapid.T) modelCall {
	c := modelCall{
		tenant:  rapid.SampledFrom([]string{ownTenant, otherTenant}).Draw(rt, "tenant"),
		vintage: rapid.SampledFrom(m.ids).Draw(rt, "vintage"),
		order:   rapid.SampledFrom(append([]string{"", "006nope"}, m.orders...)).Draw(rt, "order"),
		grams: model.Grams(rapid.OneOf(rapid.Int64Range(1, 4_000_000), rapid.Map(rapid.Int64Range(1, 4),
			func(t int64) int64 { return t * model.GramsPerTonne })).Draw(rt, "grams")),
	}
	if o := m.model.orders[c.order]; o != nil && rapid.IntRange(0, 9).Draw(rt, "fitting") > 0 {
		c.vintage, c.price = o.vintage, o.price
	} else {
		c.price = model.PriceCents(rapid.Int64Range(1, 3).Draw(rt, "price"))
	}
	m.calls++
	c.external = strconv.Itoa(rapid.IntRange(max(1, m.calls-3), m.calls).Draw(rt, "external"))
	return c
}

func (c modelCall) body() body {
	b := body{"vintage_id": c.vintage, "quantity_grams": c.grams.String(), "external_id": c.external}
	if c.order != "" {
		b["sell_order_id"], b["expected_price_cents"] = c.order, c.price.String()
	}
	return b
}

func (m *machine) retireOnce(rt *rapid.T) {
	c := m.drawCall(rt)
	r, replayed, code := m.model.retire(c)
	w := m.retire(m.keyOf(c.tenant), c.body())
	if code != "" {
		if f := wire.DecodeFailure(w.Body.Bytes()); w.Code != http.StatusUnprocessableEntity || f.Code != code {
			rt.Fatalf("%+v: %d %s, want %s", c, w.Code, w.Body, code)
		}
		return
	}
	id, again := accepted(rt, w.Body.Bytes())
	if r.id == "" {
		r.id = id
	}
	if w.Code != http.StatusOK || r.id != id || again != replayed {
		rt.Fatalf("%+v: %d %s, want %s, replayed %v", c, w.Code, w.Body, r.id, replayed)
	}
}

// accepted reads the answer to a call that was carried out.
func accepted(t interface{ Fatalf(string, ...any) }, answer []byte) (id string, replayed bool) {
	var a struct {
		ID       string `json:"retirement_request_id"`
		Replayed bool   `json:"external_id_already_processed"`
	}
	if err := json.Unmarshal(answer, &a); err != nil || a.ID == "" {
		t.Fatalf("%s: %v", answer, err)
	}
	return a.ID, a.Replayed
}

func (m *machine) settleOne(rt *rapid.T) {
	type paid struct {
		id      string
		account modelAccount
	}
	var all []paid
	for account := range m.model.invoices {
		id := m.text(`SELECT i.id FROM invoices i JOIN tenants t ON t.number = i.tenant
			WHERE t.name = $1 AND (SELECT count(*) FROM periods p WHERE p.number < i.period) = $2`, account.tenant, account.period)
		all = append(all, paid{id, account})
	}
	if len(all) == 0 {
		rt.Skip()
	}
	slices.SortFunc(all, func(a, b paid) int { return a.account.compare(b.account) })
	one := rapid.SampledFrom(all).Draw(rt, "invoice")
	want := m.model.settle(m.model.invoices[one.account])
	if err := m.settle(one.id); (err == nil) != want {
		rt.Fatalf("settling %+v: %v", one, err)
	}
}

func (a modelAccount) compare(b modelAccount) int {
	if a.period != b.period {
		return a.period - b.period
	}
	if a.tenant < b.tenant {
		return -1
	}
	return 1
}

func (m *machine) completeOne(rt *rapid.T) {
	m.adoptIDs()
	if len(m.model.requests) == 0 {
		rt.Skip()
	}
	r := rapid.SampledFrom(m.model.requests).Draw(rt, "request")
	want := m.model.complete(r)
	if err := m.CompleteRetirement(rt.Context(), r.id); (err == nil) != (want == nil) {
		rt.Fatalf("completing %+v: %v, want %v", r, err, want)
	}
}

// adoptIDs learns the ids of requests that a month's end made: the model makes
// them too, but does not know what they are called.
func (m *machine) adoptIDs() {
	for _, r := range m.model.requests {
		if r.id == "" {
			r.id = m.text(`SELECT r.id FROM retirement_requests r JOIN tenants t ON t.number = r.tenant JOIN vintages v ON v.number = r.vintage
				WHERE t.name = $1 AND v.id = $2 AND r.type = 'FRACTIONALISED' AND (SELECT count(*) FROM periods p WHERE p.number < r.period) = $3`,
				r.tenant, r.vintage, r.period)
		}
	}
}

// compare checks that the service and the model stand alike.
func (m *machine) compare(t interface{ Fatalf(string, ...any) }) {
	m.adoptIDs()
	for _, r := range m.model.requests {
		w := call(m.Marketplace, m.keyOf(r.tenant), http.MethodGet, "/api/retirement?id="+r.id, "")
		have, err := wire.DecodeRetirement(w.Body.Bytes())
		if err != nil || have.Status != r.status || have.Type != r.kind || have.TotalQuantity != r.total() || len(have.Items) != len(r.items) {
			t.Fatalf("request %+v is %s: %v", r, w.Body, err)
		}
		if got := int64(len(have.SerialNumbers)); (got > 0) != (r.status == retirement.Complete) {
			t.Fatalf("request %+v has serial numbers %q", r, have.SerialNumbers)
		}
	}
	for h, grams := range m.model.wallets {
		if have := m.balanceOf(h); have != grams {
			t.Fatalf("wallet %+v holds %d g, want %d", h, have, grams)
		}
	}
	for id, o := range m.model.orders {
		if left := m.query("SELECT quantity_grams FROM sell_orders WHERE id = $1", id); model.Grams(left) != o.left {
			t.Fatalf("order %s has %d g left, want %d", id, left, o.left)
		}
	}
	for account, invoice := range m.model.invoices {
		total := m.query(`SELECT i.total_cents FROM invoices i JOIN tenants t ON t.number = i.tenant
			WHERE t.name = $1 AND (SELECT count(*) FROM periods p WHERE p.number < i.period) = $2`, account.tenant, account.period)
		if model.Cents(total) != invoice.total {
			t.Fatalf("invoice %+v is %d cents, want %d", account, total, invoice.total)
		}
	}
}

func (m *machine) balanceOf(h modelHolding) model.Grams {
	return model.Grams(m.query(`SELECT w.quantity_grams FROM wallets w JOIN tenants t ON t.number = w.tenant
		JOIN vintages v ON v.number = w.vintage WHERE t.name = $1 AND v.id = $2`, h.tenant, h.vintage))
}

// TestServiceIsTheModel drives random operations of two tenants and of the
// operator through the service and through the model.
func TestServiceIsTheModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		m := newMachine(t)
		defer m.Close()
		rt.Repeat(map[string]func(*rapid.T){
			"offer": m.offer, "withdraw": m.withdraw, "import": m.importOne, "recall": m.recall, "settle": m.settleOne, "complete": m.completeOne,
			"retire": m.retireOnce, "retire again": m.retireOnce, "retire once more": m.retireOnce,
			"close month": func(rt *rapid.T) {
				if m.calls == 0 {
					rt.Skip()
				}
				m.model.closeMonth()
				if _, err := m.closeMonth(); err != nil {
					rt.Fatal(err)
				}
			},
			"": func(rt *rapid.T) { m.tick() },
		})
		m.compare(rt)
		checkBooks(t, m.fixture)
	})
}
