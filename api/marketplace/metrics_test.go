package marketplace

import (
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// scrape reads the metrics as Prometheus does.
func scrape(t *testing.T, d *fixture) map[string]*dto.MetricFamily {
	t.Helper()
	w := call(d.Marketplace, "", "GET", "/metrics", "")
	if w.Code != 200 || w.Header().Get("Content-Type") != "text/plain; version=0.0.4; charset=utf-8" {
		t.Fatalf("%d, %s", w.Code, w.Header().Get("Content-Type"))
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	return families
}

func labels(m *dto.Metric) map[string]string {
	set := make(map[string]string)
	for _, l := range m.Label {
		set[l.GetName()] = l.GetValue()
	}
	return set
}

func TestMetricsCountRequests(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	d.get("/api/market")
	d.get("/api/market")
	call(d.Marketplace, "", "BREW", "/made/up", "")
	families := scrape(t, d)
	counted := make(map[[3]string]float64)
	for _, m := range families["tonne_http_requests_total"].Metric {
		l := labels(m)
		counted[[3]string{l["method"], l["path"], l["status"]}] = m.GetCounter().GetValue()
	}
	if counted[[3]string{"GET", "/api/market", "200"}] != 2 || counted[[3]string{"other", "other", "404"}] != 1 || len(counted) != 2 {
		t.Errorf("counted are %v", counted)
	}
}

func TestDurationsFallIntoBuckets(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	for _, took := range []time.Duration{0, 500 * time.Microsecond, 501 * time.Microsecond, time.Second, time.Hour} {
		d.metrics.count("/here", "GET", 200, took)
	}
	for _, m := range scrape(t, d)["tonne_http_request_duration_seconds"].Metric {
		if labels(m)["path"] != "/here" {
			continue
		}
		h := m.GetHistogram()
		if h.GetSampleCount() != 5 || h.GetSampleSum() != 3601.001001 {
			t.Errorf("count %d, sum %v", h.GetSampleCount(), h.GetSampleSum())
		}
		for _, b := range h.Bucket {
			want := uint64(5)
			switch bound := b.GetUpperBound(); {
			case bound < .001:
				want = 2
			case bound < 1:
				want = 3
			case bound <= 30:
				want = 4
			}
			if b.GetCumulativeCount() != want {
				t.Errorf("up to %v s: %d, want %d", b.GetUpperBound(), b.GetCumulativeCount(), want)
			}
		}
		return
	}
	t.Error("the path is not there")
}
