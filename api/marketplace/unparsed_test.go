package marketplace

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// serveTCP serves on a port until the test ends. The log is complete when stop
// returns.
func serveTCP(t *testing.T, m *Marketplace) (address string, stop func()) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- m.Serve(ctx, l) }()
	return l.Addr().String(), func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// exchangeRaw sends bytes and returns the answers that come until the service
// closes the connection.
func exchangeRaw(t *testing.T, address, request string, answers int) []*http.Response {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(30 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, request); err != nil {
		t.Fatal(err)
	}
	in := bufio.NewReader(conn)
	var got []*http.Response
	for range answers {
		answer, err := http.ReadResponse(in, nil)
		if err != nil {
			t.Fatalf("after %d answers: %v", len(got), err)
		}
		body, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body = io.NopCloser(bytes.NewReader(body))
		got = append(got, answer)
	}
	if rest, err := io.ReadAll(in); err != nil || len(rest) > 0 {
		t.Errorf("after the answers: %q, %v", rest, err)
	}
	return got
}

func TestRequestsThatCannotBeParsedAreAnsweredInJSON(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	m := open(t, "", Options{Log: slog.New(slog.NewJSONHandler(&log, nil))})
	doc := readDescription(t)
	address, stop := serveTCP(t, m)
	ids := make(map[string]int)
	for _, c := range []struct {
		request string
		status  int
		message string
	}{
		{"DELETE /api/api-keys/% HTTP/1.1\r\nHost: x\r\n\r\n", 400, "The request line or a header cannot be read"},
		{"DELETE /api/api-keys/%zz HTTP/1.1\r\nHost: x\r\n\r\n", 400, "The request line or a header cannot be read"},
		{"nonsense\r\n\r\n", 400, "The request line or a header cannot be read"},
		{"DELETE /api/api-keys/1 HTTP/1.1\r\n\r\n", 400, "The request cannot be read: missing required Host header"},
		{"DELETE / HTTP/1.1\r\nHost: x\r\nCookie: " + strings.Repeat("a", maxHeader-headerSlack+4096) + "\r\n\r\n", 431, "The headers of the request are larger than 16 KiB"},
		{"DELETE / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: rot13\r\n\r\n", 501, "The request line or a header cannot be read"},
		{"DELETE / HTTP/9.9\r\nHost: x\r\n\r\n", 505, "The request cannot be read: unsupported protocol version"},
	} {
		answer := exchangeRaw(t, address, c.request, 1)[0]
		body, _ := io.ReadAll(answer.Body)
		want := fmt.Sprintf(`{"statusCode":%d,"error":%q,"message":%q}`, c.status, http.StatusText(c.status), c.message)
		if answer.StatusCode != c.status || !answer.Close || strings.TrimSpace(string(body)) != want {
			t.Errorf("%.40q: %d, close %v, %s, want %s", c.request, answer.StatusCode, answer.Close, body, want)
		}
		ids[answer.Header.Get("X-Request-Id")] = c.status
		if c.status < 500 {
			w := httptest.NewRecorder()
			maps.Copy(w.Header(), answer.Header)
			w.WriteHeader(answer.StatusCode)
			_, _ = w.Write(body)
			doc.check(t, httptest.NewRequest(http.MethodDelete, "/api/api-keys/1", nil), "", w)
		}
	}
	stop()
	for id, status := range ids {
		if id == "" || !strings.Contains(log.String(), fmt.Sprintf(`"id":%q,"method":"","route":"","status":%d`, id, status)) {
			t.Errorf("the log has no record of %q with %d:\n%s", id, status, log.String())
		}
	}
	if len(ids) != 7 {
		t.Errorf("%d ids", len(ids))
	}
	if page := call(m, "", "GET", "/metrics", "").Body.String(); !strings.Contains(page, `tonne_http_requests_total{method="other",path="other",status="400"} 4`) {
		t.Errorf("the metrics are\n%s", page)
	}
}

func TestAnAnswerBeforeARequestThatCannotBeParsedIsUnchanged(t *testing.T) {
	t.Parallel()
	m := open(t, "", Options{})
	address, stop := serveTCP(t, m)
	defer stop()
	got := exchangeRaw(t, address, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nGET /metrics HTTP/1.1\r\nHost: x\r\n\r\nGET /% HTTP/1.1\r\nHost: x\r\n\r\n", 3)
	for i, want := range []string{"200 application/json", "200 text/plain; version=0.0.4; charset=utf-8", "400 application/json"} {
		if is := fmt.Sprint(got[i].StatusCode, " ", got[i].Header.Get("Content-Type")); is != want {
			t.Errorf("answer %d is %s, want %s", i, is, want)
		}
	}
}
