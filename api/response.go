package api

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

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
	case code == http.StatusTooManyRequests:
		e.Kind = RateLimited
	case code == http.StatusNetworkAuthenticationRequired:
		// The login page of a network (RFC 6585).
		e.Kind, e.Elsewhere, e.Message = NotTheAPI, true, anotherParty(code, body)
		e.Todo = "Log in to the network with a browser, then try again"
	case code >= 500:
		e.Kind, e.page = ServerError, wire.PageTitle(body)
	case code >= 300 && code < 400:
		e.Kind, e.Elsewhere = NotTheAPI, true
		e.Message, e.Todo = redirection(base, resp)
	case code == http.StatusProxyAuthRequired:
		asked := (&proxyError{"on the way", code}).cause()
		e.Kind, e.Elsewhere, e.Message, e.Brief, e.Todo = NotTheAPI, true, asked.what, asked.brief, asked.todo
	case said.Code == "NOT_FOUND" && saysNotFound(code, body):
		e.Kind = NotFound
	case ofAnotherParty(code, body, said):
		e.Kind, e.Elsewhere, e.Message = NotTheAPI, true, anotherParty(code, body)
	case code == http.StatusUnauthorized:
		e.Kind = Unauthorized
	case code == http.StatusForbidden:
		if e.Kind = Forbidden; lacksRole(e, said) {
			e.Role = RoleAPIUser
		}
	case code == http.StatusUnprocessableEntity || code == http.StatusBadRequest:
		e.Kind = Invalid
	default:
		e.Kind, e.Message = NotTheAPI, fmt.Sprintf("the service answered %d", code)+quoted(e)
	}
	if e.Status == http.StatusNotFound {
		e.suggest(baseWithoutAPI(base))
	}
	return e
}

// ofAnotherParty reports whether a proxy or a firewall made the response: it is a web page, or
// refuses the key with a text that neither has the form of the interface (section 7) nor only
// repeats the status.
func ofAnotherParty(status int, body []byte, said wire.Failure) bool {
	if wire.IsWebPage(body) {
		return true
	}
	refusesKey := status == http.StatusUnauthorized || status == http.StatusForbidden
	return refusesKey && !said.JSON && said.Message != "" && !repeatsStatus(status, said.Message)
}

// lacksRole reports whether a 403 states that a role is missing: it has the form of the
// interface (section 7), or gives no reason. Another form with a reason has that reason.
func lacksRole(e *Error, said wire.Failure) bool {
	return said.StatusCode == http.StatusForbidden || said.Code == "Forbidden" || quoted(e) == ""
}

func anotherParty(status int, body []byte) string {
	if title := wire.PageTitle(body); title != "" {
		return fmt.Sprintf("what answers is not the marketplace, but a web page: %q (status %d)", title, status)
	}
	if wire.IsWebPage(body) {
		return fmt.Sprintf("what answers is not the marketplace, but a web page (status %d)", status)
	}
	if said := wire.DecodeFailure(body).Message; said != "" {
		return fmt.Sprintf("what answers is not the marketplace: %q (status %d)", said, status)
	}
	return fmt.Sprintf("what answers is not the marketplace (status %d)", status)
}

// repeatsStatus reports whether a message of the service says no more than the status.
func repeatsStatus(status int, message string) bool {
	return strings.EqualFold(strings.TrimRight(message, "."), http.StatusText(status))
}

// quoted returns the reason of the service with a colon before it, unless it says no more
// than the status.
func quoted(e *Error) string {
	if e.Message == "" || repeatsStatus(e.Status, e.Message) {
		return ""
	}
	return ": " + e.Message
}

// foreignCharset returns an error if the body is not UTF-8, as JSON must be (RFC
// 8259), and its byte-order mark or the service names another charset.
func foreignCharset(resp *http.Response, body []byte) *Error {
	_, parameters, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	charset := parameters["charset"]
	if charset == "" || strings.EqualFold(charset, "utf-8") {
		if !bytes.HasPrefix(body, []byte("\xff\xfe")) && !bytes.HasPrefix(body, []byte("\xfe\xff")) {
			return nil
		}
		charset = "UTF-16"
	}
	if utf8.Valid(body) {
		return nil
	}
	return &Error{
		Kind: NotTheAPI, Status: resp.StatusCode,
		Message: fmt.Sprintf("unreadable answer: it is encoded as %s, and JSON must be UTF-8",
			wire.Clean(shortened(charset))),
	}
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

func redirection(base *url.URL, resp *http.Response) (message, todo string) {
	location := resp.Header.Get("Location")
	to, err := base.Parse(location)
	if location == "" || err != nil {
		return "the service redirects", ""
	}
	host := to.Scheme + "://" + to.Host
	target := host + to.Path
	if len(target) > longestTarget {
		target = host
	}
	asked := strings.TrimPrefix(resp.Request.URL.Path, base.Path)
	prefix, found := strings.CutSuffix(strings.TrimRight(to.Path, "/"), asked)
	if found && to.Hostname() == base.Hostname() {
		// Another host is not recommended: the key would go there.
		todo = tryBase(base, host+prefix)
	}
	return "the service redirects to " + wire.Clean(target), todo
}

// baseWithoutAPI returns the base URL without /api at its end and what follows it, or "" if
// it has none: the paths of the interface begin with it.
func baseWithoutAPI(base *url.URL) string {
	prefix, after, found := strings.Cut(base.Path+"/", "/api/")
	if !found || strings.Contains(after, "/api/") {
		return ""
	}
	return base.Scheme + "://" + base.Host + prefix
}

// suggest makes the advice to use another base URL, if there is one.
func (e *Error) suggest(base string) {
	if base != "" {
		e.Elsewhere, e.Todo = true, tryURL(base)
	}
}

func tryURL(base string) string { return "Check the base URL: try " + base }

// tryBase returns the advice to use another base URL, if it is a usable one.
func tryBase(base *url.URL, other string) string {
	if _, err := CheckURL(other); err != nil || other == base.String() {
		return ""
	}
	return tryURL(other)
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
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(connections), zstd.WithDecoderMaxMemory(maxBody),
		zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderLowmem(true))
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
