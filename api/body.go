package api

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
)

const (
	// maxBody is the largest answer that is read, after decompression.
	maxBody = 32 << 20
	// maxShared is the largest answer that is read beside others. A larger one
	// waits until it is the only such: what a service sends must not take
	// maxBody for each connection.
	maxShared = 2 << 20
)

func (c *Client) readBody(ctx context.Context, resp *http.Response) ([]byte, error) {
	room, _ := c.bodies.Get().(*bytes.Buffer)
	if room == nil {
		room = &bytes.Buffer{}
	}
	room.Reset()
	if expected := resp.ContentLength; expected > 0 {
		room.Grow(int(min(expected, maxShared)) + bytes.MinRead)
	}
	n, err := io.Copy(room, io.LimitReader(resp.Body, maxShared+1))
	switch {
	case err != nil:
		return nil, err
	case n > maxShared:
		return c.readLarge(ctx, resp, room)
	}
	return room.Bytes(), nil
}

// readLarge reads the rest of a large body, once no other is being read. There is
// one room for such, of the largest size: to grow by doubling would take three
// times as much.
func (c *Client) readLarge(ctx context.Context, resp *http.Response, begin *bytes.Buffer) ([]byte, error) {
	var kept []byte
	select {
	case kept = <-c.large:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if kept == nil {
		kept = make([]byte, 0, maxBody+1+bytes.MinRead)
	}
	room := bytes.NewBuffer(kept[:0])
	_, _ = room.ReadFrom(begin)
	c.release(begin.Bytes())
	_, err := io.Copy(room, io.LimitReader(resp.Body, int64(maxBody+1-room.Len())))
	if err == nil && room.Len() > maxBody {
		message := fmt.Sprintf("the service answered with more than %d MiB", maxBody>>20)
		err = &Error{Kind: NotTheAPI, Status: resp.StatusCode, Message: message}
	}
	if err != nil {
		c.release(room.Bytes())
		return nil, err
	}
	return room.Bytes(), nil
}

func (c *Client) release(body []byte) {
	switch {
	case len(body) > maxShared:
		c.large <- body
	case cap(body) <= 2*maxShared:
		c.bodies.Put(bytes.NewBuffer(body))
	}
}
