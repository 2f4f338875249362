package marketplace

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"pgregory.net/rapid"

	"tonne/api/marketplace/exchange"
	"tonne/api/wire"
	"tonne/model"
	must "tonne/model/musttest"
	"tonne/model/retirement"
)

// simulator runs the same operations on a service and on a simple model of it, and compares
// both.
type simulator struct {
	*fixture
	book   *book
	orders []string
	calls  int
}

// newSimulator returns a simulator of a service whose fixture has no sell orders yet.
func newSimulator(d *fixture) *simulator {
	return &simulator{fixture: d, book: newBook()}
}

// Actions are the operations of buyers and the operator, for rapid.T.Repeat.
func (s *simulator) Actions() map[string]func(*rapid.T) {
	return map[string]func(*rapid.T){
		"offer": s.offer, "withdraw": s.withdraw, "import": s.importOrder, "settle": s.settle, "complete": s.complete,
		"retire": s.retire, "retire again": s.retire, "retire once more": s.retire, "close month": s.closeMonth,
		// No two operations happen at the same time.
		"": func(*rapid.T) { s.Clock.Set(s.Clock.Now().Add(time.Millisecond)) },
	}
}

func (s *simulator) keyOf(tenant string) string {
	if tenant == ownTenant {
		return s.Key
	}
	return s.OtherKey
}

func (s *simulator) offer(rt *rapid.T) {
	v, grams, price := s.Vintages[rapid.IntRange(0, 1).Draw(rt, "vintage")], drawGrams(rt), drawPrice(rt)
	s.sell(v, grams, price)
}

// sell offers credits that do not come out of the seller's wallet.
func (s *simulator) sell(v vintage, grams model.Grams, price model.PriceCents) {
	id := s.SellFrom(s.Seller, v, grams, price)
	s.orders = append(s.orders, id)
	s.book.orders[id] = &bookOrder{v.ID, price, grams, true}
}

func drawGrams(rt *rapid.T) model.Grams {
	return model.Grams(rapid.Int64Range(model.GramsPerTonne, 12_000_000).Draw(rt, "grams"))
}

func drawPrice(rt *rapid.T) model.PriceCents {
	return model.PriceCents(rapid.Int64Range(1, 3).Draw(rt, "price"))
}

// importOrder adds or changes an order of the operator's file.
func (s *simulator) importOrder(rt *rapid.T) {
	line := exchange.OrderLine{
		Line: 2, SellOrderID: "own" + strconv.Itoa(rapid.IntRange(1, 3).Draw(rt, "id")), Price: drawPrice(rt),
		Quantity:  drawGrams(rt),
		VintageID: s.Vintages[rapid.IntRange(0, 1).Draw(rt, "vintage")].ID,
	}
	err := s.Change(func(c *exchange.Change) {
		exchange.ImportOrders(c, sellerTenant, maps.All(map[exchange.OrderLine]error{line: nil}),
			func(exchange.ImportedOrder) {})
	})
	o, left, fits := s.book.orders[line.SellOrderID], line.Quantity, true
	if o == nil {
		s.orders = append(s.orders, line.SellOrderID)
	} else {
		// The quantity of a line includes what was sold.
		left -= model.Grams(s.Number("SELECT coalesce(sum(t.quantity_grams), 0) FROM trades t JOIN sell_orders o ON o.number = t.sell_order WHERE o.id = $1", line.SellOrderID))
		soldOut := s.Text("SELECT state FROM sell_orders WHERE id = $1", line.SellOrderID) == exchange.Sold
		fits = o.vintage == line.VintageID &&
			(o.live && left >= model.GramsPerTonne || soldOut && left >= 0 && left < model.GramsPerTonne)
	}
	must.Need(rt, (err == nil) == fits, line, o, err)
	if fits && (o == nil || o.live) {
		s.book.offer(line.SellOrderID, line.VintageID, line.Price, left)
	}
}

func (s *simulator) withdraw(rt *rapid.T) {
	if len(s.orders) == 0 {
		rt.Skip()
	}
	id := rapid.SampledFrom(s.orders).Draw(rt, "order")
	err := s.Change(func(c *exchange.Change) { exchange.WithdrawOrder(c, id) })
	o := s.book.orders[id]
	must.Need(rt, (err == nil) == o.live, "withdrawing", o, err)
	if o.live {
		s.book.withdraw(o)
	}
}

// drawCall draws a call that is well-formed, and often possible.
func (s *simulator) drawCall(rt *rapid.T) retirementCall {
	c := retirementCall{
		tenant:  rapid.SampledFrom([]string{ownTenant, otherTenant}).Draw(rt, "tenant"),
		vintage: s.Vintages[rapid.IntRange(0, 1).Draw(rt, "vintage")].ID,
		order:   rapid.SampledFrom(append([]string{"", "006nope"}, s.orders...)).Draw(rt, "order"),
		price:   drawPrice(rt),
	}
	tonnes := rapid.Map(rapid.Int64Range(1, 4), func(t int64) int64 { return t * model.GramsPerTonne })
	c.grams = model.Grams(rapid.OneOf(rapid.Int64Range(1, 4_000_000), tonnes).Draw(rt, "grams"))
	if o := s.book.orders[c.order]; o != nil && rapid.IntRange(0, 9).Draw(rt, "fitting") > 0 {
		c.vintage, c.price = o.vintage, o.price
	}
	s.calls++
	c.external = strconv.Itoa(rapid.IntRange(max(1, s.calls-3), s.calls).Draw(rt, "external"))
	return c
}

func (c retirementCall) body() body {
	b := body{"vintage_id": c.vintage, "quantity_grams": c.grams.String(), "external_id": c.external}
	if c.order != "" {
		b["sell_order_id"], b["expected_price_cents"] = c.order, c.price.String()
	}
	return b
}

func (s *simulator) retire(rt *rapid.T) {
	c := s.drawCall(rt)
	r, replayed, code := s.book.retire(c)
	w := s.Retire(s.keyOf(c.tenant), c.body())
	if code != "" {
		f := wire.DecodeFailure(w.Body.Bytes())
		must.Need(rt, w.Code == http.StatusUnprocessableEntity && f.Code == code, c, w.Code, w.Body, code)
		return
	}
	id, again := s.Accepted(w)
	if r.id == "" {
		r.id = id
	}
	must.Need(rt, r.id == id && again == replayed, c, w.Body, r.id, replayed)
}

func (s *simulator) settle(rt *rapid.T) {
	if len(s.book.invoices) == 0 {
		rt.Skip()
	}
	one := rapid.SampledFrom(slices.SortedFunc(maps.Keys(s.book.invoices), account.compare)).Draw(rt, "invoice")
	want := s.book.settle(s.book.invoices[one])
	id := s.Text("SELECT i.id "+invoiceOf, one.tenant, one.period)
	err := s.Settle(id)
	must.Need(rt, (err == nil) == want, "settling", one, err)
}

// invoiceOf selects the invoice of a tenant in a month, counted from 0.
const invoiceOf = `FROM invoices i JOIN tenants t ON t.number = i.tenant
	WHERE t.name = $1 AND (SELECT count(*) FROM periods p WHERE p.number < i.period) = $2`

func (s *simulator) complete(rt *rapid.T) {
	s.adoptIDs()
	if len(s.book.requests) == 0 {
		rt.Skip()
	}
	r := rapid.SampledFrom(s.book.requests).Draw(rt, "request")
	want := r.status == retirement.InProgress
	err := s.Complete(r.id)
	must.Need(rt, (err == nil) == want, "completing", r, err)
	if want {
		r.status = retirement.Complete
	}
}

func (s *simulator) closeMonth(rt *rapid.T) {
	if s.calls == 0 {
		rt.Skip()
	}
	s.book.closeMonth()
	s.CloseMonth()
}

// adoptIDs reads the ids of the requests that a month's end added.
func (s *simulator) adoptIDs() {
	for _, r := range s.book.requests {
		if r.id == "" {
			r.id = s.Text(`SELECT r.id FROM retirement_requests r JOIN tenants t ON t.number = r.tenant JOIN vintages v ON
				v.number = r.vintage
				WHERE t.name = $1 AND v.id = $2 AND r.type = 'FRACTIONALISED' AND (SELECT count(*) FROM periods p WHERE p.number <
				r.period) = $3`,
				r.tenant, r.vintage, r.period)
		}
	}
}

// Compare checks that the service and the model have the same state.
func (s *simulator) Compare(t must.Test) {
	s.Helper()
	s.adoptIDs()
	for _, r := range s.book.requests {
		w := call(s.Marketplace, s.keyOf(r.tenant), http.MethodGet, "/api/retirement?id="+r.id, "")
		have, err := wire.DecodeRetirement(w.Body.Bytes())
		must.Need(t, err == nil && have.Status == r.status && have.Type == r.kind &&
			have.TotalQuantity == r.total() && len(have.Items) == len(r.items), "request", r, w.Body, err)
		for i, item := range have.Items {
			must.Need(t, item.Quantity == r.items[i], "item", i, "of request", r, w.Body)
		}
		must.Need(t, (len(have.SerialNumbers) > 0) == (r.status == retirement.Complete), "request", r,
			have.SerialNumbers)
	}
	for h, grams := range s.book.wallets {
		have := s.Number(`SELECT w.quantity_grams FROM wallets w JOIN tenants t ON t.number = w.tenant
			JOIN vintages v ON v.number = w.vintage WHERE t.name = $1 AND v.id = $2`, h.tenant, h.vintage)
		must.Need(t, model.Grams(have) == grams, "wallet", h, have, grams)
	}
	for id, o := range s.book.orders {
		left := s.Number("SELECT quantity_grams FROM sell_orders WHERE id = $1", id)
		must.Need(t, model.Grams(left) == o.left, "order", id, left, o.left)
	}
	for key, invoice := range s.book.invoices {
		total := s.Number("SELECT i.total_cents "+invoiceOf, key.tenant, key.period)
		must.Need(t, model.Cents(total) == invoice.total, "invoice", key, total, invoice.total)
	}
	s.CheckBooks()
}

// Rush sends random requests of both buyers from many clients at once, to the instances in
// turns. It repeats the accepted ones on the model, in the order in which the service
// processed them, and compares.
func (s *simulator) Rush(clients, each int, instances ...*fixture) {
	s.Helper()
	for i := range 12 {
		// Most calls can buy, and the small orders are sold out.
		tonnes := (20 + 10*i) * (1 + each/100)
		s.sell(s.Vintages[i%2], model.Grams(tonnes)*model.GramsPerTonne, model.PriceCents(600+i))
	}
	calls := make(map[[2]string]retirementCall)
	var mu sync.Mutex
	var wg sync.WaitGroup
	for client := range clients {
		random := rand.New(rand.NewPCG(1, uint64(client)))
		wg.Go(func() {
			for i := range each {
				// Three clients use the same external ids.
				c := s.randomCall(random, fmt.Sprint(client/3, "-", i))
				w := instances[i%len(instances)].Retire(s.keyOf(c.tenant), c.body())
				for tries := 1; w.Code == http.StatusServiceUnavailable && tries < 10; tries++ {
					w = instances[i%len(instances)].Retire(s.keyOf(c.tenant), c.body())
				}
				if w.Code != http.StatusOK {
					s.Refused(w, http.StatusUnprocessableEntity)
					continue
				}
				if _, replayed := s.Accepted(w); !replayed {
					mu.Lock()
					calls[[2]string{c.tenant, c.external}] = c
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	s.repeat(calls)
	s.Compare(s)
	must.Hold(s, len(calls) >= clients*each/4, "only", len(calls), clients*each)
}

// randomCall is mostly possible: it names an order of its vintage.
func (s *simulator) randomCall(random *rand.Rand, external string) retirementCall {
	id := s.orders[random.IntN(len(s.orders))]
	o := s.book.orders[id]
	c := retirementCall{tenant: ownTenant, external: external, vintage: o.vintage, order: id, price: o.price}
	if random.IntN(2) == 0 {
		c.tenant = otherTenant
	}
	c.grams = model.Grams(1 + random.Int64N(3*model.GramsPerTonne))
	if random.IntN(3) == 0 {
		c.grams = model.Grams(1+random.Int64N(2)) * model.GramsPerTonne
	}
	return c
}

func (s *simulator) repeat(calls map[[2]string]retirementCall) {
	s.Helper()
	const processed = `SELECT t.name, e.external_id, r.id FROM retirement_items i JOIN retirement_requests r ON r.number =
		i.request
		JOIN tenants t ON t.number = r.tenant JOIN external_ids e ON e.item = i.number ORDER BY i.number`
	check := func(row exchange.Row) {
		c, known := calls[[2]string{row.Text(0), row.Text(1)}]
		if !known {
			s.Errorf("the service processed %s %s and did not acknowledge it", row.Text(0), row.Text(1))
			return
		}
		r, replayed, code := s.book.retire(c)
		if replayed || code != "" {
			s.Errorf("the service accepted %+v, the model has %v %q", c, replayed, code)
			return
		}
		r.id = row.Text(2)
	}
	must.Succeed(s, s.Read(s.Context(), func(tx exchange.Tx) error {
		tx.Query(processed, check)
		return nil
	}))
}
