package marketplace

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"tonne/api/marketplace/exchange"
)

// took are the times of purchases.
type took []time.Duration

// p is how long so large a share of them took at most, in microseconds.
func (t took) p(share float64) float64 {
	slices.Sort(t)
	return float64(t[min(int(float64(len(t))*share), len(t)-1)].Microseconds())
}

// rush buys with clients at once, each some times, and returns how long the
// purchases took, how many were refused, and how long all of it took.
func rush(clients, each int, buy func(client, n int) (status int)) (times took, refused int, all time.Duration) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	begin := time.Now()
	for client := range clients {
		wg.Go(func() {
			for n := range each {
				start := time.Now()
				status := buy(client, n)
				one := time.Since(start)
				mu.Lock()
				if status == http.StatusOK {
					times = append(times, one)
				} else {
					refused++
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return times, refused, time.Since(begin)
}

// BenchmarkPurchasesOnServer compares purchases on PostgreSQL with the
// transactions of pgbench on the same server, in turns: each client a tenant and
// its own project, and all in one project.
func BenchmarkPurchasesOnServer(b *testing.B) {
	const most = 128
	server := startPostgres(b, unsafely...)
	peers, err := preparePgbench(b.Context(), server, 32)
	if err != nil {
		b.Fatal(err)
	}
	c := newCrowd(b, databaseOn(b, server, "purchases"), most)
	run := 0
	for _, clients := range []int{1, 8, 32, 64, most} {
		for name, project := range map[string]func(client int) int{
			"projects": func(client int) int { return client }, "one project": func(int) int { return 0 },
		} {
			b.Run(fmt.Sprintf("%s/clients=%d", name, clients), func(b *testing.B) {
				var all took
				var spent time.Duration
				busy, peer, rounds := 0, 0., 0
				for b.Loop() {
					run++
					rounds++
					each, refused, lasted := rush(clients, max(512/clients, 4), func(client, n int) int {
						return c.buy(client, project(client), fmt.Sprint(run, "-", client, "-", n)).Code
					})
					all, busy, spent = append(all, each...), busy+refused, spent+lasted
					tps, err := pgbench(server, peers, clients, 2)
					if err != nil {
						b.Fatal(err)
					}
					peer += tps
				}
				a := float64(len(all)) / spent.Seconds()
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(a, "purchases/s")
				b.ReportMetric(peer/float64(rounds), "pgbench/s")
				b.ReportMetric(a/(peer/float64(rounds)), "×pgbench")
				b.ReportMetric(all.p(0.5), "p50-µs")
				b.ReportMetric(all.p(0.99), "p99-µs")
				b.ReportMetric(float64(busy), "refused")
			})
		}
	}
}

// BenchmarkTwoInstances compares the same clients on one instance and on two, in
// turns: purchases, and pages that are kept.
func BenchmarkTwoInstances(b *testing.B) {
	const clients, each = 32, 16
	server := startPostgres(b, unsafely...)
	c := newCrowd(b, databaseOn(b, server, "instances"), clients)
	other := *c
	another := *c.fixture
	other.fixture = &another
	other.Marketplace = open(b, c.path, Options{RatePerSecond: -1, Now: c.clock.Now})
	instances := [2]*crowd{c, &other}
	var spent [2]time.Duration
	var bought [2]int
	var pages [2]took
	for client := range 2 * clients {
		// Their connections are there.
		instances[client%2].buy(client/2, client/2, fmt.Sprint("warm-", client))
	}
	for round := 0; b.Loop(); round++ {
		for kind := range spent {
			all, _, lasted := rush(clients, each, func(client, n int) int {
				return instances[client%2*kind].buy(client, client, fmt.Sprint(round, "-", kind, "-", client, "-", n)).Code
			})
			spent[kind], bought[kind] = spent[kind]+lasted, bought[kind]+len(all)
		}
		for n := range 4 {
			pages[n%2] = append(pages[n%2], instances[n%2].ask(b, 50)...)
		}
	}
	rate := func(kind int) float64 { return float64(bought[kind]) / spent[kind].Seconds() }
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(rate(0), "one/s")
	b.ReportMetric(rate(1), "two/s")
	b.ReportMetric(rate(1)/rate(0), "×one")
	b.ReportMetric(pages[1].p(0.5)/pages[0].p(0.5), "×page")
}

// ask asks for a page that is kept, some times.
func (c *crowd) ask(b *testing.B, times int) (all took) {
	for range times {
		start := time.Now()
		if w := c.get("/api/market"); w.Code != http.StatusOK {
			b.Fatal(w.Body)
		}
		all = append(all, time.Since(start))
	}
	return all
}

// BenchmarkBesideOneThatWaits buys in one project, in turns alone and while a
// purchase waits in another for a change that does not end.
func BenchmarkBesideOneThatWaits(b *testing.B) {
	server := startPostgres(b, unsafely...)
	c := newCrowd(b, databaseOn(b, server, "waiting"), 8)
	var all [2]took
	rush(6, 10, func(client, n int) int { return c.buy(client+1, client+1, fmt.Sprint("warm-", client, "-", n)).Code })
	for round := 0; b.Loop(); round++ {
		for kind := range all {
			release := func() {}
			if kind == 1 {
				release = c.keepWaiting(b, round)
			}
			times, refused, _ := rush(6, 40, func(client, n int) int {
				return c.buy(client+1, client+1, fmt.Sprint(round, "-", kind, "-", client, "-", n)).Code
			})
			release()
			if refused > 0 {
				b.Errorf("%d purchases were refused", refused)
			}
			all[kind] = append(all[kind], times...)
		}
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(all[1].p(0.5)/all[0].p(0.5), "×p50")
	b.ReportMetric(all[1].p(0.99)/all[0].p(0.99), "×p99")
}

// keepWaiting makes a change of the first project that ends when it is released,
// and a purchase that waits for it.
func (c *crowd) keepWaiting(b *testing.B, round int) (release func()) {
	begun, end := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		c.do(func(ch *change) error {
			s := exchange.FindOrder(ch, c.orders[0])
			exchange.SetPrice(ch.Change, s, s.Price)
			// What waits is sent with a question.
			ch.Exec("SELECT 1")
			select {
			case <-begun:
			default:
				close(begun)
			}
			<-end
			return nil
		})
	})
	<-begun
	wg.Go(func() {
		if w := c.buy(0, 0, fmt.Sprint("waits-", round)); w.Code != http.StatusOK && w.Code != http.StatusServiceUnavailable {
			b.Error(w.Code, w.Body)
		}
	})
	return func() {
		close(end)
		wg.Wait()
	}
}

// BenchmarkPurchasesInALargeMarket buys with eight clients in markets of many
// sizes, on both engines.
func BenchmarkPurchasesInALargeMarket(b *testing.B) {
	server := startPostgres(b, unsafely...)
	for n, projects := range []int{100, 1000, 10_000} {
		for engine, path := range map[string]string{"sqlite": tempDatabase(b), "postgres": databaseOn(b, server, fmt.Sprint("large_", n))} {
			b.Run(fmt.Sprintf("%s/projects=%d", engine, projects), func(b *testing.B) {
				const clients, each = 8, 16
				d := largeMarket(b, path, projects*ordersPerProject)
				var all took
				busy := 0
				for round := 0; b.Loop(); round++ {
					times, refused, _ := rush(clients, each, func(client, n int) int {
						// The second vintage of one project after the other.
						i := ((round*clients+client)*each+n)%projects*vintagesPerProject + 1
						return d.retire(d.key, body{"vintage_id": fmt.Sprint("004", 100000000000000+i), "quantity_grams": "1000000",
							"external_id": fmt.Sprint(round, "-", client, "-", n), "sell_order_id": fmt.Sprint("006", 100000000000000+i),
							"expected_price_cents": fmt.Sprint(500 + i*7919%300)}).Code
					})
					all, busy = append(all, times...), busy+refused
				}
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(all.p(0.5), "p50-µs")
				b.ReportMetric(all.p(0.99), "p99-µs")
				b.ReportMetric(float64(busy), "refused")
			})
		}
	}
}
