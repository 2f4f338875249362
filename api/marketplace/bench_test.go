package marketplace

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"tonne/api/marketplace/exchange"
	"tonne/api/marketplace/postgres/postgrestest"
)

// Each project of the large market has five vintages of ten orders, so that a page of twenty
// projects shows a thousand orders.
const (
	vintagesPerProject = 5
	ordersPerProject   = 50
)

// largeMarket is a service with many sell orders.
func largeMarket(b *testing.B, path string, orders int) *fixture {
	b.Helper()
	d := openFixture(b, path, Options{RatePerSecond: -1})
	projects := max(orders/ordersPerProject, 1)
	vintages := projects * vintagesPerProject
	rows := func(from, to int) string {
		return fmt.Sprintf("WITH RECURSIVE n(i) AS (SELECT CAST(%d AS bigint) UNION ALL SELECT i + 1 FROM n WHERE i < %d) ", from, to-1)
	}
	statements := []string{
		fmt.Sprintf(`INSERT INTO projects (id, name, type, country, registry, registry_number, registry_url, description, live_orders)
			%s SELECT '003' || (100000000000000 + i), 'P', 'Wind', 'SE', 1, '1', '', '', %d FROM n`, rows(0, projects), ordersPerProject),
		fmt.Sprintf(`INSERT INTO vintages (id, project, year, registry_url, next_serial, serial_batch)
			%s SELECT '004' || (100000000000000 + i), i / %d + 2, 2015 + i %% %d, '', 1, 1000 FROM n`,
			rows(0, vintages), vintagesPerProject, vintagesPerProject),
	}
	// A server cancels a statement that takes too long.
	for from := 0; from < projects*ordersPerProject; from += 50_000 {
		statements = append(statements, fmt.Sprintf(`INSERT INTO sell_orders (id, project, vintage, seller, state, price_cents, quantity_grams)
			%s SELECT '006' || (100000000000000 + i), i %% %d / %d + 2, i %% %d + 3, %d, 'LIVE', 500 + i * 7919 %% 300, 1000000 * (1 + i %% 977) FROM n`,
			rows(from, min(from+50_000, projects*ordersPerProject)), vintages, vintagesPerProject, vintages, d.Seller))
	}
	statements = append(statements, "INSERT INTO market_projects (project, version, listing, mark) SELECT number, 1, 1, number FROM projects WHERE number > 1", "ANALYZE")
	d.Do(func(c *exchange.Change) {
		c.Exclusive()
		for _, sql := range statements {
			c.Exec(sql)
		}
	})
	return d
}

// onEachEngine runs a benchmark on empty databases of both engines.
func onEachEngine(b *testing.B, run func(b *testing.B, path string)) {
	b.Run("sqlite", func(b *testing.B) { run(b, tempDatabase(b)) })
	b.Run("postgres", func(b *testing.B) { run(b, postgrestest.Database(b)) })
}

// BenchmarkMarketPages answers requests for all pages of markets of many sizes: full ones, ones of
// a client that has the page, and ones after a change of one price.
func BenchmarkMarketPages(b *testing.B) {
	for _, orders := range []int{1000, 100_000, 1_000_000} {
		b.Run(fmt.Sprint("orders=", orders), func(b *testing.B) {
			onEachEngine(b, func(b *testing.B, path string) {
				d := largeMarket(b, path, orders)
				tags := make([]string, max(orders/ordersPerProject/20, 1))
				sweep := func(known bool) (bytes int) {
					for i := range tags {
						header := []string{"Accept-Encoding", "gzip"}
						if known {
							header = append(header, ifNoneMatch, tags[i])
						}
						w := d.Get(fmt.Sprint("/api/market?page=", i+1), header...)
						tags[i], bytes = w.Header().Get("ETag"), bytes+w.Body.Len()
					}
					return bytes
				}
				order := d.Text("SELECT id FROM sell_orders LIMIT 1")
				for name, poll := range map[string]func() int{
					"full": func() int { return sweep(false) }, "unchanged": func() int { return sweep(true) },
					"one change": func() int {
						d.Do(func(c *exchange.Change) {
							s := exchange.FindOrder(c, order)
							exchange.SetPrice(c, s, s.Price+1)
						})
						return sweep(true)
					},
				} {
					b.Run(name, func(b *testing.B) {
						bytes := 0
						for b.Loop() {
							bytes += poll()
						}
						b.ReportMetric(float64(bytes)/float64(b.N), "B/poll")
					})
				}
			})
		})
	}
}

// BenchmarkPurchases buys with many clients at once: each with its own project, and all in one.
func BenchmarkPurchases(b *testing.B) {
	for _, clients := range []int{1, 8, 32, 128} {
		for _, projects := range []int{1, clients} {
			b.Run(fmt.Sprintf("clients=%d/projects=%d", clients, projects), func(b *testing.B) {
				onEachEngine(b, func(b *testing.B, path string) {
					d := openFixture(b, path, Options{RatePerSecond: -1})
					buyers := make([]body, clients)
					keys := make([]string, clients)
					for i := range buyers {
						if i < projects {
							_, of := d.AddProject(fmt.Sprint(2000+i), "SE", "Wind", 2020)
							buyers[i] = d.Purchase("", 1_000_000, d.Sell(of[0], 1_000_000_000, 620)).With(body{"vintage_id": of[0].ID})
						} else {
							buyers[i] = buyers[0]
						}
						keys[i] = d.NewKey(fmt.Sprint("Buyer ", i), exchange.RoleAPIUser)
					}
					var bought, refused atomic.Int64
					for round := 0; b.Loop(); round++ {
						var wg sync.WaitGroup
						for i, buyer := range buyers {
							wg.Go(func() {
								for n := range 4 {
									if w := d.Retire(keys[i], buyer.With(body{"external_id": fmt.Sprint(round, "-", n)})); w.Code == http.StatusOK {
										bought.Add(1)
									} else {
										refused.Add(1)
									}
								}
							})
						}
						wg.Wait()
					}
					b.ReportMetric(float64(bought.Load())/b.Elapsed().Seconds(), "purchases/s")
					b.ReportMetric(float64(refused.Load()), "refused")
				})
			})
		}
	}
}
