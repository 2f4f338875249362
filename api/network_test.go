package api_test

import (
	"bytes"
	"compress/gzip"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
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
	must "tonne/model/musttest"
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
	whole, blanks := expanding("zstd", marketPage(1, 1, 1, "p")), strings.Repeat(" ", 33<<20)
	wide := new(bytes.Buffer)
	z := zstdWriter(wide, zstd.WithWindowSize(64<<20))
	for range 2 {
		_, _ = z.Write(make([]byte, 1<<20))
		_ = z.Flush()
	}
	_ = z.Close()
	for name, tt := range map[string]struct {
		answer http.Handler
		kind   api.Kind
	}{
		"gzip bomb":                          {compressed("gzip", blanks), api.NotTheAPI},
		"zstd bomb":                          {compressed("zstd", blanks), api.NotTheAPI},
		"endless":                            {endless("{"), api.NotTheAPI},
		"10 MB of headers":                   {hugeHeaders(10 << 20), api.Unreachable},
		"zstd that ends too soon":            {encoded("zstd", whole[:len(whole)-5]), api.Unreachable},
		"zstd that is none":                  {encoded("zstd", []byte(marketPage(1, 1, 1, "p"))), api.Unreachable},
		"zstd that wants 64 MiB to be kept":  {encoded("zstd", wide.Bytes()), api.Unreachable},
		"gzip that is none":                  {encoded("gzip", []byte(marketPage(1, 1, 1, "p"))), api.Unreachable},
		"an encoding that was not requested": {encoded("br", whole), api.NotTheAPI},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := serve(t, tt.answer, patient)
			for range 2 {
				must.Equal(t, failure(t, page(t, c)).Kind, tt.kind)
			}
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
			e := failure(t, page(t, c))
			must.Hold(t, e.Kind == api.NotTheAPI && strings.HasPrefix(e.Error(), "the service redirects"), "error is", e)
			must.Hold(t, requests.Load() == 1 && visits.Load() == 0, requests.Load(), visits.Load())
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
		}, true, "client certificate wanted"},
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
			c := must.Get(api.New(o))
			e := failure(t, page(t, c))
			must.Hold(t, e.Kind == api.Unreachable && e.Brief == tt.says && connections.Load() == 1,
				connections.Load(), e, e.Err)
		})
	}
}

func TestHostThatCannotBeReachedIsNamedSo(t *testing.T) {
	t.Parallel()
	listener := must.Get(net.Listen("tcp", "127.0.0.1:0"))
	closed := "http://" + listener.Addr().String()
	must.Succeed(t, listener.Close())
	c := must.Get(api.NewRetirer(api.Options{BaseURL: closed, Key: key}))
	e := failure(t, page(t, c.Client))
	must.Hold(t, e.Kind == api.Unreachable && e.Error() == "connection refused", "error is", e)
	_, err := c.RequestRetirement(t.Context(), []byte("{}"))
	must.Hold(t, api.HadNoEffect(err), "a retirement that was never sent", err)
}

// TestStatusLineIsNotShown answers with escape sequences where only HTTP
// clients look.
func TestStatusLineIsNotShown(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"HTTP/1.1 500 \x1b]0;x\x07\x9b2J", "HTTP/1.1 \x1b[2J", "\x1b[2J",
		"HTTP/1.1 500 Sorry\r\nX: \x1b[2J"} {
		h := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			_, _ = io.WriteString(conn, line+"\r\nContent-Length: 0\r\n\r\n")
			_ = conn.Close()
		})
		got := failure(t, page(t, serve(t, h))).Error()
		must.Hold(t, !strings.ContainsFunc(got, unicode.IsControl) && utf8.ValidString(got), line, got)
	}
}

func zstdWriter(w io.Writer, options ...zstd.EOption) *zstd.Encoder {
	return must.Get(zstd.NewWriter(w, append(options, zstd.WithEncoderConcurrency(1))...))
}

// expanding returns a body in gzip or zstd.
func expanding(name, body string) []byte {
	var small bytes.Buffer
	var z io.WriteCloser = gzip.NewWriter(&small)
	if name == "zstd" {
		z = zstdWriter(&small)
	}
	_, _ = io.WriteString(z, body)
	_ = z.Close()
	return small.Bytes()
}

func compressed(name, body string) http.HandlerFunc { return encoded(name, expanding(name, body)) }

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
		must.Hold(t, err == nil && part.Orders() == 1, "page", 1+page%3, part, err)
	}
}

func hugeHeaders(size int) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		const one = 4 << 10
		for n := range size / one {
			w.Header().Set("X-Padding-"+strconv.Itoa(n), strings.Repeat("x", one))
		}
	})
}

func late(h http.Handler, wait time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-time.After(wait):
			h.ServeHTTP(w, r)
		}
	})
}

// authority signs certificates for tests.
type authority struct {
	key  *ecdsa.PrivateKey
	cert *x509.Certificate
}

func newAuthority() authority {
	key := must.Get(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Inspecting Proxy CA"}, IsCA: true,
		BasicConstraintsValid: true,
		NotBefore:             time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	der := must.Get(x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key))
	return authority{key, must.Get(x509.ParseCertificate(der))}
}

func (a authority) sign(change func(*x509.Certificate)) tls.Certificate {
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	change(template)
	der := must.Get(x509.CreateCertificate(rand.Reader, template, a.cert, &a.key.PublicKey, a.key))
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: a.key}
}

func (a authority) pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.cert)
	return pool
}

func TestCauseOfAnUntrustedCertificateIsNamed(t *testing.T) {
	t.Parallel()
	known := newAuthority()
	for name, tt := range map[string]struct {
		change func(*x509.Certificate)
		trust  *x509.CertPool
		brief  string
		says   string
		todo   string
	}{
		"expired": {func(c *x509.Certificate) {
			c.NotBefore, c.NotAfter = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2020, 2, 1, 0, 0, 0, 0, time.UTC)
		}, known.pool(), "certificate expired", "the certificate of HOST expired on 2020-02-01", "Check the clock"},
		"not yet valid": {func(c *x509.Certificate) {
			c.NotBefore, c.NotAfter = time.Date(2090, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2091, 1, 1, 0, 0, 0, 0, time.UTC)
		}, known.pool(), "certificate not yet valid", "the certificate of HOST is not valid before 2090-01-01",
			"Check the clock"},
		"another host": {func(c *x509.Certificate) {
			c.IPAddresses, c.DNSNames = nil, []string{"a.example", "b.example", "c.example", "d.example"}
		},
			known.pool(), "certificate of another host",
			"the certificate of HOST is for a.example, b.example, c.example, others", "Check the base URL"},
		"no name": {func(c *x509.Certificate) { c.IPAddresses = nil },
			known.pool(), "certificate of another host", "the certificate of HOST is for no host name", "Check the base URL"},
		"unknown authority": {func(*x509.Certificate) {}, x509.NewCertPool(), "certificate not trusted",
			"the certificate of HOST is signed by an unknown authority (CN=Inspecting Proxy CA)", "SSL_CERT_FILE"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewUnstartedServer(apitest.JSON(marketPage(1, 1, 1, "p")))
			server.Config.ErrorLog = log.New(io.Discard, "", 0)
			server.TLS = &tls.Config{Certificates: []tls.Certificate{known.sign(tt.change)}}
			server.StartTLS()
			t.Cleanup(server.Close)
			transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: tt.trust}}
			t.Cleanup(transport.CloseIdleConnections)
			c := must.Get(api.NewRetirer(api.Options{BaseURL: server.URL, Key: key, Retries: 3, Transport: transport}))
			e := failure(t, page(t, c.Client))
			must.Equal(t, strings.ReplaceAll(e.Error(), server.Listener.Addr().String(), "HOST"), tt.says)
			must.Hold(t, e.Kind == api.Unreachable && e.Brief == tt.brief && strings.Contains(e.Todo, tt.todo), e.Kind, e.Brief,
				e.Todo)
			_, err := c.RequestRetirement(t.Context(), []byte("{}"))
			must.Hold(t, api.HadNoEffect(err), "a retirement that was never sent", err)
		})
	}
}

func TestProxyThatRefusesIsNamed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		answer http.HandlerFunc
		says   string
		todo   string
	}{
		{"a password is wanted", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusProxyAuthRequired) },
			"the proxy PROXY wants a user name and a password (407)", "HTTPS_PROXY"},
		{"the host is not allowed", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) },
			"the proxy PROXY refused to connect to the marketplace (403 Forbidden)", "NO_PROXY"},
		{"the host is not reached", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) },
			"the proxy PROXY refused to connect to the marketplace (502 Bad Gateway)", "NO_PROXY"},
		{"nothing listens", nil, "the proxy PROXY: connection refused", "HTTPS_PROXY"},
		{"it closes the connection", func(w http.ResponseWriter, _ *http.Request) { panic(http.ErrAbortHandler) },
			"connection lost, through the proxy PROXY", "HTTPS_PROXY"},
		{"it is no proxy", func(w http.ResponseWriter, _ *http.Request) {
			conn, _, _ := w.(http.Hijacker).Hijack()
			_, _ = io.WriteString(conn, "220 mail.example ESMTP\r\n")
			_ = conn.Close()
		}, "no usable answer, through the proxy PROXY", "HTTPS_PROXY"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			proxy := httptest.NewServer(tt.answer)
			t.Cleanup(proxy.Close)
			if tt.answer == nil {
				proxy.Close()
			}
			c := must.Get(api.NewRetirer(api.Options{
				BaseURL: "https://market.example", Key: key,
				Proxy: http.ProxyURL(must.Get(url.Parse(proxy.URL))),
			}))
			t.Cleanup(c.Close)
			e := failure(t, page(t, c.Client))
			must.Equal(t, strings.ReplaceAll(e.Error(), proxy.Listener.Addr().String(), "PROXY"), tt.says)
			must.Hold(t, e.Kind == api.Unreachable && strings.Contains(e.Todo, tt.todo), e.Kind, e.Todo)
			_, err := c.RequestRetirement(t.Context(), []byte("{}"))
			certain := tt.answer == nil || strings.Contains(tt.says, "40") || strings.Contains(tt.says, "502")
			must.Hold(t, api.HadNoEffect(err) || !certain, "a retirement that was never sent", err)
		})
	}
}

func TestAnotherCharsetIsNamed(t *testing.T) {
	t.Parallel()
	latin := strings.Replace(marketPage(1, 1, 1, "p"), `"p"`, "\"p\xe9\"", 1)
	for _, tt := range []struct{ name, contentType, body, says string }{
		{"Latin-1", "application/json; charset=ISO-8859-1", latin, "it is encoded as ISO-8859-1"},
		{"UTF-16", "application/json; charset=utf-16", "\xff\xfe{\x00}\x00", "it is encoded as utf-16"},
		{"UTF-16 without a name", "application/json", "\xff\xfe{\x00}\x00", "it is encoded as UTF-16"},
		{"UTF-16 under another name", "application/json; charset=utf-8", "\xfe\xff\x00{\x00}", "it is encoded as UTF-16"},
		{"Latin-1 that is ASCII", "application/json; charset=ISO-8859-1", marketPage(1, 1, 1, "p"), ""},
		{"UTF-8 under another name", "application/json; charset=iso-8859-1", marketPage(1, 1, 1, "pé"), ""},
		{"UTF-8", "application/json; charset=UTF-8", latin, ""},
		{"none", "application/json", latin, ""},
		{"unreadable", "application/json; charset", latin, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := page(t, serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", tt.contentType)
				_, _ = io.WriteString(w, tt.body)
			})))
			if tt.says == "" {
				must.Succeed(t, err)
				return
			}
			got := failure(t, err).Error()
			must.Hold(t, strings.Contains(got, tt.says) && !strings.ContainsFunc(got, unicode.IsControl), got)
		})
	}
}
