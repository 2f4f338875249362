package marketplace

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"tonne/api/marketplace/storage"
)

// Of the large market each project has five vintages of ten orders, so that a
// page of twenty projects shows a thousand orders.
const (
	vintagesPerProject = 5
	ordersPerVintage   = 10
	ordersPerProject   = vintagesPerProject * ordersPerVintage
)

// largeMarket is a service on a file with so many sell orders.
func largeMarket(b *testing.B, path string, orders int) *fixture {
	b.Helper()
	d := openFixture(b, path, Options{RatePerSecond: -1})
	projects := max(orders/ordersPerProject, 1)
	d.do(func(c *change) error {
		for _, sql := range []string{
			"DROP INDEX sell_orders_live",
			fmt.Sprintf(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)
				INSERT INTO projects (id, name, type, country, registry, registry_number, registry_url, description, live_orders)
				SELECT printf('003%%015d', i), 'P', 'Wind', 'SE', 1, '1', '', '', %d FROM n`, projects, ordersPerProject),
			fmt.Sprintf(`WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < %d)
				INSERT INTO vintages (id, project, year, registry_url, next_serial, serial_batch)
				SELECT printf('004%%015d', i), i / %d + 2, 2015 + i %% %d, '', 1, 1000 FROM n`,
				projects*vintagesPerProject-1, vintagesPerProject, vintagesPerProject),
			// Orders lie in the order of their arrival, not of their projects.
			fmt.Sprintf(`WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < %d)
				INSERT INTO sell_orders (id, project, vintage, seller, state, price_cents, quantity_grams)
				SELECT printf('006%%015d', i), i %% %d / %d + 2, i %% %d + 3, %d, 'LIVE', 500 + i * 7919 %% 300, 1000000 * (1 + i %% 977) FROM n`,
				projects*ordersPerProject-1, projects*vintagesPerProject, vintagesPerProject, projects*vintagesPerProject, d.seller),
			"CREATE INDEX sell_orders_live ON sell_orders (project, vintage, price_cents, id, quantity_grams) WHERE state = 'LIVE'",
			"UPDATE market_state SET listing = listing + 1, version = version + 1",
			"ANALYZE",
		} {
			if err := c.exec(sql); err != nil {
				return err
			}
		}
		return nil
	})
	return d
}

// BenchmarkMarketPage reads one page of twenty projects: the first, one in
// the middle and the last, of markets of many sizes. The page is made anew
// each time.
func BenchmarkMarketPage(b *testing.B) {
	for _, orders := range []int{100, 1000, 10_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprint("orders=", orders), func(b *testing.B) {
			path := tempDatabase(b)
			d := largeMarket(b, path, orders)
			pages := max(orders/ordersPerProject/20, 1)
			for _, page := range []struct {
				name   string
				number int
			}{{"first", 1}, {"middle", (pages + 1) / 2}, {"last", pages}} {
				b.Run(page.name, func(b *testing.B) { benchmarkPage(b, d, page.number) })
			}
			b.Run("bare select", func(b *testing.B) { benchmarkBareSelect(b, d, path) })
			b.Run("handler", func(b *testing.B) { benchmarkHandler(b, d, pages) })
		})
	}
}

func benchmarkPage(b *testing.B, d *fixture, page int) {
	size := 0
	for b.Loop() {
		err := d.Read(b.Context(), func(tx storage.Tx) error {
			market, err := storage.ReadMarket(tx)
			if err != nil {
				return err
			}
			place, err := d.placeOf(tx, market, pageKey{page, 20})
			if err != nil {
				return err
			}
			body, err := writePage(tx, place)
			size = len(body)
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(size), "B/page")
}

// benchmarkHandler answers whole requests, with the key and the log, in turn
// for all pages.
func benchmarkHandler(b *testing.B, d *fixture, pages int) {
	h := d.Handler()
	page := 0
	for b.Loop() {
		page = page%pages + 1
		r := httptest.NewRequest(http.MethodGet, fmt.Sprint("/api/market?page=", page), nil)
		r.Header.Set("Authorization", "Bearer "+d.key)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != http.StatusOK {
			b.Fatal(w.Body)
		}
	}
}
