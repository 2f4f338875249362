package api

import (
	"bytes"
	"cmp"
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"
)

type request struct {
	method string
	path   string
	query  url.Values
	// tag, if not empty, requests a body only if the response has another tag.
	tag string
	// body is JSON, or nil.
	body []byte
	// bulk reports that the request is one of many, which wait instead of failing if
	// the service limits the rate.
	bulk bool
}

// answer is a response with a status of success, or 304.
type answer struct {
	// body is nil if unchanged is set.
	body []byte
	// unchanged reports that the response still has the tag of the request.
	unchanged bool
	// tag is the ETag, and version the Market-Version: equal versions mean equal
	// listings. Either may be empty.
	tag, version string
	query        string
}

const versionHeader = "Market-Version"

func (c *Client) try(ctx context.Context, r request) (a answer, failed *Error) {
	started := time.Now()
	tryCtx, cancel := context.WithTimeout(ctx, c.options.Timeout)
	defer cancel()
	status := 0
	defer func() { c.logTry(ctx, r, status, len(a.body), started, failed) }()

	req, err := http.NewRequestWithContext(tryCtx, r.method, c.address(r.path, r.query), bytes.NewReader(r.body))
	if err != nil {
		return a, refused("the request cannot be made")
	}
	if r.body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("Accept-Encoding", acceptedEncodings)
	req.Header.Set("User-Agent", c.options.UserAgent)
	if c.options.Key != "" {
		req.Header.Set("Authorization", "Bearer "+c.options.Key)
	}
	if r.tag != "" {
		req.Header.Set("If-None-Match", r.tag)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return a, c.unreachable(tryCtx, req, err)
	}
	defer func() { _ = resp.Body.Close() }()
	status = resp.StatusCode
	c.readClock(resp.Header)
	if status == http.StatusNotModified {
		return notModified(r, resp.Header)
	}
	body, err := readBody(resp, c.bodySize.Load())
	if err != nil {
		return a, c.unreachable(tryCtx, req, err)
	}
	c.bodySize.Store(int64(len(body)))
	if status/100 != 2 {
		// The key is removed before a long message is cut, which may leave a part of it.
		return a, c.withoutKey(responseError(resp, c.base, []byte(c.hideKey(string(body)))))
	}
	if failed := foreignCharset(resp, body); failed != nil {
		return a, failed
	}
	return answer{body: body, tag: resp.Header.Get("ETag"), version: resp.Header.Get(versionHeader)}, nil
}

func (c *Client) unreachable(ctx context.Context, req *http.Request, err error) *Error {
	e := transportError(ctx, err)
	if c.options.Proxy != nil {
		proxy, _ := c.options.Proxy(req)
		throughProxy(e, proxy)
	}
	return e
}

// dated is when a response arrived, and its date.
type dated struct{ arrived, date time.Time }

func (c *Client) readClock(h http.Header) {
	if date, err := http.ParseTime(h.Get("Date")); err == nil {
		c.dated.Store(&dated{time.Now(), date})
	}
}

func notModified(r request, h http.Header) (answer, *Error) {
	tag := h.Get("ETag")
	switch {
	case r.tag == "":
		return answer{}, notConditional("the service answered 304 to a request without a condition")
	case tag != "" && strings.TrimPrefix(tag, "W/") != strings.TrimPrefix(r.tag, "W/"):
		return answer{}, notConditional("the service answered 304 for another tag than it was asked with")
	}
	return answer{unchanged: true, tag: r.tag, version: h.Get(versionHeader)}, nil
}

func notConditional(message string) *Error {
	return &Error{Kind: NotTheAPI, Status: http.StatusNotModified, Message: message}
}

// withoutKey removes the key from decoded texts of the service: it may repeat the key
// in an encoded form.
func (c *Client) withoutKey(e *Error) *Error {
	e.Message, e.Code = c.hideKey(e.Message), c.hideKey(e.Code)
	return e
}

func (c *Client) hideKey(text string) string { return HideKeys(text, c.options.Key) }

func (c *Client) address(path string, query url.Values) string {
	u := c.base.JoinPath(path)
	u.RawQuery = query.Encode()
	return u.String()
}

func (c *Client) logTry(ctx context.Context, r request, status, size int, started time.Time, failed *Error) {
	fields := []any{"method", cmp.Or(r.method, http.MethodGet), "path", r.path, "status", status, "bytes", size, "took",
		time.Since(started)}
	if failed != nil {
		fields = append(fields, "error", failed.Error())
	}
	c.options.Log.DebugContext(ctx, "request", fields...)
}
