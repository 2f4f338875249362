package api_test

import (
	"bytes"
	"compress/gzip"
	"crypto/tls"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/klauspost/compress/zstd"
	"go.uber.org/goleak"

	"tonne/api"
	"tonne/api/apitest"
	"tonne/model/longtest"
	"tonne/model/must"
)

func TestMain(m *testing.M) {
	longtest.Checks(10, 100)
	goleak.VerifyTestMain(m)
}

// serve runs a handler on a loopback port and returns a client of it.
func serve(t *testing.T, h http.Handler, change ...func(*api.Options)) *api.Client {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	o := api.Options{BaseURL: server.URL, Key: key}
	for _, c := range change {
		c(&o)
	}
	c := must.Get(api.New(o))
	t.Cleanup(c.Close)
	return c
}

// patient leaves time for the largest answers on the slowest machine.
func patient(o *api.Options) { o.Timeout = 5 * time.Minute }

func TestAnswerThatIsTooLargeIsNotRead(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		answer http.Handler
		kind   api.Kind
	}{
		"gzip bomb":        {gzipBomb(33 << 20), api.NotTheAPI},
		"zstd bomb":        {compressed("zstd", strings.Repeat(" ", 33<<20)), api.NotTheAPI},
		"endless":          {endless("{"), api.NotTheAPI},
		"10 MB of headers": {hugeHeaders(10 << 20), api.Unreachable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, err := serve(t, tt.answer, patient).MarketPage(t.Context(), api.MarketQuery{})
			must.Equal(t, failure(t, err).Kind, tt.kind)
		})
	}
}

func TestKeyDoesNotFollowARedirect(t *testing.T) {
	t.Parallel()
	var visits atomic.Int64
	elsewhere := httptest.NewServer(counted(apitest.JSON(marketPage(1, 1, 1, "p")), &visits))
	t.Cleanup(elsewhere.Close)
	_, port, err := net.SplitHostPort(elsewhere.Listener.Addr().String())
	must.Succeed(t, err)
	for name, location := range map[string]string{
		"to another host":  "http://localhost:" + port + "/",
		"to another port":  elsewhere.URL,
		"to http":          "http://127.0.0.1:" + port + "/",
		"to the same host": "/api/market",
		"to nowhere":       "",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var requests atomic.Int64
			c := serve(t, counted(apitest.Redirect(location), &requests), retries(3))
			_, _, err := c.MarketPage(t.Context(), api.MarketQuery{})
			if e := failure(t, err); e.Kind != api.NotTheAPI || !strings.HasPrefix(e.Error(), "the service redirects") {
				t.Errorf("error is %v", e)
			}
			if requests.Load() != 1 || visits.Load() != 0 {
				t.Errorf("%d requests, %d elsewhere", requests.Load(), visits.Load())
			}
		})
	}
}

func TestFailedHandshakeIsNotTriedAgain(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		start func(*httptest.Server)
		trust bool
		says  string
	}{
		"bad certificate": {(*httptest.Server).StartTLS, false, "certificate not trusted"},
		"plain HTTP":      {(*httptest.Server).Start, true, "no secure connection"},
		"old TLS": {func(s *httptest.Server) {
			s.TLS = &tls.Config{MinVersion: tls.VersionTLS11, MaxVersion: tls.VersionTLS11}
			s.StartTLS()
		}, true, "no secure connection"},
		"certificate of the client wanted": {func(s *httptest.Server) {
			s.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert}
			s.StartTLS()
		}, true, "no secure connection"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var connections atomic.Int64
			server := httptest.NewUnstartedServer(apitest.JSON(marketPage(1, 1, 1, "p")))
			server.Config.ErrorLog = log.New(io.Discard, "", 0)
			server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
				if s == http.StateNew {
					connections.Add(1)
				}
			}
			tt.start(server)
			t.Cleanup(server.Close)
			o := api.Options{BaseURL: "https://" + server.Listener.Addr().String(), Key: key, Retries: 3}
			if tt.trust {
				o.Transport = &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
			}
			c, err := api.New(o)
			must.Succeed(t, err)
			_, _, err = c.MarketPage(t.Context(), api.MarketQuery{})
			if e := failure(t, err); e.Kind != api.Unreachable || e.Error() != tt.says || connections.Load() != 1 {
				t.Errorf("%d connections end in %v (%v)", connections.Load(), e, e.Err)
			}
		})
	}
}

func TestHostThatCannotBeReachedIsNamedSo(t *testing.T) {
	t.Parallel()
	listener := must.Get(net.Listen("tcp", "127.0.0.1:0"))
	closed := "http://" + listener.Addr().String()
	must.Succeed(t, listener.Close())
	c, err := api.New(api.Options{BaseURL: closed, Key: key, MayRetire: true})
	must.Succeed(t, err)
	_, _, err = c.MarketPage(t.Context(), api.MarketQuery{})
	if e := failure(t, err); e.Kind != api.Unreachable || e.Error() != "connection refused" {
		t.Errorf("error is %v", e)
	}
	if _, err := c.RequestRetirement(t.Context(), []byte("{}")); !api.HadNoEffect(err) {
		t.Errorf("a retirement that was never sent: %v", err)
	}
}

// TestStatusLineIsNotShown answers with escape sequences where only HTTP
// clients look.
func TestStatusLineIsNotShown(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"HTTP/1.1 500 \x1b]0;x\x07\x9b2J", "HTTP/1.1 \x1b[2J", "\x1b[2J", "HTTP/1.1 500 Sorry\r\nX: \x1b[2J"} {
		h := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			_, _ = io.WriteString(conn, line+"\r\nContent-Length: 0\r\n\r\n")
			_ = conn.Close()
		})
		_, _, err := serve(t, h).MarketPage(t.Context(), api.MarketQuery{})
		if got := failure(t, err).Error(); strings.ContainsFunc(got, unicode.IsControl) || !utf8.ValidString(got) {
			t.Errorf("%q: error is %q", line, got)
		}
	}
}

func TestKeyThatIsRefusedInMidSession(t *testing.T) {
	t.Parallel()
	for status, kind := range map[int]api.Kind{401: api.Unauthorized, 403: api.Forbidden} {
		var requests atomic.Int64
		h := apitest.Sequence(apitest.JSON(marketPage(1, 1, 1, "p")), apitest.Status(status, `{}`))
		c := serve(t, counted(h, &requests), retries(3))
		if _, _, err := c.MarketPage(t.Context(), api.MarketQuery{}); err != nil {
			t.Fatal(err)
		}
		_, _, err := c.MarketPage(t.Context(), api.MarketQuery{})
		if e := failure(t, err); e.Kind != kind || requests.Load() != 2 {
			t.Errorf("%d requests end in %v", requests.Load(), e)
		}
	}
}

// encodings compress what is written, by what HTTP calls them.
var encodings = map[string]func(io.Writer) io.WriteCloser{
	"gzip": func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
	"zstd": func(w io.Writer) io.WriteCloser { return zstdWriter(w) },
}

func zstdWriter(w io.Writer, options ...zstd.EOption) *zstd.Encoder {
	z := must.Get(zstd.NewWriter(w, append(options, zstd.WithEncoderConcurrency(1))...))
	return z
}

// compressed answers with bodies in an encoding.
func compressed(name string, body string) http.HandlerFunc {
	var small bytes.Buffer
	z := encodings[name](&small)
	_, _ = io.WriteString(z, body)
	_ = z.Close()
	return encoded(name, small.Bytes())
}

func encoded(name string, small []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", name)
		_, _ = w.Write(small)
	}
}

// A client asks for both, and one that was used for one page is used for others.
func TestAnAnswerIsReadHoweverItIsCompressed(t *testing.T) {
	t.Parallel()
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		accepted := r.Header.Get("Accept-Encoding")
		body := marketPage(1, 1, 1, "p")
		switch page := r.URL.Query().Get("page"); {
		case !strings.Contains(accepted, "zstd") || !strings.Contains(accepted, "gzip"):
			t.Errorf("the client accepts %q", accepted)
		case page == "3":
			_, _ = io.WriteString(w, body)
		case page == "2":
			compressed("gzip", body)(w, r)
		default:
			compressed("zstd", body)(w, r)
		}
	})
	c := serve(t, h)
	for page := range 6 {
		part, _, err := c.MarketPage(t.Context(), api.MarketQuery{Page: 1 + page%3})
		if err != nil || part.Orders() != 1 {
			t.Errorf("page %d is %v (%v)", 1+page%3, part, err)
		}
	}
}

func TestAnAnswerThatCannotBeExpandedIsAnError(t *testing.T) {
	t.Parallel()
	whole := new(bytes.Buffer)
	z := zstdWriter(whole)
	_, _ = io.WriteString(z, marketPage(1, 1, 1, "p"))
	_ = z.Close()
	wide := new(bytes.Buffer)
	z = zstdWriter(wide, zstd.WithWindowSize(64<<20))
	_, _ = z.Write(make([]byte, 1<<20))
	_ = z.Flush()
	_, _ = z.Write(make([]byte, 1<<20))
	_ = z.Close()
	for name, tt := range map[string]struct {
		h    http.Handler
		kind api.Kind
	}{
		"zstd that ends too soon":            {encoded("zstd", whole.Bytes()[:whole.Len()-5]), api.Unreachable},
		"zstd that is none":                  {encoded("zstd", []byte(marketPage(1, 1, 1, "p"))), api.Unreachable},
		"zstd that wants 64 MiB to be kept":  {encoded("zstd", wide.Bytes()), api.Unreachable},
		"gzip that is none":                  {encoded("gzip", []byte(marketPage(1, 1, 1, "p"))), api.Unreachable},
		"an encoding that was not requested": {encoded("br", whole.Bytes()), api.NotTheAPI},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := serve(t, tt.h)
			for range 2 {
				_, _, err := c.MarketPage(t.Context(), api.MarketQuery{})
				must.Equal(t, failure(t, err).Kind, tt.kind)
			}
		})
	}
}

// gzipBomb answers a small body that is of the given size when decompressed.
func gzipBomb(size int) http.Handler {
	const block = 1 << 20
	var member bytes.Buffer // a gzip stream is any number of these
	z := gzip.NewWriter(&member)
	_, _ = z.Write(bytes.Repeat([]byte(" "), block))
	_ = z.Close()
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		for range size / block {
			if _, err := w.Write(member.Bytes()); err != nil {
				return
			}
		}
	})
}

// hugeHeaders answers with headers of the given size in all.
func hugeHeaders(size int) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		const one = 4 << 10
		for n := range size / one {
			w.Header().Set("X-Padding-"+strconv.Itoa(n), strings.Repeat("x", one))
		}
	})
}

// late waits before it answers with h.
func late(h http.Handler, wait time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-time.After(wait):
			h.ServeHTTP(w, r)
		}
	})
}
