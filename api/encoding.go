package api

import (
	"compress/gzip"
	"errors"
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
// bytes: as much as it may expect of anybody (RFC 9659).
const maxWindow = 8 << 20

// expanders expand compressed answers. They are large, so they are kept for the
// next.
type expanders struct{ gzip, zstd sync.Pool }

func (e *expanders) open(resp *http.Response) error {
	body := &expanded{wire: resp.Body}
	var err error
	switch encoding := resp.Header.Get("Content-Encoding"); {
	case resp.ContentLength == 0 || encoding == "" || strings.EqualFold(encoding, "identity"):
		return nil
	case strings.EqualFold(encoding, "zstd"):
		err = e.openZstd(body)
	case strings.EqualFold(encoding, "gzip"):
		err = e.openGzip(body)
	default:
		err = &Error{Kind: NotTheAPI, Status: resp.StatusCode, Message: "the service compressed its answer in a way that it was not asked for"}
	}
	if err != nil {
		return err
	}
	resp.Body, resp.ContentLength = body, -1
	return nil
}

func (e *expanders) openZstd(body *expanded) (err error) {
	r, _ := e.zstd.Get().(*zstd.Decoder)
	if r == nil {
		r, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderLowmem(true))
		if err != nil {
			return err
		}
	}
	body.Reader = r
	body.release = func() error {
		err := r.Reset(nil)
		e.zstd.Put(r)
		return err
	}
	return r.Reset(body.wire)
}

func (e *expanders) openGzip(body *expanded) error {
	r, _ := e.gzip.Get().(*gzip.Reader)
	if r == nil {
		r = new(gzip.Reader)
	}
	body.Reader = r
	body.release = func() error {
		e.gzip.Put(r)
		return nil
	}
	return r.Reset(body.wire)
}

// expanded is a body that is expanded while it is read.
type expanded struct {
	io.Reader
	wire    io.ReadCloser
	release func() error
}

// Close ends the body. It is called once.
func (b *expanded) Close() error { return errors.Join(b.release(), b.wire.Close()) }
