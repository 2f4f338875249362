package marketplace

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestUnknownPathIsJSON(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	for _, target := range []string{"/", "/api", "/api/markets", "/api/market/", "/certificates/", "/certificates/x.png"} {
		if f := refused(t, call(d.Marketplace, "", "GET", target, ""), http.StatusNotFound); !strings.Contains(f.Message, target) {
			t.Errorf("%s: %+v", target, f)
		}
	}
}

func TestWrongMethodNamesTheRightOnes(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	for target, allow := range map[string]string{
		"/api/market": "GET, HEAD", "/api/retirement": "GET, HEAD, POST", "/api/caas/request-retirement": "POST", "/api/api-keys/x": "DELETE",
	} {
		w := call(d.Marketplace, d.key, "PUT", target, "")
		if f := refused(t, w, http.StatusMethodNotAllowed); w.Header().Get("Allow") != allow || f.Message == "" {
			t.Errorf("PUT %s: Allow %q, %+v", target, w.Header().Get("Allow"), f)
		}
	}
}

func TestRateLimitIsPerKey(t *testing.T) {
	t.Parallel()
	d := openFixture(t, "", Options{RatePerSecond: 0.5, Burst: 3})
	for range 3 {
		if w := d.get("/api/market"); w.Code != http.StatusOK {
			t.Fatalf("%d within the burst", w.Code)
		}
	}
	w := d.get("/api/market")
	if f := refused(t, w, http.StatusTooManyRequests); w.Header().Get("Retry-After") != "2" || f.Message == "" {
		t.Errorf("Retry-After %q, %+v", w.Header().Get("Retry-After"), f)
	}
	if w := call(d.Marketplace, d.otherKey, "GET", "/api/market", ""); w.Code != http.StatusOK {
		t.Errorf("another key is answered with %d", w.Code)
	}
	d.clock.set(testNow.Add(2 * time.Second))
	if w := d.get("/api/market"); w.Code != http.StatusOK {
		t.Errorf("%d after waiting as long as told", w.Code)
	}
}

func TestAnswersAreCompressedWhereAsked(t *testing.T) {
	t.Parallel()
	d, _ := readDemo(t)
	plain := d.get("/api/market").Body.String()
	for accept, compressed := range map[string]bool{"gzip": true, "br, gzip;q=0.5": true, "gzip;q=0": false, "br": false, "": false} {
		r := httptest.NewRequest("GET", "/api/market", nil)
		r.Header.Set("Authorization", "Bearer "+d.key)
		r.Header.Set("Accept-Encoding", accept)
		w := httptest.NewRecorder()
		d.Handler().ServeHTTP(w, r)
		body := io.Reader(w.Body)
		if got := w.Header().Get("Content-Encoding") == "gzip"; got != compressed {
			t.Errorf("Accept-Encoding %q: compressed is %v", accept, got)
		} else if compressed {
			var err error
			if body, err = gzip.NewReader(w.Body); err != nil {
				t.Fatal(err)
			}
		}
		if text, err := io.ReadAll(body); err != nil || string(text) != plain {
			t.Errorf("Accept-Encoding %q: another body: %v", accept, err)
		}
	}
}

func TestLogsHoldNoSecrets(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	d := openFixture(t, "", Options{RatePerSecond: -1, Log: slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	id := d.fraction("a", 1_500_000, d.sell(d.vintages[0], 10, 620))
	for range 3 {
		if err := d.advance(d.clock.Now()); err != nil {
			t.Fatal(err)
		}
	}
	url := d.lookup(id).CertificateURL
	call(d.Marketplace, "", "GET", strings.TrimPrefix(url, "http://example.com"), "")
	w := d.get("/api/market?key=" + d.key)
	call(d.Marketplace, d.otherKey+"x", "GET", "/api/market", "")
	token := d.text("SELECT certificate FROM retirement_requests WHERE certificate IS NOT NULL")
	for name, secret := range map[string]string{"key": d.key, "other key": d.otherKey, "certificate": token} {
		if strings.Contains(log.String(), secret) {
			t.Errorf("the log contains the %s", name)
		}
	}
	records := strings.Split(strings.TrimSpace(log.String()), "\n")
	var record struct {
		ID     string `json:"id"`
		KeyID  string `json:"key_id"`
		Status int    `json:"status"`
		Route  string `json:"route"`
	}
	if err := json.Unmarshal([]byte(records[len(records)-2]), &record); err != nil {
		t.Fatal(err)
	}
	if record.ID != w.Header().Get("X-Request-Id") || record.ID == "" || record.Status != 200 || record.Route != "/api/market" || !strings.HasPrefix(record.KeyID, "00n") {
		t.Errorf("%+v", record)
	}
}

func TestPanicIsAnsweredWith500(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	m := open(t, "", Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	h := m.observe(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("boom") }))
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/x", nil))
	if w.Code != 500 || strings.Contains(w.Body.String(), "boom") || !strings.Contains(log.String(), "boom") {
		t.Errorf("%d %s, log %s", w.Code, w.Body, &log)
	}
}

// A path that is cleaned by a redirect is answered by net/http, not by an
// endpoint.
func TestEveryAnswerHasARequestIDAndARecord(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	d := openFixture(t, "", Options{RatePerSecond: -1, Log: slog.New(slog.NewTextHandler(&log, nil))})
	for _, target := range []string{"/api/market", "/made/up", "//api/market", "/certificates/../healthz"} {
		id := call(d.Marketplace, d.key, "GET", target, "").Header().Get("X-Request-Id")
		if id == "" || !strings.Contains(log.String(), id) {
			t.Errorf("%s: request id %q is not in the log", target, id)
		}
	}
}

func TestHealth(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	if w := call(d.Marketplace, "", "GET", "/healthz", ""); w.Code != 200 {
		t.Errorf("/healthz %d", w.Code)
	}
	if w := call(d.Marketplace, "", "GET", "/readyz", ""); w.Code != 200 {
		t.Errorf("/readyz %d", w.Code)
	}
	d.do(func(c *change) error { return c.exec("ALTER TABLE audit RENAME TO gone") })
	if w := call(d.Marketplace, "", "GET", "/readyz", ""); w.Code != 503 {
		t.Errorf("/readyz with a broken database %d", w.Code)
	}
}

func TestCertificateLinksBeginWithThePublicURL(t *testing.T) {
	t.Parallel()
	d := openFixture(t, "", Options{RatePerSecond: -1, PublicURL: "https://market.example/"})
	id := d.fraction("a", 1_000_000, d.sell(d.vintages[0], 10, 620))
	for range 3 {
		if err := d.advance(d.clock.Now()); err != nil {
			t.Fatal(err)
		}
	}
	if url := d.lookup(id).CertificateURL; !strings.HasPrefix(url, "https://market.example/certificates/") {
		t.Error(url)
	}
}
