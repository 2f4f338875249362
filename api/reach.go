package api

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"

	"tonne/api/wire"
)

func transportError(ctx context.Context, err error) *Error {
	var e *Error
	var timeout net.Error
	switch {
	case errors.As(err, &e):
		return e
	case errors.Is(ctx.Err(), context.Canceled):
		return &Error{Kind: Cancelled, Err: err}
	case ctx.Err() != nil, errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return &Error{Kind: TimedOut, Err: err}
	}
	c := causeOf(err)
	if proxy, atProxy := proxyOf(err); atProxy {
		c = c.ofProxy(proxy)
	}
	return &Error{Kind: Unreachable, Message: wire.Clean(c.what), Brief: c.brief, Todo: c.todo, Err: err}
}

// cause is why a host cannot be reached: in about thirty columns, in a phrase, and what to
// do about it. An empty todo leaves the advice to the kind of error.
type cause struct{ brief, what, todo string }

func (c cause) ofProxy(proxy string) cause {
	return cause{"proxy: " + c.brief, "the proxy " + proxy + ": " + c.what, checkProxy}
}

const (
	checkProxy = "Check HTTPS_PROXY and NO_PROXY"
	checkClock = "Check the clock of this machine. If it is right, ask the marketplace's support to renew the certificate"
	trustProxy = "If your network inspects TLS, name its root certificates in SSL_CERT_FILE"
)

func causeOf(err error) cause {
	var dns *net.DNSError
	var answer *proxyError
	switch {
	case errors.As(err, &answer):
		return answer.cause()
	case errors.Is(err, syscall.ECONNREFUSED):
		return plainCause("connection refused")
	case errors.As(err, &dns):
		return plainCause("host name not found")
	case errors.Is(err, syscall.ENETUNREACH), errors.Is(err, syscall.EHOSTUNREACH):
		return plainCause("no network route")
	case isUntrusted(err):
		return untrusted(hostOf(err), err)
	case isTLS(err):
		return noTLS(hostOf(err), err)
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return plainCause("connection lost")
	}
	return plainCause("no usable answer")
}

func plainCause(what string) cause { return cause{brief: what, what: what} }

// untrusted explains why the certificate of a host is not accepted.
func untrusted(host string, err error) cause {
	var invalid x509.CertificateInvalidError
	var name x509.HostnameError
	var authority x509.UnknownAuthorityError
	prefix := "the certificate of " + host + " "
	switch {
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired && time.Now().Before(invalid.Cert.NotBefore):
		return cause{"certificate not yet valid", prefix + "is not valid before " + day(invalid.Cert.NotBefore), checkClock}
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return cause{"certificate expired", prefix + "expired on " + day(invalid.Cert.NotAfter), checkClock}
	case errors.As(err, &name):
		return cause{"certificate of another host", prefix + "is for " + namesOf(name.Certificate),
			"Check the base URL: another server may answer there"}
	case errors.As(err, &authority):
		return cause{"certificate not trusted", prefix + "is signed by an unknown authority" + issuer(authority.Cert),
			trustProxy}
	}
	return cause{"certificate not trusted", prefix + "is not trusted: " + reasonOf(err), trustProxy}
}

func day(t time.Time) string { return t.UTC().Format(time.DateOnly) }

// maxNames limits the names of a certificate that a message lists.
const maxNames = 3

func namesOf(c *x509.Certificate) string {
	names := c.DNSNames
	for _, ip := range c.IPAddresses {
		names = append(names, ip.String())
	}
	switch {
	case len(names) == 0:
		return "no host name"
	case len(names) > maxNames:
		names = append(names[:maxNames:maxNames], "others")
	}
	return shortened(strings.Join(names, ", "))
}

func issuer(c *x509.Certificate) string {
	if c == nil || c.Issuer.String() == "" {
		return ""
	}
	return " (" + shortened(c.Issuer.String()) + ")"
}

// noTLS explains why a handshake failed for another reason than the certificate of the host.
func noTLS(host string, err error) cause {
	var record tls.RecordHeaderError
	if errors.Is(err, http.ErrSchemeMismatch) || errors.As(err, &record) {
		return cause{"no secure connection", host + " does not answer with TLS", "Check the base URL and its port"}
	}
	if reason := reasonOf(err); reason == "certificate required" || reason == "bad certificate" {
		// Package tls does not export the type of an alert.
		return cause{"client certificate wanted", host + " wants a certificate of the client, and tonne has none",
			"Ask the operator of the marketplace or of your network for an address that needs only the API key"}
	}
	return cause{"no secure connection", "the TLS handshake with " + host + " failed: " + reasonOf(err),
		"Ask the operator of the marketplace or of your network which versions of TLS it accepts"}
}

// reasonOf returns the text of the innermost error.
func reasonOf(err error) string {
	for {
		inner := errors.Unwrap(err)
		if inner == nil || inner.Error() == "" {
			return shortened(strings.TrimPrefix(err.Error(), "tls: "))
		}
		err = inner
	}
}

// longestPart limits a text of another party within a message, in bytes.
const longestPart = 120

func shortened(text string) string {
	if len(text) <= longestPart {
		return text
	}
	return strings.ToValidUTF8(text[:longestPart], "") + "…"
}

// hostOf returns the host of the request that failed.
func hostOf(err error) string {
	var failed *url.Error
	if errors.As(err, &failed) {
		if u, err := url.Parse(failed.URL); err == nil {
			return u.Host
		}
	}
	return "the service"
}

func isUntrusted(err error) bool {
	var verify *tls.CertificateVerificationError
	return errors.As(err, &verify)
}

func isTLS(err error) bool {
	var record tls.RecordHeaderError
	var refusal *net.OpError // crypto/tls reports alerts of both sides this way
	return isUntrusted(err) || errors.Is(err, http.ErrSchemeMismatch) || errors.As(err, &record) ||
		errors.As(err, &refusal) && (refusal.Op == "remote error" || refusal.Op == "local error")
}

// proxyError is the refusal of a proxy to connect to the marketplace.
type proxyError struct {
	proxy  string
	status int
}

func (e *proxyError) Error() string {
	return fmt.Sprintf("the proxy %s answered %d", e.proxy, e.status)
}

func (e *proxyError) cause() cause {
	if e.status == http.StatusProxyAuthRequired {
		return cause{"proxy wants a password", "the proxy " + e.proxy + " wants a user name and a password (407)",
			"Add the user name and the password to HTTPS_PROXY, or the marketplace to NO_PROXY"}
	}
	return cause{fmt.Sprintf("proxy answered %d", e.status),
		fmt.Sprintf("the proxy %s refused to connect to the marketplace (%d %s)", e.proxy, e.status,
			http.StatusText(e.status)),
		"Ask the operator of the proxy to allow the marketplace, or add it to NO_PROXY"}
}

// refusedByProxy reports whether a proxy refuses the marketplace or the user, which a retry
// does not change.
func refusedByProxy(err error) bool {
	var answer *proxyError
	return errors.As(err, &answer) && answer.status < http.StatusInternalServerError
}

// connected reports the refusal of a proxy. It is OnProxyConnectResponse of a transport.
func connected(_ context.Context, proxy *url.URL, _ *http.Request, answer *http.Response) error {
	if answer.StatusCode == http.StatusOK {
		return nil
	}
	return &proxyError{wire.Clean(proxy.Host), answer.StatusCode}
}

// throughProxy names the proxy in an error of the connection, unless the error names it.
func throughProxy(e *Error, proxy *url.URL) {
	if e.Kind != Unreachable || proxy == nil || strings.Contains(e.Message, proxy.Host) {
		return
	}
	e.Message += ", through the proxy " + wire.Clean(proxy.Host)
	e.Todo = cmp.Or(e.Todo, checkProxy)
}

// proxyOf returns the proxy to which a connection failed.
func proxyOf(err error) (proxy string, ok bool) {
	var failed *net.OpError
	var answer *proxyError
	if !errors.As(err, &failed) || failed.Op != "proxyconnect" || errors.As(err, &answer) {
		return "", false
	}
	var dial *net.OpError
	if errors.As(failed.Err, &dial) && dial.Addr != nil {
		return dial.Addr.String(), true
	}
	return "of HTTPS_PROXY", true
}
