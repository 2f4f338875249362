package marketplace

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"sync"
	"testing"

	"tonne/api/marketplace/exchange"
	"tonne/model"
)

// TestTenClientsAThousandRequests sends random requests of two tenants at
// once, to two instances where they can share a database, then repeats those that were accepted on the model, in the order in
// which the service took them: both must have kept the same books.
func TestTenClientsAThousandRequests(t *testing.T) {
	t.Parallel()
	clients, each := 10, 100
	if raceDetector {
		each = 20
	}
	path := tempDatabase(t)
	m := &machine{fixture: openFixture(t, path, Options{RatePerSecond: -1}), model: newBookModel()}
	instances := []*fixture{m.fixture, m.fixture}
	if os.Getenv(onPostgres) != "" {
		other := *m.fixture
		other.Marketplace = open(t, path, Options{Now: m.clock.Now, RatePerSecond: -1})
		instances[1] = &other
	}
	m.ids = []string{m.vintages[0].id, m.vintages[1].id}
	for i := range 12 {
		v, grams, price := i%2, model.Grams(20+10*i)*model.GramsPerTonne, model.PriceCents(600+i)
		id := m.sellFrom(m.seller, m.vintages[v], grams, price)
		m.orders = append(m.orders, id)
		m.model.orders[id] = &modelOrder{m.ids[v], price, grams, true}
	}
	calls := make(map[string]modelCall)
	var mu sync.Mutex
	var wg sync.WaitGroup
	for client := range clients {
		random := rand.New(rand.NewPCG(1, uint64(client)))
		wg.Go(func() {
			for i := range each {
				c := m.randomCall(random, fmt.Sprint(client/3, "-", i))
				w := instances[i%2].retire(m.keyOf(c.tenant), c.body())
				if w.Code != http.StatusOK {
					refused(t, w, http.StatusUnprocessableEntity)
					continue
				}
				if id, replayed := accepted(t, w.Body.Bytes()); !replayed {
					mu.Lock()
					calls[c.tenant+c.external] = c
					mu.Unlock()
				} else if id == "" {
					t.Error("a replay without an id")
				}
			}
		})
	}
	wg.Wait()
	m.repeatOnModel(calls)
	m.compare(t)
	checkBooks(t, m.fixture)
	if len(calls) < clients*each/4 {
		t.Errorf("only %d of %d requests were accepted: too few to learn from", len(calls), clients*each)
	}
}

// randomCall is mostly possible: it names an order of its vintage.
func (m *machine) randomCall(random *rand.Rand, external string) modelCall {
	id := m.orders[random.IntN(len(m.orders))]
	o := m.model.orders[id]
	c := modelCall{tenant: ownTenant, external: external, vintage: o.vintage, order: id, price: o.price}
	if random.IntN(2) == 0 {
		c.tenant = otherTenant
	}
	c.grams = model.Grams(1 + random.Int64N(3*model.GramsPerTonne))
	if random.IntN(3) == 0 {
		c.grams = model.Grams(1+random.Int64N(2)) * model.GramsPerTonne
	}
	return c
}

// repeatOnModel makes the calls that the service accepted on the model.
func (m *machine) repeatOnModel(calls map[string]modelCall) {
	m.t.Helper()
	err := m.Read(m.t.Context(), func(tx exchange.Tx) error {
		tx.Query(`SELECT t.name, e.external_id, r.id FROM retirement_items i JOIN retirement_requests r ON r.number = i.request
			JOIN tenants t ON t.number = r.tenant JOIN external_ids e ON e.item = i.number ORDER BY i.number`, func(row exchange.Row) {
			c, known := calls[row.Text(0)+row.Text(1)]
			if !known {
				tx.Fail(fmt.Errorf("the service carried out %s %s without saying so", row.Text(0), row.Text(1)))
				return
			}
			r, replayed, code := m.model.retire(c)
			if replayed || code != "" {
				tx.Fail(fmt.Errorf("the service accepted %+v, the model says %v %q", c, replayed, code))
			}
			r.id = row.Text(2)
		})
		return nil
	})
	if err != nil {
		m.t.Fatal(err)
	}
}
