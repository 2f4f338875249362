package marketplace

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"tonne/api/marketplace/exchange"
	"tonne/api/marketplace/postgres/postgrestest"
	must "tonne/model/musttest"
)

// These benchmarks compare the service with what it is built on, in turns in one run. A unit
// that begins with × is a ratio.

type times []time.Duration

// add measures a call.
func (t *times) add(do func()) {
	begin := time.Now()
	do()
	*t = append(*t, time.Since(begin))
}

// percentile returns the value that so many per cent do not exceed.
func (t times) percentile(part int) float64 {
	slices.Sort(t)
	return float64(t[min(len(t)*part/100, len(t)-1)])
}

// rush measures the calls of many clients at once.
func rush(clients, each int, do func(client, n int)) (calls times, total time.Duration) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	begin := time.Now()
	for client := range clients {
		wg.Go(func() {
			var own times
			for n := range each {
				own.add(func() { do(client, n) })
			}
			mu.Lock()
			defer mu.Unlock()
			calls = append(calls, own...)
		})
	}
	wg.Wait()
	return calls, time.Since(begin)
}

const selectPage = `SELECT vintage, quantity_grams, price_cents, id FROM sell_orders
	WHERE state = 'LIVE' AND project BETWEEN $1 AND $2 ORDER BY project, vintage, price_cents, id`

// BenchmarkMarketPage builds the first and the last page of a market without the cache. It
// compares the last page with the first one, and with the SELECT of its orders alone.
func BenchmarkMarketPage(b *testing.B) {
	for _, orders := range []int{1000, 10_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprint("orders=", orders), func(b *testing.B) {
			onEachEngine(b, func(b *testing.B, path string) {
				d := largeMarket(b, path, orders)
				build := func(page int) {
					must.Succeed(b, d.Read(b.Context(), func(tx exchange.Tx) error {
						place := d.placeOf(tx, exchange.ReadMarket(tx), pageKey{page, 20, identity})
						(&marketPage{pagePlace: place}).write(tx, identity, nil)
						return nil
					}))
				}
				read := readSQLite
				if OnServer(path) {
					read = readPostgres
				}
				last := d.Number("SELECT max(number) FROM projects")
				readLast := read(b, path, last-19, last)
				var firstPage, lastPage, alone times
				for b.Loop() {
					firstPage.add(func() { build(1) })
					lastPage.add(func() { build(max(orders/ordersPerProject/20, 1)) })
					alone.add(readLast)
				}
				b.ReportMetric(lastPage.percentile(50)/firstPage.percentile(50), "×first")
				b.ReportMetric(lastPage.percentile(50)/alone.percentile(50), "×SELECT")
				b.ReportMetric(0, "ns/op")
			})
		})
	}
}

// readSQLite returns a function that reads the orders of some projects through the C API.
func readSQLite(b *testing.B, path string, first, last int64) func() {
	tls := libc.NewTLS()
	text := func(s string) uintptr { return must.Get(libc.CString(s)) }
	out := tls.Alloc(8)
	check := func(code int32) {
		must.Need(b, code == lib.SQLITE_OK, "SQLite error ", code)
	}
	check(lib.Xsqlite3_open_v2(tls, text(path), out, lib.SQLITE_OPEN_READONLY, 0))
	db := libc.AtomicLoadPUintptr(out)
	check(lib.Xsqlite3_prepare_v2(tls, db, text(selectPage), -1, out, 0))
	stmt := libc.AtomicLoadPUintptr(out)
	check(lib.Xsqlite3_bind_int64(tls, stmt, 1, first))
	check(lib.Xsqlite3_bind_int64(tls, stmt, 2, last))
	b.Cleanup(func() {
		lib.Xsqlite3_finalize(tls, stmt)
		lib.Xsqlite3_close(tls, db)
		tls.Close()
	})
	return func() {
		var sum int64
		for lib.Xsqlite3_step(tls, stmt) == lib.SQLITE_ROW {
			for column := range int32(3) {
				sum += lib.Xsqlite3_column_int64(tls, stmt, column)
			}
			sum += int64(lib.Xsqlite3_column_text(tls, stmt, 3))
		}
		lib.Xsqlite3_reset(tls, stmt)
		must.Need(b, sum != 0, "nothing was read")
	}
}

// readPostgres returns a function that reads the orders of some projects through pgx.
func readPostgres(b *testing.B, address string, first, last int64) func() {
	conn := connect(b, address)
	return func() {
		rows := must.Get(conn.Query(b.Context(), selectPage, first, last))
		bytes := 0
		for rows.Next() {
			for _, raw := range rows.RawValues() {
				bytes += len(raw)
			}
		}
		must.Need(b, rows.Err() == nil && bytes != 0, "nothing was read ", rows.Err())
	}
}

func connect(b *testing.B, address string) *pgx.Conn {
	conn := must.Get(pgx.Connect(b.Context(), address))
	b.Cleanup(func() { _ = conn.Close(b.Context()) })
	return conn
}

// BenchmarkWarmPages compares cached pages over many connections with a handler that writes
// the same bytes.
func BenchmarkWarmPages(b *testing.B) {
	onEachEngine(b, func(b *testing.B, path string) {
		d := largeMarket(b, path, 100_000)
		page := d.Get("/api/market").Body.Bytes()
		service := httptest.NewServer(d.Handler())
		defer service.Close()
		peer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			writeBody(w, http.StatusOK, page)
		}))
		defer peer.Close()
		for _, connections := range []int{8, 32, 64, 128} {
			b.Run(fmt.Sprint("connections=", connections), func(b *testing.B) {
				client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: connections, DisableCompression: true}}
				defer client.CloseIdleConnections()
				var served times
				var took [2]time.Duration
				for b.Loop() {
					for i, address := range []string{service.URL, peer.URL} {
						calls, total := rush(connections, 2048/connections, func(_, n int) {
							fetch(b, client, fmt.Sprint(address, "/api/market?page=", n%10+1), d.Key)
						})
						if took[i] += total; i == 0 {
							served = append(served, calls...)
						}
					}
				}
				b.ReportMetric(took[0].Seconds()/took[1].Seconds(), "×handler")
				b.ReportMetric(served.percentile(99)/served.percentile(50), "p99/p50")
				b.ReportMetric(0, "ns/op")
			})
		}
	})
}

func fetch(b *testing.B, client *http.Client, url, key string) {
	r := must.Get(http.NewRequest(http.MethodGet, url, nil))
	r.Header.Set("Authorization", "Bearer "+key)
	answer := must.Get(client.Do(r))
	defer answer.Body.Close()
	_, err := io.Copy(io.Discard, answer.Body)
	must.Hold(b, err == nil && answer.StatusCode == http.StatusOK, answer.Status, err)
}

// BenchmarkTwoInstances compares purchases through two instances with purchases through one, and
// cached pages of the second instance with those of the first.
func BenchmarkTwoInstances(b *testing.B) {
	const clients, each = 32, 16
	for _, tenants := range []int{clients, 1} {
		b.Run(fmt.Sprint("tenants=", tenants), func(b *testing.B) {
			first := newCrowd(b, postgrestest.Database(b), clients)
			instances := [2]*crowd{first, {first.at(b, first.path), first.keys, first.purchases}}
			var perSecond [2]float64
			var calls, pages [2]times
			for round := -1; b.Loop(); round++ {
				for used := range instances {
					before := first.bought()
					took, total := rush(clients, each, func(client, n int) {
						instances[client%(used+1)].buy(client%tenants, client, round, "-", used, "-", client, "-", n)
					})
					calls[used] = append(calls[used], took...)
					perSecond[used] += float64(first.bought()-before) / total.Seconds()
				}
				for range 50 {
					for i, instance := range instances {
						pages[i].add(func() { instance.Get("/api/market") })
					}
				}
			}
			b.ReportMetric(perSecond[1]/perSecond[0], "×one")
			b.ReportMetric(calls[1].percentile(99)/calls[0].percentile(99), "×p99")
			b.ReportMetric(pages[1].percentile(50)/pages[0].percentile(50), "×page")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkWhileOneWaits buys in some projects, in turns alone and while a purchase in another
// project waits.
func BenchmarkWhileOneWaits(b *testing.B) {
	const clients, each = 6, 40
	c := newCrowd(b, postgrestest.Database(b), clients+1)
	buy := func(name ...any) times {
		calls, _ := rush(clients, each, func(client, n int) { c.buy(client+1, client+1, append(name, "-", n)...) })
		return calls
	}
	buy("first")
	var alone, beside times
	for round := 0; b.Loop(); round++ {
		alone = append(alone, buy(round, "-alone")...)
		release := c.holdFirstProject(round)
		beside = append(beside, buy(round, "-beside")...)
		release()
	}
	b.ReportMetric(beside.percentile(50)/alone.percentile(50), "×p50")
	b.ReportMetric(beside.percentile(99)/alone.percentile(99), "×p99")
	b.ReportMetric(0, "ns/op")
}

// holdFirstProject starts a change of the first project that lasts until release, and a
// purchase that waits for it.
func (c *crowd) holdFirstProject(round int) (release func()) {
	begun, end := make(chan struct{}), make(chan struct{})
	begin := sync.OnceFunc(func() { close(begun) })
	var wg sync.WaitGroup
	wg.Go(func() {
		c.Do(func(change *exchange.Change) {
			s := exchange.FindOrder(change, c.purchases[0]["sell_order_id"].(string))
			exchange.SetPrice(change, s, s.Price)
			// The engine sends statements with the next query.
			change.Query("SELECT 1", func(exchange.Row) {})
			begin()
			<-end
		})
	})
	<-begun
	wg.Go(func() { c.buy(0, 0, "waits-", round) })
	return func() {
		close(end)
		wg.Wait()
	}
}

// BenchmarkMove moves a market from SQLite to PostgreSQL and back. It compares Move with COPY
// and INSERT … SELECT of the same rows, into tables with the same indexes.
func BenchmarkMove(b *testing.B) {
	for _, orders := range []int{10_000, 1_000_000} {
		b.Run(fmt.Sprint("orders=", orders), func(b *testing.B) {
			file := tempDatabase(b)
			largeMarket(b, file, orders)
			var there, copied, back, inserted times
			for b.Loop() {
				server, second := postgrestest.Database(b), tempDatabase(b)
				var moved []exchange.Moved
				there.add(func() { moved = must.Get(Move(b.Context(), file, server)) })
				copied = append(copied, copyTables(b, moved, server, postgrestest.Database(b)))
				back.add(func() { must.Get(Move(b.Context(), server, second)) })
				inserted = append(inserted, insertTables(b, moved, file, tempDatabase(b)))
			}
			b.ReportMetric(there.percentile(50)/1e9, "s/to-PostgreSQL")
			b.ReportMetric(there.percentile(50)/copied.percentile(50), "×COPY")
			b.ReportMetric(back.percentile(50)/1e9, "s/to-SQLite")
			b.ReportMetric(back.percentile(50)/inserted.percentile(50), "×INSERT")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// copyTables returns how long it takes to load the rows of moved tables into an empty database.
func copyTables(b *testing.B, moved []exchange.Moved, from, to string) (all time.Duration) {
	must.Succeed(b, must.Get(Open(b.Context(), to, Options{})).Close())
	source, target := connect(b, from).PgConn(), connect(b, to).PgConn()
	for _, table := range moved {
		var rows bytes.Buffer
		must.Get(source.CopyTo(b.Context(), &rows, "COPY "+table.Table+" TO STDOUT"))
		begin := time.Now()
		must.Get(target.CopyFrom(b.Context(), &rows, "COPY "+table.Table+" FROM STDIN"))
		all += time.Since(begin)
	}
	return all
}

// insertTables returns how long it takes to insert the rows of moved tables into an empty database.
func insertTables(b *testing.B, moved []exchange.Moved, from, to string) time.Duration {
	must.Succeed(b, must.Get(Open(b.Context(), to, Options{})).Close())
	conn := must.Get(sqlite.OpenConn(to, sqlite.OpenReadWrite))
	defer conn.Close()
	attach := "ATTACH '" + from + "' AS source"
	for _, sql := range []string{attach, "PRAGMA foreign_keys = ON", "PRAGMA synchronous = FULL"} {
		must.Succeed(b, sqlitex.ExecuteTransient(conn, sql, nil))
	}
	var script strings.Builder
	for _, table := range moved {
		fmt.Fprintf(&script, "INSERT INTO main.%[1]s SELECT * FROM source.%[1]s;", table.Table)
	}
	begin := time.Now()
	must.Succeed(b, sqlitex.ExecuteScript(conn, script.String(), nil))
	return time.Since(begin)
}
