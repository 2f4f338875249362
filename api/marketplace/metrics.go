package marketplace

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics are what /metrics shows. They belong to one Marketplace, so that
// several can live in one process.
type metrics struct {
	registry  *prometheus.Registry
	requests  *prometheus.CounterVec
	durations *prometheus.HistogramVec
}

func newMetrics() *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "tonne_http_requests_total",
			Help: "Requests answered, by path, method and status.",
		}, []string{"path", "method", "status"}),
		durations: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "tonne_http_request_duration_seconds",
			Help:    "Time from the request's headers to the end of its answer, by path.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 5, 30},
		}, []string{"path"}),
	}
	m.registry.MustRegister(m.requests, m.durations, collectors.NewGoCollector())
	return m
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
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
	m.requests.WithLabelValues(path, method, strconv.Itoa(status)).Inc()
	m.durations.WithLabelValues(path).Observe(took.Seconds())
}
