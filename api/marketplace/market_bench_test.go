package marketplace

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/jackc/pgx/v5"

	"tonne/api/marketplace/exchange"
	"tonne/api/marketplace/postgres/postgrestest"
)

// Of the large market each project has five vintages of ten orders, so that a
// page of twenty projects shows a thousand orders.
const (
	vintagesPerProject = 5
	ordersPerVintage   = 10
	ordersPerProject   = vintagesPerProject * ordersPerVintage
)

// largeMarket is a service on a database with so many sell orders.
func largeMarket(b *testing.B, path string, orders int) *fixture {
	b.Helper()
	d := openFixture(b, path, Options{RatePerSecond: -1})
	d.do(func(c *change) error { return fillMarket(c, orders, d.seller, OnServer(path)) })
	return d
}

// fillMarket puts so many sell orders into an empty market.
func fillMarket(c *change, orders int, seller int64, onServer bool) error {
	c.Exclusive()
	projects := max(orders/ordersPerProject, 1)
	rows := func(from, to int) string {
		return fmt.Sprintf("WITH RECURSIVE n(i) AS (SELECT CAST(%d AS bigint) UNION ALL SELECT i + 1 FROM n WHERE i < %d) ", from, to-1)
	}
	// SQLite is given the index afterwards; PostgreSQL keeps it up as quickly.
	dropped, made := "DROP INDEX sell_orders_live",
		"CREATE INDEX sell_orders_live ON sell_orders (project, vintage, price_cents, id, quantity_grams) WHERE state = 'LIVE'"
	if onServer {
		dropped, made = "SELECT 1", "SELECT 1"
	}
	vintages := projects * vintagesPerProject
	statements := []string{
		dropped,
		fmt.Sprintf(`INSERT INTO projects (id, name, type, country, registry, registry_number, registry_url, description, live_orders)
			%s SELECT '003' || (100000000000000 + i), 'P', 'Wind', 'SE', 1, '1', '', '', %d FROM n`, rows(0, projects), ordersPerProject),
		fmt.Sprintf(`INSERT INTO vintages (id, project, year, registry_url, next_serial, serial_batch)
			%s SELECT '004' || (100000000000000 + i), i / %d + 2, 2015 + i %% %d, '', 1, 1000 FROM n`,
			rows(0, vintages), vintagesPerProject, vintagesPerProject),
	}
	// The server cancels a statement that takes too long. Orders are stored in the order
	// of their arrival, not of their projects.
	for from := 0; from < projects*ordersPerProject; from += 50_000 {
		statements = append(statements, fmt.Sprintf(`INSERT INTO sell_orders (id, project, vintage, seller, state, price_cents, quantity_grams)
			%s SELECT '006' || (100000000000000 + i), i %% %d / %d + 2, i %% %d + 3, %d, 'LIVE', 500 + i * 7919 %% 300, 1000000 * (1 + i %% 977) FROM n`,
			rows(from, min(from+50_000, projects*ordersPerProject)), vintages, vintagesPerProject, vintages, seller))
	}
	for _, sql := range append(statements,
		made,
		"INSERT INTO market_projects (project, version, listing, mark) SELECT number, 1, 1, number FROM projects WHERE number > 1",
		"ANALYZE",
	) {
		if err := c.exec(sql); err != nil {
			return err
		}
	}
	return nil
}

// BenchmarkMarketPage reads one page of twenty projects: the first, one in
// the middle and the last, of markets of many sizes. The page is built again
// each time.
func BenchmarkMarketPage(b *testing.B) {
	for _, orders := range []int{100, 1000, 10_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprint("orders=", orders), func(b *testing.B) {
			path := tempDatabase(b)
			d := largeMarket(b, path, orders)
			benchmarkPages(b, d, orders)
			b.Run("bare select", func(b *testing.B) { benchmarkBareSelect(b, d, path) })
		})
	}
}

func benchmarkPages(b *testing.B, d *fixture, orders int) {
	pages := max(orders/ordersPerProject/20, 1)
	for _, page := range []struct {
		name   string
		number int
	}{{"first", 1}, {"middle", (pages + 1) / 2}, {"last", pages}} {
		b.Run(page.name, func(b *testing.B) { benchmarkPage(b, d, page.number) })
	}
	b.Run("handler", func(b *testing.B) { benchmarkHandler(b, d, pages) })
}

// BenchmarkMarketPageOnServer is BenchmarkMarketPage on PostgreSQL, against the
// same SELECT through its client library alone.
func BenchmarkMarketPageOnServer(b *testing.B) {
	server := startPostgres(b, unsafely...)
	for n, orders := range []int{100, 1000, 10_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprint("orders=", orders), func(b *testing.B) {
			d := largeMarket(b, databaseOn(b, server, fmt.Sprint("pages_", n)), orders)
			benchmarkPages(b, d, orders)
			b.Run("bare select", func(b *testing.B) { benchmarkSelectOnServer(b, d) })
		})
	}
}

func benchmarkSelectOnServer(b *testing.B, d *fixture) {
	last := d.query("SELECT max(number) FROM projects")
	read, end, err := selecting(b.Context(), d.path, `SELECT vintage, id, quantity_grams, price_cents FROM sell_orders
		WHERE state = 'LIVE' AND project BETWEEN $1 AND $2 ORDER BY project, vintage, price_cents, id`, last-19, last)
	if err != nil {
		b.Fatal(err)
	}
	rows := 0
	for b.Loop() {
		if rows, err = read(); err != nil || rows == 0 {
			b.Fatal(rows, err)
		}
	}
	b.ReportMetric(float64(rows), "rows/page")
	if err := end(); err != nil {
		b.Error(err)
	}
}

// databaseOn is an empty database of a server that ends with the benchmark.
func databaseOn(b *testing.B, server *postgrestest.Cluster, name string) string {
	b.Helper()
	runSQL(b, postgrestest.Address("postgres", server), "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)")
	runSQL(b, postgrestest.Address("postgres", server), "CREATE DATABASE "+name)
	return postgrestest.Address(name, server)
}

func benchmarkPage(b *testing.B, d *fixture, page int) {
	size := 0
	for b.Loop() {
		err := d.Read(b.Context(), func(tx exchange.Tx) error {
			page := &marketPage{pagePlace: d.placeOf(tx, exchange.ReadMarket(tx), pageKey{page, 20, identity})}
			page.write(tx, identity, nil)
			size = len(page.body)
			return nil
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

// selecting connects to a database, and returns what runs a query and reads every
// column of its rows, and what ends the connection: all that the client library
// takes for it.
func selecting(ctx context.Context, address, query string, args ...any) (read func() (rows int, err error), end func() error, err error) {
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		return nil, nil, err
	}
	read = func() (n int, err error) {
		rows, err := conn.Query(ctx, query, args...)
		if err != nil {
			return 0, err
		}
		for sum := 0; rows.Next(); n++ {
			for _, raw := range rows.RawValues() {
				sum += len(raw)
			}
		}
		return n, rows.Err()
	}
	return read, func() error { return conn.Close(ctx) }, nil
}
