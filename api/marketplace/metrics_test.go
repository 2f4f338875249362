package marketplace

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	prometheus "github.com/prometheus/common/model"

	must "tonne/model/musttest"
)

// scrape reads the metrics as Prometheus does.
func scrape(t *testing.T, d *fixture, family string) (found []*dto.Metric) {
	t.Helper()
	w := call(d.Marketplace, "", "GET", "/metrics", "")
	must.Need(t, w.Code == 200 && w.Header().Get("Content-Type") == "text/plain; version=0.0.4; charset=utf-8",
		w.Code, w.Header().Get("Content-Type"))
	parser := expfmt.NewTextParser(prometheus.UTF8Validation)
	families := must.Get(parser.TextToMetricFamilies(w.Body))
	return families[family].Metric
}

func label(m *dto.Metric, name string) string {
	for _, l := range m.Label {
		if l.GetName() == name {
			return l.GetValue()
		}
	}
	return ""
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	d.Get("/api/market")
	d.Get("/api/market")
	call(d.Marketplace, "", "BREW", "/made/up", "")
	counted := make(map[string]float64)
	for _, m := range scrape(t, d, "tonne_http_requests_total") {
		counted[label(m, "method")+" "+label(m, "path")+" "+label(m, "status")] = m.GetCounter().GetValue()
	}
	must.Hold(t, counted["GET /api/market 200"] == 2 && counted["other other 404"] == 1 && len(counted) == 2,
		"counted are", counted)
	for _, took := range []time.Duration{0, 500 * time.Microsecond, 501 * time.Microsecond, time.Second, time.Hour} {
		d.metrics.count("/here", "GET", 200, took)
	}
	for _, m := range scrape(t, d, "tonne_http_request_duration_seconds") {
		if h := m.GetHistogram(); label(m, "path") == "/here" {
			var upTo []uint64
			for _, b := range h.Bucket {
				upTo = append(upTo, b.GetCumulativeCount())
			}
			got := fmt.Sprint(upTo)
			must.Hold(t, got == "[2 3 3 3 3 3 3 3 3 3 4 4 4 5]" && h.GetSampleCount() == 5 &&
				h.GetSampleSum() == 3601.001001, "buckets", got, h.GetSampleCount(), h.GetSampleSum())
			return
		}
	}
	t.Error("the path has no durations")
}

// samples returns the samples of the metrics of the marketplace itself.
func samples(d *fixture) (lines []string) {
	own := regexp.MustCompile(`^tonne_(retirement|oldest|open|sell|offered|purchases|refusals)`)
	for line := range strings.Lines(call(d.Marketplace, "", "GET", "/metrics", "").Body.String()) {
		if own.MatchString(line) {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}

func TestMetricsOfTheBusiness(t *testing.T) {
	t.Parallel()
	for engine, open := range map[string]func(*testing.T) *fixture{
		"sqlite":   func(t *testing.T) *fixture { return newFixture(t) },
		"postgres": func(t *testing.T) *fixture { return onPostgres(t) },
	} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			d := open(t)
			must.Equal(t, samples(d), []string{
				"tonne_purchases_total 0",
				`tonne_retirement_requests{state="OPEN"} 0`, `tonne_retirement_requests{state="CLOSED"} 0`,
				`tonne_retirement_requests{state="IN_PROGRESS"} 0`, "tonne_open_invoices 0", "tonne_open_invoices_cents 0",
				"tonne_sell_orders 0", "tonne_offered_grams 0",
			})
			order := d.Sell(d.Vintages[0], 10, 620)
			d.Buy("a", 500_000, order)
			d.Buy("a", 500_000, order)
			d.Refused(d.Retire(d.Key, d.Purchase("b", 1_000_000, "006nope")), 422)
			// What was read stays for some seconds.
			must.Equal(t, samples(d)[2], `tonne_retirement_requests{state="OPEN"} 0`)
			d.Clock.Set(testNow.Add(90 * time.Second))
			must.Equal(t, samples(d), []string{
				"tonne_purchases_total 1", `tonne_refusals_total{code="SELL_ORDER_NOT_EXISTS"} 1`,
				`tonne_retirement_requests{state="OPEN"} 1`, `tonne_retirement_requests{state="CLOSED"} 0`,
				`tonne_retirement_requests{state="IN_PROGRESS"} 0`, `tonne_oldest_request_age_seconds{state="OPEN"} 90`,
				"tonne_open_invoices 1", "tonne_open_invoices_cents 620", "tonne_sell_orders 1", "tonne_offered_grams 9000000",
			})
		})
	}
}

// A database that is lost leaves the figures out, which is not the same as zero.
func TestMetricsWithoutTheDatabase(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	must.Succeed(t, d.Marketplace.Close())
	must.Equal(t, samples(d), []string{"tonne_purchases_total 0"})
}

func TestDashboardOfGrafanaShowsMetricsThatExist(t *testing.T) {
	t.Parallel()
	dashboard := must.Get(os.ReadFile("../../docs/packaging/grafana.json"))
	page := call(newFixture(t).Marketplace, "", "GET", "/metrics", "").Body.String()
	served := regexp.MustCompile(`(?m)^# TYPE (\S+) `).FindAllStringSubmatch(page, -1)
	shown := regexp.MustCompile(`tonne_[a-z_]+`).FindAllString(string(dashboard), -1)
	for _, metric := range shown {
		name := strings.TrimSuffix(metric, "_bucket")
		must.Hold(t, strings.Contains(page, "# TYPE "+name+" "), metric)
	}
	for _, metric := range served {
		must.Hold(t, strings.Contains(string(dashboard), metric[1]), "not on the dashboard", metric[1])
	}
	must.Hold(t, len(shown) >= len(served) && len(served) >= 10, len(shown), len(served))
}
