package marketplace

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/time/rate"
)

// callFrom sends a request without a key from an address.
func callFrom(d *fixture, remote, forwarded, target string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, target, nil)
	r.RemoteAddr = remote
	if forwarded != "" {
		r.Header.Set("X-Forwarded-For", forwarded)
	}
	w := httptest.NewRecorder()
	d.Handler().ServeHTTP(w, r)
	return w
}

func TestCertificatesAreLimitedPerAddress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d, _, path := completed(t, "Customer")
		for range certificateBurst {
			if w := callFrom(d, "198.51.100.7:1", "", path); w.Code != http.StatusOK {
				t.Fatalf("%d within the burst", w.Code)
			}
		}
		w := callFrom(d, "198.51.100.7:2", "203.0.113.1", path)
		if refused(t, w, http.StatusTooManyRequests); w.Header().Get("Retry-After") != "1" {
			t.Errorf("Retry-After %q", w.Header().Get("Retry-After"))
		}
		if w := callFrom(d, "198.51.100.8:1", "", path); w.Code != http.StatusOK {
			t.Errorf("another address is answered with %d", w.Code)
		}
		d.clock.set(testNow.Add(time.Second))
		if w := callFrom(d, "198.51.100.7:1", "", path); w.Code != http.StatusOK {
			t.Errorf("%d after waiting as long as told", w.Code)
		}
	})
}

func TestAddressOfAClient(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, remote, forwarded, want string }{
		{"the peer", "198.51.100.7:1", "", "198.51.100.7"},
		{"a foreign peer is not trusted", "198.51.100.7:1", "203.0.113.1", "198.51.100.7"},
		{"a proxy on this machine speaks for the last", "127.0.0.1:1", "9.9.9.9, 203.0.113.1", "203.0.113.1"},
		{"a proxy that speaks IPv6", "[::1]:1", "203.0.113.1", "203.0.113.1"},
		{"a proxy that says nonsense", "127.0.0.1:1", "unknown", "127.0.0.1"},
		{"a network of IPv6", "[2001:db8:1:2:3:4:5:6]:1", "", "2001:db8:1:2::/64"},
		{"the same network", "[2001:db8:1:2::9]:1", "", "2001:db8:1:2::/64"},
		{"IPv4 in IPv6", "[::ffff:198.51.100.7]:1", "", "198.51.100.7"},
		{"no address", "@", "", "@"},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RemoteAddr = c.remote
		if c.forwarded != "" {
			r.Header.Set("X-Forwarded-For", c.forwarded)
		}
		if got := addressOf(r); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// Addresses cost nothing to the owner of a network.
func TestLimitsOfManyNamesStayBounded(t *testing.T) {
	t.Parallel()
	l := newLimiter(rate.Every(time.Hour), 1, func() time.Time { return testNow })
	l.take("busy")
	for n := range 10 * limitersKept {
		l.take(fmt.Sprint(n))
		if n%1000 == 0 {
			if _, ok := l.take("busy"); ok {
				t.Fatalf("a busy client was forgotten after %d others", n)
			}
		}
	}
	if n := len(l.recent) + len(l.older); n > 2*limitersKept {
		t.Errorf("%d limits are kept", n)
	}
}

// BenchmarkMarketBesideCertificates is the market's median for one desk, alone
// and while 64 clients ask for one certificate as fast as they can, from its
// first printing on. The ratio is to stay below 2.
func BenchmarkMarketBesideCertificates(b *testing.B) {
	var alone, beside []time.Duration
	for b.Loop() {
		d, _, path := completed(b, "Customer")
		d.certificateLimits.now = time.Now
		server := httptest.NewServer(d.Handler())
		alone = append(alone, marketTimes(b, server.URL, d.key)...)
		calm := hammer(server.URL+path, 64)
		beside = append(beside, marketTimes(b, server.URL, d.key)...)
		calm()
		server.Close()
	}
	slices.Sort(alone)
	slices.Sort(beside)
	b.ReportMetric(float64(alone[len(alone)/2].Microseconds()), "alone-p50-µs")
	b.ReportMetric(float64(beside[len(beside)/2].Microseconds()), "neighbour-p50-µs")
	b.ReportMetric(float64(beside[len(beside)/2])/float64(alone[len(alone)/2]), "ratio")
}

// marketTimes measures requests for the market, one after the other, for a
// while.
func marketTimes(b *testing.B, base, key string) (took []time.Duration) {
	b.Helper()
	for end := time.Now().Add(2 * time.Second); time.Now().Before(end); {
		r, err := http.NewRequest(http.MethodGet, base+"/api/market", nil)
		if err != nil {
			b.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+key)
		start := time.Now()
		if err := fetch(http.DefaultClient, r); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(start))
	}
	return took
}

// hammer has clients ask for a page until the returned function is called.
func hammer(url string, clients int) (stop func()) {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}}
	var done atomic.Bool
	var wg sync.WaitGroup
	for range clients {
		wg.Go(func() {
			for !done.Load() {
				if r, err := http.NewRequest(http.MethodGet, url, nil); err == nil {
					_ = fetch(client, r)
				}
			}
		})
	}
	return func() {
		done.Store(true)
		wg.Wait()
		client.CloseIdleConnections()
	}
}
