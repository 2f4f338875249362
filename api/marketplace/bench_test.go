package marketplace

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tonne/api/marketplace/exchange"
	"tonne/api/marketplace/postgres/postgrestest"
	must "tonne/model/musttest"
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
		return fmt.Sprintf("WITH RECURSIVE n(i) AS (SELECT CAST(%d AS bigint) UNION ALL SELECT i + 1 FROM n WHERE i < %d) ",
			from, to-1)
	}
	statements := []string{
		fmt.Sprintf(`INSERT INTO projects (id, name, type, country, registry, registry_number, registry_url, description,
			live_orders)
			%s SELECT '003' || (100000000000000 + i), 'P', 'Wind', 'SE', 1, '1', '', '', %d FROM
			n`, rows(0, projects), ordersPerProject),
		fmt.Sprintf(`INSERT INTO vintages (id, project, year, registry_url, next_serial, serial_batch)
			%s SELECT '004' || (100000000000000 + i), i / %d + 2, 2015 + i %% %d, '', 1, 1000 FROM n`,
			rows(0, vintages), vintagesPerProject, vintagesPerProject),
	}
	// A server cancels a statement that takes too long.
	for from := 0; from < projects*ordersPerProject; from += 50_000 {
		statements = append(statements,
			fmt.Sprintf(`INSERT INTO sell_orders (id, project, vintage, seller, state, price_cents, quantity_grams)
			%s SELECT '006' || (100000000000000 + i), i %% %d / %d + 2, i %% %d + 3, %d, 'LIVE', 500 + i * 7919 %% 300, 1000000 *
			(1 + i %% 977) FROM n`,
				rows(from, min(from+50_000, projects*ordersPerProject)), vintages, vintagesPerProject, vintages, d.Seller))
	}
	statements = append(statements,
		"INSERT INTO market_projects (project, version, listing, mark) SELECT number, 1, 1, number FROM projects WHERE number > 1", "ANALYZE")
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
				get := func(page int, known bool) (bytes int) {
					header := []string{"Accept-Encoding", "gzip"}
					if known {
						header = append(header, ifNoneMatch, tags[page])
					}
					w := d.Get(fmt.Sprint("/api/market?page=", page+1), header...)
					tags[page] = w.Header().Get("ETag")
					return w.Body.Len()
				}
				sweep := func(known bool) (bytes int) {
					for page := range tags {
						bytes += get(page, known)
					}
					return bytes
				}
				order := d.Text("SELECT id FROM sell_orders LIMIT 1")
				sweep(false)
				for _, poll := range []struct {
					name string
					run  func() int
				}{
					{"full", func() int { return sweep(false) }},
					// The version in the answer says that the other pages are the same, too.
					{"unchanged", func() int { return get(0, true) }},
					{"one change", func() int {
						d.Do(func(c *exchange.Change) {
							s := exchange.FindOrder(c, order)
							exchange.SetPrice(c, s, s.Price+1)
						})
						return sweep(true)
					}},
				} {
					b.Run(poll.name, func(b *testing.B) {
						bytes := 0
						for b.Loop() {
							bytes += poll.run()
						}
						b.ReportMetric(float64(bytes)/float64(b.N), "B/poll")
					})
				}
			})
		})
	}
}

// crowd is a service with many buyers, and as many projects with an order each.
type crowd struct {
	*fixture
	keys      []string
	purchases []body
}

func newCrowd(b *testing.B, path string, buyers int) *crowd {
	c := &crowd{fixture: openFixture(b, path, Options{RatePerSecond: -1})}
	for i := range buyers {
		_, of := c.AddProject(fmt.Sprint(2000+i), "SE", "Wind", 2020)
		purchase := c.Purchase("", 1_000_000, c.Sell(of[0], 1_000_000_000, 620)).With(body{"vintage_id": of[0].ID})
		c.purchases = append(c.purchases, purchase)
		c.keys = append(c.keys, c.NewKey(fmt.Sprint("Buyer ", i), exchange.RoleAPIUser))
	}
	return c
}

// buy buys a tonne in a project. The service may refuse it only if it is busy.
func (c *crowd) buy(client, project int, external ...any) {
	w := c.Retire(c.keys[client], c.purchases[project].With(body{"external_id": fmt.Sprint(external...)}))
	must.Hold(c, w.Code == http.StatusOK || w.Code == http.StatusServiceUnavailable, w.Code, w.Body)
}

// bought returns the number of purchases so far.
func (c *crowd) bought() int64 { return c.Number("SELECT count(*) FROM trades WHERE type = 'BUY'") }

// BenchmarkPurchases buys with many clients at once: each in its own project, and all in one.
// It compares PostgreSQL with pgbench on the same server.
func BenchmarkPurchases(b *testing.B) {
	const mostClients = 64
	var prepared sync.Once
	for _, clients := range []int{1, 8, 32, mostClients} {
		for name, projects := range map[string]int{"own_projects": clients, "one_project": 1} {
			b.Run(fmt.Sprintf("clients=%d/%s", clients, name), func(b *testing.B) {
				onEachEngine(b, func(b *testing.B, path string) {
					c := newCrowd(b, path, clients)
					var took time.Duration
					var peer []float64
					for round := 0; b.Loop(); round++ {
						_, total := rush(clients, max(256/clients, 4), func(client, n int) {
							c.buy(client, client%projects, round, "-", n)
						})
						if took += total; OnServer(path) {
							prepared.Do(func() { pgbench(b, "-i", "-I", "dtGp", "-s", fmt.Sprint(mostClients)) })
							said := pgbench(b, "-n", "-M", "prepared", "-j", "2", "-t", fmt.Sprint(2048/clients), "-c", fmt.Sprint(clients))
							var tps float64
							must.Get(fmt.Sscanf(said[strings.Index(said, "tps ="):], "tps = %f", &tps))
							peer = append(peer, tps)
						}
					}
					perSecond := float64(c.bought()) / took.Seconds()
					b.ReportMetric(perSecond, "purchases/s")
					if OnServer(path) {
						slices.Sort(peer)
						b.ReportMetric(perSecond/peer[len(peer)/2], "×pgbench")
					}
					b.ReportMetric(0, "ns/op")
				})
			})
		}
	}
}

// pgbench runs the program in the public schema of the server that Database uses.
func pgbench(b *testing.B, args ...string) (output string) {
	server := postgrestest.Shared(b)
	return must.Get(server.Output("pgbench", append(args, postgrestest.Address("postgres", server))...))
}
