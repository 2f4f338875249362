package api

import (
	"cmp"
	"crypto/tls"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"
)

// Options say how to reach a marketplace.
type Options struct {
	// BaseURL is where the marketplace is: https, or http on this machine. It
	// may have a path, which the paths of the interface are put behind.
	BaseURL string
	// Key is the API key. It is sent to the scheme, host and port of BaseURL
	// and nowhere else.
	Key string
	// Timeout limits each try, 10 s if it is 0.
	Timeout time.Duration
	// Retries is how often a GET is repeated that failed for a reason that
	// may pass; 0 for a caller that polls anyway.
	Retries int
	// Asked, which may be nil, receives the wait that the service demanded before
	// a GET is repeated. It is called from many goroutines.
	Asked func(wait time.Duration)
	// MayRetire lets the client make the one call that cannot be undone.
	MayRetire bool
	// UserAgent names the program, tonne if it is empty.
	UserAgent string
	// Log gets a line for each try; nil for none.
	Log *slog.Logger
	// Transport makes the requests; nil for the network.
	Transport http.RoundTripper
}

const (
	defaultTimeout = 10 * time.Second
	maxHeader      = 64 << 10
	connections    = 8
	// A client repeats at most retryBurst requests at once and one more every
	// retryEvery, however many of its calls fail: a service in trouble gets
	// little more than one try a call.
	retryBurst = 20
	retryEvery = 2 * time.Second
)

// Client calls one marketplace with one key. It is safe for concurrent use.
type Client struct {
	options   Options
	mayRetire bool
	base      *url.URL
	http      *http.Client
	budget    *rate.Limiter
	pacer     *pacer
	// post says that the retirement look-up wants POST.
	post atomic.Bool
	// cappedPages says that the service accepts no larger per_page than its
	// default.
	cappedPages atomic.Bool
	swept       atomic.Pointer[sweep]
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
	if o.Asked == nil {
		o.Asked = func(time.Duration) {}
	}
	if o.Transport == nil {
		o.Transport = newTransport()
	}
	c := &Client{
		options: o, mayRetire: o.MayRetire, base: base,
		http:   &http.Client{Transport: o.Transport, CheckRedirect: dontFollow},
		budget: rate.NewLimiter(rate.Every(retryEvery), retryBurst),
		pacer:  &pacer{queue: queue{lines: make(map[caller][]*waiter)}, limit: rate.NewLimiter(rate.Inf, 1)},
	}
	return c, nil
}

func newTransport() *http.Transport {
	return &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
		MaxIdleConnsPerHost:    connections,
		MaxConnsPerHost:        connections,
		IdleConnTimeout:        90 * time.Second,
		TLSHandshakeTimeout:    10 * time.Second,
		MaxResponseHeaderBytes: maxHeader,
		ForceAttemptHTTP2:      true,
	}
}

// dontFollow hands a redirect back as the answer: the key must not follow it.
func dontFollow(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// Origin returns the host of the marketplace for display, with its port if
// it has one.
func (c *Client) Origin() string { return c.base.Host }

// BaseURL returns where the marketplace is, without a slash at the end.
func (c *Client) BaseURL() string { return c.base.String() }

// Close ends idle connections. The client can be used on.
func (c *Client) Close() { c.http.CloseIdleConnections() }
