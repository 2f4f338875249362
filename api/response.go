package api

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/klauspost/compress/zstd"

	"tonne/api/wire"
)

func responseError(resp *http.Response, base *url.URL, body []byte) *Error {
	said := wire.DecodeFailure(body)
	e := &Error{Status: resp.StatusCode, Code: said.Code, Message: said.Message, json: said.JSON}
	e.damaged = !said.JSON || said.StatusCode != 0 && said.StatusCode != resp.StatusCode
	if resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode >= 500 {
		e.RetryAfter, e.asked = retryAfter(resp.Header, time.Now())
	}
	switch code := resp.StatusCode; {
	case code == http.StatusUnauthorized:
		e.Kind = Unauthorized
	case code == http.StatusForbidden:
		e.Kind, e.Role = Forbidden, RoleAPIUser
	case said.Code == "NOT_FOUND" && saysNotFound(code, body):
		e.Kind = NotFound
	case code == http.StatusUnprocessableEntity || code == http.StatusBadRequest:
		e.Kind = Invalid
	case code == http.StatusTooManyRequests:
		e.Kind = RateLimited
	case code >= 500:
		e.Kind = ServerError
	case code >= 300 && code < 400:
		e.Kind = NotTheAPI
		e.Message, e.Elsewhere = redirection(base, resp.Header.Get("Location"))
	default:
		e.Kind, e.Message = NotTheAPI, fmt.Sprintf("the service answered %d", code)
		e.Elsewhere = wire.IsWebPage(body)
	}
	return e
}

// saysNotFound reports whether the code NOT_FOUND comes from the service. The body of a
// 422 may have any form (interface section 7); a web page with another status comes
// from a proxy.
func saysNotFound(status int, body []byte) bool {
	return status == http.StatusUnprocessableEntity || status >= 400 && status < 500 && !wire.IsWebPage(body)
}

// longestTarget is the length in bytes up to which the target of a redirect is shown
// with its path.
const longestTarget = 200

func redirection(base *url.URL, location string) (message string, elsewhere bool) {
	to, err := base.Parse(location)
	if location == "" || err != nil {
		return "the service redirects", false
	}
	host := to.Scheme + "://" + to.Host
	target := host + to.Path
	if len(target) > longestTarget {
		target = host
	}
	return "the service redirects to " + wire.Clean(target), to.Host != base.Host || to.Scheme != base.Scheme
}

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
	return &Error{Kind: Unreachable, Message: reach(err), Err: err}
}

func reach(err error) string {
	var dns *net.DNSError
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return "connection refused"
	case errors.As(err, &dns):
		return "host name not found"
	case errors.Is(err, syscall.ENETUNREACH), errors.Is(err, syscall.EHOSTUNREACH):
		return "no network route"
	case isUntrusted(err):
		return "certificate not trusted"
	case isTLS(err):
		return "no secure connection"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return "connection broke off"
	}
	return "no usable answer"
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

const (
	// maxBody limits a response after decompression, in bytes.
	maxBody = 32 << 20
	// maxPresized limits the memory that is allocated before a response arrives.
	maxPresized = 4 << 20
	// maxWindow is the largest zstd window in bytes, which every client must accept
	// (RFC 9659).
	maxWindow = 8 << 20
	// acceptedEncodings are the accepted compressions. zstd is decoded four times as
	// fast as gzip.
	acceptedEncodings = "zstd, gzip"
)

var zstdDecoder = sync.OnceValue(func() *zstd.Decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(connections), zstd.WithDecoderMaxMemory(maxBody), zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderLowmem(true))
	if err != nil {
		panic(err)
	}
	return d
})

func readBody(resp *http.Response, expected int64) (body []byte, err error) {
	notTheAPI := func(message string) ([]byte, error) {
		return nil, &Error{Kind: NotTheAPI, Status: resp.StatusCode, Message: message}
	}
	from, encoding := io.Reader(resp.Body), strings.ToLower(resp.Header.Get("Content-Encoding"))
	switch {
	case resp.ContentLength == 0, encoding == "", encoding == "identity", encoding == "zstd":
	case encoding == "gzip":
		if from, err = gzip.NewReader(resp.Body); err != nil {
			return nil, err
		}
	default:
		return notTheAPI("the service compressed its answer in a way that it was not asked for")
	}
	var room bytes.Buffer
	room.Grow(int(min(max(resp.ContentLength, expected), maxPresized)) + bytes.MinRead)
	_, err = room.ReadFrom(io.LimitReader(from, maxBody+1))
	if body = room.Bytes(); err == nil && encoding == "zstd" && 0 < len(body) && len(body) <= maxBody {
		body, err = zstdDecoder().DecodeAll(body, nil)
	}
	if len(body) > maxBody || errors.Is(err, zstd.ErrDecoderSizeExceeded) {
		return notTheAPI(fmt.Sprintf("the service answered with more than %d MiB", maxBody>>20))
	}
	return body, err
}
