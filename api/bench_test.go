package api_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"tonne/api"
	"tonne/api/apitest"
	must "tonne/model/musttest"
)

// fullPage is a page of the market with 10 projects and 1,000 sell orders.
func fullPage(page, pages int) string {
	var b strings.Builder
	b.WriteString(`{"projects":[`)
	for p := range 10 {
		if p > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"project_id":"p%d-%d","vintages":[{"vintage_id":"v%d-%d","vintage_year":2020,"sell_orders":[`, page,
			p, page, p)
		for o := range 100 {
			if o > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, `{"sell_order_id":"006%05d%02d%03d","quantity_grams":"%d000000","price_cents":"%d"}`, page, p, o,
				1+o*79, 500+o)
		}
		b.WriteString(`]}]}`)
	}
	b.WriteString(`],` + pagination(page, pages, pages*10) + `}`)
	return b.String()
}

// listingServer serves pages of the market on loopback, each after a pause.
func listingServer(b *testing.B, count int, latency time.Duration) *httptest.Server {
	b.Helper()
	bodies := make([]string, count+1)
	for page := range bodies {
		bodies[page] = fullPage(page, count)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page, err := strconv.Atoi(r.URL.Query().Get("page"))
		if err != nil || page >= len(bodies) {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		answer := apitest.JSON(bodies[page])
		if latency > 0 {
			answer = late(answer, latency)
		}
		answer.ServeHTTP(w, r)
	}))
	b.Cleanup(server.Close)
	return server
}

// BenchmarkWholeMarket compares the read of a whole listing with fetching the
// same pages over as many connections and throwing them away.
func BenchmarkWholeMarket(b *testing.B) {
	for _, count := range []int{1, 10, 100} {
		server := listingServer(b, count, 0)
		b.Run(fmt.Sprintf("discard/pages=%d", count), func(b *testing.B) {
			for b.Loop() {
				apitest.Discard(b.Context(), count,
					func(i int) string { return fmt.Sprintf("%s/api/market?page=%d", server.URL, i+1) })
			}
		})
		b.Run(fmt.Sprintf("read/pages=%d", count), func(b *testing.B) { readMarket(b, server.URL, count) })
	}
}

// BenchmarkWholeMarketFarAway reads 100 pages that are 50 ms away: page 1, and
// the others over eight connections, is 14 times that.
func BenchmarkWholeMarketFarAway(b *testing.B) {
	const count, latency = 100, 50 * time.Millisecond
	server := listingServer(b, count, latency)
	readMarket(b, server.URL, count)
	b.ReportMetric(float64(b.Elapsed())/float64(b.N)/float64(13*latency), "×13-latencies")
}

// recorded answers with what a handler writes, in the goroutine that asks.
type recorded struct{ http.Handler }

func (r recorded) RoundTrip(req *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	r.ServeHTTP(w, req)
	return w.Result(), nil
}

// BenchmarkPollAgain compares polls of 100,000 orders with the first one, in
// bytes of the bodies and in time of one core: of a market that is the same, by
// its version or by the tags of its pages, and of one with another price.
func BenchmarkPollAgain(b *testing.B) {
	const count = 100
	pages := make([]string, count)
	for i := range pages {
		pages[i] = fullPage(i+1, count)
	}
	repriced := slices.Clone(pages)
	repriced[7] = strings.Replace(pages[7], `"price_cents":"500"`, `"price_cents":"501"`, 1)
	for name, c := range map[string]struct {
		versions bool
		next     []string
	}{"same/version": {true, pages}, "same/tags": {false, pages}, "repriced": {true, repriced}} {
		b.Run(name, func(b *testing.B) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
			service := &listing{Tagged: true, Versions: c.versions}
			var full, again time.Duration
			var fullBytes, againBytes int
			for b.Loop() {
				client, err := api.New(api.Options{BaseURL: "https://market.example", Key: key, Transport: recorded{service}})
				must.Succeed(b, err)
				service.Set(pages...)
				began := time.Now()
				read(b, client)
				full += time.Since(began)
				_, _, _, bytes := service.Sent()
				fullBytes += bytes
				service.Set(c.next...)
				began = time.Now()
				read(b, client)
				again += time.Since(began)
				_, _, _, bytes = service.Sent()
				againBytes += bytes
			}
			b.ReportMetric(float64(again)/float64(full), "×time")
			b.ReportMetric(float64(againBytes)/float64(fullBytes), "×bytes")
			b.ReportMetric(float64(full)/float64(b.N)/1e6, "ms/full")
			b.ReportMetric(0, "ns/op")
		})
	}
}

func readMarket(b *testing.B, url string, count int) {
	b.Helper()
	for b.Loop() {
		c, err := api.New(api.Options{BaseURL: url, Key: key})
		must.Succeed(b, err)
		m, err := c.Market(b.Context(), 0, nil)
		must.Need(b, err == nil && m.Orders() == count*1000, err)
		c.Close()
	}
}
