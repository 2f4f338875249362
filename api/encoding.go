package api

import (
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// acceptedEncodings are how a service may compress its answers. The first is read
// in a quarter of the time.
const acceptedEncodings = "zstd, gzip"

// maxWindow is how much of an answer a service may have kept for what follows, in
// bytes: as much as it may expect of any client (RFC 9659).
const maxWindow = 8 << 20

func newZstd() any {
	r, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderLowmem(true))
	if err != nil {
		panic(err)
	}
	return r
}

func (c *Client) expand(resp *http.Response) error {
	var pool *sync.Pool
	switch encoding := resp.Header.Get("Content-Encoding"); {
	case resp.ContentLength == 0 || encoding == "" || strings.EqualFold(encoding, "identity"):
		return nil
	case strings.EqualFold(encoding, "zstd"):
		pool = &c.zstd
	case strings.EqualFold(encoding, "gzip"):
		pool = &c.gzip
	default:
		const message = "the service compressed its answer in a way that it was not asked for"
		return &Error{Kind: NotTheAPI, Status: resp.StatusCode, Message: message}
	}
	body := expanded{pool.Get().(expander), resp.Body, pool}
	resp.Body, resp.ContentLength = body, -1
	return body.Reset(body.wire)
}

type expander interface {
	io.Reader
	Reset(r io.Reader) error
}

type expanded struct {
	expander
	wire io.ReadCloser
	pool *sync.Pool
}

func (b expanded) Close() error {
	b.pool.Put(b.expander)
	return b.wire.Close()
}
