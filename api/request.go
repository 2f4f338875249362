package api

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	// maxBody is the largest answer that is read, after decompression.
	maxBody = 32 << 20
	// maxReused is the most room that is kept for another answer.
	maxReused = 4 << 20
)

// try makes one request and returns the body of a 200.
func (c *Client) try(ctx context.Context, method, path string, query url.Values) (body []byte, failed *Error) {
	started := time.Now()
	tryCtx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	status := 0
	defer func() { c.logTry(ctx, method, path, status, len(body), started, failed) }()

	req, err := http.NewRequestWithContext(tryCtx, method, c.address(path, query), nil)
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
	if body, err = c.readBody(resp); err != nil {
		return nil, transportError(tryCtx, err)
	}
	if status != http.StatusOK {
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

// readBody reads the whole body. One that is too large is not the API's.
func (c *Client) readBody(resp *http.Response) ([]byte, error) {
	room, _ := c.bodies.Get().(*bytes.Buffer)
	if room == nil {
		room = &bytes.Buffer{}
	}
	room.Reset()
	if expected := resp.ContentLength; expected > 0 {
		room.Grow(int(min(expected, maxBody)) + bytes.MinRead)
	}
	n, err := io.Copy(room, io.LimitReader(resp.Body, maxBody+1))
	switch {
	case n > maxBody:
		message := fmt.Sprintf("the service answered with more than %d MiB", maxBody>>20)
		return nil, &Error{Kind: NotTheAPI, Status: resp.StatusCode, Message: message}
	case err != nil:
		return nil, err
	}
	return room.Bytes(), nil
}

// reuse takes a body back that nobody reads any more, as room for another.
func (c *Client) reuse(body []byte) {
	if cap(body) <= maxReused {
		c.bodies.Put(bytes.NewBuffer(body))
	}
}

func (c *Client) logTry(ctx context.Context, method, path string, status, size int, started time.Time, failed *Error) {
	fields := []any{"method", method, "path", path, "status", status, "bytes", size, "took", time.Since(started)}
	if failed != nil {
		fields = append(fields, "error", failed.Error())
	}
	c.log.DebugContext(ctx, "request", fields...)
}
