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

	must "tonne/model/musttest"
)

func TestSlowHeadersAreCutOff(t *testing.T) {
	serving(t, nil, func(t *testing.T, d *fixture, l *pipes, _ func() error) {
		conn, start := l.dial(), time.Now()
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
		took := <-cut
		must.Hold(t, took <= readHeaderTimeout+time.Second, "one byte a second was accepted for", took)
	})
}

func TestSlowBodiesAreCutOff(t *testing.T) {
	serving(t, nil, func(t *testing.T, d *fixture, l *pipes, _ func() error) {
		start := time.Now()
		conn := bufio.NewReader(d.post(l, "/api/retirement", 100, "{"))
		answer, err := http.ReadResponse(conn, nil)
		must.Hold(t, err == nil && answer.StatusCode == http.StatusRequestTimeout, answer, err)
		_, err = io.Copy(io.Discard, conn)
		must.Fail(t, err, nil)
		took := time.Since(start)
		must.Hold(t, took <= readTimeout+time.Second, "the service waited", took)
	})
}

func TestClientsThatDoNotReadAreCutOff(t *testing.T) {
	serving(t, nil, func(t *testing.T, d *fixture, l *pipes, _ func() error) {
		conn := l.dial()
		fmt.Fprintf(conn, "GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n")
		time.Sleep(writeTimeout + time.Second)
		synctest.Wait()
		body, err := io.ReadAll(conn)
		must.Hold(t, err == nil && !strings.Contains(string(body), "securitySchemes"), "the answer still arrived",
			len(body), err)
	})
}

func TestLargeHeadersAreRefused(t *testing.T) {
	serving(t, nil, func(t *testing.T, d *fixture, l *pipes, _ func() error) {
		for _, size := range []struct{ cookie, status int }{
			{maxHeader / 2, http.StatusUnauthorized},
			{maxHeader, http.StatusRequestHeaderFieldsTooLarge},
			{10 * maxHeader, http.StatusRequestHeaderFieldsTooLarge},
		} {
			conn := l.dial()
			go fmt.Fprintf(conn, "GET /api/market HTTP/1.1\r\nHost: x\r\nCookie: %s\r\n\r\n", strings.Repeat("a", size.cookie))
			answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
			must.Hold(t, err == nil && answer.StatusCode == size.status, "a cookie of", size.cookie, answer, err)
			conn.Close()
		}
	})
}

func TestDrainLetsRequestsFinish(t *testing.T) {
	serving(t, nil, func(t *testing.T, d *fixture, l *pipes, stop func() error) {
		conn := d.post(l, "/api/retirement", 16, "")
		// Without this the service may not have accepted the connection yet.
		synctest.Wait()
		stopped := make(chan error, 1)
		go func() { stopped <- stop() }()
		synctest.Wait()
		must.Need(t, d.draining.Load() && len(stopped) == 0, "draining", d.draining.Load(), len(stopped) > 0)
		go io.WriteString(conn, `{"id":"00mnope"}`)
		answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
		must.Need(t, err == nil && answer.StatusCode == http.StatusUnprocessableEntity, answer, err)
		_, err = io.Copy(io.Discard, answer.Body)
		must.Fail(t, err, nil)
		must.Fail(t, <-stopped, nil)
	})
}

func TestDrainEndsAfterTenSeconds(t *testing.T) {
	serving(t, nil, func(t *testing.T, d *fixture, l *pipes, stop func() error) {
		d.post(l, "/api/retirement", 16, "")
		start := time.Now()
		must.Fail(t, stop(), nil)
		took := time.Since(start)
		must.Hold(t, took <= drainTimeout+time.Second, "it drained for", took)
	})
}

func TestDisconnectedClientsAreNotServerErrors(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	w := d.answer(d.request(canceled(t), http.MethodGet, "/api/market"))
	must.Hold(t, w.Code < 500, "counted as", w.Code)
}

func TestPanicIsAnsweredWith500(t *testing.T) {
	t.Parallel()
	d, log := logged(t, "")
	h := d.observe(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("boom") }))
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/x", nil))
	must.Hold(t, w.Code == 500 && !strings.Contains(w.Body.String(), "boom") &&
		strings.Contains(log.String(), "boom"), w.Code, w.Body, log)
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
		must.Hold(t, id != "" && found, target, id)
		must.Hold(t, !strings.HasPrefix(target, "/api/market") ||
			strings.Contains(record, "route=/api/market status=200") && strings.Contains(record, "key_id=00n"),
			"the record is", record)
	}
	token := d.Text("SELECT certificate FROM retirement_requests WHERE certificate IS NOT NULL")
	for name, secret := range map[string]string{"key": d.Key, "other key": d.OtherKey, "certificate": token} {
		must.Hold(t, !strings.Contains(log.String(), secret), "the log contains the", name)
	}
}

// exchangeRaw sends bytes and returns the answers, after which the service must close the
// connection.
func exchangeRaw(t *testing.T, l *pipes, request string, answers int) (got []*http.Response, bodies []string) {
	t.Helper()
	conn := l.dial()
	defer conn.Close()
	go io.WriteString(conn, request)
	in := bufio.NewReader(conn)
	for range answers {
		answer, err := http.ReadResponse(in, nil)
		must.Need(t, err == nil, "after", len(got), err)
		body := must.Get(io.ReadAll(answer.Body))
		got, bodies = append(got, answer), append(bodies, strings.TrimSpace(string(body)))
	}
	rest, err := io.ReadAll(in)
	must.Hold(t, err == nil && len(rest) == 0, "after the answers", rest, err)
	return got, bodies
}

func TestUnparsedRequestsAreAnsweredInJSON(t *testing.T) {
	var log bytes.Buffer
	serving(t, slog.New(slog.NewJSONHandler(&log, nil)), func(t *testing.T, d *fixture, l *pipes, stop func() error) {
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
			{"DELETE / HTTP/1.1\r\nHost: x\r\nCookie: " + strings.Repeat("a", maxHeader) + "\r\n\r\n", 431,
				"The headers of the request are larger than 16 KiB"},
			{"DELETE / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: rot13\r\n\r\n", 501,
				"The request line or a header cannot be read"},
			{"DELETE / HTTP/9.9\r\nHost: x\r\n\r\n", 505, "The request cannot be read: unsupported protocol version"},
		} {
			answers, bodies := exchangeRaw(t, l, c.request, 1)
			answer := answers[0]
			want := fmt.Sprintf(`{"statusCode":%d,"error":%q,"message":%q}`, c.status, http.StatusText(c.status), c.message)
			must.Hold(t, answer.StatusCode == c.status && answer.Close && bodies[0] == want, c.request,
				answer.StatusCode, answer.Close, bodies[0], want)
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
		answers, _ := exchangeRaw(t, l,
			"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nGET /metrics HTTP/1.1\r\nHost: x\r\n\r\nGET /% HTTP/1.1\r\nHost: x\r\n\r\n",
			3)
		for i, want := range []string{"200 application/json", "200 text/plain; version=0.0.4; charset=utf-8",
			"400 application/json"} {
			must.Equal(t, fmt.Sprint(answers[i].StatusCode, " ", answers[i].Header.Get("Content-Type")), want, "answer", i)
		}
		must.Fail(t, stop(), nil)
		for id, status := range ids {
			must.Hold(t, id != "" &&
				strings.Contains(log.String(), fmt.Sprintf(`"id":%q,"method":"","route":"","status":%d`, id, status)),
				"the log has no record of", id, status, log.String())
		}
		page := call(d.Marketplace, "", "GET", "/metrics", "").Body.String()
		must.Hold(t, len(ids) == 7 && strings.Contains(page, `{method="other",path="other",status="400"} 5`),
			len(ids), page)
	})
}
