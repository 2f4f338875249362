package marketplace

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"tonne/api/marketplace/exchange"
	"tonne/api/marketplace/intake"
)

// BenchmarkImportOrders imports files of sell orders into a database file. Purchases wait
// meanwhile. The time of a line and the memory must not grow with the file.
func BenchmarkImportOrders(b *testing.B) {
	for _, lines := range []int{10_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprint("lines=", lines), func(b *testing.B) {
			var most uint64
			for b.Loop() {
				b.StopTimer()
				path := filepath.Join(b.TempDir(), "market.db")
				m := largeMarket(b, path, lines)
				file := writeOrders(b, m.Marketplace, lines)
				b.StartTimer()
				n := 0
				err := m.Operate(b.Context(), "import", func(c *exchange.Change) {
					exchange.ImportOrders(c, sellerTenant, intake.Orders(file), func(exchange.ImportedOrder) {
						if n++; n%50_000 == 0 {
							most = max(most, heapInUse())
						}
					})
				})
				b.StopTimer()
				if err != nil || n != lines {
					b.Fatal(n, err)
				}
				if err := m.Close(); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
			}
			b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/float64(lines)*1e6, "µs/line")
			b.ReportMetric(float64(most)/(1<<20), "MiB-heap")
		})
	}
}

func heapInUse() uint64 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapInuse
}

// writeOrders writes a file of orders for the vintages of a market.
func writeOrders(b *testing.B, m *Marketplace, lines int) *os.File {
	b.Helper()
	projects, err := m.catalogue()
	if err != nil {
		b.Fatal(err)
	}
	file, err := os.Create(filepath.Join(b.TempDir(), "orders.csv"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = file.Close() })
	out := bufio.NewWriter(file)
	fmt.Fprintln(out, "vintage_id,quantity_grams,price_cents,sell_order_id")
	for i := range lines {
		p := projects[i%len(projects)]
		fmt.Fprintf(out, "%s,%d,%d,own%d\n", p.Vintages[i/len(projects)%len(p.Vintages)].ID, 1_000_000*(1+i%50), 500+i%300, i)
	}
	if err := out.Flush(); err != nil {
		b.Fatal(err)
	}
	return file
}
