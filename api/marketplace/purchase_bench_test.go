package marketplace

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tonne/api/marketplace/exchange"
)

// oneByOne is a database whose changes are committed each by itself.
type oneByOne struct {
	exchange.Database
	mu sync.Mutex
}

func (d *oneByOne) Write(ctx context.Context, fn func(exchange.Tx) error, lockKeys ...string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.Database.Write(ctx, fn, lockKeys...)
}

// buyers sends purchases of so many clients at once, each from an order of its
// own, and returns how long each took.
func buyers(b *testing.B, d *fixture, orders []string, each int, name string) (took []time.Duration) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	for client, order := range orders {
		wg.Go(func() {
			for n := range each {
				start := time.Now()
				w := d.purchase(order, fmt.Sprint(name, "-", client, "-", n))
				one := time.Since(start)
				if w.Code != http.StatusOK {
					b.Error(w.Code, w.Body)
					return
				}
				mu.Lock()
				took = append(took, one)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return took
}

// BenchmarkPurchases compares purchases that are committed together with ones
// that are committed each by itself, in turns, for one client and for many.
func BenchmarkPurchases(b *testing.B) {
	for _, clients := range []int{1, 8, 32} {
		b.Run(fmt.Sprint("clients=", clients), func(b *testing.B) {
			d := openFixture(b, tempDatabase(b), Options{RatePerSecond: -1})
			orders := make([]string, clients)
			for i := range orders {
				orders[i] = d.sell(d.vintages[0], 1_000_000_000, 620)
			}
			together, single := d.db, &oneByOne{Database: d.db}
			var spent [2]time.Duration
			var all [2][]time.Duration
			var wrote [2]int64
			for n := 0; b.Loop(); n++ {
				for kind, db := range []exchange.Database{together, single} {
					d.db = db
					start, before := time.Now(), written()
					all[kind] = append(all[kind], buyers(b, d, orders, max(64/clients, 4), fmt.Sprint(kind, "-", n))...)
					spent[kind] += time.Since(start)
					wrote[kind] += written() - before
				}
			}
			for kind := range all {
				slices.Sort(all[kind])
			}
			median := func(kind int) float64 { return float64(all[kind][len(all[kind])/2].Microseconds()) }
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(len(all[0]))/spent[0].Seconds(), "purchases/s")
			b.ReportMetric(spent[1].Seconds()/spent[0].Seconds(), "throughput/single")
			b.ReportMetric(float64(wrote[0])/1000/float64(len(all[0])), "kB/purchase")
			b.ReportMetric(float64(wrote[1])/1000/float64(len(all[1])), "single-kB/purchase")
			b.ReportMetric(median(0), "p50-µs")
			b.ReportMetric(median(0)/median(1), "p50/single")
		})
	}
}

// written is how many bytes the process has written into files, the log of a
// database and what is moved out of it; 0 where the system does not say.
func written() (bytes int64) {
	text, _ := os.ReadFile("/proc/self/io")
	_, after, _ := strings.Cut(string(text), "wchar: ")
	_, _ = fmt.Sscan(after, &bytes)
	return bytes
}
