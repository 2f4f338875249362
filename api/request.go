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

// request is a call of the interface.
type request struct {
	// method is GET if it is empty.
	method string
	path   string
	query  url.Values
	// bulk says that the request is one of many, which all wait rather than
	// fail where the service asks for fewer.
	bulk bool
}

// ask makes a request when the service allows it, again if it was too early.
func (c *Client) ask(ctx context.Context, r request) ([]byte, *Error) {
	for {
		turn, failed := c.pacer.wait(ctx, r.bulk || c.retries > 0)
		if failed != nil {
			return nil, failed
		}
		body, failed := c.try(ctx, r)
		now := time.Now()
		c.pacer.done(turn, failed, now)
		if failed == nil || failed.Kind != RateLimited || !r.bulk || c.pacer.gaveUp(now) {
			return body, failed
		}
		c.tellWait(failed.RetryAfter)
	}
}

// tellWait tells of a wait if the service asked for it.
func (c *Client) tellWait(asked time.Duration) {
	if asked > 0 {
		c.asked(asked)
	}
}

// try makes one request and returns the body of a 200, which the caller
// releases.
func (c *Client) try(ctx context.Context, r request) (body []byte, failed *Error) {
	started := time.Now()
	tryCtx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	status := 0
	defer func() { c.logTry(ctx, r, status, len(body), started, failed) }()

	req, err := http.NewRequestWithContext(tryCtx, r.method, c.address(r.path, r.query), nil)
	if err != nil {
		return nil, refused("the request cannot be made")
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", c.userAgent)
	if c.key != "" {
		req.Header.Set("Authorization", "Bearer "+c.key)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, transportError(tryCtx, err)
	}
	defer resp.Body.Close()
	status = resp.StatusCode
	if body, err = c.readBody(tryCtx, resp); err != nil {
		return nil, transportError(tryCtx, err)
	}
	if status != http.StatusOK {
		defer c.release(body)
		return nil, c.withoutKey(responseError(resp, c.scrub(body)))
	}
	return body, nil
}

// scrub removes the key from an error answer, so that cutting a long message
// off does not leave a part of it that nobody recognises.
func (c *Client) scrub(body []byte) []byte {
	if c.key == "" {
		return body
	}
	return bytes.ReplaceAll(body, []byte(c.key), []byte("…"))
}

// withoutKey removes the key from what the service says, should it repeat it
// in a form that only decoding shows.
func (c *Client) withoutKey(e *Error) *Error {
	if c.key != "" {
		e.Message = strings.ReplaceAll(e.Message, c.key, "…")
		e.Code = strings.ReplaceAll(e.Code, c.key, "…")
	}
	return e
}

func (c *Client) address(path string, query url.Values) string {
	u := c.base.JoinPath(path)
	u.RawQuery = query.Encode()
	return u.String()
}

func (c *Client) logTry(ctx context.Context, r request, status, size int, started time.Time, failed *Error) {
	fields := []any{"method", cmp.Or(r.method, http.MethodGet), "path", r.path, "status", status, "bytes", size, "took", time.Since(started)}
	if failed != nil {
		fields = append(fields, "error", failed.Error())
	}
	c.log.DebugContext(ctx, "request", fields...)
}
