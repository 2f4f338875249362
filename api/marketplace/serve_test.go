package marketplace

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	prometheus "github.com/prometheus/common/model"

	"tonne/api/marketplace/marketplacetest"
	must "tonne/model/musttest"
)

func TestSlowHeadersAreCutOff(t *testing.T) {
	serving(t, func(t *testing.T, d *fixture, l *marketplacetest.Pipes, _ func() error) {
		conn, start := l.Dial(), time.Now()
		cut := make(chan time.Duration, 1)
		go func() {
			_, _ = io.Copy(io.Discard, conn)
			cut <- time.Since(start)
		}()
		for _, b := range []byte("GET /api/market HTTP/1.1\r\nHost: x\r\n") {
			if _, err := conn.Write([]byte{b}); err != nil {
				break
			}
			time.Sleep(time.Second)
		}
		if took := <-cut; took > readHeaderTimeout+time.Second {
			t.Errorf("one byte a second was accepted for %s", took)
		}
	})
}

func TestSlowBodiesAreCutOff(t *testing.T) {
	serving(t, func(t *testing.T, d *fixture, l *marketplacetest.Pipes, _ func() error) {
		start := time.Now()
		conn := bufio.NewReader(d.post(l, "/api/retirement", 100, "{"))
		answer, err := http.ReadResponse(conn, nil)
		if err != nil || answer.StatusCode != http.StatusRequestTimeout {
			t.Errorf("%+v %v", answer, err)
		}
		if _, err := io.Copy(io.Discard, conn); err != nil {
			t.Error(err)
		}
		if took := time.Since(start); took > readTimeout+time.Second {
			t.Errorf("the service waited %s for a body", took)
		}
	})
}

func TestClientsThatDoNotReadAreCutOff(t *testing.T) {
	serving(t, func(t *testing.T, d *fixture, l *marketplacetest.Pipes, _ func() error) {
		conn := l.Dial()
		fmt.Fprintf(conn, "GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n")
		time.Sleep(writeTimeout + time.Second)
		synctest.Wait()
		if body, err := io.ReadAll(conn); err != nil || strings.Contains(string(body), "securitySchemes") {
			t.Errorf("the answer still arrived: %d bytes, %v", len(body), err)
		}
	})
}

func TestLargeHeadersAreRefused(t *testing.T) {
	serving(t, func(t *testing.T, d *fixture, l *marketplacetest.Pipes, _ func() error) {
		for _, size := range []struct{ cookie, status int }{
			{maxHeader / 2, http.StatusUnauthorized},
			{maxHeader, http.StatusRequestHeaderFieldsTooLarge},
			{10 * maxHeader, http.StatusRequestHeaderFieldsTooLarge},
		} {
			conn := l.Dial()
			go fmt.Fprintf(conn, "GET /api/market HTTP/1.1\r\nHost: x\r\nCookie: %s\r\n\r\n", strings.Repeat("a", size.cookie))
			answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil || answer.StatusCode != size.status {
				t.Errorf("a cookie of %d bytes: %+v %v", size.cookie, answer, err)
			}
			conn.Close()
		}
	})
}

func TestDrainLetsRequestsFinish(t *testing.T) {
	serving(t, func(t *testing.T, d *fixture, l *marketplacetest.Pipes, stop func() error) {
		conn := d.post(l, "/api/retirement", 16, "")
		// Without this the service may not have accepted the connection yet.
		synctest.Wait()
		stopped := make(chan error, 1)
		go func() { stopped <- stop() }()
		synctest.Wait()
		if !d.draining.Load() || len(stopped) > 0 {
			t.Fatalf("draining: %v, stopped: %v", d.draining.Load(), len(stopped) > 0)
		}
		go io.WriteString(conn, `{"id":"00mnope"}`)
		answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil || answer.StatusCode != http.StatusUnprocessableEntity {
			t.Fatalf("%+v %v", answer, err)
		}
		if _, err := io.Copy(io.Discard, answer.Body); err != nil {
			t.Error(err)
		}
		if err := <-stopped; err != nil {
			t.Error(err)
		}
	})
}

func TestDrainEndsAfterTenSeconds(t *testing.T) {
	serving(t, func(t *testing.T, d *fixture, l *marketplacetest.Pipes, stop func() error) {
		d.post(l, "/api/retirement", 16, "")
		start := time.Now()
		if err := stop(); err != nil {
			t.Error(err)
		}
		if took := time.Since(start); took > drainTimeout+time.Second {
			t.Errorf("it drained for %s", took)
		}
	})
}

func TestDisconnectedClientsAreNotServerErrors(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	if w := d.answer(d.request(canceled(t), http.MethodGet, "/api/market")); w.Code >= 500 {
		t.Errorf("counted as %d", w.Code)
	}
}

func TestPanicIsAnsweredWith500(t *testing.T) {
	t.Parallel()
	d, log := logged(t, "")
	h := d.observe(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("boom") }))
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/x", nil))
	if w.Code != 500 || strings.Contains(w.Body.String(), "boom") || !strings.Contains(log.String(), "boom") {
		t.Errorf("%d %s, log %s", w.Code, w.Body, log)
	}
}

func TestLogsHaveNoSecrets(t *testing.T) {
	t.Parallel()
	d, log := logged(t, "")
	id := d.Buy("a", 1_500_000, d.Sell(d.Vintages[0], 10, 620))
	d.Advance(3)
	call(d.Marketplace, "", "GET", d.certificateOf(id), "")
	call(d.Marketplace, d.OtherKey+"x", "GET", "/api/market", "")
	// Every answer has a request id that is in the log.
	for _, target := range []string{"/api/market?key=" + d.Key, "/made/up", "//api/market", "/certificates/../healthz"} {
		id := d.Get(target).Header().Get("X-Request-Id")
		_, record, found := strings.Cut(log.String(), "id="+id+" ")
		record, _, _ = strings.Cut(record, "\n")
		if id == "" || !found {
			t.Errorf("%s: request id %q is not in the log", target, id)
		}
		if strings.HasPrefix(target, "/api/market") && (!strings.Contains(record, "route=/api/market status=200") || !strings.Contains(record, "key_id=00n")) {
			t.Errorf("the record is %s", record)
		}
	}
	token := d.Text("SELECT certificate FROM retirement_requests WHERE certificate IS NOT NULL")
	for name, secret := range map[string]string{"key": d.Key, "other key": d.OtherKey, "certificate": token} {
		if strings.Contains(log.String(), secret) {
			t.Errorf("the log contains the %s", name)
		}
	}
}

// scrape reads the metrics as Prometheus does.
func scrape(t *testing.T, d *fixture, family string) (found []*dto.Metric) {
	t.Helper()
	w := call(d.Marketplace, "", "GET", "/metrics", "")
	if w.Code != 200 || w.Header().Get("Content-Type") != "text/plain; version=0.0.4; charset=utf-8" {
		t.Fatalf("%d, %s", w.Code, w.Header().Get("Content-Type"))
	}
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
	if counted["GET /api/market 200"] != 2 || counted["other other 404"] != 1 || len(counted) != 2 {
		t.Errorf("counted are %v", counted)
	}
	for _, took := range []time.Duration{0, 500 * time.Microsecond, 501 * time.Microsecond, time.Second, time.Hour} {
		d.metrics.count("/here", "GET", 200, took)
	}
	for _, m := range scrape(t, d, "tonne_http_request_duration_seconds") {
		if h := m.GetHistogram(); label(m, "path") == "/here" {
			var upTo []uint64
			for _, b := range h.Bucket {
				upTo = append(upTo, b.GetCumulativeCount())
			}
			if got := fmt.Sprint(upTo); got != "[2 3 3 3 3 3 3 3 3 3 4 4 4 5]" || h.GetSampleCount() != 5 || h.GetSampleSum() != 3601.001001 {
				t.Errorf("buckets %s, count %d, sum %v", got, h.GetSampleCount(), h.GetSampleSum())
			}
			return
		}
	}
	t.Error("the path has no durations")
}

// exchangeRaw sends bytes and returns the answers, after which the service must close the
// connection.
func exchangeRaw(t *testing.T, l *marketplacetest.Pipes, request string, answers int) (got []*http.Response, bodies []string) {
	t.Helper()
	conn := l.Dial()
	defer conn.Close()
	go io.WriteString(conn, request)
	in := bufio.NewReader(conn)
	for range answers {
		answer, err := http.ReadResponse(in, nil)
		if err != nil {
			t.Fatalf("after %d answers: %v", len(got), err)
		}
		body := must.Get(io.ReadAll(answer.Body))
		got, bodies = append(got, answer), append(bodies, strings.TrimSpace(string(body)))
	}
	if rest, err := io.ReadAll(in); err != nil || len(rest) > 0 {
		t.Errorf("after the answers: %q, %v", rest, err)
	}
	return got, bodies
}

func TestUnparsedRequestsAreAnsweredInJSON(t *testing.T) {
	var log bytes.Buffer
	servingWithLog(t, slog.New(slog.NewJSONHandler(&log, nil)), func(t *testing.T, d *fixture, l *marketplacetest.Pipes, stop func() error) {
		doc, ids := newOpenAPI(t), make(map[string]int)
		for _, c := range []struct {
			request string
			status  int
			message string
		}{
			{"DELETE /api/api-keys/% HTTP/1.1\r\nHost: x\r\n\r\n", 400, "The request line or a header cannot be read"},
			{"DELETE /api/api-keys/%zz HTTP/1.1\r\nHost: x\r\n\r\n", 400, "The request line or a header cannot be read"},
			{"nonsense\r\n\r\n", 400, "The request line or a header cannot be read"},
			{"DELETE /api/api-keys/1 HTTP/1.1\r\n\r\n", 400, "The request cannot be read: missing required Host header"},
			{"DELETE / HTTP/1.1\r\nHost: x\r\nCookie: " + strings.Repeat("a", maxHeader) + "\r\n\r\n", 431, "The headers of the request are larger than 16 KiB"},
			{"DELETE / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: rot13\r\n\r\n", 501, "The request line or a header cannot be read"},
			{"DELETE / HTTP/9.9\r\nHost: x\r\n\r\n", 505, "The request cannot be read: unsupported protocol version"},
		} {
			answers, bodies := exchangeRaw(t, l, c.request, 1)
			answer := answers[0]
			want := fmt.Sprintf(`{"statusCode":%d,"error":%q,"message":%q}`, c.status, http.StatusText(c.status), c.message)
			if answer.StatusCode != c.status || !answer.Close || bodies[0] != want {
				t.Errorf("%.40q: %d, close %v, %s, want %s", c.request, answer.StatusCode, answer.Close, bodies[0], want)
			}
			ids[answer.Header.Get("X-Request-Id")] = c.status
			if c.status < 500 {
				w := httptest.NewRecorder()
				maps.Copy(w.Header(), answer.Header)
				w.WriteHeader(answer.StatusCode)
				_, _ = w.WriteString(bodies[0])
				doc.Check(t, httptest.NewRequest(http.MethodDelete, "/api/api-keys/1", nil), "", w)
			}
		}
		// An answer before such a request is not changed.
		answers, _ := exchangeRaw(t, l, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nGET /metrics HTTP/1.1\r\nHost: x\r\n\r\nGET /% HTTP/1.1\r\nHost: x\r\n\r\n", 3)
		for i, want := range []string{"200 application/json", "200 text/plain; version=0.0.4; charset=utf-8", "400 application/json"} {
			if is := fmt.Sprint(answers[i].StatusCode, " ", answers[i].Header.Get("Content-Type")); is != want {
				t.Errorf("answer %d is %s, want %s", i, is, want)
			}
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
		for id, status := range ids {
			if id == "" || !strings.Contains(log.String(), fmt.Sprintf(`"id":%q,"method":"","route":"","status":%d`, id, status)) {
				t.Errorf("the log has no record of %q with %d:\n%s", id, status, log.String())
			}
		}
		if page := call(d.Marketplace, "", "GET", "/metrics", "").Body.String(); len(ids) != 7 || !strings.Contains(page, `{method="other",path="other",status="400"} 5`) {
			t.Errorf("%d ids, the metrics are\n%s", len(ids), page)
		}
	})
}
