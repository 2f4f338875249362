package api

import (
	"cmp"
	"crypto/tls"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"
)

// Options configures a Client.
type Options struct {
	// BaseURL is the address of the marketplace: https, or http on this machine.
	// Its path, if any, is the prefix of all paths of the interface.
	BaseURL string
	// Key is the API key. It is sent only to the scheme, host and port of BaseURL.
	Key string
	// Timeout limits each attempt. The default is 10 s.
	Timeout time.Duration
	// Retries is how often a GET is repeated after a temporary failure. A caller
	// that polls needs none.
	Retries int
	// Asked, if not nil, is called with the wait that the service demands before a
	// GET is repeated. It is called from several goroutines.
	Asked func(wait time.Duration)
	// UserAgent is the header User-Agent. The default is tonne.
	UserAgent string
	// Log receives a line for each attempt, if it is not nil.
	Log *slog.Logger
	// Proxy returns the proxy for a request, or nil. The default are the variables
	// HTTPS_PROXY and NO_PROXY of the environment.
	Proxy func(*http.Request) (*url.URL, error)
	// Transport makes the requests. The default is the network.
	Transport http.RoundTripper
	// MarketRead, if not nil, is called after each complete read of the market. It must return at
	// once, and is called from several goroutines.
	MarketRead func(MarketRead)
	// Now is the wall clock. The default is time.Now.
	Now func() time.Time
	// Outside downloads certificates. The default is the network, without a proxy, and only from
	// public addresses or, for a marketplace on this machine, from this machine.
	Outside http.RoundTripper
}

const (
	defaultTimeout = 10 * time.Second
	maxHeader      = 64 << 10
	connections    = 8
)

// Client reads from one marketplace with one key. It has no method that retires: that is a Retirer. It is safe for
// concurrent use.
type Client struct {
	options Options
	base    *url.URL
	http    *http.Client
	budget  *rate.Limiter
	pacer   *pacer
	// outside has a *pacer for each host of certificates, by its name and port.
	outside sync.Map
	// post reports that the retirement look-up needs POST.
	post atomic.Bool
	// cappedPages reports that the service refuses a per_page above its default.
	cappedPages atomic.Bool
	// bodySize is the size of the last response: pages of a listing have about the same size.
	bodySize atomic.Int64
	swept    atomic.Pointer[sweep]
	// dated is the last response with a date, or nil.
	dated atomic.Pointer[dated]
}

// New returns a client. The error is an *Error of kind Refused if the base
// URL or the key cannot be used.
func New(o Options) (*Client, error) {
	base, err := CheckURL(strings.TrimSpace(o.BaseURL))
	if err != nil {
		return nil, err
	}
	if base.RawQuery != "" || base.Fragment != "" {
		return nil, refused("the base URL must end with its path")
	}
	key := strings.TrimSpace(o.Key)
	if strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		e := refused("the API key holds characters that a key cannot have")
		e.Err = ErrKey
		return nil, e
	}
	base.Path = strings.TrimRight(base.Path, "/")
	base.RawPath = strings.TrimRight(base.RawPath, "/")
	o.Key = key
	o.Timeout = cmp.Or(max(o.Timeout, 0), defaultTimeout)
	o.UserAgent = cmp.Or(o.UserAgent, "tonne")
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Asked == nil {
		o.Asked = func(time.Duration) {}
	}
	if o.Transport == nil {
		if o.Proxy == nil {
			o.Proxy = http.ProxyFromEnvironment
		}
		o.Transport = newTransport(o.Proxy)
	}
	c := &Client{
		options: o, base: base,
		http:   &http.Client{Transport: o.Transport, CheckRedirect: dontFollow},
		budget: rate.NewLimiter(rate.Every(retryEvery), retryBurst),
		pacer:  newPacer(),
	}
	return c, nil
}

func newTransport(proxy func(*http.Request) (*url.URL, error)) *http.Transport {
	return &http.Transport{
		Proxy:                  proxy,
		OnProxyConnectResponse: connected,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
		MaxIdleConnsPerHost:    connections,
		MaxConnsPerHost:        connections,
		IdleConnTimeout:        90 * time.Second,
		TLSHandshakeTimeout:    10 * time.Second,
		MaxResponseHeaderBytes: maxHeader,
		ForceAttemptHTTP2:      true,
	}
}

// dontFollow returns a redirect as the response, so that the key is not sent there.
func dontFollow(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// Origin returns the host of the marketplace for display, with its port if any.
func (c *Client) Origin() string { return c.base.Host }

// BaseURL returns the address of the marketplace, without a trailing slash.
func (c *Client) BaseURL() string { return c.base.String() }

// Close closes idle connections. The client remains usable.
func (c *Client) Close() { c.http.CloseIdleConnections() }
