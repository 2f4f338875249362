package marketplace

import (
	"encoding/binary"
	"fmt"
	"os"
	"slices"
	"testing"

	"tonne/api/marketplace/exchange"
)

// writtenPages counts, by table and index, the pages that the last commits in
// the log of a database have written.
func writtenPages(b *testing.B, d *fixture, commits int) (pages map[string]int, counted int) {
	b.Helper()
	const header, frame = 32, 24 + 4096
	owner := make(map[uint32]string)
	err := d.Read(b.Context(), func(tx exchange.Tx) error {
		tx.Query("SELECT name, pageno FROM dbstat", func(row exchange.Row) {
			owner[uint32(row.Int64(1))] = row.Text(0)
		})
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	log, err := os.ReadFile(d.path + "-wal")
	if err != nil {
		b.Fatal(err)
	}
	var all []map[string]int
	of := make(map[string]int)
	for at := header; at+frame <= len(log) && slices.Equal(log[at+8:at+16], log[16:24]); at += frame {
		of[owner[binary.BigEndian.Uint32(log[at:])]]++
		if binary.BigEndian.Uint32(log[at+4:]) != 0 {
			all, of = append(all, of), make(map[string]int)
		}
	}
	pages = make(map[string]int)
	for _, of := range all[max(0, len(all)-commits):] {
		for name, n := range of {
			pages[name] += n
		}
	}
	return pages, min(commits, len(all))
}

// BenchmarkPagesOfAPurchase counts the pages of the log that a purchase by
// itself writes, after some thousand, by table and index. Run it once, with
// -benchtime 1x.
func BenchmarkPagesOfAPurchase(b *testing.B) {
	for name, grams := range map[string]string{"whole": "1000000", "fractionalised": "1500000"} {
		b.Run(name, func(b *testing.B) {
			d := openFixture(b, tempDatabase(b), Options{RatePerSecond: -1})
			order := d.sell(d.vintages[0], 1_000_000_000, 620)
			buy := func(external string) {
				d.retired(body{"vintage_id": d.vintages[0].id, "quantity_grams": grams, "external_id": external, "sell_order_id": order, "expected_price_cents": "620"})
			}
			for n := range 3000 {
				buy(fmt.Sprint("before-", n))
			}
			n := 0
			for b.Loop() {
				for range 40 {
					buy(fmt.Sprint("counted-", n))
					n++
				}
			}
			pages, commits := writtenPages(b, d, 30)
			all := 0
			for _, n := range pages {
				all += n
			}
			b.ReportMetric(float64(all)/float64(commits), "pages/purchase")
			b.ReportMetric(float64(all)*4.12/float64(commits), "kB/purchase")
			for name, n := range pages {
				b.Logf("%5.2f %s", float64(n)/float64(commits), name)
			}
		})
	}
}
