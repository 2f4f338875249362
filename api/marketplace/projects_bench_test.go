package marketplace

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"tonne/api/marketplace/exchange"
)

// crowd is a fixture with several projects, an order in each, and as many
// tenants who buy.
type crowd struct {
	*fixture
	orders, vintages, keys []string
}

func newCrowd(b *testing.B, path string, n int) *crowd {
	c := &crowd{fixture: openFixture(b, path, Options{RatePerSecond: -1})}
	c.do(func(ch *change) error {
		for i := range n {
			_, of, err := addTestProject(ch, exchange.Verra, fmt.Sprint(2000+i), "SE", "Wind", 2020)
			if err != nil {
				return err
			}
			s := exchange.Offer(ch.Change, exchange.SellOrder{Vintage: of[0].Vintage, Seller: c.seller, Price: 620, Quantity: 1_000_000_000 * 1_000_000})
			c.orders, c.vintages = append(c.orders, s.ID), append(c.vintages, of[0].id)
		}
		return nil
	})
	for i := range n {
		c.keys = append(c.keys, c.newKey(fmt.Sprint("Buyer ", i), exchange.RoleAPIUser))
	}
	return c
}

// buy buys a tonne for a tenant in a project.
func (c *crowd) buy(tenant, project int, external string) *httptest.ResponseRecorder {
	return c.retire(c.keys[tenant], body{"vintage_id": c.vintages[project], "quantity_grams": "1000000",
		"external_id": external, "sell_order_id": c.orders[project], "expected_price_cents": "620"})
}

// BenchmarkCrowd buys with 64 clients: each with its own tenant and project, each with
// its own tenant in one project, and all as one tenant in different projects.
func BenchmarkCrowd(b *testing.B) {
	const clients, each = 64, 8
	for name, pick := range map[string]func(client int) (tenant, project int){
		"projects":    func(client int) (int, int) { return client, client },
		"one project": func(client int) (int, int) { return client, 0 },
		"one tenant":  func(client int) (int, int) { return 0, client },
	} {
		b.Run(name, func(b *testing.B) {
			c := newCrowd(b, tempDatabase(b), clients)
			var mu sync.Mutex
			var took []time.Duration
			busy, round := 0, 0
			start := time.Now()
			for b.Loop() {
				round++
				var wg sync.WaitGroup
				for client := range clients {
					wg.Go(func() {
						tenant, project := pick(client)
						for n := range each {
							start := time.Now()
							w := c.buy(tenant, project, fmt.Sprint(round, "-", client, "-", n))
							mu.Lock()
							if w.Code == http.StatusOK {
								took = append(took, time.Since(start))
							} else {
								busy++
							}
							mu.Unlock()
						}
					})
				}
				wg.Wait()
			}
			slices.Sort(took)
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(len(took))/time.Since(start).Seconds(), "purchases/s")
			b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
			b.ReportMetric(float64(busy), "refused")
		})
	}
}
