package marketplace

import (
	"fmt"
	"net/http"
	"time"

	vm "github.com/VictoriaMetrics/metrics"
)

// metrics are what /metrics shows, in the text format of Prometheus. They
// belong to one Marketplace, so that several can live in one process.
type metrics struct{ requests *vm.Set }

// durationBounds are the upper bounds of the buckets of durations, in seconds.
var durationBounds = []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 5, 30}

func newMetrics() *metrics {
	vm.ExposeMetadata(true)
	return &metrics{vm.NewSet()}
}

func (m *metrics) handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		m.requests.WritePrometheus(w)
		vm.WriteProcessMetrics(w)
	})
}

// count adds one answered request; path is the pattern that it matched. Paths
// and methods that no endpoint has share a label each: a client must not be
// able to make new ones.
func (m *metrics) count(path, method string, status int, took time.Duration) {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodDelete:
	default:
		method = "other"
	}
	if path == "" || path == anyOtherPath {
		path = "other"
	}
	m.requests.GetOrCreateCounter(fmt.Sprintf(`tonne_http_requests_total{method=%q,path=%q,status="%d"}`, method, path, status)).Inc()
	m.requests.GetOrCreatePrometheusHistogramExt(fmt.Sprintf(`tonne_http_request_duration_seconds{path=%q}`, path), durationBounds).
		Update(took.Seconds())
}
