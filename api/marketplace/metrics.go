package marketplace

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// metrics are the metrics of /metrics, in the text format of Prometheus (version 0.0.4).
// The libraries cost a millisecond or a line on standard error at every start of the
// program, which is too much for a few metrics.
type metrics struct {
	mu        sync.Mutex
	requests  map[requestLabels]uint64
	durations map[string]*durations
	purchases uint64
	// refusals counts the answers 422 by their code. Only the service makes codes.
	refusals map[string]uint64
}

func newMetrics() *metrics {
	return &metrics{
		requests: make(map[requestLabels]uint64), durations: make(map[string]*durations), refusals: make(map[string]uint64),
	}
}

type requestLabels struct {
	method, path string
	status       int
}

// durations is a histogram of request times. The last bucket has no upper bound.
type durations struct {
	buckets [len(durationBounds) + 1]uint64
	sum     time.Duration
}

var durationBounds = [...]float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 5, 30}

// count adds one answered request. All unknown paths share one label, and so do all unknown
// methods: a client must not be able to create labels.
func (m *metrics) count(path, method string, status int, took time.Duration) {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodDelete:
	default:
		method = "other"
	}
	if path == "" || path == anyOtherPath {
		path = "other"
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.requests[requestLabels{method, path, status}]++
	d := m.durations[path]
	if d == nil {
		d = new(durations)
		m.durations[path] = d
	}
	bucket, _ := slices.BinarySearch(durationBounds[:], took.Seconds())
	d.buckets[bucket]++
	d.sum += took
}

func (m *metrics) countPurchase() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.purchases++
}

func (m *metrics) countRefusal(code string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.refusals[code]++
}

func metricsHandler(m *Marketplace) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var page bytes.Buffer
		m.metrics.write(&page)
		figures, at, err := m.figures.read(r.Context(), m.db, m.Now())
		if err != nil {
			// A figure that is not known is left out, never zero.
			m.log.Warn("the figures of the marketplace could not be read for /metrics", "error", err)
		} else {
			writeFigures(&page, figures, at)
		}
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		_, _ = w.Write(page.Bytes())
	})
}

func (m *metrics) write(w *bytes.Buffer) {
	m.mu.Lock()
	defer m.mu.Unlock()
	family(w, "tonne_http_requests_total", "counter", "Requests answered, by path, method and status.")
	for _, l := range slices.SortedFunc(maps.Keys(m.requests), func(a, b requestLabels) int {
		return cmp.Or(strings.Compare(a.path, b.path), strings.Compare(a.method, b.method), cmp.Compare(a.status, b.status))
	}) {
		fmt.Fprintf(w, "tonne_http_requests_total{method=%q,path=%q,status=\"%d\"} %d\n", l.method, l.path, l.status,
			m.requests[l])
	}
	const name = "tonne_http_request_duration_seconds"
	family(w, name, "histogram", "Time from the request's headers to the end of its answer, by path.")
	for _, path := range slices.Sorted(maps.Keys(m.durations)) {
		d, count := m.durations[path], uint64(0)
		for i, bound := range durationBounds {
			count += d.buckets[i]
			fmt.Fprintf(w, "%s_bucket{path=%q,le=\"%g\"} %d\n", name, path, bound, count)
		}
		count += d.buckets[len(durationBounds)]
		fmt.Fprintf(w, "%s_bucket{path=%q,le=\"+Inf\"} %d\n%s_sum{path=%q} %g\n%s_count{path=%q} %d\n",
			name, path, count, name, path, d.sum.Seconds(), name, path, count)
	}
	family(w, "tonne_purchases_total", "counter", "Purchases made through this instance.")
	fmt.Fprintf(w, "tonne_purchases_total %d\n", m.purchases)
	family(w, "tonne_refusals_total", "counter", "Requests refused with status 422, by code.")
	for _, code := range slices.Sorted(maps.Keys(m.refusals)) {
		fmt.Fprintf(w, "tonne_refusals_total{code=%q} %d\n", code, m.refusals[code])
	}
}

func family(w *bytes.Buffer, name, kind, help string) {
	fmt.Fprintf(w, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
}
