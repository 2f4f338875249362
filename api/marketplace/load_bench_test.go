package marketplace

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"
)

// BenchmarkUnderLoad asks for pages over many connections, of the service and of
// a handler that does nothing but write the same bytes.
func BenchmarkUnderLoad(b *testing.B) { underLoad(b, tempDatabase(b)) }

// BenchmarkUnderLoadOnServer is BenchmarkUnderLoad on PostgreSQL.
func BenchmarkUnderLoadOnServer(b *testing.B) {
	underLoad(b, databaseOn(b, startPostgres(b, unsafely...), "load"))
}

func underLoad(b *testing.B, path string) {
	d := largeMarket(b, path, 100_000)
	page := d.get("/api/market").Body.Bytes()
	bytes := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { writeBody(w, http.StatusOK, page) })
	for _, connections := range []int{2, 8, 32, 64, 128} {
		b.Run(fmt.Sprint("service/connections=", connections), func(b *testing.B) { loaded(b, d.Handler(), d.key, connections) })
		b.Run(fmt.Sprint("same bytes/connections=", connections), func(b *testing.B) { loaded(b, bytes, d.key, connections) })
	}
}

func loaded(b *testing.B, h http.Handler, key string, connections int) {
	const pages = 10
	server := httptest.NewServer(h)
	defer server.Close()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: connections, DisableCompression: true}}
	var mu sync.Mutex
	var took []time.Duration
	b.SetParallelism(max(connections/runtime.GOMAXPROCS(0), 1))
	b.RunParallel(func(pb *testing.PB) {
		var mine []time.Duration
		for n := 0; pb.Next(); n++ {
			r, err := http.NewRequest(http.MethodGet, fmt.Sprint(server.URL, "/api/market?page=", n%pages+1), nil)
			if err != nil {
				b.Error(err)
				return
			}
			r.Header.Set("Authorization", "Bearer "+key)
			start := time.Now()
			if err := fetch(client, r); err != nil {
				b.Error(err)
				return
			}
			mine = append(mine, time.Since(start))
		}
		mu.Lock()
		defer mu.Unlock()
		took = append(took, mine...)
	})
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
}

func fetch(client *http.Client, r *http.Request) error {
	answer, err := client.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("answered %s", answer.Status)
	}
	_, err = io.Copy(io.Discard, answer.Body)
	return err
}
