package api

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
)

const (
	// maxBody is the largest answer that is read, after decompression.
	maxBody = 32 << 20
	// maxKept is the largest buffer that is kept for other answers.
	maxKept = 4 << 20
)

func (c *Client) readBody(resp *http.Response) ([]byte, error) {
	room, _ := c.bodies.Get().(*bytes.Buffer)
	if room == nil {
		room = &bytes.Buffer{}
	}
	room.Reset()
	if expected := resp.ContentLength; expected > 0 {
		room.Grow(int(min(expected, maxKept)) + bytes.MinRead)
	}
	n, err := io.Copy(room, io.LimitReader(resp.Body, maxBody+1))
	if err == nil && n > maxBody {
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
	if cap(body) <= maxKept {
		c.bodies.Put(bytes.NewBuffer(body))
	}
}
